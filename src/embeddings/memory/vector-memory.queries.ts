import { type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { Conditions } from '../../db/fragments/conditions.ts'
import {
  type CheckedStates,
  checkedRecord,
  placesWhere,
  readStates,
  statesWhere,
} from '../../db/memory/checked-records.ts'
import { type Changes, type ChangesRow, readChanges } from '../../db/memory/learnt-changes.ts'
import { computeVersion, maxChanges, selectUnseen, viewNow } from '../../db/memory/seen-changes.ts'
import type { Precision } from '../../domain/vectors/vector-codes.ts'
import { formatUuid, unpackIds } from '../../kernel/ids.ts'
import type { VersionedVector } from './vector-table.ts'

/**
 * One value, because a driver needs several times as long for several hundred rows. `e` and `s` are an embedding and
 * its signature.
 */
const packed = sql`string_agg(
  uuid_send(e.record_id) || int8send(${computeVersion(sql`e.changed`)}) || int4send(e.cell) || int2send(e.bits)
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
      from (
        select * from embeddings where record_id > ${after}::uuid and model_id = ${modelId}
        order by record_id limit ${limit}
      ) as e join signatures as s using (record_id, model_id)
    ) as e
  `.execute(db)
  return unpack(rows[0]?.vectors)
}

/** Returns the ids of the next records that have a vector of a model, in their order. */
export async function readVectorIds(
  db: Database,
  { modelId, after, limit }: { modelId: number; after: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ ids: Buffer | null }>`
    select string_agg(uuid_send(record_id), ''::bytea order by record_id) as ids from (
      select record_id from embeddings where record_id > ${after}::uuid and model_id = ${modelId}
      order by record_id limit ${limit}
    ) as e
  `.execute(db)
  return unpackIds(rows[0]?.ids)
}

export type Check = {
  modelId: number
  ids: readonly string[]
  /** On `records as r`. */
  conditions: Conditions
  /** Where the states of those that meet them are read too. */
  states?: CheckedStates | undefined
  /** The snapshot of the memory. */
  snapshot: string
}

export type Checked = Changes<VersionedVector> & {
  /** The records that have a vector and meet the conditions. */
  met: string[]
}

/**
 * Checks records that were found in memory, and reads what the memory does not know yet, both as of one instant. Conditions are
 * a value of each row, so that PostgreSQL looks up each record by its id.
 */
export async function checkVectors(
  db: Database,
  { modelId, ids, conditions, states, snapshot }: Check,
): Promise<Checked> {
  const among = sql<SqlBool>`t.model_id = ${modelId}`
  const unseen = selectUnseen(snapshot, [{ table: 'embeddings', id: 'record_id', changed: 'changed', among }])
  const { rows } = await sql<ChangesRow & { met: string | null }>`
    with near as materialized (
      select asked.place, found.*, exists (
        select from embeddings as e where e.record_id = asked.id and e.model_id = ${modelId}
      ) as is_kept
      from unnest(${ids}::uuid[]) with ordinality as asked (id, place)
      left join lateral (${checkedRecord({ answers: conditions }, states)}) as found on true
    ), unseen as materialized (${unseen}), counted as materialized (select count(*) as unseen from unseen)
    select ${statesWhere(sql`answers and is_kept`)} as met,
      ${placesWhere(sql`not is_kept`)} as gone,
      (
        select ${packed} from (
          select each.* from unseen as change cross join lateral (
            select e.*, s.cell
            from embeddings as e join signatures as s on s.record_id = e.record_id and s.model_id = e.model_id
            where e.record_id = change.record_id and e.model_id = ${modelId}
            offset 0
          ) as each
          where (select unseen from counted) <= ${sql.lit(maxChanges)}
        ) as e
      ) as changed,
      (select unseen from counted) as unseen, ${viewNow}
    from near
  `.execute(db)
  const [answer] = rows
  return { ...readChanges(answer, ids, unpack), met: readStates(answer?.met, ids, states) }
}

/** Where the parts of a vector begin, in bytes. The id comes first. */
const at = { version: 16, cell: 24, bits: 28, length: 30, code: 34 }

function unpack(bytes: Buffer | null | undefined): VersionedVector[] {
  const vectors: VersionedVector[] = []
  for (let from = 0; bytes && from < bytes.length; ) {
    const start = from + at.code
    const end = start + bytes.readInt32BE(from + at.length)
    vectors.push({
      id: formatUuid(bytes.subarray(from, from + at.version)),
      version: [Number(bytes.readBigInt64BE(from + at.version))],
      cell: bytes.readInt32BE(from + at.cell),
      // The table permits no other values.
      bits: bytes.readInt16BE(from + at.bits) as Precision,
      code: bytes.subarray(start, end),
    })
    from = end
  }
  return vectors
}
