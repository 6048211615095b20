import { asOperation, getOperation } from '../db/run-effects.ts'
import { type CallContext, type Transaction, transact } from '../db/transaction.ts'
import { addInverses, createEdge } from '../domain/edges/edges.ts'
import { type Caller, unscoped } from '../domain/trust/caller.ts'
import { AppError } from '../kernel/errors.ts'
import {
  type CreationResources,
  findReadableRecord,
  lockTombstonesShared,
  presentWritten,
  type RecordsService,
  requireMergeableSize,
  type StoredRecord,
  type WrittenRecord,
  writeChange,
} from '../records/index.ts'
import { upsertEdges } from '../relations/index.ts'
import { contestRecord, uncontestRecord } from './contest.ts'
import { readLineage } from './lineage.service.ts'
import { createTooFewError, requireSameTypeAndScope } from './merge-sources.ts'
import { retireQuoting } from './retirement/quoting-records.service.ts'
import { nameEdge, type Other } from './retirement/retired-record.ts'
import { retireRecord } from './retirement/retirement.service.ts'
import { findMergedSources } from './reversal/merge-reversal.queries.ts'
import { revertMerge } from './reversal/merge-reversal.service.ts'
import { copyLinks, deleteIdentifiersOf } from './revision.queries.ts'
import type { Contest, Lineage, Merger, Revised, RevisionReason, Succession } from './revision.schemas.ts'
import { loadRevisable, loadSources, lockContestingRecord } from './revision-loading.service.ts'
import {
  createScopeMismatchError,
  draftSuccessor,
  type RevisionKind,
  type SuccessorInput,
} from './successor-draft.ts'

type Resources = CreationResources & { records: Pick<RecordsService, 'storeDrafts'> }

export type RevisionService = ReturnType<typeof createRevisionService>

/** Set when a run or a capture revises the record, and not a client. */
type RunOrigin = { runId?: string; capturedFrom?: string }

type NewSuccessor = {
  input: SuccessorInput
  sources: readonly StoredRecord[]
  kind: RevisionKind
  now: Date
}

export function createRevisionService(resources: Resources) {
  const { db, clock, ids, seal, records, policies, defaultSensitivity, textLanguage } = resources

  /** Each revision has an id, by which it is taken back. */
  async function revise<T>(call: CallContext, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return transact(db, call, (tx) => asOperation(tx, ids.next(), () => work(tx)))
  }

  async function supersede(call: CallContext, id: string, input: Succession & RunOrigin): Promise<Revised> {
    return revise(call, async (tx) => {
      await lockTombstonesShared(tx)
      const old = await loadRevisable(tx, call, id)
      const now = clock.now()
      const made = await storeSuccessor({ ...call, tx }, { input, sources: [old], kind: 'supersede', now })
      const changed = await retireRecord(tx, old, {
        ...toAuditReason(input),
        now,
        textLanguage,
        step: 'supersede',
        to: 'superseded',
        supersededBy: made.row,
      })
      return { record: made.record, sources: [getVersion(changed)] }
    })
  }

  async function fork(call: CallContext, id: string, input: Succession & RunOrigin): Promise<Revised> {
    return revise(call, async (tx) => {
      await lockTombstonesShared(tx)
      const origin = await loadRevisable(tx, call, id)
      const now = clock.now()
      const made = await storeSuccessor({ ...call, tx }, { input, sources: [origin], kind: 'fork', now })
      const changed = await writeChange(tx, origin, {
        action: 'fork',
        ...toAuditReason(input),
        now,
        textLanguage,
        changes: nameEdge(origin, 'derives', made.row),
      })
      return { record: made.record, sources: [getVersion(changed)] }
    })
  }

  async function merge(call: CallContext, { ids: named, ...input }: Merger & RunOrigin): Promise<Revised> {
    const unique = [...new Set(named.map((id) => id.toLowerCase()))]
    if (unique.length < 2) throw createTooFewError()
    return revise(call, async (tx) => {
      await lockTombstonesShared(tx)
      await requireMergeableSize(tx, call.caller, unique, 'record')
      const sources = await loadSources(tx, call, unique)
      requireSameTypeAndScope(sources)
      const now = clock.now()
      const { row } = await storeSuccessor({ ...call, tx }, { input, sources, kind: 'merge', now })
      const change = { ...toAuditReason(input), now, textLanguage, step: 'merge', mergedInto: row } as const
      const retired: StoredRecord[] = []
      for (const source of sources) retired.push(await retireRecord(tx, source, { ...change, to: 'merged' }))
      await copyLinks(tx, unique, row.id, now)
      const merged = await findReadableRecord(tx, call.caller, row.id)
      return { record: presentWritten(call.caller, merged, now), sources: retired.map(getVersion) }
    })
  }

  /** Stores the new record of a revision. It may have the identifiers of an entity that it replaces. */
  async function storeSuccessor(
    call: CallContext & { tx: Transaction },
    { input, sources, kind, now }: NewSuccessor,
  ): Promise<{ record: WrittenRecord; row: Other }> {
    const draft = draftSuccessor(input, sources, kind, {
      caller: call.caller,
      now,
      id: ids.next(),
      defaultSensitivity,
      policies: await policies.getAll(call.tx),
    })
    if (kind !== 'fork' && draft.row.type === 'entity') {
      await deleteIdentifiersOf(
        call.tx,
        sources.map(({ id }) => id),
      )
    }
    const audit = { ...draft.audit, operation_id: getOperation(call.tx) }
    const [outcome] = await records.storeDrafts(call, [{ ...draft, audit }])
    if (!outcome || outcome instanceof AppError) throw outcome?.at('/record')
    return { record: outcome, row: draft.row }
  }

  async function contest(
    call: CallContext,
    id: string,
    { contesting_ref: ref, ...input }: Contest & RunOrigin,
  ): Promise<WrittenRecord> {
    return revise(call, async (tx) => {
      const contesting = await lockContestingRecord(tx, call, id, ref)
      const stored = await loadRevisable(tx, call, id)
      const now = clock.now()
      if (contesting) await linkContesting(tx, stored, contesting, now)
      const { changes, ...change } = contestRecord(stored, contesting ? undefined : ref, now)
      await writeChange(tx, stored, {
        action: 'revise',
        ...toAuditReason(input),
        now,
        textLanguage,
        ...change,
        changes: { ...changes, ...nameEdge(stored, 'contested_by', contesting) },
      })
      return presentWritten(call.caller, await findReadableRecord(tx, call.caller, id), now)
    })
  }

  async function uncontest(
    call: CallContext,
    id: string,
    input: RevisionReason & RunOrigin,
  ): Promise<WrittenRecord> {
    return revise(call, async (tx) => {
      const stored = await loadRevisable(tx, call, id)
      const now = clock.now()
      const change = uncontestRecord(stored)
      if (!change) return presentWritten(call.caller, stored, now)
      const changed = await writeChange(tx, stored, {
        action: 'revise',
        ...toAuditReason(input),
        now,
        textLanguage,
        ...change,
      })
      return presentWritten(call.caller, changed, now)
    })
  }

  /** Records that a dream merged into it were not wrong, so they get their old state again, except erased content. */
  async function retract(
    call: CallContext,
    id: string,
    input: RevisionReason & RunOrigin,
  ): Promise<WrittenRecord> {
    return transact(db, call, async (tx) => {
      const retired = await revise({ ...call, tx }, async () => {
        await lockTombstonesShared(tx)
        const stored = await loadRevisable(tx, call, id)
        const now = clock.now()
        const change = { ...toAuditReason(input), now, textLanguage }
        const changed = await retireRecord(tx, stored, { ...change, step: 'retract', to: 'invalidated' })
        await revertMerge(tx, seal, await findMergedSources(tx, stored.id), change)
        return presentWritten(call.caller, changed, now)
      })
      await retireQuoting(tx, id, { actor: input.actor, now: clock.now(), textLanguage })
      return retired
    })
  }

  const getLineage = (caller: Caller, id: string): Promise<Lineage> => readLineage(db, caller, id)

  return { supersede, fork, merge, contest, uncontest, retract, getLineage }
}

function toAuditReason({ actor, rationale, runId }: RevisionReason & RunOrigin) {
  return { actor, rationale, ...(runId === undefined ? {} : { runId }) }
}

function getVersion({ id, version }: StoredRecord): Revised['sources'][number] {
  return { id, version }
}

/** An edge between two scopes would reveal one to readers of the other. */
async function linkContesting(
  tx: Transaction,
  stored: StoredRecord,
  contesting: StoredRecord,
  now: Date,
): Promise<void> {
  if (contesting.scope !== stored.scope && contesting.scope !== unscoped) {
    throw createScopeMismatchError([{ pointer: '/contesting_ref', message: 'has another scope' }])
  }
  await upsertEdges(tx, addInverses([createEdge(stored.id, 'contested_by', contesting.id, now)]))
}
