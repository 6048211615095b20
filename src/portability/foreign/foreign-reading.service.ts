import type { Database } from '../../db/connection.ts'
import { readStoreSecret } from '../../db/store-secret.queries.ts'
import type { Caller, Sensitivity } from '../../domain/trust/caller.ts'
import { chooseWriteScope, requireCeiling } from '../../domain/trust/write-trust.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { PoliciesService } from '../../policies/index.ts'
import type { ParsedLine } from '../import/line-reading.service.ts'
import { type ForeignFormat, readers } from './formats.ts'
import { createIdentity } from './identity.ts'
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
    const idOf = createIdentity(await readStoreSecret(db), format, storedScope)
    const destination = { caller, format, scope: storedScope, sensitivity: defaultSensitivity, idOf }
    for await (const reading of readers[format](file)) {
      if ('error' in reading) yield { ...reading, size: 0 }
      else yield await draft(reading, destination)
    }
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

/** About the bytes that it takes in a transaction. */
function measureSize(item: Exclude<Reading, { error: AppError }>): number {
  if ('message' in item) return item.message.content.length
  const { payload } = item.record
  return payload.kind === 'semantic' && typeof payload.object === 'string' ? payload.object.length : 500
}
