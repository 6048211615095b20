import { type Kysely, sql } from 'kysely'

/**
 * Tenants, and what was done to them. The tables are only where the data of no tenant is: the schema of a tenant is named
 * t_ and a reference.
 *
 * An advisory lock is one number in the whole database. The number now contains the schema of a tenant, so that no tenant
 * waits for another; elsewhere it stays the same, and a process of the previous version takes the same locks. The functions
 * that take such locks are replaced. New tables and functions: no reader or writer waits.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...statements, rewriteLocks(replacements)]) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql.raw(rewriteLocks(replacements.map(([before, after]) => [after, before]))).execute(db)
  await sql`drop function lock_seed()`.execute(db)
  await sql`drop table if exists tenant_events, tenants`.execute(db)
}

const replacements = [
  ['lock(7350,', 'lock(7350 # lock_seed(),'],
  ['shared(7350,', 'shared(7350 # lock_seed(),'],
  ['shared(7351,', 'shared(7351 # lock_seed(),'],
  ['hashtextextended(scopes[i], 0)', 'hashtextextended(scopes[i], lock_seed())'],
] as const

function rewriteLocks(changes: readonly (readonly [string, string])[]): string {
  const definition = changes.reduce(
    (text, [before, after]) => `replace(${text}, '${before}', '${after}')`,
    'pg_get_functiondef(known.oid)',
  )
  return `do $$
    declare
      known record;
    begin
      for known in
        select oid from pg_proc
        where pronamespace = current_schema()::text::regnamespace and prosrc like '%pg_advisory_xact_lock%'
      loop
        execute ${definition};
      end loop;
    end
  $$`
}

const statements = [
  `create function lock_seed() returns integer language sql stable parallel safe as $$
    select case when current_schema() like 't\\_%' then hashtext(current_schema()::text) else 0 end
  $$`,
  `do $$
    begin
      if current_schema() like 't\\_%' then return; end if;
      create table tenants (
        id text not null,
        reference text not null,
        status text not null,
        migration text not null,
        created_at timestamptz not null,
        constraint tenants_pkey primary key (id),
        constraint tenants_reference unique (reference),
        constraint tenants_id_form check (id ~ '^[a-z][a-z0-9-]{1,62}$'),
        constraint tenants_reference_form check (reference ~ '^[a-z2-7]{12}$'),
        constraint tenants_status check (status in ('active', 'suspended', 'dropping'))
      );
      comment on column tenants.reference is 'a part of the name of the schema and of the keys';
      comment on column tenants.migration is 'the number of migrations of the schema, and the last one';
      create table tenant_events (
        id uuid not null,
        tenant_id text not null,
        reference text not null,
        at timestamptz not null,
        action text not null,
        actor text not null,
        rationale text,
        removed jsonb,
        constraint tenant_events_pkey primary key (id),
        constraint tenant_events_action check (action in ('create', 'suspend', 'resume', 'drop'))
      );
      create index tenant_events_tenant on tenant_events (tenant_id, at);
    end
  $$`,
]
