import { onTestFinished } from 'vitest'
import type { Layer } from '../../src/domain/importance.ts'
import { day, openWorkshop, type Workshop } from './job-workers.ts'
import { type Life, storeLives } from './record-histories.ts'

const hour = 3_600_000

export const life = (layer: Layer, age_ms: number, more: Partial<Life> = {}): Life => ({
  ...{ age_ms, layer, base_importance: 0.5, emotional_valence: 0, source_type: 'ingest', confirmations: 0 },
  ...{ accesses: [], unlogged: 0, folded_days: 0 },
  ...more,
})
export const used = (times: number, age_ms: number) =>
  Array.from({ length: times }, () => ({ age_ms, kind: 'used' as const }))
/** It matters, and was used a moment ago. */
const known = (): Life =>
  life('episodic', 2 * day, { base_importance: 1, emotional_valence: 1, accesses: used(6, hour) })

export async function openDream(): Promise<Workshop> {
  const shop = await openWorkshop()
  onTestFinished(shop.close)
  return shop
}

export const populate = (shop: Workshop, count: number): Promise<string[]> => {
  const kinds = [
    life('working', hour),
    life('working', 100 * day),
    life('episodic', 100 * day),
    known(),
    life('episodic', 40 * day),
    life('semantic', 400 * day),
  ]
  const lives = Array.from({ length: count }, (_, n) => kinds[n % kinds.length] ?? known())
  return storeLives(shop.pool, lives, shop.clock.now())
}

/** Of the first six of a population. */
export const comesTo = [
  { layer: 'episodic', reason: null },
  { layer: 'episodic', reason: 'archived' },
  { layer: 'episodic', reason: 'archived' },
  { layer: 'semantic', reason: null },
  { layer: 'episodic', reason: null },
  { layer: 'semantic', reason: null },
]

export async function readFates({ pool }: Workshop, ids: readonly string[]) {
  const { rows } = await pool.query(
    `select r.id, r.layer, r.forgotten_reason as reason, r.forgotten_by, r.purge_at, r.version,
       (select coalesce(json_agg(json_build_array(a.action, a.changes -> 'layer') order by a.id), '[]')
        from audit_entries as a where a.record_id = r.id) as audit
     from records as r`,
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id))
}

export async function readAll({ pool }: Workshop): Promise<unknown> {
  const tables = ['records', 'audit_entries', 'importance_history', 'access_log']
  const read = tables.map((name) => pool.query(`select to_json(t) as row from ${name} as t order by t::text`))
  return (await Promise.all(read)).map(({ rows }) => rows)
}

export async function readChanges({ pool }: Workshop, runId: string) {
  const { rows } = await pool.query(
    `select record_id, action, before, after from maintenance_changes where run_id = $1 order by record_id, action`,
    [runId],
  )
  return rows
}
