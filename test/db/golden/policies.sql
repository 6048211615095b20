-- src/policies/budgets.queries.ts deleteBudget
delete
from "budgets"
where "scope" = $1;

-- src/policies/budgets.queries.ts findBudget
select "scope", "max_records", "max_bytes", "protect", "mode"
from "budgets"
where "scope" = $1
and scope = any($2::text[]);

-- src/policies/budgets.queries.ts findLargestProtected: of a scope
    select s.scope, sum(s.records)::int8 as records, sum(s.bytes)::int8 as bytes
    from scope_sizes as s
    where s.scope = $1
and (
      s.is_guarded
or s.type::text = any($2::text[])
or s.layer::text = any($3::text[])
    )
    group by s.scope
    order by records desc
    limit 1;

-- src/policies/budgets.queries.ts findLargestProtected: for the default
    select s.scope, sum(s.records)::int8 as records, sum(s.bytes)::int8 as bytes
    from scope_sizes as s
    where not exists (select
from budgets as b
where b.scope = s.scope
and b.scope <> $1)
and (
      s.is_guarded
or s.type::text = any($2::text[])
or s.layer::text = any($3::text[])
    )
    group by s.scope
    order by bytes desc
    limit 1;

-- src/policies/budgets.queries.ts listBudgets: the first page
select "scope", "max_records", "max_bytes", "protect", "mode"
from "budgets"
where true
order by "scope"
limit $1;

-- src/policies/budgets.queries.ts listBudgets: a later page, for a key of scopes
select "scope", "max_records", "max_bytes", "protect", "mode"
from "budgets"
where scope = any($1::text[])
and "scope" > $2
order by "scope"
limit $3;

-- src/policies/budgets.queries.ts lockBudget
select pg_advisory_xact_lock(7351 # lock_seed(), hashtext($1::text) & 63);

-- src/policies/budgets.queries.ts upsertBudget
insert into "budgets" ("scope", "max_records", "max_bytes", "protect", "mode")
values ($1, $2, $3, $4, $5)
on conflict ("scope") do update
set "max_records" = $6, "max_bytes" = $7, "protect" = $8, "mode" = $9;

-- src/policies/policies.queries.ts findPolicy
select "type", "curve", "half_life_seconds", "max_age_seconds", "min_salience", "reinforcement_gain", "max_salience", "deletion_policy"
from "lifecycle_policies"
where "type" = $1;

-- src/policies/policies.queries.ts listPolicies
select "type", "curve", "half_life_seconds", "max_age_seconds", "min_salience", "reinforcement_gain", "max_salience", "deletion_policy"
from "lifecycle_policies"
order by "type";

-- src/policies/policies.queries.ts upsertPolicy
insert into "lifecycle_policies" ("type", "curve", "half_life_seconds", "max_age_seconds", "min_salience", "reinforcement_gain", "max_salience", "deletion_policy")
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict ("type") do update
set "curve" = $9, "half_life_seconds" = $10, "max_age_seconds" = $11, "min_salience" = $12, "reinforcement_gain" = $13, "max_salience" = $14, "deletion_policy" = $15;
