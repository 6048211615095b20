import type { Database } from '../../db/connection.ts'
import { readStoreSecret } from '../../db/store-secret.queries.ts'
import type { Caller, Sensitivity } from '../../domain/trust/caller.ts'
import { hasFullTrust } from '../../domain/trust/trust.ts'
import { chooseWriteScope, requireCeiling } from '../../domain/trust/write-trust.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { PoliciesService } from '../../policies/index.ts'
import { findHiddenIds } from '../../records/index.ts'
import type { ParsedLine } from '../import/drafting/line-reading.service.ts'
import { type ForeignFormat, readers } from './formats.ts'
import { createIdentity, type Identity } from './identity.ts'
import { type Destination, draftItem } from './item-draft.service.ts'
import type { ForeignFile, Item, Reading } from './items.ts'

type Resources = {
  db: Database
  clock: Clock
  defaultSensitivity: Sensitivity
  policies: Pick<PoliciesService, 'getAll'>
}

export type ForeignRequest = { file: ForeignFile; format: ForeignFormat; scope: string | undefined }

/** Returns a function that reads the file of another program as lines to store. */
export function createForeignReading({ db, clock, defaultSensitivity, policies }: Resources) {
  return async function* read(
    caller: Caller,
    { file, format, scope }: ForeignRequest,
  ): AsyncGenerator<ParsedLine> {
    requireCeiling(caller, defaultSensitivity)
    const storedScope = chooseWriteScope(caller, scope)
    const identity = createIdentity(await readStoreSecret(db), format, storedScope)
    const place = { caller, format, scope: storedScope, sensitivity: defaultSensitivity }
    for await (const readings of takeTogether(readers[format](file))) {
      const destination = { ...place, idOf: await chooseIds(caller, identity, readings) }
      for (const reading of readings) {
        if ('error' in reading) yield { ...reading, size: 0 }
        else yield await draft(reading, destination)
      }
    }
  }

  /** For each item and those that it names the first id that no hidden record has or had, so that the report tells of none. */
  async function chooseIds(caller: Caller, identity: Identity, readings: readonly Reading[]) {
    const chosen = new Map(readings.flatMap(listSources).map((source) => [source, identity(source)]))
    for (let others = 1, unsure = [...chosen]; unsure.length > 0 && !hasFullTrust(caller.trust); others++) {
      const ids = unsure.map(([, id]) => id)
      const hidden = new Set(await findHiddenIds(db, caller.trust, ids))
      unsure = unsure.flatMap(([source, id]): typeof unsure =>
        hidden.has(id) ? [[source, identity(source, others)]] : [],
      )
      for (const [source, id] of unsure) chosen.set(source, id)
    }
    return (source: string) => chosen.get(source) ?? identity(source)
  }

  async function draft(item: Item, destination: Destination): Promise<ParsedLine> {
    const place = {
      line: item.line,
      id: destination.idOf(item.source),
      size: measureSize(item),
      ...('isMention' in item ? { isMention: true } : {}),
    }
    try {
      const moment = { now: clock.now(), policies: await policies.getAll(db) }
      return { ...place, copy: draftItem(item, destination, moment) }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { ...place, error }
    }
  }
}

/** Some items together, whose ids are looked up in one statement. */
async function* takeTogether(readings: AsyncIterable<Reading>): AsyncGenerator<Reading[]> {
  let taken: Reading[] = []
  for await (const reading of readings) {
    taken.push(reading)
    if (taken.length < maxTaken) continue
    yield taken
    taken = []
  }
  yield taken
}

const maxTaken = 32

/** The item and those that it names. */
function listSources(reading: Reading): string[] {
  if ('error' in reading) return []
  if ('message' in reading) return [reading.source]
  const { source, links = [], supersedes, supersededBy } = reading
  return [source, ...links.map(({ to }) => to), supersedes, supersededBy].filter((each) => each !== undefined)
}

/** About the bytes that it takes in a transaction. */
function measureSize(item: Exclude<Reading, { error: AppError }>): number {
  if ('message' in item) return item.message.content.length
  const { payload } = item.record
  return payload.kind === 'semantic' && typeof payload.object === 'string' ? payload.object.length : 500
}
