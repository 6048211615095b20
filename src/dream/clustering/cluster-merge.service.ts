import type { Transaction } from '../../db/transaction.ts'
import { type Caller, fullTrust, permissions } from '../../domain/caller.ts'
import type { Change, RunContext } from '../../jobs/runs.ts'
import { AppError } from '../../kernel/errors.ts'
import { rescore } from '../../lifecycle/index.ts'
import { loadManyForUpdate, lockTombstonesShared, type StoredRecord } from '../../records/index.ts'
import { copyLinks, retireRecord } from '../../revision/index.ts'
import type { Bear } from '../insert-fact.service.ts'
import { carryCounts, type Member, type Partition } from './clustering.queries.ts'
import { subjectOf } from './summary-prompt.ts'

type Resources = { bear: Bear; textLanguage: string }

export type Merging = { partition: Partition; members: readonly Member[]; summary: string }
/** `erased`: the same text was erased before, and is not to come back. `moved`: the sources are no longer what was told. */
export type Outcome = { outcome: 'merged'; changes: Change[] } | { outcome: 'erased' } | { outcome: 'moved' }

const actor = 'dream/cluster'
const rationale = 'told as one with what is nearly the same'
const mostTags = 100

const caller: Caller = {
  ...{ principal: actor, name: actor, sourceType: 'dream', permissions: new Set(permissions) },
  isService: true,
  trust: fullTrust,
}

/** What was told as one becomes one, in the transaction of the caller; what each said stays readable. */
export function createMerging({ bear, textLanguage }: Resources) {
  return async (tx: Transaction, { run }: RunContext, merging: Merging): Promise<Outcome> => {
    await lockTombstonesShared(tx)
    const ids = merging.members.map(({ id }) => id)
    const sources = unmoved(merging.members, await loadManyForUpdate(tx, { caller }, ids))
    if (!sources) return { outcome: 'moved' }
    const told = { actor, rationale, now: run.startedAt, runId: run.id }
    const tags = commonFirst(merging.members.flatMap((member) => member.tags))
    const heirId = await bear(tx, {
      ...{ ...told, ...pick(merging.partition), tags: ['summary', ...tags].slice(0, mostTags) },
      fact: { subject: subjectOf(merging.members, tags), predicate: 'summary', object: merging.summary },
      ...{ sources: ids, links: [] },
    })
    if (heirId === undefined) return { outcome: 'erased' }
    for (const source of sources) {
      await retireRecord(tx, source, { ...told, textLanguage, step: 'cluster', to: 'merged' })
    }
    await copyLinks(tx, ids, heirId, run.startedAt)
    await carryCounts(tx, ids, heirId)
    await rescore(tx, { ids: [heirId], now: run.startedAt, runId: run.id })
    return { outcome: 'merged', changes: describe(heirId, sources) }
  }
}

/** In the order told, if each is still as it was; undefined where one of them is not. */
function unmoved(
  members: readonly Member[],
  claimed: readonly (StoredRecord | AppError)[],
): StoredRecord[] | undefined {
  const sources = claimed.flatMap((each) => (each instanceof AppError ? [] : [each]))
  const isSame = sources.every(
    ({ version, status, pinned }, nth) => version === members[nth]?.version && status === 'active' && !pinned,
  )
  return sources.length === members.length && isSame ? sources : undefined
}

function pick({ scope, sensitivity }: Partition) {
  return { scope, sensitivity }
}

/** Each once, those that most have first. */
function commonFirst(tags: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return [...counts].sort((one, other) => other[1] - one[1]).map(([tag]) => tag)
}

/** Not in its words: who may read a run need not be one who may read all that it made. */
function describe(heirId: string, sources: readonly StoredRecord[]): Change[] {
  const ids = sources.map(({ id }) => id)
  return [
    { record_id: heirId, action: 'create', after: { type: 'semantic', derived_from: ids } },
    ...sources.map(({ id, status }) => ({
      ...{ record_id: id, action: 'merge', before: { status } },
      after: { status: 'merged', merged_into: heirId },
    })),
  ]
}
