import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { namesNoHidden, removePlace, showMembers, showSelections } from '../db/fragments/concealment.ts'
import { isVisibleTo, openTo } from '../db/fragments/visibility.ts'
import type { RunStatus, RunTrigger } from '../db/schema.ts'
import { getRank, type Sensitivity, sensitivities, type Trust } from '../domain/trust/caller.ts'
import type { RunsQuery } from './maintenance.schemas.ts'

export type RunRow = {
  id: string
  job: string
  trigger: RunTrigger
  dry_run: boolean
  scope: string | null
  options: unknown
  status: RunStatus
  done: number
  total: number | null
  stats: unknown
  error: string | null
  attempts: number
  worker: string | null
  created_at: Date
  started_at: Date | null
  finished_at: Date | null
}

export type Position = { created_at: Date; id: string }
type RunFilters = Omit<RunsQuery, 'limit' | 'cursor'>

type NewRun = {
  id: string
  job: string
  trigger: RunTrigger
  now: Date
  dryRun?: boolean | undefined
  scope?: string | null
  options?: object | undefined
  traceparent?: string | undefined
  /** The key, `root` or `anonymous`; absent for a scheduled run. */
  requestedBy?: string
}

export async function insertRun(db: Database, run: NewRun): Promise<void> {
  await db
    .insertInto('maintenance_runs')
    .values({
      id: run.id,
      job: run.job,
      trigger: run.trigger,
      created_at: run.now,
      dry_run: run.dryRun ?? false,
      scope: run.scope ?? null,
      traceparent: run.traceparent ?? null,
      requested_by: run.requestedBy ?? null,
      options: JSON.stringify(run.options ?? {}),
      status: 'queued',
      done: 0,
      total: null,
      stats: '{}',
      attempts: 0,
      cancel_requested: false,
    })
    .execute()
}

const runColumns = [
  'm.id',
  'm.job',
  'm.trigger',
  'm.dry_run',
  'm.scope',
  'm.status',
  'm.done',
  'm.total',
  'm.stats',
  'm.attempts',
  'm.worker',
  'm.created_at',
  'm.started_at',
  'm.finished_at',
] as const

/**
 * The counts of a run reveal how much is stored. So a key that is bound to scopes sees only the runs of these scopes, and no key sees a
 * simulation that counted records above its ceiling.
 */
function selectVisibleRuns(db: Database, trust: Trust) {
  const { scopes, maxSensitivity } = trust
  const readable = sensitivities.slice(0, getRank(maxSensitivity) + 1)
  return db
    .selectFrom('maintenance_runs as m')
    .select(runColumns)
    .select(selectVisibleError(trust).as('error'))
    .select(showSelections(trust, sql.ref('m.options')).as('options'))
    .$if(scopes !== null, (qb) => qb.where(sql<SqlBool>`m.scope = any(${scopes ?? []}::text[])`))
    .$if(maxSensitivity !== 'hyper', (qb) =>
      qb.where(
        sql<SqlBool>`(m.job <> 'simulation' or m.options ->> 'max_sensitivity' = any(${readable}::text[]))`,
      ),
    )
}

/** The error. If it names a hidden record, only the part of the work in which it happened. */
function selectVisibleError(trust: Trust): RawBuilder<string | null> {
  const isShown = namesNoHidden(trust, sql.ref('m.error'))
  return sql<string | null>`case when ${isShown} then m.error else split_part(m.error, ':', 1) end`
}

export async function findRun(db: Database, id: string, trust: Trust): Promise<RunRow | undefined> {
  return selectVisibleRuns(db, trust).where('m.id', '=', id).executeTakeFirst()
}

/** Newest first. */
export async function listRuns(
  db: Database,
  query: { filters: RunFilters; trust: Trust; after: Position | undefined; limit: number },
): Promise<RunRow[]> {
  const { filters, trust, after, limit } = query
  const { job, status } = filters
  return selectVisibleRuns(db, trust)
    .$if(job !== undefined, (qb) => qb.where('m.job', '=', job ?? ''))
    .$if(status !== undefined, (qb) => qb.where('m.status', '=', status ?? 'queued'))
    .$if(after !== undefined, (qb) =>
      qb.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('m.created_at', 'm.id'), '<', tuple(after?.created_at ?? new Date(0), after?.id ?? '')),
      ),
    )
    .orderBy('m.created_at', 'desc')
    .orderBy('m.id', 'desc')
    .limit(limit)
    .execute()
}

/** Ends a queued run at once, and requests a running one to end after its batch. Returns whether the run was open. */
export async function cancelRun(db: Database, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('maintenance_runs')
    .set({
      cancel_requested: true,
      status: sql`case status when 'queued' then 'cancelled' else status end`,
      finished_at: sql`case status when 'queued' then ${now}::timestamptz end`,
    })
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export type ChangePosition = { record_id: string; action: string }

/**
 * Changes with the sensitivity and scope of their records, also of deleted ones. A record that a dry run would create
 * does not exist: it counts as the most sensitive one, in the scope of the run.
 */
function selectChanges(db: Database, runId: string) {
  return db
    .selectFrom('maintenance_changes as c')
    .innerJoin('maintenance_runs as m', 'm.id', 'c.run_id')
    .leftJoin('records as r', 'r.id', 'c.record_id')
    .leftJoin('departures as d', 'd.id', 'c.record_id')
    .where('c.run_id', '=', runId)
    .select(['c.record_id', 'c.action', 'c.before', 'c.after', 'c.note'])
    .select(sql<Sensitivity>`coalesce(r.sensitivity, d.sensitivity, 'hyper')`.as('sensitivity'))
    .select(sql<string>`coalesce(r.scope, d.scope, m.scope, '')`.as('scope'))
}

export type ChangeRow = {
  record_id: string
  action: string
  before: unknown
  after: unknown
  note: string | null
  is_open: boolean
}

type ChangesPage = { runId: string; trust: Trust; after: ChangePosition | undefined; limit: number }

/** An edge to a hidden record is a change of that record. */
function isListed(trust: Trust): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${isVisibleTo(trust)} and ${namesNoHidden(trust, sql`r.after ->> 'target_id'`)})`
}

/**
 * The changes that the caller may see. A record that the caller sees redacted is listed without values. Values that
 * name a record which the caller does not see in full are left out.
 */
export async function listChanges(
  db: Database,
  { runId, trust, after, limit }: ChangesPage,
): Promise<ChangeRow[]> {
  return db
    .selectFrom(selectChanges(db, runId).as('r'))
    .where(isListed(trust))
    .$if(after !== undefined, (qb) =>
      qb.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('record_id', 'action'), '>', tuple(after?.record_id ?? '', after?.action ?? '')),
      ),
    )
    .select(['record_id', 'action'])
    .select(showMembers(trust, sql.ref('before')).as('before'))
    .select(showMembers(trust, removePlace(trust, sql.ref('r.after'))).as('after'))
    .select(sql<string | null>`case when ${namesNoHidden(trust, sql.ref('note'))} then note end`.as('note'))
    .select(sql<boolean>`${openTo(trust)}`.as('is_open'))
    .orderBy('record_id')
    .orderBy('action')
    .limit(limit)
    .execute()
}

export async function countHiddenChanges(db: Database, runId: string, trust: Trust): Promise<number> {
  const { hidden } = await db
    .selectFrom(selectChanges(db, runId).as('r'))
    .where(sql<SqlBool>`not ${isListed(trust)}`)
    .select(sql<number>`count(*)::int4`.as('hidden'))
    .executeTakeFirstOrThrow()
  return hidden
}
