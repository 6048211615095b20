import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { isAtMost } from '../../db/fragments/json/json-size.ts'
import { restrictToScope } from '../../db/fragments/scope-condition.ts'
import { openTo } from '../../db/fragments/visibility.ts'
import type { RecordStatus } from '../../db/schema.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Payload } from '../../domain/payloads/payloads.ts'
import type { Trust } from '../../domain/trust/caller.ts'

/** A record that may name files. `payload` is null if it names none. */
export type CheckedRecord = {
  id: string
  version: number
  scope: string
  status: RecordStatus
  is_own: boolean
  missed_by: string | null
  payload: Payload | null
}

type RecordRange = { scope: string | null; after: string }
type Page = RecordRange & { limit: number }

const namesFiles = sql<SqlBool>`r.type in ('entity', 'semantic', 'competence', 'plan_graph') and r.forgotten_at is null`

function isInRange({ scope, after }: RecordRange): RawBuilder<SqlBool> {
  return sql<SqlBool>`${namesFiles} and r.id > ${after}::uuid ${restrictToScope(scope)}`
}

/** Whether this step made the last status change, which it may then revert. */
const isOwn = sql<boolean>`coalesce((
  select s.step = 'drift' from status_changes as s where s.record_id = r.id order by s.id desc limit 1
), false)`

const missedBy = sql<string | null>`(select m.run_id from drift_misses as m where m.record_id = r.id)`

/**
 * Not pinned and not history. Invalidated records are included if this step invalidated them, because the files may
 * be back.
 */
const isChecked = sql<SqlBool>`not r.pinned
  and (r.status in ('active', 'challenged') or (r.status = 'invalidated' and ${isOwn}))`

/** Most payloads name no file and are not read. Very long payloads are logs or listings, so they are skipped. */
const payloadNamingFiles = sql<Payload | null>`(
  select case
    when ${isAtMost(sql`c.payload`, 262_144)}
      and (c.payload::text like '%/%' or c.payload::text like '%npm run%' or c.payload ->> 'primary_type' = 'File')
    then c.payload end
  from contents as c where c.record_id = r.id
)`

export async function countChecked(db: Database, range: RecordRange): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int4 as count from records as r where ${isInRange(range)} and ${isChecked}
  `.execute(db)
  return rows[0]?.count ?? 0
}

/** Returns records by id, with their status and version. A decision is valid as long as the version is the same. */
export async function listChecked(db: Database, page: Page): Promise<CheckedRecord[]> {
  return listRecords(db, page, isChecked)
}

/** Returns only records that the caller may read in full, because the report quotes them. */
export async function listReadable(
  db: Database,
  { trust, ...page }: Page & { trust: Trust },
): Promise<CheckedRecord[]> {
  return listRecords(db, page, sql<SqlBool>`r.status in ('active', 'challenged') and ${openTo(trust)}`)
}

/** Uses subqueries: with a join PostgreSQL reads the contents of all rows before the page. */
async function listRecords(
  db: Database,
  { limit, ...range }: Page,
  condition: RawBuilder<SqlBool>,
): Promise<CheckedRecord[]> {
  const { rows } = await sql<CheckedRecord>`
    select r.id, r.version, r.scope, r.status, ${isOwn} as is_own, ${missedBy} as missed_by, ${payloadNamingFiles} as payload
    from records as r
    where ${isInRange(range)} and ${condition}
    order by r.id
    limit ${limit}
  `.execute(db)
  return rows
}

/** Locks the records that still have the checked version. Records that others have locked are skipped. */
export async function claimUnchanged(
  tx: Transaction,
  judged: readonly Pick<CheckedRecord, 'id' | 'version'>[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from records as r
    join unnest(
      ${judged.map(({ id }) => id)}::uuid[], ${judged.map(({ version }) => version)}::int4[]
    ) as judged (id, version) on judged.id = r.id
    where r.version = judged.version and ${namesFiles} and not r.pinned
    order by r.id
    for no key update of r skip locked
  `.execute(tx)
  return rows.map(({ id }) => id)
}

type Miss = { record_id: string; run_id: string; missed_at: Date; reference: string }

export async function upsertMiss(tx: Transaction, miss: Miss): Promise<void> {
  const { record_id: _, ...latest } = miss
  await tx
    .insertInto('drift_misses')
    .values(miss)
    .onConflict((conflict) => conflict.column('record_id').doUpdateSet(latest))
    .execute()
}

export async function deleteMiss(tx: Transaction, recordId: string): Promise<void> {
  await tx.deleteFrom('drift_misses').where('record_id', '=', recordId).execute()
}

/** Returns the position of the run. */
export async function findPosition(db: Database, runId: string): Promise<string | undefined> {
  const found = await db
    .selectFrom('drift_positions')
    .where('run_id', '=', runId)
    .select('after_id')
    .executeTakeFirst()
  return found?.after_id
}

export async function upsertPosition(tx: Transaction, runId: string, after: string): Promise<void> {
  await tx
    .insertInto('drift_positions')
    .values({ run_id: runId, after_id: after })
    .onConflict((conflict) => conflict.column('run_id').doUpdateSet({ after_id: after }))
    .execute()
}
