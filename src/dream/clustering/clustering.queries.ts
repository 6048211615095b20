import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { contentBytes } from '../../db/fragments/json/json-size.ts'
import { liveRecords } from '../../db/fragments/lifecycle/live-records.ts'
import { restrictToScope } from '../../db/fragments/scope-condition.ts'
import type { MemoryKind } from '../../db/schema.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Sensitivity } from '../../domain/trust/caller.ts'
import { minMembers } from './cluster-group.ts'
import type { Source } from './summary-prompt.ts'

/** Records that may be merged with each other: every reader of one may read all of them. */
export type Partition = { scope: string; memory_kind: MemoryKind; sensitivity: Sensitivity }

/**
 * On rows `r`: a record that may be merged. Records written by a dream are excluded, because a summary of summaries
 * loses the facts. Records that were merged before and restored are excluded, because a client decided so.
 */
const isMergeable = sql<SqlBool>`r.type in ('episodic', 'semantic') and r.forgotten_at is null and r.status = 'active'
  and not r.pinned and r.source_type <> 'dream'
  and not (r.type = 'semantic' and exists (
    select from contents as own where own.record_id = r.id and own.tags && array['peer-card', 'synthesis']::text[]
  ))
  and not exists (select from status_changes as s where s.record_id = r.id and s.old = 'merged')`

export async function listPartitions(db: Database, scope: string | null): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select r.scope, r.memory_kind, r.sensitivity from records as r
    where ${isMergeable} ${restrictToScope(scope)}
    group by r.scope, r.memory_kind, r.sensitivity
    having count(*) >= ${sql.lit(minMembers)}
    order by r.scope, r.memory_kind, r.sensitivity
  `.execute(db)
  return rows
}

function isInPartition({ scope, memory_kind: kind, sensitivity }: Partition): RawBuilder<SqlBool> {
  return sql<SqlBool>`r.scope = ${scope} and r.memory_kind = ${kind} and r.sensitivity = ${sensitivity}`
}

type Portion = { modelId: number; after: string; limit: number }

/**
 * Returns the next records of a partition by id, packed as `unpackSignatures` reads them. Separate rows took four times as
 * long to send and to read.
 */
export async function readPortion(
  db: Database,
  partition: Partition,
  { modelId, after, limit }: Portion,
): Promise<Buffer> {
  const { rows } = await sql<{ packed: Buffer | null }>`
    select string_agg(uuid_send(id) || bit_send(bits), ''::bytea order by id) as packed
    from (
      select r.id, s.bits
      from ${liveRecords} as r join signatures as s on s.record_id = r.id and s.model_id = ${modelId}
      where ${isInPartition(partition)} and ${isMergeable} and r.id > ${after}::uuid
      order by r.id
      limit ${limit}
    ) as portion
  `.execute(db)
  return rows[0]?.packed ?? Buffer.alloc(0)
}

export type Member = Source & { version: number; tags: readonly string[] }

/** In bytes. As many members as a group has fit into one answer together. */
export const maxMemberBytes = 262_144

/**
 * Returns the content and the version of the members. The payload of a member with very long content is null. A record that has left
 * the partition since the groups were formed, such as one that became more sensitive, is no member any more.
 */
export async function findMembers(
  db: Database,
  partition: Partition,
  ids: readonly string[],
): Promise<Member[]> {
  const { rows } = await sql<Member>`
    select r.id, r.version, r.created_at, c.tags,
      case when ${contentBytes} <= ${sql.lit(maxMemberBytes)} then c.payload end as payload
    from unnest(${ids}::uuid[]) with ordinality as requested (id, place)
    join records as r on r.id = requested.id
    join contents as c on c.record_id = r.id
    where ${isInPartition(partition)} and ${isMergeable}
    order by requested.place
  `.execute(db)
  return rows
}

/**
 * Copies the counts of the members to their summary: the sum of their uses, the highest importance and the lowest
 * confidence.
 */
export async function copyCounts(tx: Transaction, ids: readonly string[], summaryId: string): Promise<void> {
  await sql`
    update records as summary
    set access_count = least(parts.accesses, 1000000000)::int4, served_count = least(parts.served, 1000000000)::int4,
      confirmation_count = least(parts.confirmations, 1000000000)::int4, last_accessed_at = parts.last_accessed_at,
      base_importance = greatest(summary.base_importance, parts.base_importance), confidence = parts.confidence
    from (
      select sum(access_count) as accesses, sum(served_count) as served, sum(confirmation_count) as confirmations,
        max(last_accessed_at) as last_accessed_at, max(base_importance) as base_importance,
        min(confidence) as confidence
      from records where id = any(${ids}::uuid[])
    ) as parts
    where summary.id = ${summaryId}::uuid
  `.execute(tx)
}

type Page = { scope: string | null; after: string; limit: number }

/** Returns the members of summaries that no longer exist. */
export async function findOrphans(db: Database, { scope, after, limit }: Page): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id
    from records as r
    cross join lateral (
      select s.step, s.at from status_changes as s where s.record_id = r.id order by s.id desc limit 1
    ) as moved
    where r.status = 'merged' and r.forgotten_at is null and not r.pinned and moved.step = 'cluster'
      and r.id > ${after}::uuid ${restrictToScope(scope)}
      and not exists (
        select from relations as e
        where e.source_id = r.id and e.predicate = 'derives' and e.created_at = moved.at
      )
    order by r.id
    limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns the candidates that the run has listed before it was resumed. */
export async function findListedCandidates(
  tx: Transaction,
  runId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select record_id as id from maintenance_changes
    where run_id = ${runId}::uuid and action = 'candidate' and record_id = any(${ids}::uuid[])
  `.execute(tx)
  return new Set(rows.map(({ id }) => id))
}
