-- src/plans/listed-changes.queries.ts hasChanged
select (case when exists (
  select
from maintenance_changes as c
where c.run_id = p.id offset 2000
limit 1
)
    then exists (
    select
from
    (
    (select id
from records
where forgotten_at is null
order by updated_at desc, id desc
limit 2000)
    union all (select id
from records
where purge_at is not null
order by purge_at desc
limit 2000)
  ) as latest
    cross join lateral (
      select *
from maintenance_changes
where run_id = p.id
and record_id = latest.id offset 0
    ) as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
    left join lateral (
      select e.before, e.before is not null as is_stored
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
      order by e.id
limit 1
    ) as kept on c.planned is null
    cross join lateral (select coalesce(c.planned, kept.before) as before) as planned
    where c.run_id = p.id
and (
    c.action <> 'failed'
and ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
and not exists (
    select h.id
from regexp_matches(c.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $3
and "h"."scope" = any($4::text[]))
  )
    and (made.after is null
or not exists (
    with recursive source as (
    select e.id
from  lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'descents'
      offset 0
    ) as e union
    select e.id
from source cross join lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = source.id
and e.relation = 'descents'
      offset 0
    ) as e
    )
    select
from source join records as s on s.id = source.id
where not ("s"."sensitivity" <= $5
and "s"."scope" = any($6::text[]))
  ))
  )
and not exists (
  select
from plan_applications as a join maintenance_changes as made_by on made_by.run_id = a.run_id
  where a.plan_id = c.run_id
and made_by.record_id = c.record_id
and made_by.action in (c.action, 'skipped')
  offset 0
)
and (
      c.note is not distinct
from $7
      or coalesce(kept.is_stored, true) <> (stored.id is not null)
      or stored.id is not null
and (
        stored.version <> (planned.before ->> 'version')::int4
        or stored.status::text <> planned.before ->> 'status'
        or stored.pinned <> (planned.before ->> 'pinned')::bool
        or stored.layer::text <> planned.before ->> 'layer'
        or stored.base_salience <> (planned.before ->> 'base_salience')::float8
        or stored.anchored_at <> (planned.before ->> 'anchored_at')::timestamptz
        or (c.planned is not null
or planned.before ? 'forgotten_at')
          and stored.forgotten_at is distinct
from (planned.before ->> 'forgotten_at')::timestamptz
      )
    )
  )
    else exists (
    select
from
  maintenance_changes as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
    left join lateral (
      select e.before, e.before is not null as is_stored
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
      order by e.id
limit 1
    ) as kept on c.planned is null
    cross join lateral (select coalesce(c.planned, kept.before) as before) as planned
    where c.run_id = p.id
and (
    c.action <> 'failed'
and ("r"."sensitivity" <= $8
and "r"."scope" = any($9::text[]))
and not exists (
    select h.id
from regexp_matches(c.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $10
and "h"."scope" = any($11::text[]))
  )
    and (made.after is null
or not exists (
    with recursive source as (
    select e.id
from  lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'descents'
      offset 0
    ) as e union
    select e.id
from source cross join lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = source.id
and e.relation = 'descents'
      offset 0
    ) as e
    )
    select
from source join records as s on s.id = source.id
where not ("s"."sensitivity" <= $12
and "s"."scope" = any($13::text[]))
  ))
  )
and not exists (
  select
from plan_applications as a join maintenance_changes as made_by on made_by.run_id = a.run_id
  where a.plan_id = c.run_id
and made_by.record_id = c.record_id
and made_by.action in (c.action, 'skipped')
  offset 0
)
and (
      c.note is not distinct
from $14
      or coalesce(kept.is_stored, true) <> (stored.id is not null)
      or stored.id is not null
and (
        stored.version <> (planned.before ->> 'version')::int4
        or stored.status::text <> planned.before ->> 'status'
        or stored.pinned <> (planned.before ->> 'pinned')::bool
        or stored.layer::text <> planned.before ->> 'layer'
        or stored.base_salience <> (planned.before ->> 'base_salience')::float8
        or stored.anchored_at <> (planned.before ->> 'anchored_at')::timestamptz
        or (c.planned is not null
or planned.before ? 'forgotten_at')
          and stored.forgotten_at is distinct
from (planned.before ->> 'forgotten_at')::timestamptz
      )
    )
  )
  end)
from plans as p;

-- src/plans/listed-changes.queries.ts isListed
select (
    c.action <> 'failed'
and ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
and not exists (
    select h.id
from regexp_matches(c.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $3
and "h"."scope" = any($4::text[]))
  )
    and (made.after is null
or not exists (
    with recursive source as (
    select e.id
from  lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'descents'
      offset 0
    ) as e union
    select e.id
from source cross join lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = source.id
and e.relation = 'descents'
      offset 0
    ) as e
    )
    select
from source join records as s on s.id = source.id
where not ("s"."sensitivity" <= $5
and "s"."scope" = any($6::text[]))
  ))
  )
from
  maintenance_changes as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r;

-- src/plans/plan-applications.queries.ts deleteExpiredPlans
    select p.id
from plans as p
where p.expires_at <= $1::timestamptz
and (
    exists (select
from run_effects as e
where e.run_id = p.id)
    or exists (select
from maintenance_changes as c
where c.run_id = p.id
and c.planned is not null)
  )
and not exists (
    select
from plan_applications as a join maintenance_runs as run on run.id = a.run_id
    where a.plan_id = p.id
and run.status in ('queued', 'running')
  )
order by p.expires_at
limit $2
for update skip locked;
    with expired as (
      select p.id
from plans as p
where p.id = any($1::uuid[])
and p.expires_at <= $2::timestamptz
and (
    exists (select
from run_effects as e
where e.run_id = p.id)
    or exists (select
from maintenance_changes as c
where c.run_id = p.id
and c.planned is not null)
  )
and not exists (
    select
from plan_applications as a join maintenance_runs as run on run.id = a.run_id
    where a.plan_id = p.id
and run.status in ('queued', 'running')
  )
    ), effect as (
      delete
from run_effects
where run_id in (select id
from expired)
    ), change as (
      update maintenance_changes
set before = null, after = null, planned = null
where run_id in (select id
from expired)
    )
    select count(*) as deleted
from expired;

-- src/plans/plan-applications.queries.ts deletePlan
    with application as (
      update maintenance_runs as run
      set cancel_requested = true, status = case run.status when 'queued' then 'cancelled' else run.status end,
        finished_at = case run.status when 'queued' then $1::timestamptz end
      from plan_applications as a
      where a.plan_id = $2::uuid
and run.id = a.run_id
and run.status in ('queued', 'running')
    ), lease as (
      update job_leases
set holder = null, run_id = null, expires_at = $3::timestamptz
where run_id = $4::uuid
    ), effect as (
      delete
from run_effects
where run_id = $5::uuid
    )
    delete
from maintenance_runs
where id = $6::uuid;

-- src/plans/plan-applications.queries.ts findApplicationRun
    select run.id
from plan_applications as a join maintenance_runs as run on run.id = a.run_id
    where a.plan_id = $1::uuid
and run.status not in ('failed', 'cancelled')
      and (run.status <> 'succeeded'
or not run.stats ? 'failed')
      and (a.selection = '{}'
or a.selection = $2::jsonb)
    order by run.created_at
    limit 1;

-- src/plans/plan-applications.queries.ts insertApplication
insert into "maintenance_runs" ("id", "job", "trigger", "created_at", "dry_run", "scope", "options", "status", "done", "total", "stats", "attempts", "cancel_requested")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);
insert into "plans" ("id", "expires_at", "digest")
values ($1, $2, encode(sha256(convert_to($3, 'UTF8')), 'hex'));
insert into "plan_applications" ("plan_id", "run_id", "selection")
values ($1, $2, $3);

-- src/plans/plan-applications.queries.ts lockPlan
select
from plans
where id = $1::uuid for update;

-- src/plans/plan-changes.queries.ts listPlanChanges: the first page
    select c.record_id, r.type, c.action, c.before as before,
      c.after as after, (
    select e.after -> 'payload'
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'contents'
and e.before is null
    limit 1
  ) as payload,
      case when true then c.note end as note, true as is_open
    from
  maintenance_changes as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
    where c.run_id = $1::uuid
and (
    c.action <> 'failed'
and true
and true
    and true
  )
    order by c.record_id, c.action
    limit $2;

-- src/plans/plan-changes.queries.ts listPlanChanges: the second page, filtered
    select c.record_id, r.type, c.action, (case when not exists (
    select h.id
from regexp_matches(c.before::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $1
and "h"."scope" = any($2::text[]))
  ) then c.before else (
    select jsonb_object_agg(each.key, case jsonb_typeof(each.value) when 'array' then (
    select coalesce(jsonb_agg(item.value
order by item.place), '[]')
    from jsonb_array_elements(each.value) with ordinality as item (value, place)
    where not exists (
    select h.id
from regexp_matches(item.value::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $3
and "h"."scope" = any($4::text[]))
  )
  ) else each.value end)
    from jsonb_each(c.before) as each
    where jsonb_typeof(each.value) = 'array'
or not exists (
    select h.id
from regexp_matches(each.value::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $5
and "h"."scope" = any($6::text[]))
  )
  ) end) as before,
      (case when not exists (
    select h.id
from regexp_matches((c.after - array['rank', 'line'])::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $7
and "h"."scope" = any($8::text[]))
  ) then (c.after - array['rank', 'line']) else (
    select jsonb_object_agg(each.key, case jsonb_typeof(each.value) when 'array' then (
    select coalesce(jsonb_agg(item.value
order by item.place), '[]')
    from jsonb_array_elements(each.value) with ordinality as item (value, place)
    where not exists (
    select h.id
from regexp_matches(item.value::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $9
and "h"."scope" = any($10::text[]))
  )
  ) else each.value end)
    from jsonb_each((c.after - array['rank', 'line'])) as each
    where jsonb_typeof(each.value) = 'array'
or not exists (
    select h.id
from regexp_matches(each.value::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $11
and "h"."scope" = any($12::text[]))
  )
  ) end) as after, (case when not exists (
    select h.id
from regexp_matches((
    select e.after -> 'payload'
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'contents'
and e.before is null
    limit 1
  )::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $13
and "h"."scope" = any($14::text[]))
  ) then (
    select e.after -> 'payload'
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'contents'
and e.before is null
    limit 1
  ) else (
    select jsonb_object_agg(each.key, case jsonb_typeof(each.value) when 'array' then (
    select coalesce(jsonb_agg(item.value
order by item.place), '[]')
    from jsonb_array_elements(each.value) with ordinality as item (value, place)
    where not exists (
    select h.id
from regexp_matches(item.value::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $15
and "h"."scope" = any($16::text[]))
  )
  ) else each.value end)
    from jsonb_each((
    select e.after -> 'payload'
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'contents'
and e.before is null
    limit 1
  )) as each
    where jsonb_typeof(each.value) = 'array'
or not exists (
    select h.id
from regexp_matches(each.value::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $17
and "h"."scope" = any($18::text[]))
  )
  ) end) as payload,
      case when not exists (
    select h.id
from regexp_matches(c.note, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $19
and "h"."scope" = any($20::text[]))
  ) then c.note end as note, ("r"."sensitivity" <= $21
and "r"."scope" = any($22::text[])) as is_open
    from
  maintenance_changes as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
    where c.run_id = $23::uuid
and (
    c.action <> 'failed'
and ("r"."sensitivity" <= $24
and "r"."scope" = any($25::text[]))
and not exists (
    select h.id
from regexp_matches(c.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $26
and "h"."scope" = any($27::text[]))
  )
    and (made.after is null
or not exists (
    with recursive source as (
    select e.id
from  lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'descents'
      offset 0
    ) as e union
    select e.id
from source cross join lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = source.id
and e.relation = 'descents'
      offset 0
    ) as e
    )
    select
from source join records as s on s.id = source.id
where not ("s"."sensitivity" <= $28
and "s"."scope" = any($29::text[]))
  ))
  )
      and c.action = $30
      and r.type = $31::record_type
      and r.scope = $32
      and (c.record_id, c.action) > ($33::uuid, $34)
    order by c.record_id, c.action
    limit $35;

-- src/plans/plan-changes.queries.ts summarisePlan
    with size as materialized (select exists (
  select
from maintenance_changes as c
where c.run_id = p.id offset 2000
limit 1
) as is_large
from plans as p
where p.id = $1::uuid),
    listed as materialized (
      select c.action, c.record_id, r.type, 1::int8 as changes, valued.*
      from
  maintenance_changes as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
      left join lateral (
        select salience_at(stored.pinned, stored.base_salience, stored.expires_at, stored.curve, stored.anchored_at, stored.half_life_seconds, stored.min_salience, $2::timestamptz) as salience, ((stored.importance + 3::float8 * stored.base_importance) / 4::float8 + case when (stored.access_count - stored.served_count) > 0 then 0.4::float8
    * least(1, ln(1 + (stored.access_count - stored.served_count)::float8) / 1.791759469228055::float8) * least(1, greatest(salience_at(stored.pinned, stored.base_salience, stored.expires_at, stored.curve, stored.anchored_at, stored.half_life_seconds, stored.min_salience, $3::timestamptz), 1e-200::float8)) else 0 end) * power(salience_at(stored.pinned, stored.base_salience, stored.expires_at, stored.curve, stored.anchored_at, stored.half_life_seconds, stored.min_salience, $4::timestamptz), 0.03125::float8) as keeping, (
          select record_bytes(k.tags, k.payload, k.provenance, k.interpretation)
from contents as k
          where k.record_id = stored.id
        ) as bytes
      ) as valued on stored.id is not null
and ("r"."sensitivity" <= $5
and "r"."scope" = any($6::text[]))
      where c.run_id = $7::uuid
and not (select is_large
from size)
and (
    c.action <> 'failed'
and ("r"."sensitivity" <= $8
and "r"."scope" = any($9::text[]))
and not exists (
    select h.id
from regexp_matches(c.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $10
and "h"."scope" = any($11::text[]))
  )
    and (made.after is null
or not exists (
    with recursive source as (
    select e.id
from  lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'descents'
      offset 0
    ) as e union
    select e.id
from source cross join lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = source.id
and e.relation = 'descents'
      offset 0
    ) as e
    )
    select
from source join records as s on s.id = source.id
where not ("s"."sensitivity" <= $12
and "s"."scope" = any($13::text[]))
  ))
  )
      union all
      select r.action, case when opened then r.best_id end, r.type, r.changes, case when opened then r.salience end,
        case when opened then r.best_keeping end, case when opened then r.bytes end
      from plan_groups as r cross join lateral (select ("r"."sensitivity" <= $14
and "r"."scope" = any($15::text[])) as opened) as open
      where r.plan_id = $16::uuid
and (select is_large
from size)
and ("r"."sensitivity" <= $17
and "r"."scope" = any($18::text[]))
    )
    select action, type, sum(changes)::int8 as count, coalesce(sum(salience), 0) as salience,
      coalesce(sum(bytes), 0)::int8 as bytes,
      case when max(keeping) is not null then (
        array_agg(jsonb_build_object('record_id', record_id, 'keeping', keeping)
order by keeping desc nulls last)
      )[1] end as most_valuable
    from listed
    group by action, type
    order by action, type;

-- src/plans/planned-changes.queries.ts countSelected
    select count(*) as selected
from maintenance_changes as c
    where c.run_id = $1::uuid
and c.action <> 'failed'
and ((c.action = any($2::text[])
or c.record_id::text = any($3::text[]))
and not (c.action = any($4::text[])
or c.record_id::text = any($5::text[])))
and not exists (
    select
from plan_applications as a join maintenance_changes as made on made.run_id = a.run_id
    where a.plan_id = c.run_id
and made.record_id = c.record_id
      and (made.action = c.action
or a.run_id = $6::uuid
and made.action in ('skipped', 'failed'))
    offset 0
  );

-- src/plans/planned-changes.queries.ts findApplication
    select a.plan_id as "planId", coalesce(m.started_at, m.created_at) as "plannedAt", a.selection -> 'only' as only,
      a.selection -> 'except' as "except"
    from plan_applications as a join maintenance_runs as m on m.id = a.plan_id
    where a.run_id = $1::uuid;

-- src/plans/planned-changes.queries.ts listCreated
    select id
from unnest($1::uuid[]) as changed (id)
    where exists (
      select
from run_effects as e
      where e.record_id = changed.id
and e.run_id = $2::uuid
and e.relation = 'records'
and e.before is null
      offset 0
    );

-- src/plans/planned-changes.queries.ts listPlanned
    select c.record_id, c.action, c.before, c.after, c.note,
      coalesce(bool_or(c.action = any($1::text[])) over (partition by c.record_id), false) as is_excluded,
      exists (
        select
from plan_applications as a join maintenance_changes as made on made.run_id = a.run_id
        where a.plan_id = $2::uuid
and a.run_id <> $3::uuid
          and made.record_id = c.record_id
and made.action = c.action
      )
or exists (
        select
from maintenance_changes as made
        where made.run_id = $4::uuid
and made.record_id = c.record_id
and made.action in ('skipped', 'failed')
      ) as is_done, not exists (
        select
from run_effects as e
        where e.record_id = c.record_id
and e.run_id = c.run_id
and e.id > (
          select max(b.id)
from run_effects as b
where b.run_id = $5::uuid
and b.batch = $6::xid8
        )
      ) as is_last
    from maintenance_changes as c
    where c.run_id = $7::uuid
and c.record_id = any($8::uuid[])
and c.action <> 'failed';

-- src/plans/planned-changes.queries.ts listPlannedIds
    select distinct record_id
from maintenance_changes
    where run_id = $1::uuid
and record_id > $2::uuid
and action <> 'failed'
    order by record_id
limit $3;

-- src/plans/planned-changes.queries.ts listRest
    with rest as (
      insert into maintenance_changes (run_id, record_id, action, before, after, note)
      select $1::uuid, c.record_id, case when lost then 'skipped' else c.action end,
        case when not lost then c.before end, case when not lost then c.after end, c.note
      from maintenance_changes as c
      cross join lateral (select c.note is not distinct
from $2 as lost) as erasure
      where c.run_id = $3::uuid
and c.action <> 'failed'
        and c.planned is null
and ((c.action = any($4::text[])
or c.record_id::text = any($5::text[]))
and not (c.action = any($6::text[])
or c.record_id::text = any($7::text[])))
        and not exists (
          select
from run_effects as e
where e.run_id = c.run_id
and e.record_id = c.record_id
and not lost
        )
        and not exists (
  select
from plan_applications as a join maintenance_changes as made_by on made_by.run_id = a.run_id
  where a.plan_id = c.run_id
and made_by.record_id = c.record_id
and made_by.action in (c.action, 'skipped')
  offset 0
)
and not exists (
    select
from plan_applications as a join maintenance_changes as made on made.run_id = a.run_id
    where a.plan_id = c.run_id
and made.record_id = c.record_id
      and (made.action = c.action
or a.run_id = $8::uuid
and made.action in ('skipped', 'failed'))
    offset 0
  )
      on conflict (run_id, record_id, action) do nothing
      returning action
    )
    select count(*) filter (where action <> 'skipped') as applied,
      count(*) filter (where action = 'skipped') as skipped
from rest;

-- src/plans/planned-changes.queries.ts markApplied
    update plans as p
set applied_at = $1::timestamptz
    where p.id = $2::uuid
and p.applied_at is null
and not exists (
      select
from maintenance_changes as c
where c.run_id = p.id
and c.action <> 'failed'
and not exists (
  select
from plan_applications as a join maintenance_changes as made_by on made_by.run_id = a.run_id
  where a.plan_id = c.run_id
and made_by.record_id = c.record_id
and made_by.action in (c.action, 'skipped')
  offset 0
)
    );

-- src/plans/planned-forgetting.queries.ts findNextForgotten
    select record_id
from maintenance_changes
    where run_id = $1::uuid
and record_id > $2::uuid
and planned is not null
    order by record_id
limit 1;

-- src/plans/planned-forgetting.queries.ts forgetPlanned
    with due as materialized (
      select c.*
from maintenance_changes as c
      where c.run_id = $1::uuid
and c.record_id > $2::uuid
and c.planned is not null
      order by c.record_id, c.action
      limit $3
    ), chosen as materialized (
      select c.*
from due as c
where ((c.action = any($4::text[])
or c.record_id::text = any($5::text[]))
and not (c.action = any($6::text[])
or c.record_id::text = any($7::text[])))
and not exists (
    select
from plan_applications as a join maintenance_changes as made on made.run_id = a.run_id
    where a.plan_id = c.run_id
and made.record_id = c.record_id
      and (made.action = c.action
or a.run_id = $8::uuid
and made.action in ('skipped', 'failed'))
    offset 0
  )
    ), locked as materialized (
      select r.id, case
    when r.forgotten_at is not null then 'it was forgotten since'
    when r.pinned
and not (c.planned ->> 'pinned')::bool then 'it was pinned since'
    when r.status::text <> c.planned ->> 'status' then 'it is ' || r.status || ' now'
    when r.layer::text <> c.planned ->> 'layer' then 'it is in the layer ' || r.layer || ' now'
    when r.base_salience <> (c.planned ->> 'base_salience')::float8
      or r.anchored_at <> (c.planned ->> 'anchored_at')::timestamptz then 'its salience changed since'
    when r.version <> (c.planned ->> 'version')::int4 then 'it changed since'
  end as change, not r.pinned
and r.deletion_policy = 'auto_prune'
        and (c.action <> 'prune'
or r.prune_at <= $9::timestamptz) as is_due
      from chosen as c join records as r on r.id = c.record_id
      order by r.id
      for update of r
    ), judged as materialized (
      select c.*, case
        when l.id is null then 'it does not exist any more'
        when l.change is not null then l.change
        when not l.is_due then 'it is not to be forgotten any more'
      end as reason
      from chosen as c
left join locked as l on l.id = c.record_id
    ), forgotten as (
      update records as r
      set forgotten_at = $10::timestamptz, forgotten_reason = case j.action when 'forget' then 'budget' else 'pruned' end,
        forgotten_by = 'decay-service', forgotten_run_id = $11::uuid,
        purge_at = ($12::timestamptz
    + ((j.after ->> 'purge_at')::timestamptz - (j.after ->> 'forgotten_at')::timestamptz))
      from judged as j
where r.id = j.record_id
and j.reason is null
      returning r.id
    ), audited as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
      select f.id, $13::uuid, $14::timestamptz, 'delete', 'decay-service',
        case j.action when 'forget' then 'over the budget of its scope,
and among the least worth keeping' else 'auto-pruned: salience reached floor' end,
        case j.action when 'forget' then jsonb_build_object('forgotten', jsonb_build_array(null, jsonb_build_object(
    'at', $15::text, 'reason', 'budget', 'actor', 'decay-service', 'keeping', j.before -> 'keeping'
  ))) end
      from forgotten as f join judged as j on j.record_id = f.id
    ), listed as (
      insert into maintenance_changes (run_id, record_id, action, before, after, note)
      select $16::uuid, record_id, case when reason is null then action else 'skipped' end,
        case when reason is null then before end,
        case when reason is null then j.after || jsonb_build_object(
          'forgotten_at', to_char($17::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'purge_at', to_char(($18::timestamptz
    + ((j.after ->> 'purge_at')::timestamptz - (j.after ->> 'forgotten_at')::timestamptz)) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end,
        coalesce(reason, note)
      from judged as j
      on conflict (run_id, record_id, action) do nothing
    )
    select (select count(*)
from judged
where reason is null) as applied,
      (select count(*)
from judged
where reason is not null) as skipped,
      (select record_id
from due
order by record_id desc
limit 1) as last;

-- src/plans/plans.queries.ts findPlan: for a key with all records
    select p.id, m.job, m.options, m.scope, m.status as run_status, p.digest, m.created_at, m.started_at, p.expires_at,
      case when true then m.error else split_part(m.error, ':', 1) end as error,
      case
        when m.status in ('queued', 'running') then 'preparing'
        when m.status <> 'succeeded' then 'failed'
        when p.applied_at is not null then 'applied'
        when p.expires_at <= $1::timestamptz then 'expired'
        when (case when exists (
  select
from maintenance_changes as c
where c.run_id = p.id offset 2000
limit 1
)
    then exists (
    select
from
    (
    (select id
from records
where forgotten_at is null
order by updated_at desc, id desc
limit 2000)
    union all (select id
from records
where purge_at is not null
order by purge_at desc
limit 2000)
  ) as latest
    cross join lateral (
      select *
from maintenance_changes
where run_id = p.id
and record_id = latest.id offset 0
    ) as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
    left join lateral (
      select e.before, e.before is not null as is_stored
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
      order by e.id
limit 1
    ) as kept on c.planned is null
    cross join lateral (select coalesce(c.planned, kept.before) as before) as planned
    where c.run_id = p.id
and (
    c.action <> 'failed'
and true
and true
    and true
  )
and not exists (
  select
from plan_applications as a join maintenance_changes as made_by on made_by.run_id = a.run_id
  where a.plan_id = c.run_id
and made_by.record_id = c.record_id
and made_by.action in (c.action, 'skipped')
  offset 0
)
and (
      c.note is not distinct
from $2
      or coalesce(kept.is_stored, true) <> (stored.id is not null)
      or stored.id is not null
and (
        stored.version <> (planned.before ->> 'version')::int4
        or stored.status::text <> planned.before ->> 'status'
        or stored.pinned <> (planned.before ->> 'pinned')::bool
        or stored.layer::text <> planned.before ->> 'layer'
        or stored.base_salience <> (planned.before ->> 'base_salience')::float8
        or stored.anchored_at <> (planned.before ->> 'anchored_at')::timestamptz
        or (c.planned is not null
or planned.before ? 'forgotten_at')
          and stored.forgotten_at is distinct
from (planned.before ->> 'forgotten_at')::timestamptz
      )
    )
  )
    else exists (
    select
from
  maintenance_changes as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
    left join lateral (
      select e.before, e.before is not null as is_stored
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
      order by e.id
limit 1
    ) as kept on c.planned is null
    cross join lateral (select coalesce(c.planned, kept.before) as before) as planned
    where c.run_id = p.id
and (
    c.action <> 'failed'
and true
and true
    and true
  )
and not exists (
  select
from plan_applications as a join maintenance_changes as made_by on made_by.run_id = a.run_id
  where a.plan_id = c.run_id
and made_by.record_id = c.record_id
and made_by.action in (c.action, 'skipped')
  offset 0
)
and (
      c.note is not distinct
from $3
      or coalesce(kept.is_stored, true) <> (stored.id is not null)
      or stored.id is not null
and (
        stored.version <> (planned.before ->> 'version')::int4
        or stored.status::text <> planned.before ->> 'status'
        or stored.pinned <> (planned.before ->> 'pinned')::bool
        or stored.layer::text <> planned.before ->> 'layer'
        or stored.base_salience <> (planned.before ->> 'base_salience')::float8
        or stored.anchored_at <> (planned.before ->> 'anchored_at')::timestamptz
        or (c.planned is not null
or planned.before ? 'forgotten_at')
          and stored.forgotten_at is distinct
from (planned.before ->> 'forgotten_at')::timestamptz
      )
    )
  )
  end) then 'stale'
        else 'ready'
      end as status,
      (
        select coalesce(jsonb_object_agg(counted.action, counted.changes), '{}')
from (
          select c.action, count(*) as changes
from
  maintenance_changes as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
          where c.run_id = p.id
and not large.is_large
and (
    c.action <> 'failed'
and true
and true
    and true
  ) group by c.action
          union all
          select r.action, sum(r.changes) as changes
from plan_groups as r
          where r.plan_id = p.id
and large.is_large
and true group by r.action
        ) as counted
      ) as counts
    from plans as p join maintenance_runs as m on m.id = p.id
    cross join lateral (select exists (
  select
from maintenance_changes as c
where c.run_id = p.id offset 2000
limit 1
) as is_large) as large
    where true
and p.id = $4::uuid;

-- src/plans/plans.queries.ts findPlan: for a key with some
    select p.id, m.job, m.options, m.scope, m.status as run_status, p.digest, m.created_at, m.started_at, p.expires_at,
      case when not exists (
    select h.id
from regexp_matches("m"."error", '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $1
and "h"."scope" = any($2::text[]))
  ) then m.error else split_part(m.error, ':', 1) end as error,
      case
        when m.status in ('queued', 'running') then 'preparing'
        when m.status <> 'succeeded' then 'failed'
        when p.applied_at is not null then 'applied'
        when p.expires_at <= $3::timestamptz then 'expired'
        when (case when exists (
  select
from maintenance_changes as c
where c.run_id = p.id offset 2000
limit 1
)
    then exists (
    select
from
    (
    (select id
from records
where forgotten_at is null
order by updated_at desc, id desc
limit 2000)
    union all (select id
from records
where purge_at is not null
order by purge_at desc
limit 2000)
  ) as latest
    cross join lateral (
      select *
from maintenance_changes
where run_id = p.id
and record_id = latest.id offset 0
    ) as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
    left join lateral (
      select e.before, e.before is not null as is_stored
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
      order by e.id
limit 1
    ) as kept on c.planned is null
    cross join lateral (select coalesce(c.planned, kept.before) as before) as planned
    where c.run_id = p.id
and (
    c.action <> 'failed'
and ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
and not exists (
    select h.id
from regexp_matches(c.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $6
and "h"."scope" = any($7::text[]))
  )
    and (made.after is null
or not exists (
    with recursive source as (
    select e.id
from  lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'descents'
      offset 0
    ) as e union
    select e.id
from source cross join lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = source.id
and e.relation = 'descents'
      offset 0
    ) as e
    )
    select
from source join records as s on s.id = source.id
where not ("s"."sensitivity" <= $8
and "s"."scope" = any($9::text[]))
  ))
  )
and not exists (
  select
from plan_applications as a join maintenance_changes as made_by on made_by.run_id = a.run_id
  where a.plan_id = c.run_id
and made_by.record_id = c.record_id
and made_by.action in (c.action, 'skipped')
  offset 0
)
and (
      c.note is not distinct
from $10
      or coalesce(kept.is_stored, true) <> (stored.id is not null)
      or stored.id is not null
and (
        stored.version <> (planned.before ->> 'version')::int4
        or stored.status::text <> planned.before ->> 'status'
        or stored.pinned <> (planned.before ->> 'pinned')::bool
        or stored.layer::text <> planned.before ->> 'layer'
        or stored.base_salience <> (planned.before ->> 'base_salience')::float8
        or stored.anchored_at <> (planned.before ->> 'anchored_at')::timestamptz
        or (c.planned is not null
or planned.before ? 'forgotten_at')
          and stored.forgotten_at is distinct
from (planned.before ->> 'forgotten_at')::timestamptz
      )
    )
  )
    else exists (
    select
from
  maintenance_changes as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
    left join lateral (
      select e.before, e.before is not null as is_stored
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
      order by e.id
limit 1
    ) as kept on c.planned is null
    cross join lateral (select coalesce(c.planned, kept.before) as before) as planned
    where c.run_id = p.id
and (
    c.action <> 'failed'
and ("r"."sensitivity" <= $11
and "r"."scope" = any($12::text[]))
and not exists (
    select h.id
from regexp_matches(c.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $13
and "h"."scope" = any($14::text[]))
  )
    and (made.after is null
or not exists (
    with recursive source as (
    select e.id
from  lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'descents'
      offset 0
    ) as e union
    select e.id
from source cross join lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = source.id
and e.relation = 'descents'
      offset 0
    ) as e
    )
    select
from source join records as s on s.id = source.id
where not ("s"."sensitivity" <= $15
and "s"."scope" = any($16::text[]))
  ))
  )
and not exists (
  select
from plan_applications as a join maintenance_changes as made_by on made_by.run_id = a.run_id
  where a.plan_id = c.run_id
and made_by.record_id = c.record_id
and made_by.action in (c.action, 'skipped')
  offset 0
)
and (
      c.note is not distinct
from $17
      or coalesce(kept.is_stored, true) <> (stored.id is not null)
      or stored.id is not null
and (
        stored.version <> (planned.before ->> 'version')::int4
        or stored.status::text <> planned.before ->> 'status'
        or stored.pinned <> (planned.before ->> 'pinned')::bool
        or stored.layer::text <> planned.before ->> 'layer'
        or stored.base_salience <> (planned.before ->> 'base_salience')::float8
        or stored.anchored_at <> (planned.before ->> 'anchored_at')::timestamptz
        or (c.planned is not null
or planned.before ? 'forgotten_at')
          and stored.forgotten_at is distinct
from (planned.before ->> 'forgotten_at')::timestamptz
      )
    )
  )
  end) then 'stale'
        else 'ready'
      end as status,
      (
        select coalesce(jsonb_object_agg(counted.action, counted.changes), '{}')
from (
          select c.action, count(*) as changes
from
  maintenance_changes as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
          where c.run_id = p.id
and not large.is_large
and (
    c.action <> 'failed'
and ("r"."sensitivity" <= $18
and "r"."scope" = any($19::text[]))
and not exists (
    select h.id
from regexp_matches(c.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $20
and "h"."scope" = any($21::text[]))
  )
    and (made.after is null
or not exists (
    with recursive source as (
    select e.id
from  lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'descents'
      offset 0
    ) as e union
    select e.id
from source cross join lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = source.id
and e.relation = 'descents'
      offset 0
    ) as e
    )
    select
from source join records as s on s.id = source.id
where not ("s"."sensitivity" <= $22
and "s"."scope" = any($23::text[]))
  ))
  ) group by c.action
          union all
          select r.action, sum(r.changes) as changes
from plan_groups as r
          where r.plan_id = p.id
and large.is_large
and ("r"."sensitivity" <= $24
and "r"."scope" = any($25::text[])) group by r.action
        ) as counted
      ) as counts
    from plans as p join maintenance_runs as m on m.id = p.id
    cross join lateral (select exists (
  select
from maintenance_changes as c
where c.run_id = p.id offset 2000
limit 1
) as is_large) as large
    where true
and m.scope = any($26::text[])
   and p.id = $27::uuid;

-- src/plans/plans.queries.ts listPlans: the first page
    select *
from (
    select p.id, m.job, m.options, m.scope, m.status as run_status, p.digest, m.created_at, m.started_at, p.expires_at,
      case when not exists (
    select h.id
from regexp_matches("m"."error", '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $1
and "h"."scope" = any($2::text[]))
  ) then m.error else split_part(m.error, ':', 1) end as error,
      case
        when m.status in ('queued', 'running') then 'preparing'
        when m.status <> 'succeeded' then 'failed'
        when p.applied_at is not null then 'applied'
        when p.expires_at <= $3::timestamptz then 'expired'
        when (case when exists (
  select
from maintenance_changes as c
where c.run_id = p.id offset 2000
limit 1
)
    then exists (
    select
from
    (
    (select id
from records
where forgotten_at is null
order by updated_at desc, id desc
limit 2000)
    union all (select id
from records
where purge_at is not null
order by purge_at desc
limit 2000)
  ) as latest
    cross join lateral (
      select *
from maintenance_changes
where run_id = p.id
and record_id = latest.id offset 0
    ) as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
    left join lateral (
      select e.before, e.before is not null as is_stored
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
      order by e.id
limit 1
    ) as kept on c.planned is null
    cross join lateral (select coalesce(c.planned, kept.before) as before) as planned
    where c.run_id = p.id
and (
    c.action <> 'failed'
and ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
and not exists (
    select h.id
from regexp_matches(c.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $6
and "h"."scope" = any($7::text[]))
  )
    and (made.after is null
or not exists (
    with recursive source as (
    select e.id
from  lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'descents'
      offset 0
    ) as e union
    select e.id
from source cross join lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = source.id
and e.relation = 'descents'
      offset 0
    ) as e
    )
    select
from source join records as s on s.id = source.id
where not ("s"."sensitivity" <= $8
and "s"."scope" = any($9::text[]))
  ))
  )
and not exists (
  select
from plan_applications as a join maintenance_changes as made_by on made_by.run_id = a.run_id
  where a.plan_id = c.run_id
and made_by.record_id = c.record_id
and made_by.action in (c.action, 'skipped')
  offset 0
)
and (
      c.note is not distinct
from $10
      or coalesce(kept.is_stored, true) <> (stored.id is not null)
      or stored.id is not null
and (
        stored.version <> (planned.before ->> 'version')::int4
        or stored.status::text <> planned.before ->> 'status'
        or stored.pinned <> (planned.before ->> 'pinned')::bool
        or stored.layer::text <> planned.before ->> 'layer'
        or stored.base_salience <> (planned.before ->> 'base_salience')::float8
        or stored.anchored_at <> (planned.before ->> 'anchored_at')::timestamptz
        or (c.planned is not null
or planned.before ? 'forgotten_at')
          and stored.forgotten_at is distinct
from (planned.before ->> 'forgotten_at')::timestamptz
      )
    )
  )
    else exists (
    select
from
  maintenance_changes as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
    left join lateral (
      select e.before, e.before is not null as is_stored
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
      order by e.id
limit 1
    ) as kept on c.planned is null
    cross join lateral (select coalesce(c.planned, kept.before) as before) as planned
    where c.run_id = p.id
and (
    c.action <> 'failed'
and ("r"."sensitivity" <= $11
and "r"."scope" = any($12::text[]))
and not exists (
    select h.id
from regexp_matches(c.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $13
and "h"."scope" = any($14::text[]))
  )
    and (made.after is null
or not exists (
    with recursive source as (
    select e.id
from  lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'descents'
      offset 0
    ) as e union
    select e.id
from source cross join lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = source.id
and e.relation = 'descents'
      offset 0
    ) as e
    )
    select
from source join records as s on s.id = source.id
where not ("s"."sensitivity" <= $15
and "s"."scope" = any($16::text[]))
  ))
  )
and not exists (
  select
from plan_applications as a join maintenance_changes as made_by on made_by.run_id = a.run_id
  where a.plan_id = c.run_id
and made_by.record_id = c.record_id
and made_by.action in (c.action, 'skipped')
  offset 0
)
and (
      c.note is not distinct
from $17
      or coalesce(kept.is_stored, true) <> (stored.id is not null)
      or stored.id is not null
and (
        stored.version <> (planned.before ->> 'version')::int4
        or stored.status::text <> planned.before ->> 'status'
        or stored.pinned <> (planned.before ->> 'pinned')::bool
        or stored.layer::text <> planned.before ->> 'layer'
        or stored.base_salience <> (planned.before ->> 'base_salience')::float8
        or stored.anchored_at <> (planned.before ->> 'anchored_at')::timestamptz
        or (c.planned is not null
or planned.before ? 'forgotten_at')
          and stored.forgotten_at is distinct
from (planned.before ->> 'forgotten_at')::timestamptz
      )
    )
  )
  end) then 'stale'
        else 'ready'
      end as status,
      (
        select coalesce(jsonb_object_agg(counted.action, counted.changes), '{}')
from (
          select c.action, count(*) as changes
from
  maintenance_changes as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
          where c.run_id = p.id
and not large.is_large
and (
    c.action <> 'failed'
and ("r"."sensitivity" <= $18
and "r"."scope" = any($19::text[]))
and not exists (
    select h.id
from regexp_matches(c.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $20
and "h"."scope" = any($21::text[]))
  )
    and (made.after is null
or not exists (
    with recursive source as (
    select e.id
from  lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'descents'
      offset 0
    ) as e union
    select e.id
from source cross join lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = source.id
and e.relation = 'descents'
      offset 0
    ) as e
    )
    select
from source join records as s on s.id = source.id
where not ("s"."sensitivity" <= $22
and "s"."scope" = any($23::text[]))
  ))
  ) group by c.action
          union all
          select r.action, sum(r.changes) as changes
from plan_groups as r
          where r.plan_id = p.id
and large.is_large
and ("r"."sensitivity" <= $24
and "r"."scope" = any($25::text[])) group by r.action
        ) as counted
      ) as counts
    from plans as p join maintenance_runs as m on m.id = p.id
    cross join lateral (select exists (
  select
from maintenance_changes as c
where c.run_id = p.id offset 2000
limit 1
) as is_large) as large
    where true
and m.scope = any($26::text[])
    ) as plan
    order by created_at desc, id desc
    limit $27;

-- src/plans/plans.queries.ts listPlans: the second page, filtered
    select *
from (
    select p.id, m.job, m.options, m.scope, m.status as run_status, p.digest, m.created_at, m.started_at, p.expires_at,
      case when not exists (
    select h.id
from regexp_matches("m"."error", '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $1
and "h"."scope" = any($2::text[]))
  ) then m.error else split_part(m.error, ':', 1) end as error,
      case
        when m.status in ('queued', 'running') then 'preparing'
        when m.status <> 'succeeded' then 'failed'
        when p.applied_at is not null then 'applied'
        when p.expires_at <= $3::timestamptz then 'expired'
        when (case when exists (
  select
from maintenance_changes as c
where c.run_id = p.id offset 2000
limit 1
)
    then exists (
    select
from
    (
    (select id
from records
where forgotten_at is null
order by updated_at desc, id desc
limit 2000)
    union all (select id
from records
where purge_at is not null
order by purge_at desc
limit 2000)
  ) as latest
    cross join lateral (
      select *
from maintenance_changes
where run_id = p.id
and record_id = latest.id offset 0
    ) as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
    left join lateral (
      select e.before, e.before is not null as is_stored
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
      order by e.id
limit 1
    ) as kept on c.planned is null
    cross join lateral (select coalesce(c.planned, kept.before) as before) as planned
    where c.run_id = p.id
and (
    c.action <> 'failed'
and ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
and not exists (
    select h.id
from regexp_matches(c.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $6
and "h"."scope" = any($7::text[]))
  )
    and (made.after is null
or not exists (
    with recursive source as (
    select e.id
from  lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'descents'
      offset 0
    ) as e union
    select e.id
from source cross join lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = source.id
and e.relation = 'descents'
      offset 0
    ) as e
    )
    select
from source join records as s on s.id = source.id
where not ("s"."sensitivity" <= $8
and "s"."scope" = any($9::text[]))
  ))
  )
and not exists (
  select
from plan_applications as a join maintenance_changes as made_by on made_by.run_id = a.run_id
  where a.plan_id = c.run_id
and made_by.record_id = c.record_id
and made_by.action in (c.action, 'skipped')
  offset 0
)
and (
      c.note is not distinct
from $10
      or coalesce(kept.is_stored, true) <> (stored.id is not null)
      or stored.id is not null
and (
        stored.version <> (planned.before ->> 'version')::int4
        or stored.status::text <> planned.before ->> 'status'
        or stored.pinned <> (planned.before ->> 'pinned')::bool
        or stored.layer::text <> planned.before ->> 'layer'
        or stored.base_salience <> (planned.before ->> 'base_salience')::float8
        or stored.anchored_at <> (planned.before ->> 'anchored_at')::timestamptz
        or (c.planned is not null
or planned.before ? 'forgotten_at')
          and stored.forgotten_at is distinct
from (planned.before ->> 'forgotten_at')::timestamptz
      )
    )
  )
    else exists (
    select
from
  maintenance_changes as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
    left join lateral (
      select e.before, e.before is not null as is_stored
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
      order by e.id
limit 1
    ) as kept on c.planned is null
    cross join lateral (select coalesce(c.planned, kept.before) as before) as planned
    where c.run_id = p.id
and (
    c.action <> 'failed'
and ("r"."sensitivity" <= $11
and "r"."scope" = any($12::text[]))
and not exists (
    select h.id
from regexp_matches(c.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $13
and "h"."scope" = any($14::text[]))
  )
    and (made.after is null
or not exists (
    with recursive source as (
    select e.id
from  lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'descents'
      offset 0
    ) as e union
    select e.id
from source cross join lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = source.id
and e.relation = 'descents'
      offset 0
    ) as e
    )
    select
from source join records as s on s.id = source.id
where not ("s"."sensitivity" <= $15
and "s"."scope" = any($16::text[]))
  ))
  )
and not exists (
  select
from plan_applications as a join maintenance_changes as made_by on made_by.run_id = a.run_id
  where a.plan_id = c.run_id
and made_by.record_id = c.record_id
and made_by.action in (c.action, 'skipped')
  offset 0
)
and (
      c.note is not distinct
from $17
      or coalesce(kept.is_stored, true) <> (stored.id is not null)
      or stored.id is not null
and (
        stored.version <> (planned.before ->> 'version')::int4
        or stored.status::text <> planned.before ->> 'status'
        or stored.pinned <> (planned.before ->> 'pinned')::bool
        or stored.layer::text <> planned.before ->> 'layer'
        or stored.base_salience <> (planned.before ->> 'base_salience')::float8
        or stored.anchored_at <> (planned.before ->> 'anchored_at')::timestamptz
        or (c.planned is not null
or planned.before ? 'forgotten_at')
          and stored.forgotten_at is distinct
from (planned.before ->> 'forgotten_at')::timestamptz
      )
    )
  )
  end) then 'stale'
        else 'ready'
      end as status,
      (
        select coalesce(jsonb_object_agg(counted.action, counted.changes), '{}')
from (
          select c.action, count(*) as changes
from
  maintenance_changes as c
  left join records as stored on stored.id = c.record_id
  left join departures as d on d.id = c.record_id
  left join lateral (
    select e.after
from run_effects as e
    where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'records'
and e.before is null
    limit 1
  ) as made on stored.id is null
and d.id is null
  cross join lateral (select
    coalesce(stored.sensitivity, d.sensitivity, (made.after ->> 'sensitivity')::sensitivity, 'hyper') as sensitivity,
    coalesce(stored.scope, d.scope, made.after ->> 'scope', '') as scope,
    coalesce(stored.type, d.type, (made.after ->> 'type')::record_type, 'semantic') as type
  ) as r
          where c.run_id = p.id
and not large.is_large
and (
    c.action <> 'failed'
and ("r"."sensitivity" <= $18
and "r"."scope" = any($19::text[]))
and not exists (
    select h.id
from regexp_matches(c.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $20
and "h"."scope" = any($21::text[]))
  )
    and (made.after is null
or not exists (
    with recursive source as (
    select e.id
from  lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = c.record_id
and e.relation = 'descents'
      offset 0
    ) as e union
    select e.id
from source cross join lateral (
      select (e.after ->> 'source_id')::uuid as id
from run_effects as e
      where e.run_id = c.run_id
and e.record_id = source.id
and e.relation = 'descents'
      offset 0
    ) as e
    )
    select
from source join records as s on s.id = source.id
where not ("s"."sensitivity" <= $22
and "s"."scope" = any($23::text[]))
  ))
  ) group by c.action
          union all
          select r.action, sum(r.changes) as changes
from plan_groups as r
          where r.plan_id = p.id
and large.is_large
and ("r"."sensitivity" <= $24
and "r"."scope" = any($25::text[])) group by r.action
        ) as counted
      ) as counts
    from plans as p join maintenance_runs as m on m.id = p.id
    cross join lateral (select exists (
  select
from maintenance_changes as c
where c.run_id = p.id offset 2000
limit 1
) as is_large) as large
    where true
and m.scope = any($26::text[])
      and m.job = $27
      and (m.created_at, m.id) < ($28::timestamptz, $29::uuid)
    ) as plan
    where status = $30
    order by created_at desc, id desc
    limit $31;

-- src/plans/selection.queries.ts describeChange
select case
    when r.forgotten_at is not null then 'it was forgotten since'
    when r.pinned
and not (c.planned ->> 'pinned')::bool then 'it was pinned since'
    when r.status::text <> c.planned ->> 'status' then 'it is ' || r.status || ' now'
    when r.layer::text <> c.planned ->> 'layer' then 'it is in the layer ' || r.layer || ' now'
    when r.base_salience <> (c.planned ->> 'base_salience')::float8
      or r.anchored_at <> (c.planned ->> 'anchored_at')::timestamptz then 'its salience changed since'
    when r.version <> (c.planned ->> 'version')::int4 then 'it changed since'
  end
from maintenance_changes as c, records as r;

-- src/plans/selection.queries.ts isDoneBy
select exists (
    select
from plan_applications as a join maintenance_changes as made on made.run_id = a.run_id
    where a.plan_id = c.run_id
and made.record_id = c.record_id
      and (made.action = c.action
or a.run_id = $1::uuid
and made.action in ('skipped', 'failed'))
    offset 0
  )
from maintenance_changes as c;

-- src/plans/selection.queries.ts isSelected
select ((c.action = any($1::text[])
or c.record_id::text = any($2::text[]))
and not (c.action = any($3::text[])
or c.record_id::text = any($4::text[])))
from maintenance_changes as c;
