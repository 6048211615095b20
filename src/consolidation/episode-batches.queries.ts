import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { hasIdIn, isAmong } from '../db/fragments/id-condition.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Position } from '../jobs/runs/run-walk.ts'
import type { Episode } from './episode.ts'
import type { StageName } from './stages.ts'

/** Selects the rows of one stage that were due by `until`. */
export type DueFilter = {
  stage: StageName
  scope: string | null
  /** Two walks at the same time have half of the scopes each, so that none waits for a fact of the other. */
  half?: 0 | 1 | undefined
  until: Date
  now: Date
}
export type Portion = DueFilter & { after: Position; limit: number }

/** The compressed size of the payloads of a batch, so that a batch always fits into memory. */
const maxBytes = 8 * 1_024 * 1_024

/**
 * Returns how many episodes each stage has to process; stages with none are left out. With nothing new it costs one
 * index probe per stage.
 */
export async function countDue(db: Database, filters: readonly DueFilter[]): Promise<Map<StageName, number>> {
  const counts = filters.map(
    (filter) =>
      sql`select ${filter.stage}::text as stage, (select count(*) from unconsolidated as u where ${isDue(filter)}) as count`,
  )
  const { rows } = await sql<{
    stage: StageName
    count: number
  }>`${sql.join(counts, sql` union all `)}`.execute(db)
  return new Map(rows.filter(({ count }) => count > 0).map(({ stage, count }) => [stage, count]))
}

/** Locks the next rows of the list until the transaction ends, and skips rows that others have locked. */
export async function claimEpisodes(tx: Transaction, portion: Portion): Promise<Position[]> {
  const { rows } = await sql<Position>`
    select due_at::text as at, record_id as id from (${selectNext(portion)}) as claimed order by due_at, record_id
  `.execute(tx)
  return rows
}

/** Locks the next rows as `claimEpisodes` does, limited by the size of the payloads, for episodes whose payload is read. */
export async function claimReadableEpisodes(tx: Transaction, portion: Portion): Promise<Position[]> {
  const { rows } = await sql<Position>`
    with claimed as materialized (${selectNext(portion)}), sized as (
      select record_id, due_at, row_number() over by_age as place,
        sum(coalesce(pg_column_size(c.payload), 0)) over by_age as bytes
      from claimed
      left join lateral (select payload from contents where record_id = claimed.record_id offset 0) as c on true
      window by_age as (order by due_at, record_id)
    )
    select due_at::text as at, record_id as id from sized
    where bytes <= ${maxBytes} or place = 1
    order by due_at, record_id
  `.execute(tx)
  return rows
}

/**
 * Returns the episodes that can be learned from, including those merged by a dream. The environment is left out: it
 * teaches nothing and is often the largest part. Call `readEpisodes` instead, which masks secrets.
 */
export async function findEpisodes(tx: Transaction, ids: readonly string[]): Promise<Episode[]> {
  const { rows } = await sql<Episode>`
    select r.id, r.scope, r.sensitivity, r.confidence, r.created_at, c.tags,
      c.payload - 'environment' as payload
    from records as r
    cross join lateral (select * from contents as c where c.record_id = r.id offset 0) as c
    where ${hasIdIn(ids)} and r.type = 'episodic' and r.forgotten_at is null
      and r.status in ('active', 'challenged', 'merged')
    order by r.created_at, r.id
  `.execute(tx)
  return rows
}

export async function deleteUnconsolidated(
  tx: Transaction,
  stage: StageName,
  ids: readonly string[],
): Promise<void> {
  await sql`
    delete from unconsolidated
    where stage = ${stage} and ${isAmong('record_id', ids)}
  `.execute(tx)
}

export type PostponedEpisode = Position & { attempts: number; is_given_up: boolean }

/** Postpones the next row of the portion, which failed. `reason` must not quote the episode. */
export async function postponeNext(
  tx: Transaction,
  portion: Portion,
  reason: string,
): Promise<PostponedEpisode | undefined> {
  const { rows } = await sql<PostponedEpisode>`
    with failed as materialized (
      select u.record_id, u.due_at
      from unconsolidated as u
      where ${isDue(portion)} and ${isAfter(portion.after)}
      order by u.due_at, u.record_id
      limit 1
      for update skip locked
    )
    update unconsolidated as u
    set ${setPostponed(sql`u.attempts`, { reason, now: portion.now })}
    from failed
    where u.record_id = failed.record_id and u.stage = ${portion.stage}
    returning failed.due_at::text as at, u.record_id as id, u.attempts, u.due_at = 'infinity' as is_given_up
  `.execute(tx)
  return rows[0]
}

const maxAttempts = 5

/** Five minutes, then four times as long after each failure. */
const firstPause = '5 minutes'

/** The assignments of an update that postpones a row of the list after a failure. After a few attempts the row is given up. */
export function setPostponed(
  attempts: RawBuilder<unknown>,
  { reason, now }: { reason: string; now: Date },
): RawBuilder<unknown> {
  return sql`attempts = ${attempts} + 1, error = ${reason}, claimed_until = null,
      due_at = case when ${attempts} + 1 >= ${maxAttempts} then 'infinity'
        else ${now}::timestamptz + ${firstPause}::interval * power(4, ${attempts}) end`
}

function selectNext(portion: Portion): RawBuilder<unknown> {
  return sql`
    select u.record_id, u.due_at
    from unconsolidated as u
    where ${isDue(portion)} and ${isAfter(portion.after)}
    order by u.due_at, u.record_id
    limit ${portion.limit}
    for update skip locked
  `
}

function isDue({ until, now, ...filter }: DueFilter): RawBuilder<unknown> {
  return sql`u.stage = ${filter.stage} and u.due_at <= ${until}::timestamptz
    and (u.claimed_until is null or u.claimed_until <= ${now}::timestamptz) ${isInScope(filter)}`
}

function isInScope({ scope, half }: Pick<DueFilter, 'scope' | 'half'>): RawBuilder<unknown> {
  if (scope !== null)
    return sql`and exists (select from records as r where r.id = u.record_id and r.scope = ${scope} offset 0)`
  if (half === undefined) return sql``
  return sql`and exists (
    select from records as r where r.id = u.record_id and hashtextextended(r.scope, 0) & 1 = ${half} offset 0
  )`
}

function isAfter({ at, id }: Position): RawBuilder<unknown> {
  return sql`(u.due_at, u.record_id) > (${at}::timestamptz, ${id}::uuid)`
}
