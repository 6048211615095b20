-- src/metrics/store.queries.ts listBacklog
    with due as (
      select 'forget_faded' as work, prune_at as since
from (
        select prune_at
from records
        where prune_at is not null
and forgotten_at is null
and status in ('active', 'challenged')
          and prune_at <= $1::timestamptz
        order by prune_at
limit $2
      ) as faded
      union all
      select 'forget_revised', greatest(prune_at, anchored_at + ($3::timestamptz - $4::timestamptz))
      from (
        select prune_at, anchored_at
from records
        where prune_at <= $5::timestamptz
and anchored_at <= $6::timestamptz
          and forgotten_at is null
and status in ('invalidated', 'merged', 'superseded')
        order by anchored_at
limit $7
      ) as revised
      union all
      select 'purge', purge_at
from (
        select purge_at
from records
where purge_at is not null
and purge_at <= $8::timestamptz
        order by purge_at
limit $9
      ) as expired
      union all
      select 'embed', due_at
from (
        select due_at
from unembedded
where due_at <= $10::timestamptz
order by due_at
limit $11
      ) as unread
      union all
      select 'compare', created_at
from (
        select created_at
from unsurprised
order by created_at
limit $12
      ) as uncompared
      union all
      select 'consolidate', due_at
from (
        select due_at
from unconsolidated
where due_at <= $13::timestamptz
limit $14
      ) as unread
      union all
      select 'update_text', listed_at
from (select listed_at
from outdated_texts
limit $15) as outdated
    )
    select kind.work, count(due.since)::int4 as waiting, min(due.since) as oldest
    from unnest(array['forget_faded', 'forget_revised', 'purge', 'embed', 'compare', 'consolidate', 'update_text'])
      with ordinality as kind (work, place)
    left join due on due.work = kind.work
    group by kind.work, kind.place
    order by kind.place;

-- src/metrics/store.queries.ts listJobs
    select s.job, s.enabled, s.interval_ms, s.last_success_at, s.next_at,
      coalesce(l.holder is not null
and l.expires_at > $1::timestamptz, false) as is_led,
      count(m.id) filter (where m.status = 'queued')::int4 as queued,
      count(m.id) filter (where m.status = 'running')::int4 as running
    from job_schedules as s
    left join job_leases as l on l.job = s.job
    left join maintenance_runs as m on m.job = s.job
and m.status in ('queued', 'running')
    group by s.job, l.job
    order by s.job;

-- src/metrics/store.queries.ts listSizes
    select c.relname as table, sum(pg_total_relation_size(part.oid))::int8 as bytes, sum(greatest(part.reltuples, 0))::float8 as rows
    from pg_class as c
    left join pg_inherits as i on i.inhparent = c.oid
    join pg_class as part on part.oid = coalesce(i.inhrelid, c.oid)
    where c.relnamespace = current_schema()::regnamespace
and c.relkind in ('r', 'p')
and not c.relispartition
      and c.relname not like 'kysely%'
    group by c.relname
    order by c.relname;

-- src/metrics/store.queries.ts sumTallies
select "name", sum("value") as "value"
from "tallies" group by "name"
order by "name";

-- src/metrics/summary.queries.ts countCreated
    select least(floor(date_part('epoch', created_at - $1::timestamptz) / 86400), $2 - 1)::int4 as day,
      count(*) as records
    from records as r
    where forgotten_at is null
and created_at > $3::timestamptz
and ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
    group by day;

-- src/metrics/summary.queries.ts countFading
    select floor(greatest(0, date_part('epoch', prune_at - $1::timestamptz)) / 86400)::int4 as day, count(*) as records
    from records as r
    where prune_at is not null
and forgotten_at is null
and status in ('active', 'challenged')
      and prune_at < $2::timestamptz
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
    group by day;

-- src/metrics/summary.queries.ts countRecords: of everything
    select type, status, layer, pinned, count(*) as records
from records as r
    where forgotten_at is null
and true
    group by type, status, layer, pinned;

-- src/metrics/summary.queries.ts countRecords: of what a key sees
    select type, status, layer, pinned, count(*) as records
from records as r
    where forgotten_at is null
and ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
    group by type, status, layer, pinned;

-- src/metrics/summary.queries.ts drawSample: of every record
    with sample as materialized (
      select r.id, r.type, r.confidence, r.access_count, r.served_count, r.importance, salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $1::timestamptz) as salience
      from records as r
where r.forgotten_at is null
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
    ), said as materialized (
      select sample.type, c.payload
from sample join contents as c on c.record_id = sample.id
      where sample.type in ('competence', 'plan_graph')
    )
    select count(*) as records, sum(least(salience, 9007199254740991)) as salience, sum(confidence) as confidence,
      sum(access_count) as accesses, sum(served_count) as served,
      array[
        count(*) filter (where salience < 0.2),
        count(*) filter (where salience >= 0.2
and salience < 0.4),
        count(*) filter (where salience >= 0.4
and salience < 0.6),
        count(*) filter (where salience >= 0.6
and salience < 0.8),
        count(*) filter (where salience >= 0.8)
      ]::int4[] as bands,
      array[
        count(*) filter (where importance < 0.2),
        count(*) filter (where importance >= 0.2
and importance < 0.4),
        count(*) filter (where importance >= 0.4
and importance < 0.6),
        count(*) filter (where importance >= 0.6
and importance < 0.8),
        count(*) filter (where importance >= 0.8)
      ]::int4[] as importance_bands,
      (select count(*)
from sample join audit_entries as a on a.record_id = sample.id) as entries,
      (select sum(least(coalesce((payload #>> '{performance,success_count}')::float8, 0), 9007199254740991))
from said
where type = 'competence')
        as successes,
      (select sum(least(coalesce((payload #>> '{performance,failure_count}')::float8, 0), 9007199254740991))
from said
where type = 'competence')
        as failures,
      (select count(*)
from said
where type = 'plan_graph') as plans,
      (select sum(least(coalesce((payload #>> '{metrics,execution_count}')::float8, 0), 9007199254740991))
from said
where type = 'plan_graph')
        as executions
    from sample;

-- src/metrics/summary.queries.ts drawSample: of some pages
    with sample as materialized (
      select r.id, r.type, r.confidence, r.access_count, r.served_count, r.importance, salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $1::timestamptz) as salience
      from records as r tablesample system ($2::float4)
      where r.forgotten_at is null
and true
    ), said as materialized (
      select sample.type, c.payload
from sample join contents as c on c.record_id = sample.id
      where sample.type in ('competence', 'plan_graph')
    )
    select count(*) as records, sum(least(salience, 9007199254740991)) as salience, sum(confidence) as confidence,
      sum(access_count) as accesses, sum(served_count) as served,
      array[
        count(*) filter (where salience < 0.2),
        count(*) filter (where salience >= 0.2
and salience < 0.4),
        count(*) filter (where salience >= 0.4
and salience < 0.6),
        count(*) filter (where salience >= 0.6
and salience < 0.8),
        count(*) filter (where salience >= 0.8)
      ]::int4[] as bands,
      array[
        count(*) filter (where importance < 0.2),
        count(*) filter (where importance >= 0.2
and importance < 0.4),
        count(*) filter (where importance >= 0.4
and importance < 0.6),
        count(*) filter (where importance >= 0.6
and importance < 0.8),
        count(*) filter (where importance >= 0.8)
      ]::int4[] as importance_bands,
      (select count(*)
from sample join audit_entries as a on a.record_id = sample.id) as entries,
      (select sum(least(coalesce((payload #>> '{performance,success_count}')::float8, 0), 9007199254740991))
from said
where type = 'competence')
        as successes,
      (select sum(least(coalesce((payload #>> '{performance,failure_count}')::float8, 0), 9007199254740991))
from said
where type = 'competence')
        as failures,
      (select count(*)
from said
where type = 'plan_graph') as plans,
      (select sum(least(coalesce((payload #>> '{metrics,execution_count}')::float8, 0), 9007199254740991))
from said
where type = 'plan_graph')
        as executions
    from sample;
