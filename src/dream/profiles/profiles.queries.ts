import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { restrictToScope } from '../../db/fragments/scope-condition.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Sensitivity } from '../../domain/caller.ts'
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

type Topic = { digest: Buffer; scope: string; cardId: string | null; author: string }

/**
 * Returns the current profiles of an entity by any author, and its own profile even if the entity has moved to
 * another scope.
 */
export async function findProfiles(
  db: Database,
  { digest, scope, cardId, author }: Topic,
): Promise<Profile[]> {
  const { rows } = await sql<Profile>`
    select distinct r.id, r.pinned,
      r.source_type = 'dream' and c.provenance ->> 'created_by' = ${author} as is_dreamt
    from handles as h join records as r on r.id = h.record_id join contents as c on c.record_id = r.id
    where h.digest = ${digest} and (h.scope = ${scope} or h.record_id = ${cardId}::uuid) and r.type = 'semantic'
      and r.forgotten_at is null and r.status in ('active', 'challenged')
    order by r.id
  `.execute(db)
  return rows
}

/** Returns profiles of entities that were merged into another one, which has its own profile. */
export async function listStaleProfiles(db: Database, scope: string | null): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select card.id
    from peer_cards as p
    join records as r on r.id = p.entity_id
    join records as card on card.id = p.card_id
    where r.status = 'merged' and not r.pinned ${restrictToScope(scope)}
      and card.forgotten_at is null and card.status in ('active', 'challenged') and not card.pinned
    order by card.id
  `.execute(db)
  return rows.map(({ id }) => id)
}

type Card = { entity_id: string; card_id: string; digest: Buffer; written_at: Date }

export async function upsertCard(tx: Transaction, card: Card): Promise<void> {
  const { entity_id: _, ...latest } = card
  await tx
    .insertInto('peer_cards')
    .values(card)
    .onConflict((conflict) => conflict.column('entity_id').doUpdateSet(latest))
    .execute()
}
