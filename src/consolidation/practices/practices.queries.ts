import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'
import type { Counted, Key, Move } from './outcome-counts.ts'
import type { Known, Learnt, Practice } from './practice.ts'
import type { Craft } from './practice-kind.ts'

type Stage = Craft['stage']

export async function findCounted(
  tx: Transaction,
  stage: Stage,
  episodes: readonly string[],
): Promise<Counted[]> {
  const { rows } = await sql<Counted>`
    select episode_id as episode, outcome, digest, scope
    from episode_tallies
    where stage = ${stage} and episode_id = any(${sql.val([...episodes])}::uuid[])
  `.execute(tx)
  return rows
}

export async function writeCounted(tx: Transaction, stage: Stage, moves: readonly Move[]): Promise<void> {
  await sql`
    insert into episode_tallies (episode_id, stage, outcome, digest, scope)
    select id, ${stage}::consolidation_stage, outcome, digest, scope
    from unnest(
      ${moves.map(({ episode }) => episode.id)}::uuid[], ${moves.map(({ to }) => to)}::text[],
      ${moves.map(({ key }) => key.digest)}::bytea[], ${moves.map(({ key }) => key.scope)}::text[]
    ) as counted (id, outcome, digest, scope)
    on conflict (episode_id, stage) do update set outcome = excluded.outcome
  `.execute(tx)
}

/** The oldest first. To be asked once nobody else can store any of them. */
export async function findPractices(
  tx: Transaction,
  { type, actor }: Pick<Craft, 'type' | 'actor'>,
  keys: readonly Key[],
): Promise<Known[]> {
  const { rows } = await sql<Known>`
    select wanted.place::int - 1 as place, r.id, r.status, r.pinned, r.forgotten_at is not null as is_forgotten,
      coalesce(c.provenance ->> 'created_by' = ${actor}, false) as is_ours
    from unnest(
      ${keys.map(({ handle }) => handle)}::bytea[], ${keys.map(({ scope }) => scope)}::text[],
      ${keys.map(({ sensitivity }) => sensitivity)}::sensitivity[]
    ) with ordinality as wanted (digest, scope, sensitivity, place)
    join handles as h on h.digest = wanted.digest and h.scope = wanted.scope
    join records as r on r.id = h.record_id and r.scope = wanted.scope and r.sensitivity = wanted.sensitivity
    join contents as c on c.record_id = r.id
    where r.type = ${type}::record_type
    order by r.created_at, r.id
  `.execute(tx)
  return rows
}

/** Of what nobody has made known yet: how often it was done, and the latest who did. */
export type Waiting = { place: number; successes: number; failures: number; episodes: string[] }

const mostNamed = 100

/** Those that are gone meanwhile, or moved, do not count; when they come back they are counted anew. */
export async function countWaiting(tx: Transaction, stage: Stage, keys: readonly Key[]): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    with wanted as materialized (
      select * from unnest(
        ${keys.map(({ digest }) => digest)}::bytea[], ${keys.map(({ scope }) => scope)}::text[],
        ${keys.map(({ sensitivity }) => sensitivity)}::sensitivity[]
      ) with ordinality as wanted (digest, scope, sensitivity, place)
    ), each as materialized (
      select w.place, t.episode_id, t.outcome, coalesce(
        r.forgotten_at is null and r.status in ('active', 'challenged', 'merged') and r.scope = w.scope
          and r.sensitivity = w.sensitivity, false) as is_there
      from wanted as w
      join episode_tallies as t on t.digest = w.digest and t.scope = w.scope and t.stage = ${stage}
      join records as r on r.id = t.episode_id
    ), gone as (
      delete from episode_tallies as t using each
      where t.episode_id = each.episode_id and t.stage = ${stage} and not each.is_there
    )
    select place::int - 1 as place, (count(*) filter (where outcome = 'success'))::int as successes,
      (count(*) filter (where outcome = 'failure'))::int as failures,
      (array_agg(episode_id::text order by episode_id desc))[1:${sql.lit(mostNamed)}] as episodes
    from each
    where is_there and outcome in ('success', 'failure')
    group by place
  `.execute(tx)
  return rows
}

/** As they stand once nobody else changes them: still alive, and nobody's to leave alone. */
export async function claimPractices(
  tx: Transaction,
  ids: readonly string[],
  member: Craft['member'],
): Promise<Practice[]> {
  const { rows } = await sql<Practice>`
    with claimed as materialized (
      select r.id, r.curve, r.half_life_seconds, r.min_salience, r.base_salience, r.anchored_at, r.expires_at, r.pinned,
        r.deletion_policy, r.salience, r.created_at, r.max_age_seconds, r.reinforcement_gain, r.max_salience,
        r.last_reinforced_at, r.prune_at
      from records as r
      where r.id = any(${sql.val([...ids])}::uuid[]) and r.forgotten_at is null and not r.pinned
        and r.status in ('active', 'challenged')
      order by r.id
      for no key update
    )
    select claimed.*, c.payload -> ${member}::text as kept
    from claimed
    join contents as c on c.record_id = claimed.id
  `.execute(tx)
  return rows
}

/** New lives and tallies, sources as far as they are named, and an entry in the log for each episode. */
export async function writeLearnt(
  tx: Transaction,
  learnt: readonly Learnt[],
  { actor, member, now, runId }: { actor: string; member: Craft['member']; now: Date; runId: string },
): Promise<void> {
  const entries = learnt.flatMap(({ id, entries }) => entries.map((entry) => ({ id, ...entry })))
  await sql`
    with incoming as materialized (
      select * from unnest(
        ${learnt.map(({ id }) => id)}::uuid[],
        ${learnt.map(({ life }) => life.base_salience)}::float8[],
        ${learnt.map(({ life }) => life.anchored_at)}::timestamptz[],
        ${learnt.map(({ life }) => life.last_reinforced_at)}::timestamptz[],
        ${learnt.map(({ life }) => life.salience)}::float8[],
        ${learnt.map(({ life }) => life.expires_at)}::timestamptz[],
        ${learnt.map(({ life }) => life.prune_at)}::timestamptz[],
        ${learnt.map(({ kept }) => JSON.stringify(kept))}::text[],
        ${learnt.map((each) => each.entries.length)}::int4[]
      ) as incoming (
        id, base_salience, anchored_at, last_reinforced_at, salience, expires_at, prune_at, kept, times
      )
    ), each as materialized (
      select * from unnest(
        ${entries.map(({ id }) => id)}::uuid[], ${entries.map(({ action }) => action)}::audit_action[],
        ${entries.map(({ episode }) => episode)}::text[], ${entries.map(({ at }) => at)}::text[],
        ${entries.map(({ changes }) => JSON.stringify(changes))}::text[]
      ) with ordinality as each (id, action, episode, told_at, changes, place)
    ), source as (
      select id,
        jsonb_agg(jsonb_build_object('kind', 'event', 'ref', episode, 'timestamp', told_at) order by place) as sources
      from each
      group by id
    ), record as (
      update records as r
      set base_salience = i.base_salience, anchored_at = i.anchored_at, last_reinforced_at = i.last_reinforced_at,
        salience = i.salience, expires_at = i.expires_at, prune_at = i.prune_at, version = r.version + i.times,
        updated_at = greatest(r.updated_at, ${now}::timestamptz)
      from incoming as i
      where r.id = i.id
      returning r.id, r.updated_at
    ), content as (
      update contents as c
      set payload = jsonb_set(c.payload, array[${member}::text], i.kept::jsonb),
        provenance = case when jsonb_array_length(c.provenance -> 'sources') < ${mostNamed}
          then jsonb_set(c.provenance, '{sources}', (c.provenance -> 'sources') || s.sources)
          else c.provenance end
      from incoming as i
      join source as s using (id)
      where c.record_id = i.id
    )
    insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
    select id, ${runId}::uuid, updated_at, action, ${actor},
      case when action = 'reinforce' then 'done again' else 'counted' end, changes::jsonb
    from each join record using (id)
    order by place
  `.execute(tx)
}
