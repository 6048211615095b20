import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { computeSalienceAt } from '../db/fragments/lifecycle/salience.ts'
import { restrictToScope } from '../db/fragments/scope-condition.ts'
import type { Transaction } from '../db/transaction.ts'
import { neverFading } from '../domain/importance/importance.ts'
import type { Portion, Position } from '../jobs/runs/run-walk.ts'
import { dayMs, subtractMilliseconds } from '../kernel/units.ts'
import {
  computeImportance,
  computeRetentionAt,
  type RetentionSettings,
  weightedUses,
} from '../lifecycle/index.ts'
import { archivedAfterDays, archivedBelow } from './archival.ts'

const archivedBy = 'dream/forget'

type ArchivalFilter = { now: Date; scope: string | null }

/**
 * On rows `r`: old and rarely used, before retention and importance are computed. A record that was stored or restored lately is
 * kept however old its content is: otherwise the first dream would forget what an import brought. Where a budget is in force, it
 * alone decides what is worth keeping.
 */
function isArchivable({ now, scope }: ArchivalFilter): RawBuilder<unknown> {
  const before = subtractMilliseconds(now, archivedAfterDays * dayMs)
  return sql`r.created_at < ${before}::timestamptz and r.anchored_at < ${before}::timestamptz
    and r.forgotten_at is null and not r.pinned
    and r.status in ('active', 'challenged') and r.deletion_policy = 'auto_prune'
    and r.layer not in (${sql.join([...neverFading].map((layer) => sql.lit(layer)))})
    and not exists (select from budgets as b where b.scope in (r.scope, ''))
    and ${weightedUses} < ${sql.lit(archivedBelow.accesses)} ${restrictToScope(scope)}`
}

export async function countArchivable(db: Database, filter: ArchivalFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int4 as count from records as r where ${isArchivable(filter)}
  `.execute(db)
  return rows[0]?.count ?? 0
}

/** Returns the next records by age, locked. Records that others have locked are skipped. */
export async function claimArchivable(
  tx: Transaction,
  { after, limit, ...filter }: ArchivalFilter & Portion,
): Promise<Position[]> {
  const { rows } = await sql<Position>`
    select r.created_at::text as at, r.id from records as r
    where ${isArchivable(filter)} and (r.created_at, r.id) > (${after.at}::timestamptz, ${after.id}::uuid)
    order by r.created_at, r.id
    limit ${limit}
    for no key update skip locked
  `.execute(tx)
  return rows
}

type ArchiveOptions = RetentionSettings &
  ArchivalFilter & { ids: readonly string[]; purgeAt: Date; runId: string }

/** The values that decided the archival, at the time of the run. */
export type Archived = {
  id: string
  retention: number
  importance: number
  accesses: number
  age_days: number
  salience: number
}

/** Forgets the records with low retention and importance and writes their audit entries, in one statement. */
export async function archiveRecords(tx: Transaction, options: ArchiveOptions): Promise<Archived[]> {
  const { ids, now, purgeAt, runId } = options
  const { join, importance } = computeImportance(now)
  const { rows } = await sql<Archived>`
    with judged as materialized (
      select r.id, ${computeRetentionAt(now, options)} as retention, ${importance} as importance,
        ${weightedUses} as accesses, date_part('epoch', ${now}::timestamptz - r.created_at) / 86400 as age_days,
        ${computeSalienceAt(now)} as salience
      from records as r ${join}
      where r.id = any(${ids}::uuid[]) and ${isArchivable(options)}
    ), archived as (
      update records as r
      set forgotten_at = ${now}::timestamptz, forgotten_reason = 'archived', forgotten_by = ${archivedBy},
        forgotten_run_id = ${runId}::uuid, purge_at = ${purgeAt}::timestamptz
      from judged as j
      where r.id = j.id and j.retention < ${archivedBelow.retention}::float8
        and j.importance < ${archivedBelow.importance}::float8
      returning j.*
    ), audited as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
      select id, ${runId}::uuid, ${now}::timestamptz, 'archive', ${archivedBy},
        'archived: old, hardly kept, of little importance and rarely used',
        jsonb_build_object('forgotten', jsonb_build_array(null, ${JSON.stringify(describeArchival(now))}::jsonb
          || jsonb_build_object(
            'retention', retention, 'importance', importance, 'accesses', accesses, 'age_days', age_days
          )))
      from archived
    )
    select id, retention, importance, accesses, age_days, salience from archived order by id
  `.execute(tx)
  return rows
}

function describeArchival(at: Date) {
  return { at, reason: 'archived', actor: archivedBy }
}
