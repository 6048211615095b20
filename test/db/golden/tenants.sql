-- src/tenants/databases/tenant-servers.queries.ts dropOnCoordinator
    select success, result
from run_command_on_coordinator(format(
      'do $do$ begin
set local citus.propagate_set_commands = local;
set local lock_timeout = %L; drop schema if exists %I cascade; end $do$',
      current_setting('lock_timeout'), $1::text
    ));

-- src/tenants/databases/tenant-servers.queries.ts hasCitus
    select to_regclass('pg_catalog.pg_dist_local_group') is not null as exists;

-- src/tenants/databases/tenant-servers.queries.ts hasSchema
    select exists (select
from pg_namespace
where nspname = $1) as exists;

-- src/tenants/databases/tenant-servers.queries.ts inspectServer
    select current_setting('server_version_num')::integer as version, pg_is_in_recovery() as is_standby,
      has_database_privilege(current_database(), 'create') as may_create,
      (select system_identifier::text
from pg_control_system()) || '/' ||
        (select oid::text
from pg_database
where datname = current_database()) as identity;

-- src/tenants/databases/tenant-servers.queries.ts isWorker
    select groupid <> 0 as is_worker
from pg_dist_local_group;

-- src/tenants/databases/tenant-servers.queries.ts lockMigrations
    select pg_advisory_xact_lock(hashtextextended('migrations ' || current_schema(), 0));

-- src/tenants/tenants.queries.ts countContents
    select (select count(*)
from records) as records, (select count(*)
from relations) as relations,
      (select count(*)
from audit_entries) as audit_entries, (select count(*)
from maintenance_runs) as runs,
      (select count(*)
from lifecycle_policies) as policies, (select count(*)
from tombstones) as tombstones,
      (select count(*)
from api_keys) as keys;

-- src/tenants/tenants.queries.ts countRows
select count(*) as count
from "records";

-- src/tenants/tenants.queries.ts deleteTenant
delete
from "tenants"
where "id" = $1;

-- src/tenants/tenants.queries.ts findTenant
select "id", "reference", "status", "migration", "created_at", "removed", "server_url", "server_host", "server_port", "server_database", "server_identity"
from "tenants"
where "id" = $1;

-- src/tenants/tenants.queries.ts findTenantByReference
select "id", "reference", "status", "migration", "created_at", "removed", "server_url", "server_host", "server_port", "server_database", "server_identity"
from "tenants"
where "reference" = $1;

-- src/tenants/tenants.queries.ts insertEvent
insert into "tenant_events" ("id", "tenant_id", "reference", "at", "action", "actor", "rationale", "removed")
values ($1, $2, $3, $4, $5, $6, $7, $8);

-- src/tenants/tenants.queries.ts insertTenant
insert into "tenants" ("id", "reference", "status", "migration", "created_at")
values ($1, $2, $3, $4, $5);

-- src/tenants/tenants.queries.ts listOutdatedTenants
select "id", "reference", "status", "migration", "created_at", "removed", "server_url", "server_host", "server_port", "server_database", "server_identity"
from "tenants"
where "migration" < $1
and "status" in ($2, $3)
order by "id";

-- src/tenants/tenants.queries.ts listStoppedTenants
select "reference"
from "tenants"
where "status" <> $1;

-- src/tenants/tenants.queries.ts listTables
    select c.relname as name
from pg_class as c
    where c.relnamespace = current_schema()::regnamespace
and c.relkind in ('r', 'p')
and not c.relispartition
    order by c.relname;

-- src/tenants/tenants.queries.ts listTenants: first page
select "id", "reference", "status", "migration", "created_at", "removed", "server_url", "server_host", "server_port", "server_database", "server_identity"
from "tenants"
order by "id"
limit $1;

-- src/tenants/tenants.queries.ts listTenants: next page
select "id", "reference", "status", "migration", "created_at", "removed", "server_url", "server_host", "server_port", "server_database", "server_identity"
from "tenants"
where "id" > $1
order by "id"
limit $2;

-- src/tenants/tenants.queries.ts lockTenant
select "id", "reference", "status", "migration", "created_at", "removed", "server_url", "server_host", "server_port", "server_database", "server_identity"
from "tenants"
where "id" = $1 for update;

-- src/tenants/tenants.queries.ts setCreated
update "tenants"
set "status" = $1, "migration" = $2
where "id" = $3;

-- src/tenants/tenants.queries.ts setMigration
update "tenants"
set "migration" = $1
where "id" = $2;

-- src/tenants/tenants.queries.ts setRemoved
update "tenants"
set "removed" = $1
where "id" = $2;

-- src/tenants/tenants.queries.ts setServer
update "tenants"
set "server_url" = $1, "server_host" = $2, "server_port" = $3, "server_database" = $4, "server_identity" = $5, "migration" = $6
where "id" = $7;

-- src/tenants/tenants.queries.ts setStatus
update "tenants"
set "status" = $1
where "id" = $2;
