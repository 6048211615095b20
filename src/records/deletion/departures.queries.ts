import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { withoutPlace } from '../../db/fragments/departed-place.ts'
import { isVisibleTo } from '../../db/fragments/visibility.ts'
import type { DepartureKind, RecordType, Sensitivity } from '../../db/schema.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Trust } from '../../domain/trust/caller.ts'
import { snapshotColumns } from './lifecycle-snapshot.ts'

/** What stays of a purged or erased record in the table `departures`: no content. */
export type Departure = {
  id: string
  type: RecordType
  sensitivity: Sensitivity
  scope: string
  created_at: Date
  departed_at: Date
  kind: DepartureKind
  reason: string
  actor: string
  run_id: string | null
  numbers: unknown
}

/** Applies the trust rules of records: a caller that could not see the record does not find it here either. */
export async function findDepartures(
  db: Database,
  ids: readonly string[],
  trust: Trust,
): Promise<Departure[]> {
  return db
    .selectFrom('departures as d')
    .where('d.id', '=', sql<string>`any(${ids}::uuid[])`)
    .where(isVisibleTo(trust, 'd'))
    .select(['d.id', 'd.type', 'd.sensitivity', 'd.scope', 'd.created_at', 'd.departed_at'])
    .select(['d.kind', 'd.reason', 'd.actor', 'd.run_id', 'd.numbers'])
    .execute()
}

/**
 * Deletes forgotten records whose retention has ended. Their numbers and their audit logs stay. Skips rows that another
 * worker has locked, and those that failed. Returns how many it deleted, at most `limit`.
 */
export async function purgeForgotten(
  db: Database,
  now: Date,
  limit: number,
  failed: readonly string[] = [],
): Promise<number> {
  const due = sql`
    select * from records where ${isDue(now, failed)} order by purge_at limit ${limit}
    for update skip locked
  `
  const ids = await deleteKeepingNumbers(db, due, describePurge(now))
  return ids.length
}

/** The record at which a purge of one record stops. */
export async function findNextPurgeable(
  db: Database,
  now: Date,
  failed: readonly string[],
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from records where ${isDue(now, failed)} order by purge_at limit 1
    for update skip locked
  `.execute(db)
  return rows[0]?.id
}

function isDue(now: Date, failed: readonly string[]): RawBuilder<unknown> {
  const others = failed.length === 0 ? sql`` : sql`and id <> all(${failed}::uuid[])`
  return sql`purge_at <= ${now}::timestamptz ${others}`
}

const describePurge = (at: Date) =>
  ({ kind: 'purged', at, reason: sql`r.forgotten_reason`, actor: sql`r.forgotten_by` }) as const

/** Forgotten records whose retention has ended, by id. */
export async function listPurgeable(
  db: Database,
  { now, after, limit }: { now: Date; after: string; limit: number },
): Promise<{ id: string; reason: string; forgotten_at: Date }[]> {
  const { rows } = await sql<{ id: string; reason: string; forgotten_at: Date }>`
    select id, coalesce(forgotten_reason, '') as reason, coalesce(forgotten_at, purge_at) as forgotten_at from records
    where purge_at <= ${now}::timestamptz and id > ${after}::uuid
    order by id limit ${limit}
  `.execute(db)
  return rows
}

/** Deletes those of the records that can still be purged, and returns their ids. */
export async function purgeRecords(tx: Transaction, ids: readonly string[], now: Date): Promise<string[]> {
  const due = sql`
    select * from records where id = any(${ids}::uuid[]) and purge_at <= ${now}::timestamptz
    order by id for update
  `
  return deleteKeepingNumbers(tx, due, describePurge(now))
}

/** Deletes locked records with all their rows in other tables, and keeps their numbers. */
export async function deleteErased(
  tx: Transaction,
  ids: readonly string[],
  { actor, at }: { actor: string; at: Date },
): Promise<string[]> {
  const named = sql`select * from records where id = any(${ids}::uuid[])`
  return deleteKeepingNumbers(tx, named, {
    kind: 'erased',
    at,
    reason: sql`'erased'`,
    actor: sql`${actor}::text`,
  })
}

type Deletion = { kind: DepartureKind; at: Date; reason: RawBuilder<unknown>; actor: RawBuilder<unknown> }

async function deleteKeepingNumbers(
  db: Database,
  selection: RawBuilder<unknown>,
  deletion: Deletion,
): Promise<string[]> {
  const { kind, at, reason, actor } = deletion
  const numbers = sql.join(snapshotColumns.flatMap((name) => [sql.lit(name), sql.ref(`r.${name}`)]))
  const { rows } = await sql<{ id: string }>`
    with deleted as materialized (${selection}), ${describePlaces(kind)}, departure as (
      insert into departures
        (id, created_at, departed_at, scope, run_id, type, sensitivity, kind, reason, actor, numbers,
          conversation, message_at, message_arrival)
      select r.id, r.created_at, ${at}::timestamptz, r.scope, r.forgotten_run_id, r.type, r.sensitivity,
        ${kind}::departure_kind, ${reason}, ${actor}, jsonb_build_object(${numbers}), p.conversation, p.at, p.arrival
      from deleted as r left join kept_place as p on p.record_id = r.id
    ), unlisted as (
      delete from unembedded where record_id in (select id from deleted)
    ), effect as (
      delete from run_effects where record_id in (select id from deleted)
    )
    delete from records where id in (select id from deleted) returning id
  `.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * A purged message keeps its place as long as its conversation has messages. When the last one leaves, the places go too:
 * nothing names a conversation that is not there. Each offset keeps the planner from reading a table as a whole.
 */
function describePlaces(kind: DepartureKind): RawBuilder<unknown> {
  return sql`
    place as materialized (
      select m.record_id, m.scope, m.conversation, m.at, m.arrival
      from deleted cross join lateral (
        select * from messages where record_id = deleted.id and deleted.type = 'episodic' offset 0
      ) as m
    ), affected_conversation as materialized (
      select named.scope, named.conversation, exists (
        select from messages as other
        where other.scope = named.scope and other.conversation = named.conversation
          and other.record_id not in (select id from deleted)
      ) as has_messages
      from (select distinct scope, conversation from place) as named
    ), kept_place as (
      select place.* from place join affected_conversation using (scope, conversation)
      where affected_conversation.has_messages and ${kind}::departure_kind = 'purged'
    ), cleared_place as (
      update departures set ${withoutPlace}
      where id = any(array(
        select d.id from affected_conversation cross join lateral (
          select id from departures where scope = affected_conversation.scope and conversation = affected_conversation.conversation offset 0
        ) as d
        where not affected_conversation.has_messages
      ))
    )`
}
