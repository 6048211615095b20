import { type RawBuilder, sql } from 'kysely'
import { writeJsonRows } from '../../db/fragments/json/json-rows.ts'
import { sendWithNext } from '../../db/statements/deferred-statements.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Descent } from './descents.ts'

/** Each change of a record by an erase compares it with all records that mention it, and an export writes them in one line. */
export const maxMentions = 100

/** Stores what already stored records descend from. */
export async function storeDescents(tx: Transaction, descents: readonly Descent[]): Promise<void> {
  if (descents.length === 0) return
  const rows = writeJsonRows(descents.map((each) => ({ ...each, owner: null })))
  const statement = sql`
    with record as (
      select null::uuid as id where false
    ), incoming as (
      select id from record
    ), ${readDescents(rows)}
    ${insertDescents}
  `
  await sendWithNext(() => statement.execute(tx))
}

/** The parts of a statement that `insertDescents` reads, besides `incoming` and `record`: the new records, and those that are stored. */
export function readDescents(rows: string | Buffer): RawBuilder<unknown> {
  return sql`descended as materialized (
      select * from json_to_recordset(${rows}::json) as descended
        (owner uuid, derived_id uuid, source_id uuid, kind text, is_ground bool)
    ), locked_source as materialized (
      select r.id from records as r
      where r.id = any((select array_agg(source_id) from descended)::uuid[])
      order by r.id
      for key share
    ), grounded as materialized (
      select derived_id, descent_count
      from unnest((
        select array_agg(distinct derived_id) from descended where is_ground is null or kind = 'mention'
      )::uuid[]) as derived (derived_id)
      cross join lateral (
        select from descents as d where d.derived_id = derived.derived_id and d.is_ground limit 1
      ) as ground
      cross join lateral (
        select count(*) as descent_count from (
          select from descents as d where d.derived_id = derived.derived_id limit ${sql.lit(maxMentions)}
        ) as first_descents
      ) as counted
    )`
}

/**
 * A confirmation or a mention is a ground only of a record that already has grounds. A record with `maxMentions` descents gets no
 * more mentions. Sources stay locked until their descents are stored: otherwise a descent could point to a record that an erase has
 * just removed. Sources and grounds are looked up by an array: a join kept the plan of a small table and read all of it at each
 * insert, a fifth of the statement.
 */
export const insertDescents = sql`
      insert into descents (derived_id, source_id, kind, is_ground)
      select g.derived_id, g.source_id, g.kind, coalesce(g.is_ground, has.derived_id is not null)
      from descended as g
      left join grounded as has on has.derived_id = g.derived_id
      where (g.owner is null or g.owner in (select id from record))
        and (g.derived_id in (select id from record) or g.derived_id not in (select id from incoming))
        and (g.source_id in (select id from record) or g.source_id in (select id from locked_source))
        and (g.kind <> 'mention' or has.descent_count < ${sql.lit(maxMentions)})
      on conflict on constraint descents_pkey do nothing`
