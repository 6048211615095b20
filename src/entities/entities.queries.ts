import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { isAtMost } from '../db/fragments/json/json-size.ts'
import { mergesKey } from '../db/fragments/lock-keys.ts'
import { isVisibleTo, openTo } from '../db/fragments/visibility.ts'
import type { Transaction } from '../db/transaction.ts'
import { findInverse } from '../domain/edges/edges.ts'
import type { Candidate } from '../domain/identity/entity-match.ts'
import { type Sensitivity, type Trust, unscoped } from '../domain/trust/caller.ts'
import type { Reference } from './entities.schemas.ts'

type HandleLookup = { digest: Buffer; scope: string | undefined; trust: Trust }
/** `digest` is that of `term`. */
type NameLookup = HandleLookup & { term: string }

/** Of a longer entity only what the term can match is read: a thousand namesakes of 8 MB are more than a process can hold. */
const maxNameBytes = 16_384

/** Entities with the given name that the caller reads in full, oldest first. Forgotten and replaced ones are left out. */
export async function findEntitiesByName(
  db: Database,
  { digest, term, scope, trust }: NameLookup,
  limit: number,
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select entity.id, entity.scope, entity.status, entity.created_at,
      case when ${isAtMost(sql`c.payload`, maxNameBytes)} then c.payload else ${shortenTo(term.trim())} end as payload
    from (
      select r.id, r.scope, r.status, r.created_at
      from handles as h cross join lateral (
        select r.id, r.scope, r.status, r.created_at from records as r
        where r.id = h.record_id and r.type = 'entity' and r.forgotten_at is null
          and r.status in ('active', 'challenged') and ${openTo(trust)}
        offset 0
      ) as r
      where h.digest = ${digest} ${scope === undefined ? sql`` : sql`and h.scope = ${scope}`}
      order by r.created_at, r.id
      limit ${limit}
    ) as entity
    cross join lateral (select payload from contents where record_id = entity.id offset 0) as c
  `.execute(db)
  return rows
}

/** The name of the entity, its identifiers that are the term, and the term as an alias, because one of its names is. */
function shortenTo(term: string): RawBuilder<unknown> {
  return sql`jsonb_build_object(
    'canonical_name', c.payload -> 'canonical_name', 'primary_type', '', 'types', '[]'::jsonb,
    'aliases', jsonb_build_array(jsonb_build_object('value', ${term}::text)),
    'identifiers', coalesce((
      select jsonb_agg(i) from jsonb_array_elements(c.payload -> 'identifiers') as i
      where ${term} in (i ->> 'value', (i ->> 'namespace') || ':' || (i ->> 'value'))
    ), '[]')
  )`
}

export type KnownEntity = { scope: string; sensitivity: Sensitivity; is_live: boolean }

/** An entity that the caller sees, even if it is deleted. Reads no edges, because an entity may have very many. */
export async function findEntity(db: Database, id: string, trust: Trust): Promise<KnownEntity | undefined> {
  const { rows } = await sql<KnownEntity>`
    select r.scope, r.sensitivity, r.forgotten_at is null as is_live
    from records as r where r.id = ${id}::uuid and r.type = 'entity' and ${isVisibleTo(trust)}
    union all
    select d.scope, d.sensitivity, false
    from departures as d where d.id = ${id}::uuid and d.type = 'entity' and ${isVisibleTo(trust, 'd')}
  `.execute(db)
  return rows[0]
}

/** The newest profile of the entity in its own scope. A profile in another scope is about another entity of that name. */
export async function findProfile(
  db: Database,
  { digest, scope, trust }: HandleLookup & { scope: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select r.id
    from handles as h
    join records as r on r.id = h.record_id
    join contents as c on c.record_id = r.id
    where h.digest = ${digest} and h.scope = ${scope}
      and r.type = 'semantic' and r.forgotten_at is null and r.status in ('active', 'challenged')
      and c.tags @> array['peer-card'] and ${openTo(trust)}
    order by r.created_at desc, r.id desc
    limit 1
  `.execute(db)
  return rows[0]?.id
}

export type MentionsPage = {
  references: readonly Reference[]
  after: { created_at: string; id: string } | undefined
  limit: number
}

/** The ids of the records, each once, newest first. */
export async function listMentions(
  db: Database,
  id: string,
  trust: Trust,
  { references, after, limit }: MentionsPage,
): Promise<{ id: string; created_at: Date }[]> {
  const { rows } = await sql<{ id: string; created_at: Date }>`
    select r.id, r.created_at
    from relations as e join records as r on r.id = e.target_id
    where e.source_id = ${id}::uuid and e.predicate = any(${references.map(findInverse)}::text[])
      and r.forgotten_at is null and ${isVisibleTo(trust)} ${after ? sql`and ${isAfter(after)}` : sql``}
    group by r.id
    order by r.created_at desc, r.id desc
    limit ${limit}
  `.execute(db)
  return rows
}

function isAfter({ created_at: at, id }: { created_at: string; id: string }): RawBuilder<SqlBool> {
  return sql<SqlBool>`(r.created_at, r.id) < (${at}::timestamptz, ${id}::uuid)`
}

/**
 * Only one merge at a time runs in a scope. A merge of entities without a scope excludes all others. Each merge locks
 * its entities and then changes links of others, so two merges at once could deadlock.
 */
export async function lockMergesAcrossScopes(tx: Transaction, scope: string): Promise<void> {
  await sql`
    select case when ${scope}::text = ${unscoped} then pg_advisory_xact_lock(${mergesKey})
      else pg_advisory_xact_lock_shared(${mergesKey}) end
  `.execute(tx)
}

/** Call it after `lockMergesAcrossScopes`: the order of the two locks prevents deadlocks. */
export async function lockMergesInScope(tx: Transaction, scope: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${scope}::text, 7350 # lock_seed()))`.execute(tx)
}

/**
 * Locks the entities of a merge, in id order. The lock is stronger than that of a change: it waits for transactions that
 * write a link to one of them, so that the merge also copies this link. Hidden ones are not locked, and refused later.
 */
export async function lockEntitiesToMerge(
  tx: Transaction,
  ids: readonly string[],
  trust: Trust,
): Promise<void> {
  await sql`
    select r.id from records as r
    where r.id = any(${ids}::uuid[]) and ${isVisibleTo(trust)} order by r.id for update
  `.execute(tx)
}

/** Frees the names and identifiers of merged entities for the entity that they became. */
export async function deleteHandlesAndIdentifiers(tx: Transaction, ids: readonly string[]): Promise<void> {
  await sql`
    with handle as (delete from handles where record_id = any(${ids}::uuid[]))
    delete from entity_identifiers where record_id = any(${ids}::uuid[])
  `.execute(tx)
}

/**
 * Returns the entities that are still active or challenged and locks them against a merge until the transaction ends. A
 * transaction that links to an entity found by name must call this: another transaction may have merged the entity
 * between the lookup and the link.
 */
export async function lockActiveEntities(tx: Transaction, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string; is_active: boolean }>`
    select r.id, r.forgotten_at is null and r.status in ('active', 'challenged') as is_active
    from records as r where r.id = any(${ids}::uuid[])
    order by r.id
    for key share
  `.execute(tx)
  return new Set(rows.filter(({ is_active }) => is_active).map(({ id }) => id))
}

/** A merged entity becomes a ground of the target, if the target has any ground. */
export async function insertMergeDescents(
  tx: Transaction,
  targetId: string,
  ids: readonly string[],
): Promise<void> {
  await sql`
    insert into descents (derived_id, source_id, kind, is_ground)
    select ${targetId}::uuid, id, 'fold', exists (
      select from descents as d where d.derived_id = ${targetId}::uuid and d.is_ground
    )
    from unnest(${ids}::uuid[]) as merged (id)
    on conflict on constraint descents_pkey do nothing
  `.execute(tx)
}
