import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { Precision } from '../../domain/vector-codes.ts'
import { formatUuid } from '../../kernel/ids.ts'
import type { VersionedVector } from './vector-table.ts'

/** What a statement has seen of a server. */
export type View = {
  /** The transactions that had ended, as PostgreSQL writes a snapshot. */
  snapshot: string
  /** After a failover the next timeline may give the numbers of lost transactions to others. */
  timeline: number
}

/** A standby server does not list the transactions that are running, so there nothing counts as seen from the oldest of them on. */
const snapshotNow = sql`(
  select case when pg_is_in_recovery() then concat(pg_snapshot_xmin(now_seen), ':', pg_snapshot_xmin(now_seen), ':')
    else now_seen::text end
  from pg_current_snapshot() as now_seen
)`

/** A standby tells that of its last checkpoint to users without pg_read_all_stats, as in the watch over replicas. */
const timelineNow = sql`(
  case when pg_is_in_recovery() then greatest(
    (select timeline_id from pg_control_checkpoint()), (select received_tli from pg_stat_wal_receiver)
  ) else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int end
)`

export async function readView(db: Database): Promise<View> {
  const { rows } = await sql<View>`
    select ${snapshotNow} as snapshot, ${timelineNow} as timeline
  `.execute(db)
  return rows[0] ?? unknownView
}

/** Nothing is of this timeline, so what is read next is not used. */
const unknownView: View = { snapshot: '1:1:', timeline: 0 }

/**
 * The version of a vector. `changed` comes with a dump, so it may be a transaction that this server has not reached: then it
 * tells nothing, and a later change of the vector may have a lower number.
 */
const hasHappened = sql<SqlBool>`e.changed < pg_snapshot_xmax(pg_current_snapshot())`
const version = sql`case when ${hasHappened} then e.changed::text::int8 else 0 end`

/** One value: a driver needs several times as long for some hundred rows. `e` and `s` are an embedding and its signature. */
const packed = sql`string_agg(
  uuid_send(e.record_id) || int8send(${version}) || int4send(e.cell) || int2send(e.bits)
    || int4send(octet_length(e.code)) || e.code,
  ''::bytea order by e.record_id
)`

/** Returns the vectors of the next records of a model, in the order of their ids. */
export async function readVectors(
  db: Database,
  { modelId, after, limit }: { modelId: number; after: string; limit: number },
): Promise<VersionedVector[]> {
  const { rows } = await sql<{ vectors: Buffer | null }>`
    select ${packed} as vectors from (
      select e.*, s.cell
      from embeddings as e join signatures as s on s.record_id = e.record_id and s.model_id = e.model_id
      where e.record_id > ${after}::uuid and e.model_id = ${modelId}
      order by e.record_id
      limit ${limit}
    ) as e
  `.execute(db)
  return unpack(rows[0]?.vectors)
}

export type Check = {
  modelId: number
  ids: readonly string[]
  /** On `records as r`. */
  conditions: readonly RawBuilder<SqlBool>[]
  /** What the memory knows. */
  snapshot: string
  /** One more change than this is returned where there are more. */
  mostChanges: number
}

export type Checked = {
  /** The records that have a vector and meet the conditions. */
  met: string[]
  /** The records that have no vector any more. */
  gone: string[]
  /** The vectors that were stored or changed since the snapshot. */
  changed: VersionedVector[]
  view: View
}

/**
 * Checks records that were found in memory, and reads what the memory does not know yet, both as of one instant. Conditions are
 * a value of each row, so that PostgreSQL looks up each record by its id.
 */
export async function checkVectors(
  db: Database,
  { modelId, ids, conditions, snapshot, mostChanges }: Check,
): Promise<Checked> {
  const isMet = sql.join([sql`true`, ...conditions], sql` and `)
  const { rows } = await sql<{
    met: string | null
    gone: string | null
    changed: Buffer | null
    snapshot: string
    timeline: number
  }>`
    with near as materialized (
      select near.place, (select ${isMet} from records as r where r.id = near.id) as is_met, exists (
        select from embeddings as e where e.record_id = near.id and e.model_id = ${modelId}
      ) as is_kept
      from unnest(${sql.val([...ids])}::uuid[]) with ordinality as near (id, place)
    )
    select string_agg(place::text, ',') filter (where is_met and is_kept) as met,
      string_agg(place::text, ',') filter (where not is_kept) as gone,
      (
        select ${packed} from (
          select e.*, s.cell
          from embeddings as e join signatures as s on s.record_id = e.record_id and s.model_id = e.model_id
          where e.model_id = ${modelId} and e.changed >= pg_snapshot_xmin(${snapshot}::pg_snapshot)
            and not pg_visible_in_snapshot(e.changed, ${snapshot}::pg_snapshot) and ${hasHappened}
          limit ${sql.lit(mostChanges + 1)}
        ) as e
      ) as changed,
      ${snapshotNow} as snapshot, ${timelineNow} as timeline
    from near
  `.execute(db)
  const [answer] = rows
  const listed = (places: string | null | undefined) =>
    places?.split(',').flatMap((place) => ids[Number(place) - 1] ?? []) ?? []
  return {
    met: listed(answer?.met),
    gone: listed(answer?.gone),
    changed: unpack(answer?.changed),
    view: answer ?? unknownView,
  }
}

/** Of each vector, its id, version, cell, precision and length come before its code. */
const at = { version: 16, cell: 24, bits: 28, length: 30, code: 34 }

function unpack(bytes: Buffer | null | undefined): VersionedVector[] {
  const vectors: VersionedVector[] = []
  for (let from = 0; bytes && from < bytes.length; ) {
    const start = from + at.code
    const end = start + bytes.readInt32BE(from + at.length)
    vectors.push({
      id: formatUuid(bytes.subarray(from, from + at.version)),
      version: Number(bytes.readBigInt64BE(from + at.version)),
      cell: bytes.readInt32BE(from + at.cell),
      // The table permits no other values.
      bits: bytes.readInt16BE(from + at.bits) as Precision,
      code: bytes.subarray(start, end),
    })
    from = end
  }
  return vectors
}
