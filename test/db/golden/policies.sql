-- src/policies/policies.queries.ts listPolicies
select "type", "curve", "half_life_seconds", "max_age_seconds", "min_salience", "reinforcement_gain", "max_salience", "deletion_policy"
from "lifecycle_policies"
order by "type";

-- src/policies/policies.queries.ts findPolicy
select "type", "curve", "half_life_seconds", "max_age_seconds", "min_salience", "reinforcement_gain", "max_salience", "deletion_policy"
from "lifecycle_policies"
where "type" = $1;

-- src/policies/policies.queries.ts upsertPolicy
insert into "lifecycle_policies" ("type", "curve", "half_life_seconds", "max_age_seconds", "min_salience", "reinforcement_gain", "max_salience", "deletion_policy")
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict ("type") do update
set "curve" = $9, "half_life_seconds" = $10, "max_age_seconds" = $11, "min_salience" = $12, "reinforcement_gain" = $13, "max_salience" = $14, "deletion_policy" = $15;
