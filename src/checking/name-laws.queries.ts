import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import type { Payload } from '../domain/payloads/payloads.ts'
import { findBreaches } from './breaches.queries.ts'
import type { Finding } from './law.ts'

/** A record has contents, and their payload is of its type. */
export async function findLostContents(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select r.id, c.payload ->> 'kind' = r.type::text
      from records as r
      left join contents as c on c.record_id = r.id
    `,
  )
}

/** The scope and type of a record are words of its search vector, and no tag is there twice. */
export async function findUnsearchable(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select r.id, array['scope ' || r.scope, 'type ' || r.type] <@ tsvector_to_array(c.search)
        and cardinality(c.tags) = (select count(distinct tag) from unnest(c.tags) as tag)
      from records as r
      join contents as c on c.record_id = r.id
    `,
  )
}

/** A current entity owns all its identifiers. A superseded or merged one owns none. */
export async function findWrongIdentifiers(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select r.id, case
        when r.status in ('active', 'challenged') then known.pairs is not distinct from said.pairs
        else known.pairs is null or coalesce(moved.step not in ('supersede', 'merge'), true) end
      from records as r
      join contents as c on c.record_id = r.id
      cross join lateral (
        select jsonb_agg(pair order by pair) as pairs
        from jsonb_array_elements(c.payload -> 'identifiers') as each,
          jsonb_build_array(r.scope, r.sensitivity, each ->> 'namespace', each ->> 'value') as pair
      ) as said
      cross join lateral (
        select jsonb_agg(pair order by pair) as pairs
        from entity_identifiers as i, jsonb_build_array(i.scope, i.sensitivity, i.namespace, i.value) as pair
        where i.record_id = r.id
      ) as known
      left join lateral (
        select s.step from status_changes as s where s.record_id = r.id order by s.id desc limit 1
      ) as moved on true
      where r.type = 'entity'
    `,
  )
}

export type HandledRecord = { id: string; payload: Payload; digests: string[] }

/** The next records by id that have handles, with the handles in their scope. */
export async function listHandledRecords(
  db: Database,
  after: string,
  limit: number,
): Promise<HandledRecord[]> {
  const { rows } = await sql<HandledRecord>`
    select next.id, c.payload, array(
      select encode(h.digest, 'hex') || coalesce(encode(h.detail, 'hex'), '')
      from handles as h where h.record_id = next.id and h.scope = next.scope
    ) as digests
    from (
      select r.id, r.scope from records as r
      where r.id > ${after}::uuid and r.type <> 'episodic' and r.status in ('active', 'challenged')
      order by r.id
      limit ${limit}
    ) as next
    join contents as c on c.record_id = next.id
    order by next.id
  `.execute(db)
  return rows
}
