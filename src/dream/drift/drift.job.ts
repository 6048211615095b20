import type { Transaction } from '../../db/transaction.ts'
import type { DriftRoot } from '../../domain/drift-roots.ts'
import { fullTrust } from '../../domain/trust/caller.ts'
import { attemptBatch } from '../../jobs/runs/attempt.ts'
import { isBatchFailure } from '../../jobs/runs/batch-failure.ts'
import type { BatchResult, Change, RunContext } from '../../jobs/runs/runs.ts'
import { nilUuid } from '../../kernel/ids.ts'
import { findRecords, writeChange } from '../../records/index.ts'
import type { Step } from '../steps.ts'
import {
  claimUnchanged,
  countChecked,
  deleteMiss,
  findPosition,
  listChecked,
  upsertMiss,
  upsertPosition,
} from './drift.queries.ts'
import { decideMove, type Move } from './drift-judgement.ts'
import { checkRecord, createChecker, type RecordCheck } from './reference-check.service.ts'

export type DriftSettings = { roots: readonly DriftRoot[]; textLanguage: string; size?: number }
type DueMove = RecordCheck & { move: Move }

const defaultBatchSize = 500
const actor = 'dream/drift'

/** The status that each move sets, and the figure that counts it. */
const outcomes = {
  challenge: { to: 'challenged', figure: 'drift_challenged' },
  invalidate: { to: 'invalidated', figure: 'drift_invalidated' },
  restore: { to: 'active', figure: 'drift_restored' },
} as const

/** Returns the step that checks the files that records name. It only changes the status of records. */
export function createDriftStep({ roots, textLanguage, size = defaultBatchSize }: DriftSettings): Step {
  async function run(context: RunContext): Promise<void> {
    if (roots.length === 0) return
    const { db, run } = context
    const { id: runId, scope } = run
    const checker = createChecker()
    let after: string | undefined = (await findPosition(db, runId)) ?? nilUuid
    while (after !== undefined) {
      await context.throwIfEnded()
      const page = await listChecked(db, { scope, after, limit: size })
      const last = page.at(-1)
      if (!last) return
      const startedMs = performance.now()
      const checked: RecordCheck[] = []
      // Files are read outside of a transaction: a disk that hangs would keep records locked.
      for (const record of page) checked.push(await checkRecord(checker, roots, record))
      await applyMoves(context, checked, {
        after: last.id,
        drift_ms: Math.round(performance.now() - startedMs),
      })
      after = page.length < size ? undefined : last.id
    }
  }

  type Progress = { after: string; drift_ms: number }

  /**
   * Applies the moves and stores the position in one transaction. If that fails, applies the moves one by one and
   * skips those that fail.
   */
  async function applyMoves(
    context: RunContext,
    checked: readonly RecordCheck[],
    progress: Progress,
  ): Promise<void> {
    const due = checked.flatMap((each) => listDueMove(each, context.run.id))
    const storeProgress = async (tx: Transaction, done: BatchResult = {}): Promise<BatchResult> => {
      await upsertPosition(tx, context.run.id, progress.after)
      const counts = { ...done.counts, ...countFindings(checked), drift_ms: progress.drift_ms }
      return { ...done, done: checked.length, counts }
    }
    try {
      await context.inBatch(async (tx) => storeProgress(tx, await moveAll(tx, context, due)))
    } catch (error) {
      if (!isBatchFailure(error)) throw error
      for (const each of due)
        await attemptBatch(context, { part: 'drift', recordId: each.record.id }, (tx) =>
          moveAll(tx, context, [each]),
        )
      await context.inBatch((tx) => storeProgress(tx))
    }
  }

  async function moveAll(
    tx: Transaction,
    context: RunContext,
    due: readonly DueMove[],
  ): Promise<BatchResult> {
    if (due.length === 0) return {}
    const claimed = await claimUnchanged(
      tx,
      due.map(({ record }) => record),
    )
    const stored = new Map((await findRecords(tx, claimed, fullTrust)).map((each) => [each.id, each]))
    const counts: Record<string, number> = {}
    const changes: Change[] = []
    for (const each of due) {
      const record = stored.get(each.record.id)
      if (!record) continue
      await writeMiss(tx, context, each)
      if (each.move === 'note' || each.move === 'clear') continue
      const { to, figure } = outcomes[each.move]
      await writeChange(tx, record, {
        action: 'status',
        actor,
        rationale: getReason(each),
        now: context.run.startedAt,
        runId: context.run.id,
        textLanguage,
        status: { to, step: 'drift' },
      })
      counts[figure] = (counts[figure] ?? 0) + 1
      const before = { status: record.status }
      const after = { status: to }
      changes.push({ record_id: record.id, action: `drift_${each.move}`, before, after })
    }
    return { counts, changes }
  }

  async function count({ db, run: { id, scope } }: RunContext): Promise<number> {
    if (roots.length === 0) return 0
    return countChecked(db, { scope, after: (await findPosition(db, id)) ?? nilUuid })
  }

  return {
    name: 'drift',
    figures: ['checked', 'drift_challenged', 'drift_invalidated', 'drift_restored', 'unknown'],
    count,
    run,
  }
}

function listDueMove(checked: RecordCheck, runId: string): DueMove[] {
  const { record, found, isWhole } = checked
  const state = { status: record.status, isOwn: record.is_own, missedBy: record.missed_by }
  const move = decideMove(state, { findings: found.map(({ finding }) => finding), isWhole, runId })
  return move === undefined ? [] : [{ ...checked, move }]
}

/** Keeps the miss until all references are found again. */
async function writeMiss(
  tx: Transaction,
  { run }: RunContext,
  { record, move, ...due }: DueMove,
): Promise<void> {
  if (move === 'restore' || move === 'clear') return deleteMiss(tx, record.id)
  const miss = { record_id: record.id, run_id: run.id, missed_at: run.startedAt }
  await upsertMiss(tx, { ...miss, reference: findMissing(due) })
}

function getReason(due: DueMove): string {
  if (due.move === 'restore') return 'all references were found again'
  return `${findMissing(due)} is ${due.move === 'invalidate' ? 'still missing' : 'missing'}`
}

function findMissing({ found }: Pick<DueMove, 'found'>): string {
  return found.find(({ finding }) => finding === 'missing')?.reference.reference ?? ''
}

function countFindings(checked: readonly RecordCheck[]): Record<string, number> {
  const findings = checked.flatMap(({ found }) => found.map(({ finding }) => finding))
  return {
    checked: checked.filter(({ found }) => found.length > 0).length,
    unknown: findings.filter((finding) => finding === 'unknown').length,
  }
}
