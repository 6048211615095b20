import { sql } from 'kysely'
import { hasIdIn, hasIdOf, isAmong } from '../../db/fragments/id-condition.ts'
import {
  lifecycleColumns,
  listReinforced,
  reinforcedColumns,
  setReinforced,
} from '../../db/fragments/lifecycle/lifecycle-columns.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { LifecycleState } from '../../domain/lifecycle/reinforcement.ts'
import { type Sensitivity, unscoped } from '../../domain/trust/caller.ts'
import { recordSnapshotFields } from '../record-snapshot.queries.ts'
import { maxNamedSources, type Reinforced } from './fact-evidence.ts'
import type { FactGroup, Triple } from './fact-groups.ts'
import type { NamedEntity, NameLookup } from './named-entities.ts'
import type { KnownFact } from './observation-outcome.ts'

type SoughtFact = Pick<FactGroup, 'handle' | 'scope' | 'sensitivity'>

/** Returns the known facts, the oldest first. Call it after the handles are locked. */
export async function findFacts(tx: Transaction, lookups: readonly SoughtFact[]): Promise<KnownFact[]> {
  const { rows } = await sql<KnownFact>`
    select requested.place::int - 1 as place, r.id, r.status, r.pinned, r.forgotten_at is not null as is_forgotten,
      coalesce(c.payload #>> '{revision,status}' = 'retracted', false) as is_retracted,
      c.payload -> 'validity' as validity
    from unnest(
      ${lookups.map(({ handle }) => handle.digest)}::bytea[], ${lookups.map(({ handle }) => handle.detail)}::bytea[],
      ${lookups.map(({ scope }) => scope)}::text[], ${lookups.map(({ sensitivity }) => sensitivity)}::sensitivity[]
    ) with ordinality as requested (digest, detail, scope, sensitivity, place)
    cross join lateral (
      select h.record_id from handles as h
      where h.digest = requested.digest and h.detail = requested.detail and h.scope = requested.scope
      offset 0
    ) as h
    cross join lateral (
      select * from records as r where r.id = h.record_id
      offset 0
    ) as r
    cross join lateral (
      select c.payload from contents as c where c.record_id = r.id
      offset 0
    ) as c
    where r.type = 'semantic' and r.scope = requested.scope and r.sensitivity = requested.sensitivity
    order by r.created_at, r.id
  `.execute(tx)
  return rows
}

/** Returns which of the facts are already linked to which of the episodes. */
export async function findObservations(
  tx: Transaction,
  facts: readonly string[],
  episodes: readonly string[],
): Promise<{ fact: string; episode: string }[]> {
  const { rows } = await sql<{ fact: string; episode: string }>`
    select source_id as fact, target_id as episode
    from relations
    where ${isAmong('source_id', facts)} and predicate = 'derived_from'
      and ${isAmong('target_id', episodes)}
  `.execute(tx)
  return rows
}

/** Returns the facts that were stored from each of the episodes. */
export async function findStatedFacts(
  tx: Transaction,
  episodes: readonly string[],
): Promise<({ episode: string } & Triple)[]> {
  const { rows } = await sql<{ episode: string } & Triple>`
    select e.source_id as episode, c.payload ->> 'subject' as subject, c.payload ->> 'predicate' as predicate,
      c.payload -> 'object' as object
    from relations as e
    cross join lateral (
      select * from records as r where r.id = e.target_id and r.type = 'semantic'
      offset 0
    ) as r
    cross join lateral (
      select c.payload from contents as c where c.record_id = r.id
      offset 0
    ) as c
    where ${isAmong('e.source_id', episodes)} and e.predicate = 'derives'
    order by e.source_id, e.target_id
  `.execute(tx)
  return rows
}

/**
 * Returns entities in the scope or without scope that are not more sensitive than the fact, locked until the
 * transaction ends.
 */
export async function findEntities(tx: Transaction, lookups: readonly NameLookup[]): Promise<NamedEntity[]> {
  const { rows } = await sql<NamedEntity>`
    with named as materialized (
      select requested.place::int - 1 as place, requested.sensitivity, h.record_id as id, h.scope
      from unnest(
        ${lookups.map(({ digest }) => digest)}::bytea[], ${lookups.map(({ scope }) => scope)}::text[],
        ${lookups.map(({ sensitivity }) => sensitivity)}::sensitivity[]
      ) with ordinality as requested (digest, scope, sensitivity, place)
      cross join lateral (${named} and h.scope = requested.scope
        union all ${named} and h.scope = ${unscoped} and requested.scope <> ${unscoped}
      ) as h
    )
    select named.place, r.id, r.scope, r.status, r.created_at, c.payload
    from named
    join records as r on r.id = named.id and r.scope = named.scope and r.sensitivity <= named.sensitivity
    cross join lateral (select c.payload from contents as c where c.record_id = r.id offset 0) as c
    where ${hasIdOf('named')}
      and r.type = 'entity' and r.forgotten_at is null and r.status in ('active', 'challenged')
    order by r.id
    for key share of r
  `.execute(tx)
  return rows
}

/** With both scopes in a list the plan may read the handles of all scopes. */
const named = sql`select h.record_id, h.scope from handles as h where h.digest = requested.digest and h.detail is null`

/**
 * Keeps episodes until the transaction ends. Their facts are written in several statements: locked by each of them alone, the
 * episodes would not be locked in the order of their ids, and two transactions could deadlock.
 */
export async function lockSources(tx: Transaction, ids: readonly string[]): Promise<void> {
  await sql`
    select from records as r where ${hasIdIn(ids)} order by r.id for key share
  `.execute(tx)
}

export type ClaimedFact = LifecycleState & { id: string; scope: string; sensitivity: Sensitivity }

/** Locks facts and returns their current state. Forgotten, pinned and withdrawn facts are left out. */
export async function claimFacts(tx: Transaction, ids: readonly string[]): Promise<ClaimedFact[]> {
  const { rows } = await sql<ClaimedFact>`
    select r.id, r.scope, r.sensitivity, ${lifecycleColumns}
    from records as r
    where ${hasIdIn(ids)} and r.forgotten_at is null and not r.pinned
      and r.status in ('active', 'challenged')
    order by r.id
    for no key update
  `.execute(tx)
  return rows
}

/** Writes the new lifecycle, the evidence up to its maximum number, and one audit entry per observation. */
export async function writeReinforced(
  tx: Transaction,
  reinforced: readonly Reinforced[],
  {
    actor,
    now,
    runId,
    effectsRunId,
  }: { actor: string; now: Date; runId: string; effectsRunId?: string | undefined },
): Promise<void> {
  const savesEffects = effectsRunId !== undefined
  const times = reinforced.flatMap(({ id, times }) => times.map((time, nth) => ({ id, nth, ...time })))
  await sql`
    with incoming as materialized (
      select * from unnest(
        ${reinforced.map(({ id }) => id)}::uuid[],
        ${listReinforced(reinforced.map(({ lifecycle }) => lifecycle))},
        ${reinforced.map((each) => each.times.length)}::int4[]
      ) as incoming (id, ${reinforcedColumns}, times)
    ), each as materialized (
      select * from unnest(
        ${times.map(({ id }) => id)}::uuid[], ${times.map(({ episode }) => episode)}::text[],
        ${times.map(({ at }) => at)}::text[], ${times.map(({ before }) => before)}::float8[],
        ${times.map(({ after }) => after)}::float8[], ${times.map(({ nth }) => nth)}::int4[]
      ) with ordinality as each (id, episode, observed_at, before, after, nth, place)
    ), observation as (
      select id,
        jsonb_agg(
          jsonb_build_object('source_type', 'event', 'source_id', episode, 'timestamp', observed_at) order by place
        ) as evidence,
        jsonb_agg(jsonb_build_object('kind', 'event', 'ref', episode, 'timestamp', observed_at) order by place) as sources
      from each
      where nth < ${maxNamedSources}
      group by id
    ), earlier_record as materialized (
      select r.id, jsonb_build_object(${factSnapshotFields}) as row from records as r
      where ${savesEffects}::bool and ${hasIdOf('incoming')}
    ), earlier_content as materialized (
      select c.record_id, jsonb_build_object(${contentSnapshotFields}) as row from contents as c
      where ${savesEffects}::bool and ${hasIdOf('observation', 'c.record_id')} and ${hasFewSources}
    ), record as (
      update records as r
      set ${setReinforced}, version = r.version + i.times,
        updated_at = greatest(r.updated_at, ${now}::timestamptz)
      from incoming as i
      where r.id = i.id and ${hasIdOf('incoming')}
      returning r.id, r.updated_at, case when ${savesEffects}::bool then jsonb_build_object(${factSnapshotFields}) end as row
    ), content as (
      update contents as c
      set payload = jsonb_set(c.payload, '{evidence}', (c.payload -> 'evidence') || w.evidence),
        provenance = jsonb_set(c.provenance, '{sources}', (c.provenance -> 'sources') || w.sources)
      from observation as w
      where c.record_id = w.id and ${hasIdOf('incoming', 'c.record_id')}
        and ${hasFewSources}
      returning c.record_id, case when ${savesEffects}::bool then jsonb_build_object(${contentSnapshotFields}) end as row
    ), effect as (
      insert into run_effects (run_id, record_id, relation, before, after)
      select ${runId}::uuid, id, 'records', e.row, record.row from earlier_record as e join record using (id)
      union all
      select ${runId}::uuid, record_id, 'contents', e.row, content.row
      from earlier_content as e join content using (record_id)
    )
    insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
    select id, ${runId}::uuid, updated_at, 'reinforce', ${actor}, 'observed again',
      jsonb_build_object(
        'evidence', jsonb_build_array(null, episode), 'salience', jsonb_build_array(before, after)
      )
    from each join record using (id)
    order by place
  `.execute(tx)
}

/** A run keeps these fields of a fact that it reinforces. */
const factSnapshotFields = sql`${recordSnapshotFields}, 'last_reinforced_at', r.last_reinforced_at, 'expires_at', r.expires_at`
const hasFewSources = sql`jsonb_array_length(c.payload -> 'evidence') < ${maxNamedSources}`
const contentSnapshotFields = sql`
  'record_id', c.record_id, 'payload', c.payload, 'provenance', c.provenance, 'changed', c.changed`
