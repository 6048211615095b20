-- src/regrets/regrets.queries.ts deleteOldRegrets
    with old as materialized (
      select g.record_id
from regrets as g join records as r on r.id = g.record_id
      where g.last_at <= $1::timestamptz
and r.forgotten_at is null
      order by g.last_at
      limit $2
      for update of g skip locked
    ), gone as (
      delete
from regrets as g using old
where g.record_id = old.record_id
returning g.record_id
    )
    select count(*) as deleted
from gone;

-- src/regrets/regrets.queries.ts insertRegrets
    with forgotten as materialized (
      select r.id, r.forgotten_at, r.forgotten_reason, r.forgotten_run_id
from records as r
      where r.id = any($1::uuid[])
and r.forgotten_at is not null
      order by r.id
      for key share skip locked
    )
    insert into regrets as g (record_id, forgotten_at, reason, run_id, first_at, last_at, times)
    select id, forgotten_at, forgotten_reason, forgotten_run_id, $2::timestamptz, $3::timestamptz, 1
    from forgotten
order by id
    on conflict (record_id) do update
set
      forgotten_at = excluded.forgotten_at, reason = excluded.reason, run_id = excluded.run_id,
      first_at = case when g.forgotten_at = excluded.forgotten_at then g.first_at else excluded.first_at end,
      last_at = case when g.forgotten_at = excluded.forgotten_at
        then greatest(g.last_at, excluded.last_at) else excluded.last_at end,
      times = case when g.forgotten_at = excluded.forgotten_at then g.times + 1 else 1 end;

-- src/regrets/regrets.queries.ts isAnyForgotten
    select
from records
where purge_at is not null
order by purge_at
limit 1;

-- src/regrets/regrets.queries.ts listRegrets: first page
select "g"."record_id", "r"."type", "r"."scope", "g"."reason", "g"."run_id", "g"."last_at", "g"."times", "g"."forgotten_at" as "since", "r"."anchored_at", "r"."expires_at", "r"."last_accessed_at", "r"."forgotten_at", "r"."prune_at", "r"."base_salience", "r"."half_life_seconds", "r"."min_salience", "r"."max_salience", "r"."curve", "r"."deletion_policy", "r"."pinned", "r"."status", "r"."layer", "r"."source_type", "r"."base_importance", "r"."emotional_valence", "r"."access_count", "r"."served_count", "r"."confirmation_count"
from "regrets" as "g"
inner join "records" as "r" on "r"."id" = "g"."record_id"
and "r"."forgotten_at" = "g"."forgotten_at"
where "r"."purge_at" > $1
and true
order by "g"."last_at" desc, "g"."record_id" desc
limit $2;

-- src/regrets/regrets.queries.ts listRegrets: next page, every filter
select "g"."record_id", "r"."type", "r"."scope", "g"."reason", "g"."run_id", "g"."last_at", "g"."times", "g"."forgotten_at" as "since", "r"."anchored_at", "r"."expires_at", "r"."last_accessed_at", "r"."forgotten_at", "r"."prune_at", "r"."base_salience", "r"."half_life_seconds", "r"."min_salience", "r"."max_salience", "r"."curve", "r"."deletion_policy", "r"."pinned", "r"."status", "r"."layer", "r"."source_type", "r"."base_importance", "r"."emotional_valence", "r"."access_count", "r"."served_count", "r"."confirmation_count"
from "regrets" as "g"
inner join "records" as "r" on "r"."id" = "g"."record_id"
and "r"."forgotten_at" = "g"."forgotten_at"
where "r"."purge_at" > $1
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
and "r"."scope" = $4
and "g"."reason" = $5
and (g.last_at, g.record_id) < ($6::timestamptz, $7::uuid)
order by "g"."last_at" desc, "g"."record_id" desc
limit $8;

-- src/regrets/regrets.queries.ts measureRegret: of everything
    with judged as materialized (
      select r.type, f.reason, f.forgotten_at - r.created_at as age, f.is_regretted
      from (
        select r.id, r.forgotten_reason as reason, r.forgotten_at, g.record_id is not null as is_regretted
        from (
          select r.id, r.forgotten_reason, r.forgotten_at
from records as r
          where r.purge_at is not null
and true
          order by r.purge_at desc
          limit 100000
        ) as r
        left join regrets as g on g.record_id = r.id
and g.forgotten_at = r.forgotten_at
        union all
        select g.record_id, g.reason, g.forgotten_at, true
        from regrets as g join records as r on r.id = g.record_id
        where r.forgotten_at is distinct
from g.forgotten_at
and true
      ) as f
      join records as r on r.id = f.id
    )
    select reason, type, case when age < '1 days'::interval then 'under_1d' when age < '7 days'::interval then '1d_to_7d' when age < '30 days'::interval then '7d_to_30d' when age < '90 days'::interval then '30d_to_90d' else 'over_90d' end as age, count(*) as forgotten,
      count(*) filter (where is_regretted) as regretted
    from judged
    group by reason, type, case when age < '1 days'::interval then 'under_1d' when age < '7 days'::interval then '1d_to_7d' when age < '30 days'::interval then '7d_to_30d' when age < '90 days'::interval then '30d_to_90d' else 'over_90d' end
    order by 1, 2, 3;

-- src/regrets/regrets.queries.ts measureRegret: of what a key sees
    with judged as materialized (
      select r.type, f.reason, f.forgotten_at - r.created_at as age, f.is_regretted
      from (
        select r.id, r.forgotten_reason as reason, r.forgotten_at, g.record_id is not null as is_regretted
        from (
          select r.id, r.forgotten_reason, r.forgotten_at
from records as r
          where r.purge_at is not null
and ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
          order by r.purge_at desc
          limit 100000
        ) as r
        left join regrets as g on g.record_id = r.id
and g.forgotten_at = r.forgotten_at
        union all
        select g.record_id, g.reason, g.forgotten_at, true
        from regrets as g join records as r on r.id = g.record_id
        where r.forgotten_at is distinct
from g.forgotten_at
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
      ) as f
      join records as r on r.id = f.id
    )
    select reason, type, case when age < '1 days'::interval then 'under_1d' when age < '7 days'::interval then '1d_to_7d' when age < '30 days'::interval then '7d_to_30d' when age < '90 days'::interval then '30d_to_90d' else 'over_90d' end as age, count(*) as forgotten,
      count(*) filter (where is_regretted) as regretted
    from judged
    group by reason, type, case when age < '1 days'::interval then 'under_1d' when age < '7 days'::interval then '1d_to_7d' when age < '30 days'::interval then '7d_to_30d' when age < '90 days'::interval then '30d_to_90d' else 'over_90d' end
    order by 1, 2, 3;
