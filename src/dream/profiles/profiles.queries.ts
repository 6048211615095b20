import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { restrictToScope } from '../../db/fragments/scope-condition.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Sensitivity } from '../../domain/trust/caller.ts'
import { factsOfEntity, isWritableEntity } from '../entity-facts.queries.ts'
import { minFacts } from './profile-prompt.ts'

type Page = { scope: string | null; ceiling: Sensitivity; after: string; until: string; limit: number }

/** A record is linked to an entity by at most three edges, so this many edges always belong to enough records. */
const maxEdges = 3 * minFacts

const isWellKnown: RawBuilder<SqlBool> = sql<SqlBool>`(
  select count(distinct it.id) from (select far.id from ${factsOfEntity} limit ${sql.lit(maxEdges)}) as it
) >= ${sql.lit(minFacts)}`

/** Returns the entities with enough facts for a profile, by id. */
export async function listWellKnownEntities(
  db: Database,
  { scope, ceiling, after, until, limit }: Page,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id
    from records as r
    where ${isWritableEntity(ceiling)} and r.id > ${after}::uuid and r.id <= ${until}::uuid
      ${restrictToScope(scope)} and ${isWellKnown}
    order by r.id
    limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns the entity with the highest id among those that the last run wrote. */
export async function findLastProfiledEntity(db: Database): Promise<string | undefined> {
  const found = await db
    .selectFrom('peer_cards')
    .select('entity_id')
    .orderBy('written_at', 'desc')
    .orderBy('entity_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found?.entity_id
}

/** The profile of an entity, null if it no longer exists, and the digest of the question it answers. */
export type WrittenProfile = { card_id: string | null; digest: Buffer }

export async function findWrittenProfile(
  db: Database,
  entityId: string,
): Promise<WrittenProfile | undefined> {
  return db
    .selectFrom('peer_cards')
    .where('entity_id', '=', entityId)
    .select(['card_id', 'digest'])
    .executeTakeFirst()
}

export type Profile = { id: string; pinned: boolean; is_dreamt: boolean }

type Topic = { digest: Buffer; scope: string; profileId: string | null; author: string }

/**
 * Returns the current profiles of an entity by any author, and its own profile even if the entity has moved to
 * another scope.
 */
export async function findProfiles(
  db: Database,
  { digest, scope, profileId, author }: Topic,
): Promise<Profile[]> {
  const { rows } = await sql<Profile>`
    select distinct r.id, r.pinned,
      r.source_type = 'dream' and c.provenance ->> 'created_by' = ${author} as is_dreamt
    from handles as h join records as r on r.id = h.record_id join contents as c on c.record_id = r.id
    where h.digest = ${digest} and (h.scope = ${scope} or h.record_id = ${profileId}::uuid) and r.type = 'semantic'
      and r.forgotten_at is null and r.status in ('active', 'challenged')
    order by r.id
  `.execute(db)
  return rows
}

type StaleFilter = { scope: string | null; ceiling: Sensitivity; profileId?: string }

/**
 * Returns the profiles to retract: those of entities that are history, and outdated ones that no new profile will replace, because
 * the entity has too few facts or no model may see it. A profile is outdated if it says what was withdrawn or moved to another scope.
 */
export async function listStaleProfiles(
  db: Database,
  { scope, ceiling, profileId }: StaleFilter,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select card.id
    from peer_cards as p
    join records as r on r.id = p.entity_id
    join records as card on card.id = p.card_id
    where not r.pinned ${restrictToScope(scope)} ${profileId === undefined ? sql`` : sql`and card.id = ${profileId}::uuid`}
      and card.forgotten_at is null and card.status in ('active', 'challenged') and not card.pinned
      and (r.status in ('merged', 'superseded', 'invalidated') or exists (
        select from descents as d
        cross join lateral (select s.status, s.scope from records as s where s.id = d.source_id offset 0) as s
        where d.derived_id = card.id and d.kind = 'dream'
          and (s.status in ('challenged', 'superseded', 'invalidated') or s.scope <> card.scope)
          and d.source_id <> p.entity_id
      ) and not (${isWritableEntity(ceiling)} and ${isWellKnown}))
    order by card.id
  `.execute(db)
  return rows.map(({ id }) => id)
}

type ProfileRow = { entity_id: string; card_id: string; digest: Buffer; written_at: Date }

export async function upsertProfileRow(tx: Transaction, row: ProfileRow): Promise<void> {
  const { entity_id: _, ...latest } = row
  await tx
    .insertInto('peer_cards')
    .values(row)
    .onConflict((conflict) => conflict.column('entity_id').doUpdateSet(latest))
    .execute()
}
