import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { hasIdIn } from '../../db/fragments/id-condition.ts'
import { restrictToScope } from '../../db/fragments/scope-condition.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Layer } from '../../domain/importance/importance.ts'
import type { Position } from '../../jobs/runs/run-walk.ts'
import { subtractMilliseconds } from '../../kernel/units.ts'
import {
  computeImportance,
  weightedUses,
  weightedUsesSinceDemotion,
} from '../importance/importance.queries.ts'
import { episodicAccesses, episodicAfterMs, semanticAccesses, semanticImportance } from './layers.ts'

/** Records that can be promoted automatically: not pinned, not forgotten, not replaced by a revision. */
const isMovable = sql`r.forgotten_at is null and not r.pinned and r.status in ('active', 'challenged')`
const promotionActor = 'cognition'

export type PromotionSpan = { now: Date; scope: string | null }
export type PromotionBatch = PromotionSpan & {
  after: Position
  limit: number
  /** A dry run, whose batches are rolled back: what it has listed to be forgotten is not promoted. */
  dryRunId?: string | null
}

/** With an empty working layer it costs one index probe. */
export async function countWorking(db: Database, span: PromotionSpan): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int4 as count from records as r where ${isOverdue(span)}
  `.execute(db)
  return rows[0]?.count ?? 0
}

export async function countEpisodic(db: Database, span: PromotionSpan): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int4 as count from records as r where ${isUsedOften(span)}
  `.execute(db)
  return rows[0]?.count ?? 0
}

/** Finds and locks records of the working layer that may be due. Locked rows are skipped. */
export async function claimWorking(tx: Transaction, portion: PromotionBatch): Promise<Position[]> {
  return claim(tx, portion, isOverdue(portion))
}

export async function claimEpisodic(tx: Transaction, portion: PromotionBatch): Promise<Position[]> {
  return claim(tx, portion, isUsedOften(portion))
}

async function claim(
  tx: Transaction,
  { after, limit, dryRunId = null }: PromotionBatch,
  isCandidate: RawBuilder<unknown>,
): Promise<Position[]> {
  const { rows } = await sql<Position>`
    select r.created_at::text as at, r.id from records as r
    where ${isCandidate} and (r.created_at, r.id) > (${after.at}::timestamptz, ${after.id}::uuid)
      ${dryRunId === null ? sql`` : sql`and ${isNotListed(dryRunId)}`}
    order by r.created_at, r.id
    limit ${limit}
    for no key update skip locked
  `.execute(tx)
  return rows
}

function isNotListed(dryRunId: string): RawBuilder<unknown> {
  return sql`not exists (
    select from maintenance_changes as c
    where c.run_id = ${dryRunId}::uuid and c.record_id = r.id and c.action in ('prune', 'forget')
  )`
}

/** The uses since a demotion are only counted once the record is locked. */
function isOverdue({ now, scope }: PromotionSpan): RawBuilder<unknown> {
  return sql`r.layer = 'working' and ${isMovable}
    and (${heldSince} <= ${subtractMilliseconds(now, episodicAfterMs)}::timestamptz or ${weightedUses} >= ${sql.lit(episodicAccesses)})
    ${restrictToScope(scope)}`
}

function isUsedOften({ scope }: PromotionSpan): RawBuilder<unknown> {
  return sql`r.layer = 'episodic' and ${isMovable} and ${weightedUses} >= ${sql.lit(semanticAccesses)} ${restrictToScope(scope)}`
}

const heldSince = sql`greatest(r.created_at, r.demoted_at)`

/** Records that the transaction has locked. */
export type Candidates = { ids: readonly string[]; now: Date; runId: string | null }

export async function promoteWorking(tx: Transaction, candidates: Candidates): Promise<string[]> {
  const { ids, now } = candidates
  return promote(tx, candidates, {
    from: 'working',
    to: 'episodic',
    rationale: `${episodicAfterMs / 60_000} minutes old, or used ${episodicAccesses} times`,
    due: sql`
      select r.id from records as r
      where ${hasIdIn(ids)} and r.layer = 'working' and ${isMovable}
        and (
          ${heldSince} <= ${subtractMilliseconds(now, episodicAfterMs)}::timestamptz
          or ${weightedUsesSinceDemotion} >= ${sql.lit(episodicAccesses)}
        )
    `,
  })
}

export async function promoteEpisodic(tx: Transaction, candidates: Candidates): Promise<string[]> {
  const { ids, now } = candidates
  const { join, importance } = computeImportance(now)
  return promote(tx, candidates, {
    from: 'episodic',
    to: 'semantic',
    rationale: `an importance of ${semanticImportance} or more, and used ${semanticAccesses} times`,
    due: sql`
      select r.id from records as r ${join}
      where ${hasIdIn(ids)} and r.layer = 'episodic' and ${isMovable}
        and ${weightedUses} >= ${sql.lit(semanticAccesses)} and ${weightedUsesSinceDemotion} >= ${sql.lit(semanticAccesses)}
        and ${importance} >= ${sql.lit(semanticImportance)}
    `,
  })
}

type Step = { from: Layer; to: Layer; rationale: string; due: RawBuilder<unknown> }

/** Changes the layer and writes the audit entry, in one statement. */
async function promote(
  tx: Transaction,
  { now, runId }: Candidates,
  { from, to, rationale, due }: Step,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with due as materialized (${due}), promoted as (
      update records as r
      set layer = ${to}::memory_layer, version = r.version + 1,
        updated_at = greatest(r.updated_at, ${now}::timestamptz)
      from due where r.id = due.id
      returning r.id, r.updated_at
    ), audited as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
      select id, ${runId}::uuid, updated_at, 'promote', ${promotionActor}, ${rationale}::text,
        ${JSON.stringify({ layer: [from, to] })}::jsonb
      from promoted
    )
    select id from promoted order by id
  `.execute(tx)
  return rows.map(({ id }) => id)
}
