import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { restrictToScope } from '../db/fragments/scope-condition.ts'
import { openTo } from '../db/fragments/visibility.ts'
import type { AccessKind, Records, RecordType } from '../db/schema.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Trust } from '../domain/trust/caller.ts'
import type { RecordedLife, Window } from './simulated-life.ts'
import type { SimulatedPoint } from './simulation.schemas.ts'

/** The records that a simulation is about: those that the requesting key saw whole. */
export type Selection = Window & { trust: Trust; scope: string | null; types: readonly RecordType[] }

const isAmong = ({ trust, scope, types, from, until }: Selection): RawBuilder<unknown> => sql`
  r.type = any(${types}::record_type[]) and r.created_at < ${until}::timestamptz
  and (r.forgotten_at is null or r.forgotten_at > ${from}::timestamptz) and ${openTo(trust)}
  ${restrictToScope(scope)}`

export async function countSimulated(db: Database, selection: Selection): Promise<number> {
  const { rows } = await sql<{ records: number }>`
    select count(*) as records from records as r where ${isAmong(selection)}
  `.execute(db)
  return rows[0]?.records ?? 0
}

export type LifeRow = RecordedLife & {
  id: string
  type: RecordType
  bytes: number
  /** The last time that it was shown, used, or missed while it was forgotten. */
  last_requested_at: Date | null
}

type Portion = Selection & { after: string; limit: number }

/** The next recorded lives in the order of ids: what each record is, and what changed its salience since the start. */
export async function readLives(db: Database, portion: Portion): Promise<LifeRow[]> {
  const { rows } = await sql<LifeRow>`
    select r.id, ${selectLifeColumns(portion)} ${selectNextLives(portion)}
  `.execute(db)
  return rows
}

/** A life with the inputs of its importance. */
export type ScoredLifeRow = LifeRow &
  Pick<
    Selectable<Records>,
    | 'scope'
    | 'layer'
    | 'source_type'
    | 'base_importance'
    | 'emotional_valence'
    | 'confirmation_count'
    | 'access_count'
    | 'served_count'
  > & {
    /** Newest first, in milliseconds since 1970; at most `maxAccesses`. */
    accesses: (readonly [at: number, kind: AccessKind])[]
  }

const maxAccesses = 64

/** Reads recorded lives as `readLives` does, with the inputs of the importance at each moment. */
export async function readScoredLives(db: Database, portion: Portion): Promise<ScoredLifeRow[]> {
  const { rows } = await sql<ScoredLifeRow>`
    select r.scope, r.layer, r.source_type, r.base_importance, r.emotional_valence, r.confirmation_count,
      r.access_count, r.served_count, coalesce((
        select json_agg(json_build_array(date_part('epoch', l.at) * 1000, l.kind) order by l.at desc, l.kind)
        from (
          select l.at, l.kind from access_log as l
          where l.record_id = r.id and r.access_count > 0
          order by l.at desc, l.kind
          limit ${sql.lit(maxAccesses)}
        ) as l
      ), '[]') as accesses, r.id, ${selectLifeColumns(portion)} ${selectNextLives(portion)}
  `.execute(db)
  return rows
}

const selectLifeColumns = ({ from }: Window) => sql`
    r.type, r.created_at, r.anchored_at, r.expires_at, r.forgotten_at, r.forgotten_reason, r.status,
      r.curve, r.half_life_seconds, r.min_salience, r.max_age_seconds, r.max_salience, r.base_salience, r.pinned,
      r.reinforcement_gain, r.deletion_policy, ${bytesOfContent} as bytes, greatest(
        (select max(l.at) from access_log as l where l.record_id = r.id),
        (select g.last_at from regrets as g where g.record_id = r.id)
      ) as last_requested_at, coalesce((
        select json_agg(json_build_array(
          date_part('epoch', a.at) * 1000, a.changes #> '{salience,0}', a.changes #> '{salience,1}'
        ) order by a.id)
        from audit_entries as a
        where a.record_id = r.id and a.at > ${from}::timestamptz
          and jsonb_typeof(a.changes #> '{salience,0}') = 'number'
          and jsonb_typeof(a.changes #> '{salience,1}') = 'number'
      ), '[]') as moves`

const selectNextLives = ({ after, limit, ...selection }: Portion) => sql`
    from records as r join contents as c on c.record_id = r.id
    where r.id > ${after}::uuid and ${isAmong(selection)}
    order by r.id
    limit ${limit}`

/** About the JSON of the record: its content, and 900 bytes of the fields that every record has. */
const bytesOfContent = sql<number>`(900 + octet_length(c.tags::text) + octet_length(c.payload::text)
  + octet_length(c.provenance::text) + coalesce(octet_length(c.interpretation::text), 0))::int8`

export type Progress = { position: string; curve: readonly SimulatedPoint[] }

/** Where a run that another worker continues has stopped; undefined for one that has just started. */
export async function findProgress(db: Database, runId: string): Promise<Progress | undefined> {
  const { rows } = await sql<Progress>`
    select s.position, m.stats -> 'curve' as curve
    from simulations as s join maintenance_runs as m on m.id = s.run_id
    where s.run_id = ${runId}::uuid and m.stats ? 'curve'
  `.execute(db)
  return rows[0]
}

/** Stores the curve so far on the run, and the position from which the run continues. */
export async function saveProgress(
  tx: Transaction,
  runId: string,
  { position, curve }: Progress,
): Promise<void> {
  await sql`
    with at as (
      insert into simulations (run_id, position) values (${runId}::uuid, ${position})
      on conflict (run_id) do update set position = excluded.position
    )
    update maintenance_runs
    set stats = stats || jsonb_build_object('curve', ${JSON.stringify(curve)}::jsonb)
    where id = ${runId}::uuid
  `.execute(tx)
}
