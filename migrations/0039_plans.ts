import { type Kysely, sql } from 'kysely'

/**
 * Plans: rehearsals of a job whose effects are kept, to be applied later. New tables; the new column and index of others lock
 * them for a moment.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index run_effects_source`.execute(db)
  await sql`alter table job_schedules drop column mode`.execute(db)
  await sql`alter table audit_entries drop column operation_id`.execute(db)
  await sql`drop table plan_applications, plans`.execute(db)
}

const statements = [
  // The id is that of the dry run that prepares the plan: its changes and effects are those of the plan.
  `create table plans (
    id uuid not null,
    digest text not null,
    expires_at timestamptz not null,
    constraint plans_pkey primary key (id),
    constraint plans_run foreign key (id) references maintenance_runs (id) on delete cascade
  )`,
  `create index plans_expires_at on plans (expires_at)`,
  `comment on column plans.digest is 'over everything that was kept so far, extended with each batch'`,

  `create table plan_applications (
    run_id uuid not null,
    plan_id uuid not null,
    selection jsonb not null,
    constraint plan_applications_pkey primary key (run_id),
    constraint plan_applications_run foreign key (run_id) references maintenance_runs (id) on delete cascade,
    constraint plan_applications_plan foreign key (plan_id) references plans (id) on delete cascade
  )`,
  `create index plan_applications_plan on plan_applications (plan_id)`,
  `comment on column plan_applications.selection is '{only?, except?}: actions and record ids'`,

  // Finds what a plan makes of a record, when the record is erased.
  `create index run_effects_source on run_effects (((after ->> 'source_id')::uuid)) where relation = 'descents'`,

  // A column default that reads a setting: whatever a revision logs in its transaction belongs to it.
  `alter table audit_entries add column operation_id uuid`,
  `alter table audit_entries alter column operation_id
    set default nullif(current_setting('membrane.operation', true), '')::uuid`,
  `comment on column audit_entries.operation_id is 'the revision that wrote it; its effects are in run_effects'`,

  `alter table job_schedules add column mode text not null default 'run'
    constraint job_schedules_mode check (mode in ('run', 'plan'))`,
]
