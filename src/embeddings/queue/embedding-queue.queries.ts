import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { embeddingClaimsKey } from '../../db/fragments/lock-keys.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Payload } from '../../domain/payloads/payloads.ts'
import type { Sensitivity } from '../../domain/trust/caller.ts'
import { cellsPerSet, noCell } from '../cells/cells.ts'

/** The queue of texts that wait for their vectors. No statement here waits for a locked row. */

/**
 * Claimed ids. A claim is valid as long as `due_at` has the value that the claim wrote; a new version of the text
 * changes it.
 */
export type Claim = { ids: readonly string[]; until: Date }

/** Returns whether a text is due, and whether a change of model is unfinished. */
export async function findWork(db: Database, now: Date): Promise<{ is_due: boolean; is_changing: boolean }> {
  const { rows } = await sql<{ is_due: boolean; is_changing: boolean }>`
    select exists (select from unembedded where due_at <= ${now}::timestamptz) as is_due,
      exists (select from embedding_models where walked_to is not null or (embeds and not serves)) as is_changing
  `.execute(db)
  return rows[0] ?? { is_due: false, is_changing: false }
}

/**
 * Serialises claims. Two claims at once would reach the same rows, and the second would keep rows locked that the
 * first had taken, so that storing their vectors would skip them.
 */
export async function lockClaims(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${embeddingClaimsKey})`.execute(tx)
}

type ClaimInput = { modelId: number; now: Date; until: Date; scope: string | null; limit: number }

/** Claims the texts that wait longest, for the current embedding model. Any other model gets nothing. */
export async function claimDue(
  tx: Transaction,
  { modelId, now, until, scope, limit }: ClaimInput,
): Promise<string[]> {
  const { rows } = await sql<{ record_id: string }>`
    with due as materialized (
      select u.record_id from unembedded as u
      where u.due_at <= ${now}::timestamptz and ${isInScope(scope)}
        and exists (select from embedding_models where id = ${modelId} and embeds)
      order by u.due_at
      limit ${limit}
      for update of u skip locked
    )
    update unembedded set due_at = ${until}::timestamptz
    from due where unembedded.record_id = due.record_id
    returning unembedded.record_id
  `.execute(tx)
  return rows.map(({ record_id: id }) => id)
}

export type QueuedText = {
  record_id: string
  sensitivity: Sensitivity
  payload: Payload
  tags: string[]
  /** How often the text was in a request that failed although the model works. */
  attempts: number
}

/**
 * Reads the claimed texts. A separate statement, because a statement that waited for a row would return its text from
 * before the wait.
 */
export async function findQueuedTexts(db: Database, ids: readonly string[]): Promise<QueuedText[]> {
  const { rows } = await sql<QueuedText>`
    select r.id as record_id, r.sensitivity, c.payload, c.tags, u.attempts
    from records as r join contents as c on c.record_id = r.id join unembedded as u on u.record_id = r.id
    where r.id = any(${ids}::uuid[])
  `.execute(db)
  return rows
}

/** The vector of a text; null for a text that gets none. */
export type EmbeddedText = { id: string; vector: { code: Buffer; signature: Buffer; cell: number } | null }

/**
 * `lag_seconds` is the time since the text was written. It is null for a text without a vector, and for a text that
 * was embedded again for another model or at a higher precision.
 */
export type StoredVector = { record_id: string; lag_seconds: number | null }

/**
 * Stores vectors with their signatures, removes their texts from the queue and returns the finished ids. A text stays
 * queued when the claim no longer holds: it was rewritten, is being erased or belongs to another model. A text without
 * a new vector loses the one it had. The sets of cells are locked, so that none is deleted while it gets a vector. Vectors
 * of an earlier model stay, unless the text has changed. The first vector of a record queues it for the surprise
 * comparison.
 */
export async function storeVectors(
  tx: Transaction,
  {
    modelId,
    until,
    now,
    embeddedTexts,
  }: { modelId: number; until: Date; now: Date; embeddedTexts: readonly EmbeddedText[] },
): Promise<StoredVector[]> {
  const ids = embeddedTexts.map(({ id }) => id)
  const { rows } = await sql<StoredVector>`
    with model as materialized (
      select id, registered_at from embedding_models where id = ${modelId} and embeds for share
    ), mine as materialized (
      select u.record_id, u.asked_at, u.asked_at <> m.registered_at as is_new from unembedded as u, model as m
      where u.record_id = any(${ids}::uuid[]) and u.due_at = ${until}::timestamptz
      for update of u skip locked
    ), kept as materialized (
      select r.id from records as r where r.id in (select record_id from mine) for key share skip locked
    ), sets as materialized (
      select id from vector_cells where model_id = ${modelId} for key share
    ), finished as materialized (
      select mine.record_id, mine.asked_at, mine.is_new, given.code, given.signature,
        case when given.cell / ${sql.lit(cellsPerSet)} in (select id from sets) then given.cell else ${sql.lit(noCell)} end
          as cell
      from unnest(
        ${ids}::uuid[],
        ${embeddedTexts.map(({ vector }) => vector?.code ?? null)}::bytea[],
        ${embeddedTexts.map(({ vector }) => vector?.signature.toString('hex') ?? null)}::text[],
        ${embeddedTexts.map(({ vector }) => vector?.cell ?? noCell)}::int4[]
      ) as given (record_id, code, signature, cell)
      join mine using (record_id)
      where exists (select from kept where kept.id = mine.record_id)
        or (given.code is null and not exists (select from records as r where r.id = mine.record_id))
    ), stored as (
      insert into embeddings (record_id, model_id, bits, embedded_at, code)
      select record_id, ${modelId}, 32, ${now}::timestamptz, code from finished where code is not null
      on conflict (record_id, model_id) do update
        set bits = excluded.bits, embedded_at = excluded.embedded_at, code = excluded.code
    ), signed as (
      insert into signatures (record_id, model_id, bits, cell)
      select record_id, ${modelId}, ('x' || signature)::bit(1024), cell from finished where code is not null
      on conflict (record_id, model_id) do update set bits = excluded.bits, cell = excluded.cell
    ), outdated as (
      delete from embeddings as e using finished as s
      where e.record_id = s.record_id and (s.code is null or (s.is_new and e.model_id <> ${modelId}))
    ), unlisted as (
      delete from unembedded as u using finished as s where u.record_id = s.record_id
    ), first as (
      insert into unsurprised (record_id, created_at, asked_at)
      select s.record_id, r.created_at, s.asked_at from finished as s join records as r on r.id = s.record_id
      where s.code is not null
        and not exists (select from embeddings as e where e.record_id = s.record_id)
        and not exists (select from surprises as p where p.record_id = s.record_id)
      on conflict (record_id) do nothing
    )
    select record_id,
      case when is_new and code is not null and not exists (
        select from embeddings as e
        where e.record_id = finished.record_id and e.model_id = ${modelId} and e.bits < 32
      ) then extract(epoch from ${now}::timestamptz - asked_at)::float8 end as lag_seconds
    from finished
  `.execute(tx)
  return rows
}

/**
 * Counts a failed attempt for each text. Returns the texts that had their last attempt; they are treated as texts
 * without a vector.
 */
export async function recordFailures(
  tx: Transaction,
  claim: Claim,
  { now, maxAttempts, firstPauseMs }: { now: Date; maxAttempts: number; firstPauseMs: number },
): Promise<string[]> {
  const { rows } = await sql<{ record_id: string }>`
    with mine as materialized (${selectClaimed(claim)}), failed as (
      update unembedded as u
      set attempts = u.attempts + 1,
        due_at = case when u.attempts + 1 >= ${maxAttempts} then 'infinity' else ${now}::timestamptz
          + ${firstPauseMs}::int * interval '1 millisecond' * (2 ^ u.attempts) end
      from mine where u.record_id = mine.record_id
      returning u.record_id, u.due_at
    ), given_up as materialized (
      select record_id from failed where due_at = 'infinity'
    ), outdated as materialized (
      select e.record_id, e.model_id from embeddings as e join given_up using (record_id) for update of e skip locked
    ), deleted as (
      delete from embeddings as e using outdated as o where e.record_id = o.record_id and e.model_id = o.model_id
    )
    select record_id from given_up
  `.execute(tx)
  return rows.map(({ record_id: id }) => id)
}

/** Releases claimed texts that were not sent. It costs no attempt, because the text did not fail. */
export async function releaseClaim(tx: Transaction, claim: Claim, now: Date): Promise<void> {
  await sql`
    with mine as materialized (${selectClaimed(claim)})
    update unembedded set due_at = ${now}::timestamptz
    from mine where unembedded.record_id = mine.record_id
  `.execute(tx)
}

function isInScope(scope: string | null): RawBuilder<unknown> {
  return scope === null
    ? sql`true`
    : sql`exists (select from records as r where r.id = u.record_id and r.scope = ${scope})`
}

function selectClaimed({ ids, until }: Claim): RawBuilder<unknown> {
  return sql`
    select record_id from unembedded
    where record_id = any(${ids}::uuid[]) and due_at = ${until}::timestamptz
    for update skip locked
  `
}

/** Longer than any pause after a failure, and than any claim. */
const ahead = sql.lit('1 hour')

/**
 * Queues the texts again that were given up: another model may read them, or the model was repaired. It does the same for texts
 * that wait longer than any pause lasts: a clock that was ahead has set their time.
 */
export async function retryGivenUp(tx: Transaction, now: Date, scope: string | null = null): Promise<number> {
  const { rows } = await sql`
    with given_up as materialized (
      select u.record_id from unembedded as u where u.due_at > ${now}::timestamptz + ${ahead}::interval
        and ${isInScope(scope)} for update of u skip locked
    )
    update unembedded set due_at = ${now}::timestamptz, attempts = 0
    from given_up where unembedded.record_id = given_up.record_id
    returning unembedded.record_id
  `.execute(tx)
  return rows.length
}

/** Counts the texts that are due, that wait and that were given up. */
export async function countWaiting(db: Database, now: Date, scope: string | null) {
  const { rows } = await sql<{ due: number; waiting: number; given_up: number }>`
    select count(*) filter (where due_at <= ${now}::timestamptz)::int as due,
      count(*) filter (where due_at > ${now}::timestamptz and due_at < 'infinity')::int as waiting,
      count(*) filter (where due_at = 'infinity')::int as given_up
    from unembedded as u where ${isInScope(scope)}
  `.execute(db)
  return rows[0] ?? { due: 0, waiting: 0, given_up: 0 }
}
