import type { Database } from '../../db/connection.ts'
import { isOutage } from '../../db/failures.ts'
import type { Transaction } from '../../db/transaction.ts'
import { fullTrust } from '../../domain/caller.ts'
import { type BatchResult, type Change, type RunContext, RunEnded } from '../../jobs/runs.ts'
import { startPosition } from '../../jobs/table-walk.ts'
import type { Root } from '../../kernel/directories.ts'
import { findRecords, type StoredRecord, writeChange } from '../../records/index.ts'
import type { Step } from '../steps.ts'
import {
  claimJudged,
  countJudged,
  deleteMiss,
  findPosition,
  listJudged,
  upsertMiss,
  upsertPosition,
} from './drift.queries.ts'
import { judge, type Move } from './drift-judgement.ts'
import { type Looked, look } from './record-check.service.ts'
import { createChecker } from './reference-check.service.ts'

export type DriftSettings = { roots: readonly Root[]; textLanguage: string; size?: number }
type Resources = DriftSettings & { db: Database }

type Due = Looked & { move: Move }

const usualSize = 500
const actor = 'dream/drift'

/** What each move makes of a record's status, and how it is counted. */
const outcomes = {
  challenge: { to: 'challenged', figure: 'drift_challenged' },
  invalidate: { to: 'invalidated', figure: 'drift_invalidated' },
  restore: { to: 'active', figure: 'drift_restored' },
} as const

/** What records say of files is held against the files. It only ever moves a status, so nothing is lost by it. */
export function createDrift({ db, roots, textLanguage, size = usualSize }: Resources): Step {
  async function run(context: RunContext): Promise<void> {
    if (roots.length === 0) return
    const { id: runId, scope } = context.run
    const checker = createChecker()
    let after: string | undefined = (await findPosition(db, runId)) ?? startPosition.id
    while (after !== undefined) {
      await context.throwIfEnded()
      const page = await listJudged(db, { scope, after, limit: size })
      const last = page.at(-1)
      if (!last) return
      const began = performance.now()
      const looked: Looked[] = []
      // The disk is asked while no transaction waits: one that hangs would hold up everybody else's records.
      for (const claimant of page) looked.push(await look(checker, roots, claimant))
      await settle(context, looked, { after: last.id, drift_ms: Math.round(performance.now() - began) })
      after = page.length < size ? undefined : last.id
    }
  }

  type Pace = { after: string; drift_ms: number }

  /** What is due and how far it has come, in one transaction; where that fails, one by one and past what fails. */
  async function settle(context: RunContext, looked: readonly Looked[], pace: Pace): Promise<void> {
    const due = looked.flatMap((each) => dueOf(each, context.run.id))
    const conclude = async (tx: Transaction, done: BatchResult = {}): Promise<BatchResult> => {
      await upsertPosition(tx, context.run.id, pace.after)
      const counts = { ...done.counts, ...countLooked(looked), drift_ms: pace.drift_ms }
      return { ...done, done: looked.length, counts }
    }
    try {
      await context.inBatch(async (tx) => conclude(tx, await moveAll(tx, context, due)))
    } catch (error) {
      if (error instanceof RunEnded || isOutage(error)) throw error
      for (const each of due) await moveAlone(context, each)
      await context.inBatch((tx) => conclude(tx))
    }
  }

  async function moveAlone(context: RunContext, due: Due): Promise<void> {
    try {
      await context.inBatch((tx) => moveAll(tx, context, [due]))
    } catch (error) {
      await context.recordFault({ error, recordId: due.claimant.id, part: 'drift' })
    }
  }

  async function moveAll(tx: Transaction, context: RunContext, due: readonly Due[]): Promise<BatchResult> {
    if (due.length === 0) return {}
    const claimed = await claimJudged(
      tx,
      due.map(({ claimant }) => claimant),
    )
    const stored = new Map((await findRecords(tx, claimed, fullTrust)).map((each) => [each.id, each]))
    const counts: Record<string, number> = {}
    const changes: Change[] = []
    for (const each of due) {
      const record = stored.get(each.claimant.id)
      if (!record) continue
      await note(tx, context, each)
      if (each.move === 'note' || each.move === 'settle') continue
      const { to, figure } = outcomes[each.move]
      await moveStatus(tx, context, record, each)
      counts[figure] = (counts[figure] ?? 0) + 1
      const [before, after] = [{ status: record.status }, { status: to }]
      changes.push({ record_id: record.id, action: `drift_${each.move}`, before, after })
    }
    return { counts, changes }
  }

  async function moveStatus(tx: Transaction, { run }: RunContext, record: StoredRecord, due: Due) {
    if (due.move === 'note' || due.move === 'settle') return
    await writeChange(tx, record, {
      ...{
        action: 'status',
        actor,
        rationale: reasonOf(due),
        now: run.startedAt,
        runId: run.id,
        textLanguage,
      },
      status: { to: outcomes[due.move].to, step: 'drift' },
    })
  }

  async function count({ run: { id, scope } }: RunContext): Promise<number> {
    if (roots.length === 0) return 0
    return countJudged(db, { scope, after: (await findPosition(db, id)) ?? startPosition.id })
  }

  return {
    name: 'drift',
    figures: ['checked', 'drift_challenged', 'drift_invalidated', 'drift_restored', 'unknown'],
    count,
    run,
  }
}

function dueOf(looked: Looked, runId: string): Due[] {
  const { claimant, found, isWhole } = looked
  const standing = { status: claimant.status, isOwn: claimant.is_own, missedBy: claimant.missed_by }
  const move = judge(standing, { findings: found.map(({ finding }) => finding), isWhole, runId })
  return move === undefined ? [] : [{ ...looked, move }]
}

/** What was missed is kept until all is back. */
async function note(tx: Transaction, { run }: RunContext, { claimant, move, ...due }: Due): Promise<void> {
  if (move === 'restore' || move === 'settle') return deleteMiss(tx, claimant.id)
  const miss = { record_id: claimant.id, run_id: run.id, missed_at: run.startedAt }
  await upsertMiss(tx, { ...miss, reference: missingOf(due) })
}

function reasonOf(due: Due): string {
  if (due.move === 'restore') return 'what it names is there again'
  return `${missingOf(due)} is ${due.move === 'invalidate' ? 'still not' : 'not'} there`
}

function missingOf({ found }: Pick<Due, 'found'>): string {
  return found.find(({ finding }) => finding === 'missing')?.reference.reference ?? ''
}

function countLooked(looked: readonly Looked[]): Record<string, number> {
  const findings = looked.flatMap(({ found }) => found.map(({ finding }) => finding))
  return {
    checked: looked.filter(({ found }) => found.length > 0).length,
    unknown: findings.filter((finding) => finding === 'unknown').length,
  }
}
