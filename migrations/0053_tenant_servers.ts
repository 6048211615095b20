import { type Kysely, sql } from 'kysely'

/**
 * Tenants on servers of their own. Their row stays here and says where their schema is. Its creation and its removal are
 * two transactions, one on each server, so a tenant can be in between: `creating` and `dropping`.
 *
 * Locks: the two tables of tenants, for a moment. Processes of the previous version work on, but do not know that a
 * tenant is elsewhere: create none there before all processes are of this version.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(whereTenantsAre(statements)).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql.raw(whereTenantsAre(reversed)).execute(db)
}

const states = (names: string) => `alter table tenants drop constraint tenants_status,
  add constraint tenants_status check (status in (${names}));`

const actions = (names: string) => `alter table tenant_events drop constraint tenant_events_action,
  add constraint tenant_events_action check (action in (${names}));`

const statements = `
  alter table tenants
    add server_url text,
    add server_host text,
    add server_port integer,
    add server_database text,
    add server_identity text,
    add removed jsonb,
    add constraint tenants_server check (
      num_nulls(server_url, server_host, server_port, server_database, server_identity) in (0, 5)
    );
  comment on column tenants.server_url is
    'encrypted with MEMBRANE_TENANT_KEY; null for a tenant whose schema is in this database';
  comment on column tenants.server_identity is 'tells this database from all others';
  comment on column tenants.removed is 'what a tenant that is being dropped had';
  ${states("'creating', 'active', 'suspended', 'dropping'")}
  ${actions("'create', 'suspend', 'resume', 'move', 'drop'")}`

/** It fails while tenants on servers of their own exist: they would be lost. */
const reversed = `
  if exists (select from tenants where server_url is not null or status = 'creating') then
    raise exception 'there are tenants on servers of their own';
  end if;
  delete from tenant_events where action = 'move';
  ${states("'active', 'suspended', 'dropping'")}
  ${actions("'create', 'suspend', 'resume', 'drop'")}
  alter table tenants
    drop constraint tenants_server,
    drop server_url, drop server_host, drop server_port, drop server_database, drop server_identity, drop removed;`

function whereTenantsAre(changes: string): string {
  return `do $$
    begin
      if current_schema() like 't\\_%' then return; end if;
      ${changes}
    end
  $$`
}
