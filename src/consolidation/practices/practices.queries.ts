import { sql } from 'kysely'
import { hasIdIn, hasIdOf, isAmong } from '../../db/fragments/id-condition.ts'
import {
  lifecycleColumns,
  listReinforced,
  reinforcedColumns,
  setReinforced,
} from '../../db/fragments/lifecycle/lifecycle-columns.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { CountChange, CountedEpisode, PracticeKey } from './outcome-counts.ts'
import type { KnownPractice, Practice, UpdatedPractice } from './practice.ts'
import type { PracticeKind } from './practice-kind.ts'

type Stage = PracticeKind['stage']

export async function findCounted(
  tx: Transaction,
  stage: Stage,
  episodes: readonly string[],
): Promise<CountedEpisode[]> {
  const { rows } = await sql<CountedEpisode>`
    select episode_id as episode, outcome, digest, scope
    from episode_tallies
    where stage = ${stage} and ${isAmong('episode_id', episodes)}
  `.execute(tx)
  return rows
}

export async function writeCounted(
  tx: Transaction,
  stage: Stage,
  changes: readonly CountChange[],
): Promise<void> {
  await sql`
    insert into episode_tallies (episode_id, stage, outcome, digest, scope)
    select id, ${stage}::consolidation_stage, outcome, digest, scope
    from unnest(
      ${changes.map(({ episode }) => episode.id)}::uuid[], ${changes.map(({ to }) => to)}::text[],
      ${changes.map(({ key }) => key.digest)}::bytea[], ${changes.map(({ key }) => key.scope)}::text[]
    ) as counted (id, outcome, digest, scope)
    on conflict (episode_id, stage) do update set outcome = excluded.outcome
  `.execute(tx)
}

/** Returns the known practices, the oldest first. Call it after the handles are locked. */
export async function findPractices(
  tx: Transaction,
  { type, actor }: Pick<PracticeKind, 'type' | 'actor'>,
  keys: readonly PracticeKey[],
): Promise<KnownPractice[]> {
  const { rows } = await sql<KnownPractice>`
    select requested.place::int - 1 as place, r.id, r.status, r.pinned, r.forgotten_at is not null as is_forgotten,
      coalesce(c.provenance ->> 'created_by' = ${actor}, false) as is_ours
    from unnest(
      ${keys.map(({ handle }) => handle)}::bytea[], ${keys.map(({ scope }) => scope)}::text[],
      ${keys.map(({ sensitivity }) => sensitivity)}::sensitivity[]
    ) with ordinality as requested (digest, scope, sensitivity, place)
    cross join lateral (
      select h.record_id from handles as h where h.digest = requested.digest and h.scope = requested.scope
      offset 0
    ) as h
    cross join lateral (
      select * from records as r where r.id = h.record_id
      offset 0
    ) as r
    cross join lateral (
      select c.provenance from contents as c where c.record_id = r.id
      offset 0
    ) as c
    where r.type = ${type}::record_type and r.scope = requested.scope and r.sensitivity = requested.sensitivity
    order by r.created_at, r.id
  `.execute(tx)
  return rows
}

/** The counts of a practice that does not exist yet, and the latest episodes. */
export type PendingCounts = { place: number; successes: number; failures: number; episodes: string[] }

/** The most episodes that a practice names. */
export const maxNamedSources = 100

/** Episodes that were forgotten or moved do not count. If they come back, they are counted again. */
export async function countPending(
  tx: Transaction,
  stage: Stage,
  keys: readonly PracticeKey[],
): Promise<PendingCounts[]> {
  const { rows } = await sql<PendingCounts>`
    with requested as materialized (
      select * from unnest(
        ${keys.map(({ digest }) => digest)}::bytea[], ${keys.map(({ scope }) => scope)}::text[],
        ${keys.map(({ sensitivity }) => sensitivity)}::sensitivity[]
      ) with ordinality as requested (digest, scope, sensitivity, place)
    ), each as materialized (
      select w.place, t.episode_id, t.outcome, coalesce(
        r.forgotten_at is null and r.status in ('active', 'challenged', 'merged') and r.scope = w.scope
          and r.sensitivity = w.sensitivity, false) as is_there
      from requested as w
      cross join lateral (
        select t.episode_id, t.outcome from episode_tallies as t
        where t.digest = w.digest and t.scope = w.scope and t.stage = ${stage}
        offset 0
      ) as t
      cross join lateral (
        select * from records as r where r.id = t.episode_id
        offset 0
      ) as r
    ), gone as (
      delete from episode_tallies
      where stage = ${stage} and episode_id = any(array(select episode_id from each where not is_there))
    )
    select place::int - 1 as place, (count(*) filter (where outcome = 'success'))::int as successes,
      (count(*) filter (where outcome = 'failure'))::int as failures,
      (array_agg(episode_id::text order by episode_id desc))[1:${sql.lit(maxNamedSources)}] as episodes
    from each
    where is_there and outcome in ('success', 'failure')
    group by place
  `.execute(tx)
  return rows
}

/** Locks practices and returns their current state. Forgotten, pinned and withdrawn ones are left out. */
export async function claimPractices(
  tx: Transaction,
  ids: readonly string[],
  countsField: PracticeKind['countsField'],
): Promise<Practice[]> {
  const { rows } = await sql<Practice>`
    with claimed as materialized (
      select r.id, ${lifecycleColumns}
      from records as r
      where ${hasIdIn(ids)} and r.forgotten_at is null and not r.pinned
        and r.status in ('active', 'challenged')
      order by r.id
      for no key update
    )
    select claimed.*, c.payload -> ${countsField}::text as stored_counts
    from claimed
    cross join lateral (select c.payload from contents as c where c.record_id = claimed.id offset 0) as c
  `.execute(tx)
  return rows
}

/** Writes the lifecycle, the counts, the sources up to their maximum number, and one audit entry per episode. */
export async function writeUpdatedPractices(
  tx: Transaction,
  updated: readonly UpdatedPractice[],
  {
    actor,
    countsField,
    now,
    runId,
  }: { actor: string; countsField: PracticeKind['countsField']; now: Date; runId: string },
): Promise<void> {
  const entries = updated.flatMap(({ id, entries }) => entries.map((entry) => ({ id, ...entry })))
  await sql`
    with incoming as materialized (
      select * from unnest(
        ${updated.map(({ id }) => id)}::uuid[],
        ${listReinforced(updated.map(({ lifecycle }) => lifecycle))},
        ${updated.map(({ storedCounts }) => JSON.stringify(storedCounts))}::text[],
        ${updated.map((each) => each.entries.length)}::int4[]
      ) as incoming (id, ${reinforcedColumns}, counts, times)
    ), each as materialized (
      select * from unnest(
        ${entries.map(({ id }) => id)}::uuid[], ${entries.map(({ action }) => action)}::audit_action[],
        ${entries.map(({ episode }) => episode)}::text[], ${entries.map(({ at }) => at)}::text[],
        ${entries.map(({ changes }) => JSON.stringify(changes))}::text[]
      ) with ordinality as each (id, action, episode, observed_at, changes, place)
    ), source as (
      select id,
        jsonb_agg(jsonb_build_object('kind', 'event', 'ref', episode, 'timestamp', observed_at) order by place) as sources
      from each
      group by id
    ), record as (
      update records as r
      set ${setReinforced}, version = r.version + i.times,
        updated_at = greatest(r.updated_at, ${now}::timestamptz)
      from incoming as i
      where r.id = i.id and ${hasIdOf('incoming')}
      returning r.id, r.updated_at
    ), content as (
      update contents as c
      set payload = jsonb_set(c.payload, array[${countsField}::text], i.counts::jsonb),
        provenance = case when jsonb_array_length(c.provenance -> 'sources') < ${maxNamedSources}
          then jsonb_set(c.provenance, '{sources}', (c.provenance -> 'sources') || s.sources)
          else c.provenance end
      from incoming as i
      join source as s using (id)
      where c.record_id = i.id and ${hasIdOf('incoming', 'c.record_id')}
    )
    insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
    select id, ${runId}::uuid, updated_at, action, ${actor},
      case when action = 'reinforce' then 'done again' else 'counted' end, changes::jsonb
    from each join record using (id)
    order by place
  `.execute(tx)
}
