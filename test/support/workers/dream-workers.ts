import { onTestFinished } from 'vitest'
import type { Layer } from '../../../src/domain/importance/importance.ts'
import { insertRecordHistories, type RecordHistory } from '../stores/record-histories.ts'
import { day } from './test-works.ts'
import { openWorkerSetup, type WorkerSetup } from './worker-setup.ts'

const hour = 3_600_000

/** Builds the history of a record of a layer and an age. */
export const buildHistory = (
  layer: Layer,
  age_ms: number,
  more: Partial<RecordHistory> = {},
): RecordHistory => ({
  age_ms,
  layer,
  base_importance: 0.5,
  emotional_valence: 0,
  source_type: 'ingest',
  confirmations: 0,
  accesses: [],
  unlogged: 0,
  folded_days: 0,
  ...more,
})
/** Builds a number of uses at the same age. */
export const buildUses = (times: number, age_ms: number) =>
  Array.from({ length: times }, () => ({ age_ms, kind: 'used' as const }))
/** An important record that was used a moment ago. */
const known = (): RecordHistory =>
  buildHistory('episodic', 2 * day, {
    base_importance: 1,
    emotional_valence: 1,
    accesses: buildUses(6, hour),
  })

/** Opens a database with workers, and closes it when the test ends. */
export async function openDreamSetup(): Promise<WorkerSetup> {
  const setup = await openWorkerSetup()
  onTestFinished(setup.close)
  return setup
}

/** Inserts records of six kinds in turn, and returns their ids. */
export const insertDreamRecords = (setup: WorkerSetup, count: number): Promise<string[]> => {
  const kinds = [
    buildHistory('working', hour),
    buildHistory('working', 100 * day),
    buildHistory('episodic', 100 * day),
    known(),
    buildHistory('episodic', 40 * day),
    buildHistory('semantic', 400 * day),
  ]
  const lives = Array.from({ length: count }, (_, n) => kinds[n % kinds.length] ?? known())
  return insertRecordHistories(setup.pool, lives, setup.clock.now())
}

/** The result of a dream for each of the six kinds. */
export const expectedOutcomes = [
  { layer: 'episodic', reason: null },
  { layer: 'episodic', reason: 'archived' },
  { layer: 'episodic', reason: 'archived' },
  { layer: 'semantic', reason: null },
  { layer: 'episodic', reason: null },
  { layer: 'semantic', reason: null },
]

/** Reads the layer, the reason of forgetting and the audit entries of the records, in the order of the ids. */
export async function readOutcomes({ pool }: WorkerSetup, ids: readonly string[]) {
  const { rows } = await pool.query(
    `select r.id, r.layer, r.forgotten_reason as reason, r.forgotten_by, r.purge_at, r.version,
       (select coalesce(json_agg(json_build_array(a.action, a.changes -> 'layer') order by a.id), '[]')
        from audit_entries as a where a.record_id = r.id) as audit
     from records as r`,
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id))
}

/** Reads every row that a dream without a model can write. */
export async function readRecordTables({ pool }: WorkerSetup): Promise<unknown> {
  const tables = ['records', 'audit_entries', 'importance_history', 'access_log']
  const read = tables.map((name) => pool.query(`select to_json(t) as row from ${name} as t order by t::text`))
  return (await Promise.all(read)).map(({ rows }) => rows)
}

/** Reads the changes of a run. */
export async function readRunChanges({ pool }: WorkerSetup, runId: string) {
  const { rows } = await pool.query(
    `select record_id, action, before, after from maintenance_changes where run_id = $1 order by record_id, action`,
    [runId],
  )
  return rows
}
