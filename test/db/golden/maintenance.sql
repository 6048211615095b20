-- src/maintenance/histories.queries.ts analyzeHistory
select analyze_history($1::text) as analyzed;

-- src/maintenance/histories.queries.ts findOldestKeptRun
    select least(
      (
        select min(created_at)
from maintenance_runs
        where finished_at is null
or finished_at > $1::timestamptz
      ),
      (
        select min(m.created_at)
from plans as p join maintenance_runs as m on m.id = p.id
        where p.expires_at > $2::timestamptz
      )
    ) as created_at;

-- src/maintenance/histories.queries.ts rotateHistory
    select tend_history(
      $1::text, $2::timestamptz, $3::timestamptz, $4::bigint
    ) as dropped;

-- src/maintenance/maintenance.queries.ts cancelRun
update "maintenance_runs"
set "cancel_requested" = $1, "status" = case status when 'queued' then 'cancelled' else status end, "finished_at" = case status when 'queued' then $2::timestamptz end
where "id" = $3
and "status" in ($4, $5);

-- src/maintenance/maintenance.queries.ts countHiddenChanges
select count(*)::int4 as "hidden"
from (select "c"."record_id", "c"."action", "c"."before", "c"."after", "c"."note", coalesce(r.sensitivity, d.sensitivity, 'hyper') as "sensitivity", coalesce(r.scope, d.scope, m.scope, '') as "scope"
from "maintenance_changes" as "c"
inner join "maintenance_runs" as "m" on "m"."id" = "c"."run_id"
left join "records" as "r" on "r"."id" = "c"."record_id"
left join "departures" as "d" on "d"."id" = "c"."record_id"
where "c"."run_id" = $1) as "r"
where not (("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
and not exists (
    select h.id
from regexp_matches(r.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $4
and "h"."scope" = any($5::text[]))
  ));

-- src/maintenance/maintenance.queries.ts findRun
select "m"."id", "m"."job", "m"."trigger", "m"."dry_run", "m"."scope", "m"."status", "m"."done", "m"."total", "m"."stats", "m"."attempts", "m"."worker", "m"."created_at", "m"."started_at", "m"."finished_at", case when not exists (
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
  ) then m.error else split_part(m.error, ':', 1) end as "error", (
    select coalesce(
      jsonb_object_agg(each.key, case when each.key in ('only', 'except') then (
    select coalesce(jsonb_agg(item.name
order by item.place), '[]')
    from jsonb_array_elements_text(each.value) with ordinality as item (name, place)
    where case when item.name ~* '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}' then exists (select
from "records" as n
where n.id = item.name::uuid
and ("n"."sensitivity" <= $3
and "n"."scope" = any($4::text[])))
or exists (select
from "departures" as n
where n.id = item.name::uuid
and ("n"."sensitivity" <= $5
and "n"."scope" = any($6::text[]))) else true end
  ) else each.value end), '{}'
    )
    from jsonb_each("m"."options") as each
  ) as "options"
from "maintenance_runs" as "m"
where m.scope = any($7::text[])
and (m.job <> 'simulation'
or m.options ->> 'max_sensitivity' = any($8::text[]))
and "m"."id" = $9;

-- src/maintenance/maintenance.queries.ts insertRun
insert into "maintenance_runs" ("id", "job", "trigger", "created_at", "dry_run", "scope", "traceparent", "requested_by", "options", "status", "done", "total", "stats", "attempts", "cancel_requested")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15);

-- src/maintenance/maintenance.queries.ts listChanges
select "record_id", "action", (case when not exists (
    select h.id
from regexp_matches("before"::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
  ) then "before" else (
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
    from jsonb_each("before") as each
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
  ) end) as "before", (case when not exists (
    select h.id
from regexp_matches(("r"."after" - array['rank', 'line'])::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
  ) then ("r"."after" - array['rank', 'line']) else (
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
    from jsonb_each(("r"."after" - array['rank', 'line'])) as each
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
  ) end) as "after", case when not exists (
    select h.id
from regexp_matches("note", '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
  ) then note end as "note", ("r"."sensitivity" <= $15
and "r"."scope" = any($16::text[])) as "is_open"
from (select "c"."record_id", "c"."action", "c"."before", "c"."after", "c"."note", coalesce(r.sensitivity, d.sensitivity, 'hyper') as "sensitivity", coalesce(r.scope, d.scope, m.scope, '') as "scope"
from "maintenance_changes" as "c"
inner join "maintenance_runs" as "m" on "m"."id" = "c"."run_id"
left join "records" as "r" on "r"."id" = "c"."record_id"
left join "departures" as "d" on "d"."id" = "c"."record_id"
where "c"."run_id" = $17) as "r"
where (("r"."sensitivity" <= $18
and "r"."scope" = any($19::text[]))
and not exists (
    select h.id
from regexp_matches(r.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
  ))
and ("record_id", "action") > ($22, $23)
order by "record_id", "action"
limit $24;

-- src/maintenance/maintenance.queries.ts listRuns: the first page
select "m"."id", "m"."job", "m"."trigger", "m"."dry_run", "m"."scope", "m"."status", "m"."done", "m"."total", "m"."stats", "m"."attempts", "m"."worker", "m"."created_at", "m"."started_at", "m"."finished_at", case when true then m.error else split_part(m.error, ':', 1) end as "error", "m"."options" as "options"
from "maintenance_runs" as "m"
order by "m"."created_at" desc, "m"."id" desc
limit $1;

-- src/maintenance/maintenance.queries.ts listRuns: the second page, filtered
select "m"."id", "m"."job", "m"."trigger", "m"."dry_run", "m"."scope", "m"."status", "m"."done", "m"."total", "m"."stats", "m"."attempts", "m"."worker", "m"."created_at", "m"."started_at", "m"."finished_at", case when not exists (
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
  ) then m.error else split_part(m.error, ':', 1) end as "error", (
    select coalesce(
      jsonb_object_agg(each.key, case when each.key in ('only', 'except') then (
    select coalesce(jsonb_agg(item.name
order by item.place), '[]')
    from jsonb_array_elements_text(each.value) with ordinality as item (name, place)
    where case when item.name ~* '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}' then exists (select
from "records" as n
where n.id = item.name::uuid
and ("n"."sensitivity" <= $3
and "n"."scope" = any($4::text[])))
or exists (select
from "departures" as n
where n.id = item.name::uuid
and ("n"."sensitivity" <= $5
and "n"."scope" = any($6::text[]))) else true end
  ) else each.value end), '{}'
    )
    from jsonb_each("m"."options") as each
  ) as "options"
from "maintenance_runs" as "m"
where m.scope = any($7::text[])
and (m.job <> 'simulation'
or m.options ->> 'max_sensitivity' = any($8::text[]))
and "m"."job" = $9
and "m"."status" = $10
and ("m"."created_at", "m"."id") < ($11, $12)
order by "m"."created_at" desc, "m"."id" desc
limit $13;

-- src/maintenance/plan-rows.queries.ts insertPlan
insert into "maintenance_runs" ("id", "job", "trigger", "created_at", "dry_run", "scope", "options", "status", "done", "total", "stats", "attempts", "cancel_requested")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);
insert into "plans" ("id", "expires_at", "digest")
values ($1, $2, encode(sha256(convert_to($3, 'UTF8')), 'hex'));

-- src/maintenance/running/batches.queries.ts addProgress
    update maintenance_runs
    set done = least(done + $1::bigint, total),
      fruitless_attempts = case when dry_run
or least(done + $2::bigint, total) = done then fruitless_attempts else 0 end,
      stats = stats || coalesce((
        select jsonb_object_agg(name, coalesce((stats ->> name)::bigint, 0) + value::bigint)
        from jsonb_each_text($3::jsonb) as added (name, value)
      ), '{}')
    where id = $4;

-- src/maintenance/running/batches.queries.ts insertChanges
    insert into maintenance_changes (run_id, record_id, action, before, after, note)
    select $1::uuid, change.*
    from json_to_recordset($2::json)
      as change (record_id uuid, action text, before jsonb, after jsonb, note text)
    on conflict (run_id, record_id, action) do nothing;

-- src/maintenance/running/batches.queries.ts lockFence
select "m"."cancel_requested"
from "job_leases" as "l"
inner join "maintenance_runs" as "m" on "m"."id" = "l"."run_id"
where "l"."job" = $1
and "l"."fence" = $2
and "l"."run_id" = $3
and "m"."status" = $4 for key share of "l";

-- src/maintenance/running/batches.queries.ts setRunError
update "maintenance_runs"
set "error" = $1
where "id" = $2;

-- src/maintenance/running/batches.queries.ts setRunTotal
update "maintenance_runs"
set "total" = $1, "stats" = $2::jsonb || "stats"
where "id" = $3
and "total" is null;

-- src/maintenance/running/dry-run-effects.queries.ts countEffects
    select count(*) as kept
from (select
from run_effects
where run_id = $1::uuid
limit $2) as first;

-- src/maintenance/running/dry-run-effects.queries.ts deleteDryRunRows
    with effect as (
      delete
from run_effects
      where ctid = any(array(select ctid
from run_effects
where run_id = $1::uuid
limit $2))
      returning 1
    ), change as (
      delete
from maintenance_changes
      where run_id = $3::uuid
        and ctid = any(array(select ctid
from maintenance_changes
where run_id = $4::uuid
limit $5))
      returning 1
    )
    select (select count(*)
from effect) + (select count(*)
from change) as deleted;

-- src/maintenance/running/dry-run-effects.queries.ts extendDigest
    update plans
set digest = encode(sha256(convert_to(digest || $1, 'UTF8')), 'hex')
where id = $2::uuid;

-- src/maintenance/running/dry-run-effects.queries.ts insertEffects
    insert into run_effects (run_id, record_id, relation, before, after)
    select $1::uuid, (row ->> 0)::uuid, row ->> 1, nullif(row -> 2, 'null'), nullif(row -> 3, 'null')
    from jsonb_array_elements($2::jsonb) with ordinality as effect (row, place)
    order by place;

-- src/maintenance/running/dry-run-effects.queries.ts noteSources
    with noted as materialized (
      select record_id, relation, e.after as written
from run_effects as e
      where run_id = $1::uuid
and batch = pg_current_xact_id()
and relation in ('descents', 'records')
    ), state as (
      select r.id, jsonb_build_object('id', r.id, 'version', r.version, 'status', r.status, 'forgotten_at', r.forgotten_at) as row
      from records as r
      where r.id in (select (written ->> 'source_id')::uuid
from noted
where relation = 'descents')
        and r.id not in (select record_id
from noted
where relation = 'records')
    )
    insert into run_effects (run_id, record_id, relation, before, after)
    select $2::uuid, id, 'records', row, row
from state;

-- src/maintenance/running/dry-run-effects.queries.ts readEffects
    with taken as (
      delete
from run_effects
where run_id = $1::uuid
and batch = pg_current_xact_id()
      returning id, record_id, relation, before, after
    )
    select json_agg(json_build_array(record_id, relation, before, after)
order by id)::text as effects
from taken;

-- src/maintenance/running/dry-run-effects.queries.ts resetRun
    with plan as (
      update plans
set digest = encode(sha256(convert_to(id::text, 'UTF8')), 'hex')
where id = $1::uuid
    ), summary as (
      delete
from plan_groups
where plan_id = $2::uuid
    )
    update maintenance_runs
set done = 0, total = null, stats = '{}', error = null
where id = $3::uuid;

-- src/maintenance/running/due-jobs.queries.ts advanceSchedule
    update job_schedules
    set next_at = $1::timestamptz
      + coalesce(interval_ms, $2::bigint) * interval '1 millisecond'
    where job = $3
and (
    enabled
and coalesce(interval_ms, $4::bigint) > 0
and (
      next_at <= $5::timestamptz
      or next_at > $6::timestamptz + '10 minutes'::interval
        + coalesce(interval_ms, $7::bigint) * interval '1 millisecond'
    )
  )
    returning next_at, mode;

-- src/maintenance/running/due-jobs.queries.ts findDueJobs
    select job, holder is null
or (
    expires_at <= $1::timestamptz
or expires_at > $2::timestamptz + '10 minutes'::interval
  ) as is_free
    from job_leases join job_schedules using (job)
    where case when holder is null
or (
    expires_at <= $3::timestamptz
or expires_at > $4::timestamptz + '10 minutes'::interval
  ) then
      (
    enabled
and coalesce(interval_ms, coalesce(($5::jsonb ->> job)::bigint, 0)) > 0
and (
      next_at <= $6::timestamptz
      or next_at > $7::timestamptz + '10 minutes'::interval
        + coalesce(interval_ms, coalesce(($8::jsonb ->> job)::bigint, 0)) * interval '1 millisecond'
    )
  )
      or exists (
        select
from maintenance_runs
        where maintenance_runs.job = job_leases.job
and status in ('queued', 'running')
      )
    else
      holder <> $9
and exists (
        select
from maintenance_ranges
where maintenance_ranges.run_id = job_leases.run_id
and not done
      )
    end
    order by job;

-- src/maintenance/running/due-jobs.queries.ts findNextLapse
select min("expires_at") as "lapses_at"
from "job_leases"
where "holder" is not null
and "expires_at" > $1;

-- src/maintenance/running/due-jobs.queries.ts lockFreeLease
select "fence", clock_timestamp() as "database_time"
from "job_leases"
where "job" = $1
and ("holder" is null
or (
    expires_at <= $2::timestamptz
or expires_at > $3::timestamptz + '10 minutes'::interval
  ))
for update skip locked;

-- src/maintenance/running/leases.queries.ts clearLease
update "job_leases"
set "holder" = $1, "run_id" = $2, "expires_at" = $3
where "job" = $4;

-- src/maintenance/running/leases.queries.ts endRun
update "maintenance_runs"
set "status" = $1, "finished_at" = $2
where "id" = $3;
delete
from "maintenance_ranges"
where "run_id" = $1;
    delete
from run_effects
where run_id = $1::uuid
      and exists (select
from maintenance_runs as m
where m.id = $2::uuid
and m.dry_run)
      and not exists (select
from plans as p
where p.id = $3::uuid);

-- src/maintenance/running/leases.queries.ts ensureJobRows
insert into "job_leases" ("job", "holder", "run_id", "fence", "expires_at")
values ($1, $2, $3, $4, $5)
on conflict ("job") do nothing;
insert into "job_schedules" ("job", "interval_ms", "enabled", "next_at")
values ($1, $2, $3, $4)
on conflict ("job") do nothing;

-- src/maintenance/running/leases.queries.ts findOpenRun
select "id", "job", "dry_run", "scope", "options", "cancel_requested", "fruitless_attempts", "status", "started_at", "traceparent", exists (
        select
from api_keys
where api_keys.id::text = requested_by
and revoked_at is not null
      ) as "is_key_revoked", exists (select
from plans
where plans.id = maintenance_runs.id) as "is_plan"
from "maintenance_runs"
where "job" = $1
and "status" in ($2, $3)
order by status = 'running' desc, "created_at", "id"
limit $4 for update;

-- src/maintenance/running/leases.queries.ts findSharedRun
select "m"."id", "m"."job", "m"."dry_run", "m"."scope", "m"."options", "m"."started_at", "m"."traceparent", "l"."fence"
from "job_leases" as "l"
inner join "maintenance_runs" as "m" on "m"."id" = "l"."run_id"
where "l"."job" = $1
and "l"."holder" <> $2
and "m"."status" = $3
and exists (select "part"."run_id"
from "maintenance_ranges" as "part"
where "part"."run_id" = "m"."id"
and "part"."done" = $4);

-- src/maintenance/running/leases.queries.ts releaseLease
update "job_leases"
set "holder" = $1, "run_id" = $2, "expires_at" = $3
where "job" = $4
and "fence" = $5
and "run_id" = $6;

-- src/maintenance/running/leases.queries.ts renewLease
update "job_leases"
set "expires_at" = $1
where "job" = $2
and "fence" = $3
and "run_id" = $4;

-- src/maintenance/running/leases.queries.ts requeueRun
update "maintenance_runs"
set "status" = $1, "worker" = $2, "attempts" = "attempts" - $3, "fruitless_attempts" = greatest(fruitless_attempts - 1, 0)
where "id" = $4;

-- src/maintenance/running/leases.queries.ts setLastSuccess
update "job_schedules"
set "last_success_at" = $1
where "job" = $2;

-- src/maintenance/running/leases.queries.ts startRun
update "maintenance_runs"
set "status" = $1, "worker" = $2, "attempts" = "attempts" + $3, "fruitless_attempts" = "fruitless_attempts" + $4, "started_at" = coalesce("started_at", $5)
where "id" = $6;

-- src/maintenance/running/leases.queries.ts takeLease
update "job_leases"
set "holder" = $1, "run_id" = $2, "fence" = $3, "expires_at" = $4
where "job" = $5;

-- src/maintenance/running/old-runs.queries.ts deleteOldRuns
with "old" as (delete
from "maintenance_runs"
where "id" in (select "id"
from "maintenance_runs"
where "finished_at" <= $1
and not exists (select
from "maintenance_changes" as "c"
where "c"."run_id" = "maintenance_runs"."id")
and not (exists (select
from "plans" as "p"
where "p"."id" = "maintenance_runs"."id"
and "p"."expires_at" > $2)
or exists (select
from "plan_applications" as "a"
inner join "plans" as "p" on "p"."id" = "a"."plan_id"
where "a"."run_id" = "maintenance_runs"."id"
and "p"."expires_at" > $3))
limit $4
for update skip locked)
returning "id"), "effects" as (delete
from "run_effects"
where "run_id" in (select "old"."id"
from "old")) select count(*) as "deleted"
from "old";

-- src/maintenance/running/planned-batches.queries.ts insertPlannedChanges
    with listed as materialized (
      select distinct on (c.record_id, c.action) c.*,
        stored.status, stored.pinned, stored.layer, stored.base_salience, stored.anchored_at,
        coalesce(stored.type, made.type, 'semantic') as type,
        greatest(coalesce(stored.sensitivity, made.sensitivity, 'hyper'), target.sensitivity) as sensitivity,
        coalesce(stored.scope, made.scope, '') as scope, salience_at(stored.pinned, stored.base_salience, stored.expires_at, stored.curve, stored.anchored_at, stored.half_life_seconds, stored.min_salience, run.started_at) as salience, ((stored.importance + 3::float8 * stored.base_importance) / 4::float8 + case when (stored.access_count - stored.served_count) > 0 then 0.4::float8
    * least(1, ln(1 + (stored.access_count - stored.served_count)::float8) / 1.791759469228055::float8) * least(1, greatest(salience_at(stored.pinned, stored.base_salience, stored.expires_at, stored.curve, stored.anchored_at, stored.half_life_seconds, stored.min_salience, run.started_at), 1e-200::float8)) else 0 end) * power(salience_at(stored.pinned, stored.base_salience, stored.expires_at, stored.curve, stored.anchored_at, stored.half_life_seconds, stored.min_salience, run.started_at), 0.03125::float8) as keeping,
        record_bytes(k.tags, k.payload, k.provenance, k.interpretation) as bytes
      from (
    select *
from rows
from (
      json_to_recordset($1::json)
        as (record_id uuid, action text, before jsonb, after jsonb, note text, version int4)
    ) with ordinality as given (record_id, action, before, after, note, version, place)
  ) as c
      join maintenance_runs as run on run.id = $2::uuid
      left join records as stored on stored.id = c.record_id
      left join contents as k on k.record_id = stored.id
      left join records as target on target.id = (c.after ->> 'target_id')::uuid
      left join lateral (
        select (e.after ->> 'type')::record_type as type, (e.after ->> 'sensitivity')::sensitivity as sensitivity,
          e.after ->> 'scope' as scope
        from run_effects as e
        where stored.id is null
and e.record_id = c.record_id
and e.run_id = $3::uuid
          and e.relation = 'records'
and e.before is null
        limit 1
      ) as made on true
      order by c.record_id, c.action, c.place
    ), inserted as (
      insert into maintenance_changes (run_id, record_id, action, before, after, note, planned)
      select $4::uuid, record_id, action, before, after, note, case when version is not null then
        jsonb_build_object(
          'version', version, 'status', status, 'pinned', pinned, 'layer', layer,
          'base_salience', base_salience, 'anchored_at', anchored_at
        )
      end
      from listed
      on conflict (run_id, record_id, action) do nothing
      returning record_id, action
    ), summed as (
      select action, type, sensitivity, scope, count(*) as changes, coalesce(sum(salience), 0) as salience,
        coalesce(sum(bytes), 0) as bytes, max(keeping) as keeping,
        (array_agg(record_id
order by keeping desc nulls last))[1] as best
      from listed join inserted using (record_id, action)
      group by action, type, sensitivity, scope
    )
    insert into plan_groups as g
      (plan_id, action, type, sensitivity, scope, changes, salience, bytes, best_id, best_keeping)
    select $5::uuid, action, type, sensitivity, scope, changes, salience, bytes,
      case when keeping is not null then best end, keeping
    from summed
    on conflict (plan_id, action, type, sensitivity, scope) do update
    set changes = g.changes + excluded.changes, salience = g.salience + excluded.salience,
      bytes = g.bytes + excluded.bytes, best_keeping = greatest(g.best_keeping, excluded.best_keeping),
      best_id = case when g.best_keeping >= excluded.best_keeping then g.best_id
        else coalesce(excluded.best_id, g.best_id) end;

-- src/maintenance/running/planned-batches.queries.ts listRescored
    with listed as materialized (
      select distinct on (c.record_id, c.action) c.*,
        stored.status, stored.pinned, stored.layer, stored.base_salience, stored.anchored_at,
        coalesce(stored.type, made.type, 'semantic') as type,
        greatest(coalesce(stored.sensitivity, made.sensitivity, 'hyper'), target.sensitivity) as sensitivity,
        coalesce(stored.scope, made.scope, '') as scope, salience_at(stored.pinned, stored.base_salience, stored.expires_at, stored.curve, stored.anchored_at, stored.half_life_seconds, stored.min_salience, run.started_at) as salience, ((stored.importance + 3::float8 * stored.base_importance) / 4::float8 + case when (stored.access_count - stored.served_count) > 0 then 0.4::float8
    * least(1, ln(1 + (stored.access_count - stored.served_count)::float8) / 1.791759469228055::float8) * least(1, greatest(salience_at(stored.pinned, stored.base_salience, stored.expires_at, stored.curve, stored.anchored_at, stored.half_life_seconds, stored.min_salience, run.started_at), 1e-200::float8)) else 0 end) * power(salience_at(stored.pinned, stored.base_salience, stored.expires_at, stored.curve, stored.anchored_at, stored.half_life_seconds, stored.min_salience, run.started_at), 0.03125::float8) as keeping,
        record_bytes(k.tags, k.payload, k.provenance, k.interpretation) as bytes
      from (
    select e.record_id, 'rescore' as action, jsonb_build_object('importance', e.after -> 'old') as before,
      jsonb_build_object('importance', e.after -> 'new') as after, null::text as note, null::int4 as version, e.id as place
    from run_effects as e
    where e.run_id = $1::uuid
and e.batch = pg_current_xact_id()
and e.relation = 'importance_history'
      and not exists (
        select
from maintenance_changes as c
where c.run_id = e.run_id
and c.record_id = e.record_id offset 0
      )
  ) as c
      join maintenance_runs as run on run.id = $2::uuid
      left join records as stored on stored.id = c.record_id
      left join contents as k on k.record_id = stored.id
      left join records as target on target.id = (c.after ->> 'target_id')::uuid
      left join lateral (
        select (e.after ->> 'type')::record_type as type, (e.after ->> 'sensitivity')::sensitivity as sensitivity,
          e.after ->> 'scope' as scope
        from run_effects as e
        where stored.id is null
and e.record_id = c.record_id
and e.run_id = $3::uuid
          and e.relation = 'records'
and e.before is null
        limit 1
      ) as made on true
      order by c.record_id, c.action, c.place
    ), inserted as (
      insert into maintenance_changes (run_id, record_id, action, before, after, note, planned)
      select $4::uuid, record_id, action, before, after, note, case when version is not null then
        jsonb_build_object(
          'version', version, 'status', status, 'pinned', pinned, 'layer', layer,
          'base_salience', base_salience, 'anchored_at', anchored_at
        )
      end
      from listed
      on conflict (run_id, record_id, action) do nothing
      returning record_id, action
    ), summed as (
      select action, type, sensitivity, scope, count(*) as changes, coalesce(sum(salience), 0) as salience,
        coalesce(sum(bytes), 0) as bytes, max(keeping) as keeping,
        (array_agg(record_id
order by keeping desc nulls last))[1] as best
      from listed join inserted using (record_id, action)
      group by action, type, sensitivity, scope
    )
    insert into plan_groups as g
      (plan_id, action, type, sensitivity, scope, changes, salience, bytes, best_id, best_keeping)
    select $5::uuid, action, type, sensitivity, scope, changes, salience, bytes,
      case when keeping is not null then best end, keeping
    from summed
    on conflict (plan_id, action, type, sensitivity, scope) do update
    set changes = g.changes + excluded.changes, salience = g.salience + excluded.salience,
      bytes = g.bytes + excluded.bytes, best_keeping = greatest(g.best_keeping, excluded.best_keeping),
      best_id = case when g.best_keeping >= excluded.best_keeping then g.best_id
        else coalesce(excluded.best_id, g.best_id) end;

-- src/maintenance/running/run-totals.queries.ts addRunTotals
    with ended as (
      select job, status, stats, extract(epoch
from finished_at - started_at) as seconds
      from maintenance_runs
where id = $1
and not dry_run
    ), counted as (
      select 'run/' || job || '/' || status as name, 1::float8 as value
from ended
      union all
      select 'run_seconds/' || job, greatest(seconds, 0)::float8
from ended
where seconds is not null
      union all
      select 'job/' || job || '/' || stat.key, stat.value::float8
from ended, jsonb_each_text(stats) as stat
      where stat.value ~ '^[0-9]{1,15}$'
    )
    insert into tallies (name, backend, value) select name, pg_backend_pid(), value
from counted
    on conflict (name, backend) do update
set value = tallies.value + excluded.value;

-- src/maintenance/schedules/schedules.queries.ts listSchedules
select "job", "interval_ms", "enabled", "mode", "last_success_at", "next_at"
from "job_schedules"
order by "job";

-- src/maintenance/schedules/schedules.queries.ts upsertSchedule
insert into "job_schedules" ("job", "interval_ms", "enabled", "mode", "next_at")
values ($1, $2, $3, $4, $5)
on conflict ("job") do update
set "interval_ms" = coalesce($6::int8, job_schedules.interval_ms, $7::int8), "next_at" = $8::timestamptz + coalesce($9::int8, job_schedules.interval_ms, $10::int8) * interval '1 millisecond';

-- src/maintenance/selectable-names.queries.ts listSelectable
    select name
from unnest($1::text[]) as name
where not exists (
    select h.id
from regexp_matches("name", '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $2
and "h"."scope" = any($3::text[]))
  );
