import { type Kysely, sql } from 'kysely'

/** Runs of maintenance jobs, the leases of jobs, and the time at which a sweep must refresh a record. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index records_revised_due, records_prune_due`.execute(db)
  await sql`
    create index records_prune_at on records (prune_at) where prune_at is not null and forgotten_at is null
  `.execute(db)
  await sql`alter table records drop column fades_at`.execute(db)
  await sql`
    drop function fading_due(
      decay_curve, double precision, double precision, timestamptz, bigint, double precision, timestamptz
    )
  `.execute(db)
  await sql`
    drop table maintenance_ranges, maintenance_changes, maintenance_runs, job_schedules, job_leases
  `.execute(db)
  await sql`drop type run_status, run_trigger`.execute(db)
}

const statements = [
  `create type run_trigger as enum ('schedule', 'manual')`,
  `create type run_status as enum ('queued', 'running', 'succeeded', 'failed', 'cancelled')`,

  // scope is null for all records, because '' means records without a scope.
  `create table maintenance_runs (
    id uuid not null,
    job text not null,
    trigger run_trigger not null,
    dry_run boolean not null,
    scope text,
    options jsonb not null,
    status run_status not null,
    done bigint not null,
    total bigint,
    stats jsonb not null,
    error text,
    attempts integer not null,
    worker text,
    cancel_requested boolean not null,
    created_at timestamptz not null,
    started_at timestamptz,
    finished_at timestamptz,
    constraint maintenance_runs_pkey primary key (id),
    constraint maintenance_runs_counts check (done >= 0 and total >= 0 and attempts >= 0),
    constraint maintenance_runs_scope_length check (char_length(scope) between 1 and 256),
    constraint maintenance_runs_ended
      check ((finished_at is not null) = (status in ('succeeded', 'failed', 'cancelled')))
  )`,
  `create index maintenance_runs_created_at on maintenance_runs (created_at desc, id desc)`,
  `create index maintenance_runs_job on maintenance_runs (job, created_at desc, id desc)`,
  `create index maintenance_runs_open on maintenance_runs (job, created_at, id)
    where status in ('queued', 'running')`,
  // Two runs of one job never overlap, even if the code above has a bug.
  `create unique index maintenance_runs_one_running on maintenance_runs (job) where status = 'running'`,

  // No foreign key to the record: the list outlives it.
  `create table maintenance_changes (
    run_id uuid not null,
    record_id uuid not null,
    action text not null,
    before jsonb,
    after jsonb,
    note text,
    constraint maintenance_changes_pkey primary key (run_id, record_id, action),
    constraint maintenance_changes_run
      foreign key (run_id) references maintenance_runs (id) on delete cascade
  )`,

  // Parts of a run that several workers share. The worker that holds the lock of the row has the part.
  `create table maintenance_ranges (
    run_id uuid not null,
    first_block bigint not null,
    end_block bigint not null,
    done boolean not null,
    constraint maintenance_ranges_pkey primary key (run_id, first_block),
    constraint maintenance_ranges_run
      foreign key (run_id) references maintenance_runs (id) on delete cascade
  )`,

  `create table job_leases (
    job text not null,
    holder text,
    run_id uuid,
    fence bigint not null,
    expires_at timestamptz not null,
    constraint job_leases_pkey primary key (job)
  )`,

  // interval_ms is null until a client sets it; the interval of the configuration applies until then.
  `create table job_schedules (
    job text not null,
    interval_ms bigint,
    enabled boolean not null,
    last_success_at timestamptz,
    next_at timestamptz not null,
    constraint job_schedules_pkey primary key (job),
    constraint job_schedules_interval_range check (interval_ms >= 10000)
  )`,

  // The inverse of salience_at: the Unix time at which the exact salience is below the stored one by more than 1 % of
  // it and more than 0.001; null when it never is. The database computes it when a row is written, so that no writer
  // can forget it. The elastic curve has no closed inverse before two half-lives: it is convex, so steps of Newton
  // from 0 converge from one side, and five of them are enough.
  `create function fading_due(
    curve decay_curve, base double precision, floor double precision, anchored_at timestamptz,
    half_life_seconds bigint, salience double precision, expires_at timestamptz
  ) returns double precision language plpgsql immutable parallel safe as $$
    declare
      -- A hundredth of the smallest numbers underflows, at which PostgreSQL raises.
      target double precision := case when salience <= 0.001 then 0
        else salience - greatest(0.01 * salience, 0.001) end;
      anchor double precision := date_part('epoch', anchored_at - timestamptz '1970-01-01 00:00:00+00');
      expiry double precision := date_part('epoch', expires_at - timestamptz '1970-01-01 00:00:00+00');
      factor double precision;
      half_lives double precision;
    begin
      if target <= 0 then return null; end if;
      if base < 1e-200 then return anchor; end if;
      if target < least(floor, base) then return expiry; end if;
      factor := target / base;
      if factor >= 1 then return anchor; end if;
      if curve = 'linear' then
        half_lives := 1 - factor;
      elsif curve = 'huber' and factor < sqrt(0.5::float8) then
        half_lives := 0.5 + (1 - factor / sqrt(0.5::float8)) / ln(2::float8);
      elsif curve = 'elastic' and factor <= 0.7 / 4 then
        half_lives := -ln(factor / 0.7) / ln(2::float8);
      elsif curve = 'elastic' then
        half_lives := 0;
        for step in 1..5 loop
          half_lives := half_lives +
            (0.3 * (1 - half_lives / 2) + 0.7 * power(2::float8, -half_lives) - factor) /
            (0.15 + 0.7 * ln(2::float8) * power(2::float8, -half_lives));
        end loop;
      else
        half_lives := -ln(factor) / ln(2::float8);
      end if;
      if half_lives > 64 then return expiry; end if;
      return least(anchor + half_lives * half_life_seconds, expiry);
    end
  $$`,
  // Records with a decay_rank need no stored salience, so they are never due.
  `alter table records add column fades_at double precision generated always as (
    case when pinned or forgotten_at is not null
      or (curve in ('exponential', 'custom') and min_salience = 0 and expires_at is null
        and base_salience between 1e-200 and 1e6) then null
    else fading_due(curve, base_salience, min_salience, anchored_at, half_life_seconds, salience, expires_at) end
  ) stored`,
  `create index records_fades_at on records (fades_at, id) where fades_at is not null`,

  // A revised record is kept for a configured time after its revision. It has an index of its own, so that a search
  // for faded records does not meet it again and again.
  `drop index records_prune_at`,
  `create index records_prune_due on records (prune_at, id)
    where prune_at is not null and forgotten_at is null and status in ('active', 'challenged')`,
  `create index records_revised_due on records (anchored_at, id)
    where prune_at is not null and forgotten_at is null and status in ('invalidated', 'merged', 'superseded')`,
]
