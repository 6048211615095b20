import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { isAtMost } from '../db/fragments/json/json-size.ts'
import type { Payload } from '../domain/payloads/payloads.ts'
import type { Sensitivity } from '../domain/trust/caller.ts'
import type { PromptRecord } from './prompt-lines.ts'

/** Entities and their facts, where every reader of the entity may read the fact. */

/** On rows of this alias: a profile by any author, even if its tag was removed. */
export function isProfile(table: 'r' | 'far'): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${isTagged(table, ['peer-card'])} or exists (
    select from peer_cards as card where card.card_id = ${sql.ref(`${table}.id`)}
  ))`
}

function isTagged(table: 'r' | 'far', tags: readonly string[]): RawBuilder<SqlBool> {
  const id = sql.ref(`${table}.id`)
  const type = sql.ref(`${table}.type`)
  return sql<SqlBool>`(${type} = 'semantic' and exists (
    select from contents as own
    where own.record_id = ${id} and own.tags && array[${sql.join(tags.map((tag) => sql.lit(tag)))}]::text[]
  ))`
}

/** On `contents c`: the payload, or null if it is too long to be shown to a model. */
export const limitedPayload = sql`case when ${isAtMost(sql`c.payload`, 262_144)} then c.payload end`

/** The predicates that lead from an entity to the records about it. */
export const referencePredicates = sql`('mentioned_in', 'fact_subject_of', 'fact_object_of')`

/** On rows `r`: an entity that a dream may write about or link. */
export function isWritableEntity(ceiling: Sensitivity): RawBuilder<SqlBool> {
  return sql<SqlBool>`r.type = 'entity' and r.forgotten_at is null and r.status in ('active', 'challenged')
    and not r.pinned and r.sensitivity <= ${ceiling}`
}

/**
 * For the entity `r`, its facts as `far`: of the same scope and not more sensitive. Challenged facts and facts
 * written by a dream are left out.
 */
export const factsOfEntity = sql`
  relations as e join records as far on far.id = e.target_id
  where e.source_id = r.id and e.predicate in ${referencePredicates}
    and far.forgotten_at is null and far.status = 'active' and far.type <> 'entity'
    and far.scope = r.scope and far.sensitivity <= r.sensitivity
    and not ${isProfile('far')} and not ${isTagged('far', ['synthesis'])}`

export type Entity = {
  id: string
  scope: string
  sensitivity: Sensitivity
  payload: Extract<Payload, { kind: 'entity' }>
}

/** Returns undefined if a dream may not, or may no longer, write about the entity. */
export async function findEntity(
  db: Database,
  { id, ceiling }: { id: string; ceiling: Sensitivity },
): Promise<Entity | undefined> {
  const { rows } = await sql<Entity>`
    select r.id, r.scope, r.sensitivity, c.payload
    from records as r join contents as c on c.record_id = r.id
    where r.id = ${id}::uuid and ${isWritableEntity(ceiling)}
  `.execute(db)
  return rows[0]
}

export type EntityFact = PromptRecord & { sensitivity: Sensitivity }

type FactFilter = { limit: number; onlyIds?: readonly string[] | undefined }

/** Returns the facts of an entity, each once, the newest first. Very long payloads are null. */
export async function findEntityFacts(
  db: Database,
  entityId: string,
  { limit, onlyIds }: FactFilter,
): Promise<EntityFact[]> {
  const isAmong = onlyIds === undefined ? sql`` : sql`and far.id = any(${onlyIds}::uuid[])`
  const { rows } = await sql<EntityFact>`
    select known.id, known.created_at, known.sensitivity,
      ${limitedPayload} as payload
    from (
      select far.id, far.created_at, far.sensitivity
      from records as r cross join lateral (select far.* from ${factsOfEntity} ${isAmong}) as far
      where r.id = ${entityId}::uuid
      group by far.id, far.created_at, far.sensitivity
      order by far.created_at desc, far.id desc
      limit ${sql.lit(limit)}
    ) as known
    join contents as c on c.record_id = known.id
    order by known.created_at desc, known.id desc
  `.execute(db)
  return rows
}
