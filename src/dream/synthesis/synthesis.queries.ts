import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { liveRecords } from '../../db/fragments/lifecycle/live-records.ts'
import { restrictToScope } from '../../db/fragments/scope-condition.ts'
import type { Sensitivity } from '../../domain/trust/caller.ts'
import type { Precision } from '../../domain/vectors/vector-codes.ts'
import { factsOfEntity, isWritableEntity, referencePredicates } from '../entity-facts.queries.ts'

type Span = { scope: string | null; ceiling: Sensitivity }

/** Returns the scopes with at least two entities, those with the most first. */
export async function listScopes(
  db: Database,
  { scope, ceiling, limit }: Span & { limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ scope: string }>`
    select r.scope
    from records as r
    where ${isWritableEntity(ceiling)} ${restrictToScope(scope)}
    group by r.scope
    having count(*) >= 2
    order by count(*) desc, r.scope
    limit ${limit}
  `.execute(db)
  return rows.map((row) => row.scope)
}

/**
 * Returns the entities of a scope with the most links, including links to records that are gone. Checking each record
 * took ten times as long.
 */
export async function listMostReferencedEntities(
  db: Database,
  { scope, ceiling, limit }: { scope: string; ceiling: Sensitivity; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id
    from ${liveRecords} as r cross join lateral (
      select count(*) as links from relations as e where e.source_id = r.id and e.predicate in ${referencePredicates}
    ) as it
    where ${isWritableEntity(ceiling)} and r.scope = ${scope} and it.links > 0
    order by it.links desc, r.id
    limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

export type EntityVector = { entity_id: string; tags: string[]; bits: Precision; code: Buffer }
type VectorFilter = { ids: readonly string[]; modelId: number; limit: number }

/** Returns the vectors of the newest facts of each entity. */
export async function findEntityVectors(
  db: Database,
  { ids, modelId, limit }: VectorFilter,
): Promise<EntityVector[]> {
  const { rows } = await sql<EntityVector>`
    select r.id as entity_id, c.tags, v.bits, v.code
    from records as r cross join lateral (
      select far.id, far.created_at
      from (select far.id, far.created_at from ${factsOfEntity}) as far
      where exists (select from embeddings as v where v.record_id = far.id and v.model_id = ${modelId})
      group by far.id, far.created_at
      order by far.created_at desc, far.id desc
      limit ${sql.lit(limit)}
    ) as it
    join contents as c on c.record_id = it.id
    join embeddings as v on v.record_id = it.id and v.model_id = ${modelId}
    where r.id = any(${ids}::uuid[])
    order by r.id, it.created_at desc, it.id desc
  `.execute(db)
  return rows
}

type Ends = { one: string; other: string }

/** On rows `pair`: the two are not linked, and no record is linked to both. */
const areUnrelated: RawBuilder<SqlBool> = sql<SqlBool>`
  not exists (select from relations as e where e.source_id = pair.one and e.target_id = pair.other)
  and not exists (select from relations as e where e.source_id = pair.other and e.target_id = pair.one)
  and not exists (
    select from relations as e join relations as back on back.target_id = e.target_id
    where e.source_id = pair.one and e.predicate in ${referencePredicates}
      and back.source_id = pair.other and back.predicate in ${referencePredicates}
  )`

/** Returns the pairs that are not linked yet, in order. */
export async function findUnrelatedPairs<P extends Ends>(db: Database, pairs: readonly P[]): Promise<P[]> {
  const { rows } = await sql<{ place: number }>`
    select pair.place::int - 1 as place
    from unnest(
      ${pairs.map(({ one }) => one)}::uuid[], ${pairs.map(({ other }) => other)}::uuid[]
    ) with ordinality as pair (one, other, place)
    where ${areUnrelated}
    order by pair.place
  `.execute(db)
  return rows.flatMap(({ place }) => pairs[place] ?? [])
}

/** Returns the digests, in hexadecimal, that have a verdict. */
export async function findRememberedDigests(db: Database, digests: readonly Buffer[]): Promise<Set<string>> {
  const { rows } = await sql<{ digest: string }>`
    select encode(digest, 'hex') as digest from dream_verdicts
    where step = 'synthesis' and digest = any(${digests}::bytea[])
  `.execute(db)
  return new Set(rows.map(({ digest }) => digest))
}
