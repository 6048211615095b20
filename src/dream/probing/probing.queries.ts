import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { restrictToScope } from '../../db/fragments/scope-condition.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Sensitivity } from '../../domain/trust/caller.ts'
import { dayMs, subtractMilliseconds } from '../../kernel/units.ts'
import { isProfile, limitedPayload, referencePredicates } from '../entity-facts.queries.ts'
import type { PromptRecord } from '../prompt-lines.ts'
import type { Belief } from './belief-prompt.ts'

/** Days without an access before a belief is probed, and days until it is probed again. */
const unusedDays = 14
const pauseDays = 30

type DueFilter = { now: Date; ceiling: Sensitivity }

const usedAt = sql`coalesce(r.last_accessed_at, r.created_at)`

/** On rows `r`: a belief that was not used for long and not probed since its last review. */
function isDue({ now, ceiling }: DueFilter): RawBuilder<SqlBool> {
  const unusedSince = subtractMilliseconds(now, unusedDays * dayMs)
  const probedBefore = subtractMilliseconds(now, pauseDays * dayMs)
  return sql<SqlBool>`r.type in ('semantic', 'competence', 'plan_graph') and r.layer in ('semantic', 'procedural')
    and r.forgotten_at is null and r.status = 'active' and not r.pinned and r.sensitivity <= ${ceiling}
    and ${usedAt} < ${unusedSince}::timestamptz and not ${isProfile('r')}
    and not exists (
      select from belief_probes as p
      where p.record_id = r.id and p.probed_at >= ${probedBefore}::timestamptz and not exists (
        select from status_changes as s
        where s.record_id = r.id and s.new = 'active' and s.at > p.probed_at
      )
    )`
}

const probedAt = sql`(select p.probed_at from belief_probes as p where p.record_id = r.id)`

/**
 * Returns beliefs that were never probed first, then by the time of the last probe, then by the time of the last use.
 */
export async function listDue(
  db: Database,
  { scope, limit, ...due }: DueFilter & { scope: string | null; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id
    from records as r
    where ${isDue(due)} ${restrictToScope(scope)}
    order by ${probedAt} nulls first, ${usedAt}, r.id
    limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns the belief, with a payload that is null if it is very long. Undefined if the belief is no longer due. */
export async function findBelief(
  db: Database,
  { id, ...due }: DueFilter & { id: string },
): Promise<(Belief & { version: number }) | undefined> {
  const { rows } = await sql<Belief & { version: number }>`
    select r.id, r.version, r.created_at, ${usedAt} as used_at,
      ${limitedPayload} as payload
    from records as r join contents as c on c.record_id = r.id
    where r.id = ${id}::uuid and ${isDue(due)}
  `.execute(db)
  return rows[0]
}

type RelatedFilter = { limit: number; onlyIds?: readonly string[] | undefined }

/** Returns newer records about the same entities, the newest first. Every reader of the belief may read them. */
export async function findRelatedRecords(
  db: Database,
  id: string,
  { limit, onlyIds }: RelatedFilter,
): Promise<PromptRecord[]> {
  const isAmong = onlyIds === undefined ? sql`` : sql`and far.id = any(${onlyIds}::uuid[])`
  const { rows } = await sql<PromptRecord>`
    select it.id, it.created_at, ${limitedPayload} as payload
    from (
      select far.id, far.created_at
      from records as r
      join relations as e on e.source_id = r.id
        and e.predicate in ('subject_entity', 'object_entity', 'mentions_entity')
      join relations as back on back.source_id = e.target_id
        and back.predicate in ${referencePredicates}
      join records as far on far.id = back.target_id
      where r.id = ${id}::uuid and far.id <> r.id and far.created_at > r.created_at
        and far.forgotten_at is null and far.status = 'active' and far.scope = r.scope
        and far.sensitivity <= r.sensitivity and not ${isProfile('far')} ${isAmong}
      group by far.id, far.created_at
      order by far.created_at desc, far.id desc
      limit ${sql.lit(limit)}
    ) as it
    join contents as c on c.record_id = it.id
    order by it.created_at desc, it.id desc
  `.execute(db)
  return rows
}

export async function upsertProbe(tx: Transaction, recordId: string, now: Date): Promise<void> {
  await tx
    .insertInto('belief_probes')
    .values({ record_id: recordId, probed_at: now })
    .onConflict((conflict) => conflict.column('record_id').doUpdateSet({ probed_at: now }))
    .execute()
}
