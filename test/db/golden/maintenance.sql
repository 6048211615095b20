-- src/maintenance/maintenance.queries.ts insertRun
insert into "maintenance_runs" ("id", "job", "trigger", "created_at", "dry_run", "scope", "traceparent", "options", "status", "done", "total", "stats", "attempts", "cancel_requested")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14);

-- src/maintenance/maintenance.queries.ts findRun
select "m"."id", "m"."job", "m"."trigger", "m"."dry_run", "m"."scope", "m"."options", "m"."status", "m"."done", "m"."total", "m"."stats", "m"."attempts", "m"."worker", "m"."created_at", "m"."started_at", "m"."finished_at", case when not exists (
    select h.id
from regexp_matches("m"."error", '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
  ) then m.error else split_part(m.error, ':', 1) end as "error"
from "maintenance_runs" as "m"
where m.scope = any($3::text[])
and "m"."id" = $4;

-- src/maintenance/maintenance.queries.ts listRuns: the first page
select "m"."id", "m"."job", "m"."trigger", "m"."dry_run", "m"."scope", "m"."options", "m"."status", "m"."done", "m"."total", "m"."stats", "m"."attempts", "m"."worker", "m"."created_at", "m"."started_at", "m"."finished_at", case when true then m.error else split_part(m.error, ':', 1) end as "error"
from "maintenance_runs" as "m"
order by "m"."created_at" desc, "m"."id" desc
limit $1;

-- src/maintenance/maintenance.queries.ts listRuns: the second page, filtered
select "m"."id", "m"."job", "m"."trigger", "m"."dry_run", "m"."scope", "m"."options", "m"."status", "m"."done", "m"."total", "m"."stats", "m"."attempts", "m"."worker", "m"."created_at", "m"."started_at", "m"."finished_at", case when not exists (
    select h.id
from regexp_matches("m"."error", '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
  ) then m.error else split_part(m.error, ':', 1) end as "error"
from "maintenance_runs" as "m"
where m.scope = any($3::text[])
and "m"."job" = $4
and "m"."status" = $5
and ("m"."created_at", "m"."id") < ($6, $7)
order by "m"."created_at" desc, "m"."id" desc
limit $8;

-- src/maintenance/maintenance.queries.ts cancelRun
update "maintenance_runs"
set "cancel_requested" = $1, "status" = case status when 'queued' then 'cancelled' else status end, "finished_at" = case status when 'queued' then $2::timestamptz end
where "id" = $3
and "status" in ($4, $5);

-- src/maintenance/maintenance.queries.ts listChanges
select "record_id", "action", (case when not exists (
    select h.id
from regexp_matches("before"::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
from regexp_matches(item.value::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
from regexp_matches(each.value::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
from regexp_matches("after"::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
  ) then "after" else (
    select jsonb_object_agg(each.key, case jsonb_typeof(each.value) when 'array' then (
    select coalesce(jsonb_agg(item.value
order by item.place), '[]')
    from jsonb_array_elements(each.value) with ordinality as item (value, place)
    where not exists (
    select h.id
from regexp_matches(item.value::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
    from jsonb_each("after") as each
    where jsonb_typeof(each.value) = 'array'
or not exists (
    select h.id
from regexp_matches(each.value::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
from regexp_matches("note", '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
from regexp_matches(r.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
from regexp_matches(r.after ->> 'target_id', '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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

-- src/maintenance/maintenance.queries.ts listSchedules
select "job", "interval_ms", "enabled", "last_success_at", "next_at"
from "job_schedules"
order by "job";

-- src/maintenance/maintenance.queries.ts upsertSchedule
insert into "job_schedules" ("job", "interval_ms", "enabled", "next_at")
values ($1, $2, $3, $4)
on conflict ("job") do update
set "interval_ms" = $5, "enabled" = $6, "next_at" = $7;

-- src/maintenance/running/batches.queries.ts lockFence
select "m"."cancel_requested"
from "job_leases" as "l"
inner join "maintenance_runs" as "m" on "m"."id" = "l"."run_id"
where "l"."job" = $1
and "l"."fence" = $2
and "l"."run_id" = $3
and "m"."status" = $4 for key share of "l";

-- src/maintenance/running/batches.queries.ts addProgress
    update maintenance_runs
    set done = done + $1::bigint,
      stats = stats || coalesce((
        select jsonb_object_agg(name, coalesce((stats ->> name)::bigint, 0) + value::bigint)
        from jsonb_each_text($2::jsonb) as added (name, value)
      ), '{}')
    where id = $3;

-- src/maintenance/running/batches.queries.ts setRunTotal
update "maintenance_runs"
set "total" = $1, "stats" = $2::jsonb || "stats"
where "id" = $3
and "total" is null;

-- src/maintenance/running/batches.queries.ts setRunError
update "maintenance_runs"
set "error" = $1
where "id" = $2;

-- src/maintenance/running/batches.queries.ts insertChanges
    insert into maintenance_changes (run_id, record_id, action, before, after, note)
    select $1::uuid, change.*
    from json_to_recordset($2::json)
      as change (record_id uuid, action text, before jsonb, after jsonb, note text)
    on conflict (run_id, record_id, action) do nothing;

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
select "fence"
from "job_leases"
where "job" = $1
and ("holder" is null
or (
    expires_at <= $2::timestamptz
or expires_at > $3::timestamptz + '10 minutes'::interval
  ))
for update skip locked;

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
    returning next_at;

-- src/maintenance/running/leases.queries.ts ensureJobRows
insert into "job_leases" ("job", "holder", "run_id", "fence", "expires_at")
values ($1, $2, $3, $4, $5)
on conflict ("job") do nothing;
insert into "job_schedules" ("job", "interval_ms", "enabled", "next_at")
values ($1, $2, $3, $4)
on conflict ("job") do nothing;

-- src/maintenance/running/leases.queries.ts takeLease
update "job_leases"
set "holder" = $1, "run_id" = $2, "fence" = $3, "expires_at" = $4
where "job" = $5;

-- src/maintenance/running/leases.queries.ts clearLease
update "job_leases"
set "holder" = $1, "run_id" = $2, "expires_at" = $3
where "job" = $4;

-- src/maintenance/running/leases.queries.ts renewLease
update "job_leases"
set "expires_at" = $1
where "job" = $2
and "fence" = $3
and "run_id" = $4;

-- src/maintenance/running/leases.queries.ts releaseLease
update "job_leases"
set "holder" = $1, "run_id" = $2, "expires_at" = $3
where "job" = $4
and "fence" = $5
and "run_id" = $6;

-- src/maintenance/running/leases.queries.ts findOpenRun
select "id", "job", "dry_run", "scope", "options", "cancel_requested", "attempts", "status", "started_at", "traceparent"
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

-- src/maintenance/running/leases.queries.ts startRun
update "maintenance_runs"
set "status" = $1, "worker" = $2, "attempts" = "attempts" + $3, "started_at" = coalesce("started_at", $4)
where "id" = $5;

-- src/maintenance/running/leases.queries.ts requeueRun
update "maintenance_runs"
set "status" = $1, "worker" = $2, "attempts" = "attempts" - $3
where "id" = $4;

-- src/maintenance/running/leases.queries.ts endRun
update "maintenance_runs"
set "status" = $1, "finished_at" = $2
where "id" = $3;
delete
from "maintenance_ranges"
where "run_id" = $1;

-- src/maintenance/running/leases.queries.ts setLastSuccess
update "job_schedules"
set "last_success_at" = $1
where "job" = $2;

-- src/maintenance/running/leases.queries.ts deleteOldRuns
delete
from "maintenance_runs"
where "id" in (select "id"
from "maintenance_runs"
where "finished_at" <= $1
limit $2
for update skip locked);

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
