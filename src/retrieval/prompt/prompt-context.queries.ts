import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { RecordType } from '../../domain/vocabulary.ts'
import type { Question } from '../question.ts'

type Conditions = readonly RawBuilder<SqlBool>[]
const allOf = (conditions: Conditions) => sql<SqlBool>`${sql.join([...conditions], sql` and `)}`

export type HandleSearch = {
  type: RecordType
  /** The most important first. */
  digests: readonly Buffer[]
  conditions: Conditions
  limit: number
}

/** Finds the records of a type that have one of the handles and meet the conditions. */
export async function findByHandles(
  db: Database,
  { type, digests, conditions, limit }: HandleSearch,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select h.record_id as id
    from unnest(${sql.val(digests)}::bytea[]) with ordinality as w (digest, place)
    join handles as h on h.digest = w.digest
    join records as r on r.id = h.record_id
    where r.type = ${type} and ${allOf(conditions)}
    group by h.record_id
    order by min(w.place), h.record_id desc
    limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

export type Dispute = { one: string; other: string; is_stated: boolean }

/**
 * Finds the facts that meet the conditions and contradict one of the given. `is_stated` tells an edge that says so from
 * the trace of a contest, which may have ended.
 */
export async function findDisputes(
  db: Database,
  ids: readonly string[],
  { at, isPast }: Question,
  { conditions, limit }: { conditions: Conditions; limit: number },
): Promise<Dispute[]> {
  const age = isPast ? sql`and e.created_at <= ${at}::timestamptz` : sql``
  const { rows } = await sql<Dispute>`
    select d.one, d.other, bool_or(d.predicate <> 'contested_by') as is_stated
    from (
      select e.source_id as one, e.target_id as other, e.predicate from relations as e
      where e.source_id = any(${sql.val([...ids])}::uuid[])
        and e.predicate in ('contradicts', 'contradicted_by', 'contested_by') ${age}
      union all
      select e.target_id, e.source_id, e.predicate from relations as e
      where e.target_id = any(${sql.val([...ids])}::uuid[]) and e.predicate = 'contested_by' ${age}
    ) as d
    join records as r on r.id = d.other
    where r.type = 'semantic' and ${allOf(conditions)}
    group by d.one, d.other
    order by d.one, d.other desc
    limit ${limit}
  `.execute(db)
  return rows
}
