-- src/tenants/tenants.queries.ts insertTenant
insert into "tenants" ("id", "reference", "status", "migration", "created_at")
values ($1, $2, $3, $4, $5);

-- src/tenants/tenants.queries.ts findTenant
select "id", "reference", "status", "migration", "created_at"
from "tenants"
where "id" = $1;

-- src/tenants/tenants.queries.ts findTenantByReference
select "id", "reference", "status", "migration", "created_at"
from "tenants"
where "reference" = $1;

-- src/tenants/tenants.queries.ts lockTenant
select "id", "reference", "status", "migration", "created_at"
from "tenants"
where "id" = $1 for update;

-- src/tenants/tenants.queries.ts listTenants: first page
select "id", "reference", "status", "migration", "created_at"
from "tenants"
order by "id"
limit $1;

-- src/tenants/tenants.queries.ts listTenants: next page
select "id", "reference", "status", "migration", "created_at"
from "tenants"
where "id" > $1
order by "id"
limit $2;

-- src/tenants/tenants.queries.ts listStoppedTenants
select "reference"
from "tenants"
where "status" <> $1;

-- src/tenants/tenants.queries.ts listOutdatedTenants
select "id", "reference", "status", "migration", "created_at"
from "tenants"
where "migration" < $1
order by "id";

-- src/tenants/tenants.queries.ts setMigration
update "tenants"
set "migration" = $1
where "id" = $2;

-- src/tenants/tenants.queries.ts setStatus
update "tenants"
set "status" = $1
where "id" = $2;

-- src/tenants/tenants.queries.ts deleteTenant
delete
from "tenants"
where "id" = $1;

-- src/tenants/tenants.queries.ts insertEvent
insert into "tenant_events" ("id", "tenant_id", "reference", "at", "action", "actor", "rationale", "removed")
values ($1, $2, $3, $4, $5, $6, $7, $8);

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
