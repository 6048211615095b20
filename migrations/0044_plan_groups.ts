import { type Kysely, sql } from 'kysely'

/**
 * What makes plans of a million changes cheap to read, to apply and to take back. New columns without defaults rewrite
 * nothing; `run_effects` accepts no writes while its new primary key is built.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table plan_groups`.execute(db)
  await sql`alter table plans drop column applied_at`.execute(db)
  await sql`alter table maintenance_changes drop column planned`.execute(db)
  await sql`alter table run_effects drop constraint run_effects_pkey`.execute(db)
  await sql`alter table run_effects add constraint run_effects_pkey primary key (run_id, id)`.execute(db)
}

const statements = [
  // A run is read batch by batch.
  `alter table run_effects drop constraint run_effects_pkey`,
  `alter table run_effects add constraint run_effects_pkey primary key (run_id, batch, id)`,

  `alter table maintenance_changes add column planned jsonb`,
  `comment on column maintenance_changes.planned is
    'of a plan: the state of a record that would only be forgotten; such a change has no rows in run_effects'`,

  `alter table plans add column applied_at timestamptz`,
  `comment on column plans.applied_at is 'when the last change that was left was made'`,

  // What a plan lists, by what decides who may see it, as of its preparation.
  `create table plan_groups (
    plan_id uuid not null,
    action text not null,
    type record_type not null,
    sensitivity sensitivity not null,
    scope text not null,
    changes bigint not null,
    salience float8 not null,
    bytes bigint not null,
    best_id uuid,
    best_keeping float8,
    constraint plan_groups_pkey primary key (plan_id, action, type, sensitivity, scope),
    constraint plan_groups_plan foreign key (plan_id) references plans (id) on delete cascade
  )`,
]
