import { type Kysely, sql } from 'kysely'

/**
 * The stages that each episode still waits for, and what each episode was counted as. Reads every episode and lists
 * it, half a minute for a million; nothing in use is locked but `handles`, which cannot be written while its index is
 * built.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index handles_detail`.execute(db)
  await sql`drop trigger records_gone on records`.execute(db)
  await sql`drop function unlist_gone_episodes()`.execute(db)
  await sql`drop trigger records_reconsolidated on records`.execute(db)
  await sql`drop trigger contents_reconsolidated on contents`.execute(db)
  await sql`drop trigger contents_unconsolidated on contents`.execute(db)
  await sql`drop function list_returned_episode()`.execute(db)
  await sql`drop function list_judged_episode()`.execute(db)
  await sql`drop function list_new_episode()`.execute(db)
  await sql`drop function stages_of(jsonb, boolean)`.execute(db)
  await sql`drop table episode_tallies, unconsolidated`.execute(db)
  await sql`drop type consolidation_stage`.execute(db)
}

const statements = [
  `create type consolidation_stage as enum ('episodic', 'semantic', 'extraction', 'competence', 'plan_graph')`,

  // A list of open work instead of a mark on finished work: with nothing new it is empty, and a million episodes cost
  // one probe. due_at is the creation of the episode, then the time of the next attempt of a failed stage, and
  // infinity for one that was given up. No foreign key, because every create would pay for its check; a trigger
  // removes deleted records, and the worker skips those that are gone.
  `create table unconsolidated (
    due_at timestamptz not null,
    claimed_until timestamptz,
    stage consolidation_stage not null,
    attempts integer not null default 0,
    record_id uuid not null,
    error text,
    constraint unconsolidated_pkey primary key (record_id, stage),
    constraint unconsolidated_attempts check (attempts >= 0)
  )`,
  `create index unconsolidated_due on unconsolidated (stage, due_at, record_id)`,

  // For stages that count: the tally (a signature in a scope) and the outcome of an episode, so that it counts once
  // and a corrected outcome moves it. It is deleted with its episode, which never comes back.
  `create table episode_tallies (
    episode_id uuid not null,
    stage consolidation_stage not null,
    outcome text not null,
    digest bytea not null,
    scope text not null,
    constraint episode_tallies_pkey primary key (episode_id, stage),
    constraint episode_tallies_episode foreign key (episode_id) references records (id) on delete cascade,
    constraint episode_tallies_digest_length check (octet_length(digest) = 16)
  )`,
  `create index episode_tallies_digest on episode_tallies (digest, scope, stage)`,

  // The observation of every event of one kind is one topic with as many details as events.
  `create index handles_detail on handles (digest, detail, scope) where detail is not null`,

  // The stages of an episode. With an outcome it counts towards its tools; a corrected episode is listed again for
  // each stage that counts; its new outcome does not matter.
  `create function stages_of(episode jsonb, is_corrected boolean) returns setof consolidation_stage
    language sql immutable parallel safe as $$
      select stage from (values
        ('episodic'::consolidation_stage, not is_corrected),
        ('semantic', episode ->> 'outcome' = 'success'),
        ('extraction', not is_corrected),
        ('competence', jsonb_array_length(episode -> 'tool_graph') > 0
          and (is_corrected or episode ->> 'outcome' in ('success', 'failure'))),
        ('plan_graph', jsonb_array_length(episode -> 'tool_graph') > 2
          and (is_corrected or episode ->> 'outcome' in ('success', 'failure')))
      ) as each (stage, is_due)
      where is_due
    $$`,

  // A trigger lists the episode in the statement that makes it due: no writer can forget it.
  `create function list_new_episode() returns trigger language plpgsql as $$
    begin
      insert into unconsolidated (record_id, stage, due_at)
      select r.id, stage, r.created_at
      from records as r, stages_of(new.payload, false) as stage
      where r.id = new.record_id
      on conflict do nothing;
      return null;
    end
  $$`,
  `create trigger contents_unconsolidated after insert on contents
    for each row when (new.payload ->> 'kind' = 'episodic') execute function list_new_episode()`,

  // A stage that works on the episode holds its row; the correction waits and is listed after it.
  `create function list_judged_episode() returns trigger language plpgsql as $$
    begin
      insert into unconsolidated (record_id, stage, due_at)
      select r.id, stage, r.created_at
      from records as r, stages_of(new.payload, true) as stage
      where r.id = new.record_id
      order by stage
      on conflict (record_id, stage) do update
        set due_at = excluded.due_at, attempts = 0, error = null, claimed_until = null;
      return null;
    end
  $$`,
  `create trigger contents_reconsolidated after update of payload on contents
    for each row when (
      new.payload ->> 'kind' = 'episodic' and new.payload ->> 'outcome' is distinct from old.payload ->> 'outcome'
    ) execute function list_judged_episode()`,

  // Episodes that were skipped while they were forgotten, withdrawn or (where a stage would change them) pinned. Each
  // stage knows what it has done before.
  `create function list_returned_episode() returns trigger language plpgsql as $$
    begin
      insert into unconsolidated (record_id, stage, due_at)
      select new.id, stage, new.created_at
      from contents as c, stages_of(c.payload, false) as stage
      where c.record_id = new.id and (stage = 'episodic' or not old.pinned or new.pinned)
      order by stage
      on conflict (record_id, stage) do update
        set due_at = excluded.due_at, attempts = 0, error = null, claimed_until = null;
      return null;
    end
  $$`,
  `create trigger records_reconsolidated after update of forgotten_at, pinned, status on records
    for each row when (
      new.type = 'episodic' and (
        (old.forgotten_at is not null and new.forgotten_at is null) or (old.pinned and not new.pinned)
        or (old.status not in ('active', 'challenged') and new.status in ('active', 'challenged'))
      )
    ) execute function list_returned_episode()`,

  // Otherwise a stage without a model would keep them forever.
  `create function unlist_gone_episodes() returns trigger language plpgsql as $$
    begin
      delete from unconsolidated where record_id in (select id from gone where type = 'episodic');
      return null;
    end
  $$`,
  `create trigger records_gone after delete on records
    referencing old table as gone
    for each statement execute function unlist_gone_episodes()`,

  `insert into unconsolidated (record_id, stage, due_at)
    select r.id, stage, r.created_at
    from records as r
    join contents as c on c.record_id = r.id
    cross join lateral stages_of(c.payload, false) as stage
    where r.type = 'episodic'`,
]
