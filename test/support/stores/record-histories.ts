import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { AccessKind, SourceType } from '../../../src/db/schema.ts'
import { type Layer, sourceTrust } from '../../../src/domain/importance/importance.ts'

/** Everything that the importance of a record depends on, as of one instant. */
export type RecordHistory = {
  age_ms: number
  base_importance: number
  emotional_valence: number
  layer: Layer
  source_type: SourceType
  confirmations: number
  accesses: readonly { age_ms: number; kind: AccessKind }[]
  /** Uses that the access log does not contain. */
  unlogged: number
  /** Days that have only folded accesses. */
  folded_days: number
}

const day = 86_400_000
const layers = ['working', 'episodic', 'semantic', 'procedural', 'codebase'] as const
const sources = Object.keys(sourceTrust) as (keyof typeof sourceTrust)[]

/** Builds the nth of a fixed series of histories: all layers and sources, and up to 120 accesses on every fifth. */
export function buildSampleHistory(n: number): RecordHistory {
  return {
    age_ms: (1 + (n % 70)) * day,
    base_importance: (n % 11) / 10,
    emotional_valence: (n % 5) / 2 - 1,
    layer: layers[n % layers.length] ?? 'episodic',
    source_type: sources[n % sources.length] ?? 'human',
    confirmations: n % 4,
    accesses: Array.from({ length: n % 5 === 0 ? n % 121 : 0 }, (_, index) => ({
      age_ms: (index * day) / 3,
      kind: index % 2 ? ('used' as const) : ('served' as const),
    })),
    unlogged: n % 7 === 0 ? n % 40 : 0,
    folded_days: 0,
  }
}

/** Inserts records with these histories and without contents; returns their ids in the same order. */
export async function insertRecordHistories(
  pool: pg.Pool,
  lives: readonly RecordHistory[],
  now: Date,
): Promise<string[]> {
  const before = (milliseconds: number) => new Date(now.getTime() - milliseconds)
  const ids = lives.map(() => randomUUID())
  const records = lives.map(
    ({ accesses, unlogged, confirmations: confirmation_count, age_ms, ...rest }, index) => ({
      ...rest,
      id: ids[index],
      created_at: before(age_ms),
      confirmation_count,
      access_count: accesses.length + unlogged,
      served_count: accesses.filter(({ kind }) => kind === 'served').length,
      last_accessed_at:
        accesses.length === 0 ? null : before(Math.min(...accesses.map((each) => each.age_ms))),
    }),
  )
  await pool.query(
    `with given as (
       select * from json_to_recordset($1::json) as given (
         id uuid, created_at timestamptz, base_importance float8, emotional_valence float8, layer memory_layer,
         source_type source_type, access_count int4, served_count int4, last_accessed_at timestamptz,
         confirmation_count int4, folded_days int4)
     ), record as (
       insert into records (id, created_at, updated_at, salience, base_salience, anchored_at, last_reinforced_at,
         half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience, confidence, importance,
         base_importance, emotional_valence, access_count, served_count, last_accessed_at, confirmation_count,
         version, type, sensitivity, layer, memory_kind, status, source_type, curve, deletion_policy, pinned, scope)
       select id, created_at, $2, 1, 1, created_at, created_at, 86400, 0, 0, 0, 1, 1, 0.5, base_importance, emotional_valence,
         access_count, served_count, last_accessed_at, confirmation_count, 1, 'semantic', 'low', layer, 'fact',
         'active', source_type, 'exponential', 'auto_prune', false, ''
       from given
     )
     insert into access_folds (record_id, days) select id, folded_days from given where folded_days > 0`,
    [JSON.stringify(records), now],
  )
  const logged = lives.flatMap(({ accesses }, index) =>
    accesses.map(({ age_ms, kind }) => ({ record_id: ids[index], at: before(age_ms), kind })),
  )
  await pool.query(
    `insert into access_log (record_id, at, kind, actor)
     select record_id, at, kind, 'test'
     from json_to_recordset($1::json) as logged (record_id uuid, at timestamptz, kind access_kind)`,
    [JSON.stringify(logged)],
  )
  return ids
}
