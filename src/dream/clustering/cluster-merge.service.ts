import type { Transaction } from '../../db/transaction.ts'
import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import { maxTags } from '../../domain/schemas/request-fields.ts'
import { createServiceCaller } from '../../domain/trust/caller.ts'
import { walkRunById } from '../../jobs/runs/run-walk.ts'
import type { Change, RunContext } from '../../jobs/runs/runs.ts'
import { countOccurrences } from '../../kernel/collections/occurrences.ts'
import { AppError } from '../../kernel/errors.ts'
import { rescore } from '../../lifecycle/index.ts'
import {
  loadManyForUpdate,
  lockRecords,
  lockTombstonesShared,
  measureContents,
  type StoredRecord,
} from '../../records/index.ts'
import { copyLinks, retireRecord, revertMerge } from '../../revision/index.ts'
import type { InsertFact } from '../insert-fact.service.ts'
import type { DreamContext } from '../steps.ts'
import { copyCounts, findOrphans, type Member, maxMemberBytes, type Partition } from './clustering.queries.ts'
import { chooseSubject } from './summary-prompt.ts'

type Resources = { insertFact: InsertFact; textLanguage: string }

export type MergeInput = { partition: Partition; members: readonly Member[]; summary: string }
/** `erased`: the same text was erased earlier. `moved`: the members have changed since the model was asked. */
type MergeOutcome = { outcome: 'merged'; changes: Change[] } | { outcome: 'erased' } | { outcome: 'moved' }

const actor = 'dream/cluster'
const rationale = 'merged into a summary of similar records'

const caller = createServiceCaller(actor, 'dream')

/**
 * Returns a function that replaces the members of a group by their summary, in the transaction of the caller. The
 * members stay readable as merged.
 */
export function createMerge({ insertFact, textLanguage }: Resources) {
  return async (tx: Transaction, { run }: RunContext, input: MergeInput): Promise<MergeOutcome> => {
    await lockTombstonesShared(tx)
    const sources = await loadUnchanged(tx, input.members)
    if (!sources) return { outcome: 'moved' }
    const ids = input.members.map(({ id }) => id)
    const audit = { actor, rationale, now: run.startedAt, runId: run.id }
    const tags = sortByFrequency(input.members.flatMap((member) => member.tags))
    const summaryId = await insertFact(tx, {
      ...audit,
      scope: input.partition.scope,
      sensitivity: input.partition.sensitivity,
      tags: ['summary', ...tags].slice(0, maxTags),
      fact: { subject: chooseSubject(input.members, tags), predicate: 'summary', object: input.summary },
      sources: ids,
      links: [],
    })
    if (summaryId === undefined) return { outcome: 'erased' }
    for (const source of sources) {
      await retireRecord(tx, source, { ...audit, textLanguage, step: 'cluster', to: 'merged' })
    }
    await copyLinks(tx, ids, summaryId, run.startedAt)
    await copyCounts(tx, ids, summaryId)
    await rescore(tx, { ids: [summaryId], now: run.startedAt, runId: run.id })
    return { outcome: 'merged', changes: describeChanges(summaryId, sources) }
  }
}

/** A member that has become long is not read: it has changed. */
async function loadUnchanged(
  tx: Transaction,
  members: readonly Member[],
): Promise<StoredRecord[] | undefined> {
  const ids = members.map(({ id }) => id)
  await lockRecords(tx, ids)
  const sizes = await measureContents(tx, caller.trust, ids)
  if (sizes.some(({ bytes }) => bytes > maxMemberBytes)) return undefined
  return selectUnchanged(members, await loadManyForUpdate(tx, { caller }, ids))
}

/** Returns the members if all are unchanged, in the order of the summary. Undefined otherwise. */
function selectUnchanged(
  members: readonly Member[],
  claimed: readonly (StoredRecord | AppError)[],
): StoredRecord[] | undefined {
  const sources = claimed.flatMap((each) => (each instanceof AppError ? [] : [each]))
  const isSame = sources.every(
    ({ version, status, pinned }, nth) => version === members[nth]?.version && status === 'active' && !pinned,
  )
  return sources.length === members.length && isSame ? sources : undefined
}

/** Returns each tag once, the most frequent first. */
function sortByFrequency(tags: readonly string[]): string[] {
  return [...countOccurrences(tags)].sort((one, other) => other[1] - one[1]).map(([tag]) => tag)
}

/** Contains no content: a reader of the run may not be allowed to read all records it created. */
function describeChanges(summaryId: string, sources: readonly StoredRecord[]): Change[] {
  const ids = sources.map(({ id }) => id)
  return [
    { record_id: summaryId, action: 'create', after: { type: 'semantic', derived_from: ids } },
    ...sources.map(({ id, status }) => ({
      record_id: id,
      action: 'merge',
      before: { status },
      after: { status: 'merged', merged_into: summaryId },
    })),
  ]
}

const batchSize = 200
const reversal = { actor, rationale: 'the summary it was merged into no longer exists' }

/** Restores the members of a summary that was erased or purged. Their content would otherwise be nowhere. */
export async function restoreOrphans(
  context: DreamContext,
  { seal, textLanguage }: { seal: Seal; textLanguage: string },
): Promise<void> {
  const { id: runId, scope, startedAt: now } = context.run
  await walkRunById(context, {
    part: 'cluster',
    size: batchSize,
    doPortion: async (tx, portion) => {
      await lockTombstonesShared(tx)
      const ids = await findOrphans(tx, { scope, ...portion })
      const reverted = await revertMerge(tx, seal, ids, { ...reversal, now, runId, textLanguage })
      const moved = { before: { status: 'merged' }, after: { status: 'active' } }
      const changes = reverted.map((id) => ({ record_id: id, action: 'unmerge', ...moved }))
      const last = ids.length < portion.limit ? undefined : ids.at(-1)
      return { last, counts: { records_unmerged: reverted.length }, changes }
    },
    findNext: async (tx, after) => (await findOrphans(tx, { scope, after, limit: 1 }))[0],
  })
}
