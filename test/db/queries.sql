-- src/capture/capture.queries.ts findReferenced
select "r"."id"
from "records" as "r"
where "r"."id" = any($1::uuid[])
and "r"."scope" in ($2, $3)
and "r"."forgotten_at" is null
and ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]));

-- src/capture/capture.queries.ts findReferencedWords
    select r.id, left(c.interpretation ->> 'summary', 1000) as summary,
      case when pg_column_size(c.payload) <= 8192 then c.payload end as payload
    from records as r
    join contents as c on c.record_id = r.id
    where r.id = any($1::uuid[])
and r.scope in ($2, $3)
      and r.forgotten_at is null
and ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
    order by r.id;

-- src/capture/capture.queries.ts findBorne
    select h.digest, r.sensitivity
    from handles as h
    join records as r on r.id = h.record_id
    where h.digest = any($1::bytea[])
and h.scope = $2
      and r.forgotten_at is null
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]));

-- src/capture/capture.queries.ts findNamedEntities
    select r.id, h.digest, c.payload ->> 'canonical_name' as name, c.payload ->> 'primary_type' as kind
    from handles as h
    join records as r on r.id = h.record_id
    join contents as c on c.record_id = r.id
    where h.digest = any($1::bytea[])
and h.scope in ($2, $3)
      and r.type = 'entity'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
      and ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
    order by r.scope desc, r.created_at, r.id
    limit $6;

-- src/checking/breaches.queries.ts findBreaches
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (select r.id, true
from records as r) as each (name, holds);

-- src/checking/breaches.queries.ts prepareForWholeTables
    select set_config('work_mem', '64MB', true), set_config('max_parallel_workers_per_gather', '0', true);

-- src/checking/deletion-laws.queries.ts findReturned
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select d.id, not exists (select
from records as r
where r.id = d.id)
        and not exists (select
from contents as c
where c.record_id = d.id)
        and not exists (select
from relations as e
where e.source_id = d.id
or e.target_id = d.id)
        and not exists (select
from handles as h
where h.record_id = d.id)
        and not exists (select
from embeddings as v
where v.record_id = d.id)
        and not exists (select
from access_log as l
where l.record_id = d.id)
        and exists (select
from audit_entries as a
where a.record_id = d.id)
      from departures as d
    ) as each (name, holds);

-- src/checking/deletion-laws.queries.ts findErasedWords
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select d.id, not exists (
          select
from audit_entries as a
          where a.record_id = d.id
and a.action <> 'erase'
and (a.rationale <> ''
or a.changes is not null)
        )
        and not exists (select
from status_changes as s
where s.record_id = d.id
and s.reason <> '')
        and exists (select
from audit_entries as a
where a.record_id = d.id
and a.action = 'erase')
      from departures as d
      where d.kind = 'erased'
    ) as each (name, holds);

-- src/checking/deletion-laws.queries.ts findErasedAnswers
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select each.key, not exists (
        select
from departures as d
        where d.kind = 'erased'
and each.quoted @> array[d.id::text]
      )
      from (
        select k.key, array(
          select quoted ->> 'id'
          from (
            select k.body::jsonb as quoted
            union all select k.body::jsonb -> 'record'
            union all select k.body::jsonb -> 'primary_record'
            union all select jsonb_array_elements(case jsonb_typeof(k.body::jsonb -> 'created_records')
              when 'array' then k.body::jsonb -> 'created_records' end)
            union all select jsonb_array_elements(case jsonb_typeof(k.body::jsonb -> 'results')
              when 'array' then k.body::jsonb -> 'results' end) -> 'record'
          ) as quoting
          where quoted ? 'payload'
        ) as quoted
        from idempotency_keys as k
        where k.body is not null
and exists (select
from departures
where kind = 'erased')
      ) as each
    ) as each (name, holds);

-- src/checking/deletion-laws.queries.ts findForeignTombstones
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (select t.id, t.key_id = (select key_id
from tombstones
order by created_at, id
limit 1)
from tombstones as t) as each (name, holds);

-- src/checking/edge-laws.queries.ts findLostDescent
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select concat_ws(' ', d.derived_id, d.kind, d.source_id), r.id is not null
        and not exists (select
from departures as gone
where gone.id = d.source_id
and gone.kind = 'erased')
        and (s.id is null
or not d.kind in ('supersede', 'fold', 'capture', 'consolidation', 'dream', 'fork', 'merge')
          or r.type = 'entity'
and d.kind = 'capture'
          or exists (
            select
from relations as e
            where e.source_id = d.derived_id
and e.target_id = d.source_id
              and e.predicate = case when d.kind in ('supersede', 'fold') then 'supersedes' else 'derived_from' end
          ))
      from descents as d
      left join records as r on r.id = d.derived_id
      left join records as s on s.id = d.source_id
    ) as each (name, holds);

-- src/checking/edge-laws.queries.ts findLostOrigins
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, exists (
        select
from descents as d
where d.derived_id = r.id
      )
      from records as r
      join relations as e on e.source_id = r.id
and e.predicate = 'derived_from'
and e.created_at = r.created_at
      where r.type in ('semantic', 'competence', 'plan_graph')
and exists (
        select
from audit_entries as a
        where a.record_id = r.id
and a.action = 'create'
and (a.run_id is not null
or a.rationale = 'captured')
      )
      union all
      select r.id, exists (
        select
from relations as e
        where e.source_id = r.id
and e.predicate = 'supersedes'
and e.target_id = old.id
      )
      from records as r
      join contents as c on c.record_id = r.id
      join records as old on old.id::text = c.payload #>> '{revision,supersedes}'
      join contents as past on past.record_id = old.id
        and past.payload #>> '{revision,superseded_by}' = r.id::text
      where r.type = 'semantic'
and old.status = 'superseded'
    ) as each (name, holds);

-- src/checking/edge-laws.queries.ts findOneWayEdges
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select concat_ws(' ', e.source_id, e.predicate, e.target_id), back.weight = e.weight
      from relations as e
      join (values ('mentions_entity', 'mentioned_in'), ('mentioned_in', 'mentions_entity'), ('derived_from', 'derives'), ('derives', 'derived_from'), ('references_record', 'referenced_by'), ('referenced_by', 'references_record'), ('subject_entity', 'fact_subject_of'), ('fact_subject_of', 'subject_entity'), ('object_entity', 'fact_object_of'), ('fact_object_of', 'object_entity'), ('depends_on', 'dependency_of'), ('dependency_of', 'depends_on'), ('uses', 'used_by'), ('used_by', 'uses'), ('caused_by', 'causes'), ('causes', 'caused_by'), ('supports', 'supported_by'), ('supported_by', 'supports'), ('contradicts', 'contradicted_by'), ('contradicted_by', 'contradicts'), ('supersedes', 'superseded_by'), ('superseded_by', 'supersedes')) as pair (predicate, inverse) on pair.predicate = e.predicate
      left join relations as back
        on back.source_id = e.target_id
and back.predicate = pair.inverse
and back.target_id = e.source_id
    ) as each (name, holds);

-- src/checking/histories.queries.ts findUnloggedVersions
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, coalesce(a.entries, 0) >= r.version
      from records as r
      left join (select record_id, count(*) as entries
from audit_entries group by record_id) as a
        on a.record_id = r.id
    ) as each (name, holds);

-- src/checking/histories.queries.ts findRewrittenEpisodes
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, not exists (
        select
from audit_entries as a, jsonb_object_keys(a.changes) as field
        where a.record_id = r.id
and jsonb_typeof(a.changes) = 'object'
          and field like 'payload%'
and field <> 'payload.outcome'
      )
      from records as r
      where r.type = 'episodic'
and r.version > 1
    ) as each (name, holds);

-- src/checking/histories.queries.ts findBrokenStatusChains
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select coalesce(r.id, chain.record_id), coalesce(chain.is_whole, true)
        and (r.id is null
or r.status::text = coalesce(chain.last,
          case when r.status = 'challenged' then 'challenged' else 'active' end))
      from records as r
      full join (
        select record_id, (array_agg(new::text
order by id desc))[1] as last,
          bool_and(
            case when before is null then old in ('active', 'challenged') else old = before end
            and ((old::text, new::text) in (('active', 'challenged'), ('active', 'invalidated'), ('active', 'merged'), ('active', 'superseded'), ('challenged', 'active'), ('challenged', 'invalidated'), ('challenged', 'merged'), ('challenged', 'superseded'), ('invalidated', 'active'))
              or step = 'revert'
and (old::text, new::text) in (('merged', 'active'), ('superseded', 'active')))
          ) as is_whole
        from (
          select record_id, id, old, new, step, lag(new) over (partition by record_id
order by id) as before
          from status_changes
        ) as moved
        group by record_id
      ) as chain on chain.record_id = r.id
    ) as each (name, holds);

-- src/checking/histories.queries.ts findBrokenScoreChains
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select chain.record_id, chain.is_whole
and (r.id is null
or r.importance = chain.last)
      from (
        select record_id, (array_agg(new
order by id desc))[1] as last,
          bool_and((before is null
or old = before)
and old <> new) as is_whole
        from (
          select record_id, id, old, new, lag(new) over (partition by record_id
order by id) as before
          from importance_history
        ) as moved
        group by record_id
      ) as chain
      left join records as r on r.id = chain.record_id
    ) as each (name, holds);

-- src/checking/histories.queries.ts findStaleScores
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, abs(r.importance - (greatest(0::float8, least(1::float8, 0.3::float8 * greatest(r.base_importance, 1e-300::float8) + 0.12::float8 * greatest(least(1::float8, ln(1 + used.weight::float8) / 3.044522437723423::float8), 1e-300::float8) + 0.12::float8 * greatest(
  case when r.layer not in ('semantic', 'procedural', 'codebase') then power(2::float8, -least(
    used.since * (1 + 2::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / 30::float8,
    64::float8
  )) else 1 end, 1e-300::float8) + 0.06::float8 * greatest(abs(r.emotional_valence), 1e-300::float8) + 0.06::float8 * greatest(
  case when r.access_count = 0 then 0
    else least(1::float8, used.days / least(r.access_count::float8, floor(used.age) + 1)) end, 1e-300::float8) + 0.12::float8 * greatest(case r.layer when 'working' then 0::float8 when 'episodic' then 0.3333333333333333::float8 when 'codebase' then 0.5::float8 when 'procedural' then 0.6666666666666666::float8 when 'semantic' then 1::float8 end, 1e-300::float8) + 0.08::float8 * greatest(case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end, 1e-300::float8) + 0.06::float8 * greatest(least(1::float8, ln(1 + r.confirmation_count::float8) / 1.791759469228055::float8), 1e-300::float8) + 0.08::float8 * greatest(
  1 / (1 + exp(-(1::float8 + ln(used.activation
    + 2 * (1 + greatest(0::float8, used.weight - used.known_weight)) / (sqrt(used.oldest) + sqrt(
      case when used.weight <= used.known_weight
and used.known < 32
        then used.oldest else used.nearest end
    ))
  )) / 1.5::float8)), 1e-300::float8))))) <= 0.08::float8 + 0.01::float8
        * date_part('epoch', $1::timestamptz - greatest(r.created_at, refreshed.at)) / 86400
      from records as r
left join lateral (
      select life.age, life.since,
  case when r.access_count = 0 then 0 else
    coalesce((select f.days
from access_folds as f
where f.record_id = r.id), 0)
    + case when r.access_count <= 100 then (
      select count(distinct floor(greatest(0::float8, date_part('epoch', l.at - r.created_at) / 86400)))
from access_log as l
where l.record_id = r.id
    ) else (
      with recursive visited (at) as (
        (select l.at
from access_log as l
where l.record_id = r.id
order by l.at desc
limit 1)
        union all
        select (
          select l.at
from access_log as l
          where l.record_id = r.id
and floor(greatest(0::float8, date_part('epoch', v.at - r.created_at) / 86400)) > 0
            and l.at < r.created_at + floor(greatest(0::float8, date_part('epoch', v.at - r.created_at) / 86400)) * interval '24 hours'
          order by l.at desc
          limit 1
        )
        from visited as v
where v.at is not null
      )
      select count(at)
from visited
    ) end
  end as days, count(recent.age)::integer as known,
        coalesce(sum(recent.weight), 0) as known_weight,
        coalesce(sum(recent.weight / sqrt(greatest(recent.age, 0.0006944444444444445::float8))), 0) as activation,
        greatest(coalesce(max(recent.age), life.since), 0.0006944444444444445::float8) as nearest,
        greatest(life.age, 0.0006944444444444445::float8) as oldest,
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) as weight
      from (
        select least(born.age, greatest(0::float8, date_part('epoch', $2::timestamptz - coalesce(r.last_accessed_at, r.created_at)) / 86400)) as since, born.age
        from (select greatest(0::float8, date_part('epoch', $3::timestamptz - r.created_at) / 86400) as age) as born
      ) as life
      left join lateral (
        select least(life.age, greatest(0::float8, date_part('epoch', $4::timestamptz - l.at) / 86400)) as age, case l.kind when 'used' then 1::float8 when 'served' then 0.25::float8 end as weight
        from access_log as l
        where l.record_id = r.id
and r.access_count > 0
        order by l.at desc, l.kind
        limit 32
      ) as recent on true
      group by life.age, life.since
    ) as used on true
      cross join (
        select max(started_at) as at
from maintenance_runs
        where job in ('dream', 'refresh_importance')
and status = 'succeeded'
and not dry_run
and scope is null
      ) as refreshed
      where r.forgotten_at is null
and not r.pinned
    ) as each (name, holds);

-- src/checking/histories.queries.ts findMiscountedAccesses
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, r.served_count <= r.access_count
and (r.last_accessed_at is null) = (r.access_count = 0)
        and coalesce(l.times, 0) <= r.access_count
and coalesce(l.served, 0) <= r.served_count
        and (l.latest is null
or l.latest <= r.last_accessed_at)
      from records as r
      left join (
        select record_id, count(*) as times, count(*) filter (where kind = 'served') as served, max(at) as latest
        from access_log group by record_id
      ) as l on l.record_id = r.id
    ) as each (name, holds);

-- src/checking/lifecycle-laws.queries.ts findWrongSaliences
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, case when r.pinned then r.salience = r.base_salience
        else salience_at(r, $1::timestamptz) - r.salience <= least(greatest(r.base_salience, 1), 1e300) * 1e-9
and r.salience - r.base_salience <= least(greatest(r.base_salience, 1), 1e300) * 1e-9 end
      from records as r
    ) as each (name, holds);

-- src/checking/lifecycle-laws.queries.ts findWrongExpiries
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, case when r.max_age_seconds = 0 then r.expires_at is null
        else r.expires_at = r.created_at + make_interval(secs => r.max_age_seconds) end
      from records as r
    ) as each (name, holds);

-- src/checking/lifecycle-laws.queries.ts findWrongPruneMoments
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, case
        when r.pinned
or r.deletion_policy <> 'auto_prune' then r.prune_at is null
        when r.base_salience <= 0.001 then r.prune_at = least(r.anchored_at, r.expires_at)
        when r.prune_at is null then salience_at(r, '9999-12-31 00:00:00+00') > 0.001 * (1 - 1e-9)
        else salience_at(r, r.prune_at) <= 0.001 * (1 + 1e-9)
          and salience_at(r, r.prune_at - interval '2 milliseconds') >= 0.001 * (1 - 1e-9) end
      from records as r
    ) as each (name, holds);

-- src/checking/lifecycle-laws.queries.ts findFutureTimes
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, greatest(r.created_at, r.updated_at, r.anchored_at, r.last_reinforced_at, r.last_accessed_at,
          r.forgotten_at) <= $1::timestamptz + '5 minutes'::interval
      from records as r
    ) as each (name, holds);

-- src/checking/lifecycle-laws.queries.ts findWrongForgettings
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, r.deletion_policy <> 'never'
and r.purge_at >= r.forgotten_at
        and (r.forgotten_reason not in ('pruned', 'archived')
or (r.deletion_policy = 'auto_prune'
and not r.pinned))
        and exists (select
from audit_entries as a
where a.record_id = r.id
and a.action in ('delete', 'archive'))
      from records as r
      where r.forgotten_at is not null
    ) as each (name, holds);

-- src/checking/lifecycle-laws.queries.ts findUnzeroedHistory
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, r.base_salience = 0
and r.salience = 0
        and (r.type <> 'semantic'
or c.payload #>> '{revision,status}' = 'retracted')
      from
  records as r
  join contents as c on c.record_id = r.id
  cross join lateral (
    select s.step
from status_changes as s
where s.record_id = r.id
order by s.id desc
limit 1
  ) as moved
  where r.status in ('superseded', 'merged')
and moved.step in ('supersede', 'merge', 'cluster')
    ) as each (name, holds);

-- src/checking/lifecycle-laws.queries.ts findLostSuccessors
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, exists (
        select
from relations as e
        where e.source_id = r.id
and (e.predicate = 'superseded_by'
or r.status = 'merged'
and e.predicate = 'derives')
      )
or exists (
        select
from departures as d
        where d.type = r.type
and coalesce(d.id::text = c.payload #>> '{revision,superseded_by}', true)
      )
      from
  records as r
  join contents as c on c.record_id = r.id
  cross join lateral (
    select s.step
from status_changes as s
where s.record_id = r.id
order by s.id desc
limit 1
  ) as moved
  where r.status in ('superseded', 'merged')
and moved.step in ('supersede', 'merge', 'cluster')
    ) as each (name, holds);

-- src/checking/maintenance-laws.queries.ts findUnlistedEpisodes
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select coalesce(r.id, u.record_id), r.id is not null
and (u.record_id is not null
or r.version > 1
        or r.pinned
or r.forgotten_at is not null
or r.status not in ('active', 'challenged')
        or r.base_salience <= 0.05)
      from (select id, version, pinned, forgotten_at, status, base_salience
from records
where type = 'episodic') as r
      full join (
        select record_id
from unconsolidated group by record_id having bool_or(stage = 'episodic')
or
          not exists (select
from records
where id = record_id
and type = 'episodic')
      ) as u on u.record_id = r.id
    ) as each (name, holds);

-- src/checking/maintenance-laws.queries.ts findStrayRuns
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select coalesce(m.job, l.job), case when l.run_id is null then m.id is null else m.id = l.run_id end
        and (l.holder is null) = (l.run_id is null)
      from job_leases as l
      full join (select id, job
from maintenance_runs
where status = 'running') as m on m.job = l.job
    ) as each (name, holds);

-- src/checking/maintenance-laws.queries.ts findWrongAnswers
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select k.key, k.expires_at >= k.created_at
and k.status between 200
and 299
        and (k.body is null
or jsonb_typeof(k.body::jsonb) = 'object')
      from idempotency_keys as k
    ) as each (name, holds);

-- src/checking/maintenance-laws.queries.ts findLiftedGuards
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select c.conname, c.convalidated
      from pg_constraint as c
where c.connamespace = current_schema()::regnamespace
      union all
      select i.indexrelid::regclass::text, i.indisvalid
      from pg_index as i join pg_class as t on t.oid = i.indrelid
      where t.relnamespace = current_schema()::regnamespace
      union all
      select g.tgname, g.tgenabled = 'O'
      from pg_trigger as g join pg_class as t on t.oid = g.tgrelid
      where t.relnamespace = current_schema()::regnamespace
      union all
      select log || ' is append-only', (
        select count(*) = 2
from pg_trigger as g
        where g.tgrelid = log::regclass
and g.tgname in (log || '_append_only', log || '_kept')
      )
      from unnest($1::text[]) as log
    ) as each (name, holds);

-- src/checking/name-laws.queries.ts findLostContents
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, c.payload ->> 'kind' = r.type::text
      from records as r
      left join contents as c on c.record_id = r.id
    ) as each (name, holds);

-- src/checking/name-laws.queries.ts findUnsearchable
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, array['scope ' || r.scope, 'type ' || r.type] <@ tsvector_to_array(c.search)
        and cardinality(c.tags) = (select count(distinct tag)
from unnest(c.tags) as tag)
      from records as r
      join contents as c on c.record_id = r.id
    ) as each (name, holds);

-- src/checking/name-laws.queries.ts findWrongIdentifiers
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, case
        when r.status in ('active', 'challenged') then known.pairs is not distinct
from said.pairs
        else known.pairs is null
or coalesce(moved.step not in ('supersede', 'merge'), true) end
      from records as r
      join contents as c on c.record_id = r.id
      cross join lateral (
        select jsonb_agg(pair
order by pair) as pairs
        from jsonb_array_elements(c.payload -> 'identifiers') as each,
          jsonb_build_array(r.scope, r.sensitivity, each ->> 'namespace', each ->> 'value') as pair
      ) as said
      cross join lateral (
        select jsonb_agg(pair
order by pair) as pairs
        from entity_identifiers as i, jsonb_build_array(i.scope, i.sensitivity, i.namespace, i.value) as pair
        where i.record_id = r.id
      ) as known
      left join lateral (
        select s.step
from status_changes as s
where s.record_id = r.id
order by s.id desc
limit 1
      ) as moved on true
      where r.type = 'entity'
    ) as each (name, holds);

-- src/checking/name-laws.queries.ts listNamed
    select next.id, c.payload, array(
      select encode(h.digest, 'hex') || coalesce(encode(h.detail, 'hex'), '')
      from handles as h
where h.record_id = next.id
and h.scope = next.scope
    ) as digests
    from (
      select r.id, r.scope
from records as r
      where r.id > $1::uuid
and r.type <> 'episodic'
and r.status in ('active', 'challenged')
      order by r.id
      limit $2
    ) as next
    join contents as c on c.record_id = next.id
    order by next.id;

-- src/checking/vector-laws.queries.ts findUnsignedVectors
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select coalesce(e.record_id, s.record_id), e.record_id is not null
and s.record_id is not null
      from embeddings as e
      full join signatures as s on s.record_id = e.record_id
and s.model_id = e.model_id
    ) as each (name, holds);

-- src/checking/vector-laws.queries.ts findMisshapenVectors
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select e.record_id, octet_length(e.code) = case when e.bits = 32 then m.dimensions * 4
        else 8 + ceil(m.dimensions * e.bits / 8.0) end
      from embeddings as e
      join embedding_models as m on m.id = e.model_id
    ) as each (name, holds);

-- src/checking/vector-laws.queries.ts findForgottenTexts
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, exists (select
from embeddings as e
where e.record_id = r.id
and e.model_id = m.id)
        or exists (select
from unembedded as u
where u.record_id = r.id)
      from embedding_models as m
      join records as r on r.sensitivity <= m.max_sensitivity
      join contents as c on c.record_id = r.id
      where m.embeds
and m.provider = 'hash'
and m.walked_to is null
and c.words > 0
    ) as each (name, holds);

-- src/checking/vector-laws.queries.ts findWrongSurprises
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select s.record_id, s.delta <= 0.3
and (s.duplicate_of is null
or (s.delta <= 0
and s.duplicate_of <> s.record_id))
        and not exists (select
from unsurprised as u
where u.record_id = s.record_id)
      from surprises as s
    ) as each (name, holds);

-- src/consolidation/episode-batches.queries.ts countDue: everywhere
select $1::text as stage, (select count(*)
from unconsolidated as u
where u.stage = $2
and u.due_at <= $3::timestamptz
    and (u.claimed_until is null
or u.claimed_until <= $4::timestamptz) ) as count union all select $5::text as stage, (select count(*)
from unconsolidated as u
where u.stage = $6
and u.due_at <= $7::timestamptz
    and (u.claimed_until is null
or u.claimed_until <= $8::timestamptz) ) as count;

-- src/consolidation/episode-batches.queries.ts countDue: in a scope
select $1::text as stage, (select count(*)
from unconsolidated as u
where u.stage = $2
and u.due_at <= $3::timestamptz
    and (u.claimed_until is null
or u.claimed_until <= $4::timestamptz)
and exists (select
from records as r
where r.id = u.record_id
and r.scope = $5)) as count;

-- src/consolidation/episode-batches.queries.ts claimNext: everywhere
    select due_at::text as at, record_id as id
from (
    select u.record_id, u.due_at
    from unconsolidated as u
    where u.stage = $1
and u.due_at <= $2::timestamptz
    and (u.claimed_until is null
or u.claimed_until <= $3::timestamptz)
and (u.due_at, u.record_id) > ($4::timestamptz, $5::uuid)
    order by u.due_at, u.record_id
    limit $6
    for update skip locked
  ) as claimed
order by due_at, record_id;

-- src/consolidation/episode-batches.queries.ts claimNext: in a scope
    select due_at::text as at, record_id as id
from (
    select u.record_id, u.due_at
    from unconsolidated as u
    where u.stage = $1
and u.due_at <= $2::timestamptz
    and (u.claimed_until is null
or u.claimed_until <= $3::timestamptz)
and exists (select
from records as r
where r.id = u.record_id
and r.scope = $4)
and (u.due_at, u.record_id) > ($5::timestamptz, $6::uuid)
    order by u.due_at, u.record_id
    limit $7
    for update skip locked
  ) as claimed
order by due_at, record_id;

-- src/consolidation/episode-batches.queries.ts claimReadable
    with claimed as materialized (
    select u.record_id, u.due_at
    from unconsolidated as u
    where u.stage = $1
and u.due_at <= $2::timestamptz
    and (u.claimed_until is null
or u.claimed_until <= $3::timestamptz)
and (u.due_at, u.record_id) > ($4::timestamptz, $5::uuid)
    order by u.due_at, u.record_id
    limit $6
    for update skip locked
  ), sized as (
      select record_id, due_at, row_number() over by_age as place,
        sum(coalesce(pg_column_size(c.payload), 0)) over by_age as bytes
      from claimed
left join contents as c using (record_id)
      window by_age as (order by due_at, record_id)
    )
    select due_at::text as at, record_id as id
from sized
    where bytes <= $7
or place = 1
    order by due_at, record_id;

-- src/consolidation/episode-batches.queries.ts findEpisodes
    select r.id, r.scope, r.sensitivity, r.confidence, r.created_at, c.tags,
      c.payload - 'environment' as payload
    from records as r
    join contents as c on c.record_id = r.id
    where r.id = any($1::uuid[])
and r.type = 'episodic'
and r.forgotten_at is null
      and r.status in ('active', 'challenged', 'merged')
    order by r.created_at, r.id;

-- src/consolidation/episode-batches.queries.ts finish
    delete
from unconsolidated
    where stage = $1
and record_id = any($2::uuid[]);

-- src/consolidation/episode-batches.queries.ts putOff
    with failed as materialized (
      select u.record_id, u.due_at
      from unconsolidated as u
      where u.stage = $1
and u.due_at <= $2::timestamptz
    and (u.claimed_until is null
or u.claimed_until <= $3::timestamptz)
and (u.due_at, u.record_id) > ($4::timestamptz, $5::uuid)
      order by u.due_at, u.record_id
      limit 1
      for update skip locked
    )
    update unconsolidated as u
    set attempts = u.attempts + 1, error = $6, claimed_until = null,
      due_at = case when u.attempts + 1 >= $7 then 'infinity'
        else $8::timestamptz + $9::interval * power(4, u.attempts) end
    from failed
    where u.record_id = failed.record_id
and u.stage = $10
    returning failed.due_at::text as at, u.record_id as id, u.attempts, u.due_at = 'infinity' as is_given_up;

-- src/consolidation/episode-batches.queries.ts lockHandles
    select pg_advisory_xact_lock(
      ('x' || encode(substring(digest
from 1 for 8), 'hex'))::bit(64)::bigint # hashtextextended(scope, 0)
    )
    from (
      select distinct digest, scope
      from unnest(
        $1::bytea[], $2::text[]
      ) as handle (digest, scope)
      order by digest, scope
    ) as ordered;

-- src/consolidation/episode-batches.queries.ts beginPart
savepoint part;

-- src/consolidation/episode-batches.queries.ts endPart
savepoint part;
release savepoint part;

-- src/consolidation/episode-batches.queries.ts undoPart
savepoint part;
rollback to savepoint part;

-- src/consolidation/episode-compression.queries.ts claimAged
    with held as materialized (
      select r.id, r.curve, r.half_life_seconds, r.min_salience, r.base_salience, r.anchored_at, r.expires_at, r.pinned,
        r.deletion_policy,
        r.type = 'episodic'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
and not r.pinned
          as is_live
      from records as r
      where r.id = any($1::uuid[])
      order by r.id
      for no key update skip locked
    )
    select held.id, held.curve, held.half_life_seconds, held.min_salience, held.base_salience, held.anchored_at,
      held.expires_at, held.pinned, held.deletion_policy,
      held.is_live
and not exists (
        select
from audit_entries as a
        where a.record_id = held.id
and a.action = 'decay'
and a.actor = $2
      ) as is_due
    from held;

-- src/consolidation/episode-compression.queries.ts findPresent
    select id
from records
where id = any($1::uuid[]);

-- src/consolidation/episode-compression.queries.ts writeCompressed
    with incoming as materialized (
      select *
from unnest(
        $1::uuid[],
        $2::float8[],
        $3::float8[],
        $4::float8[],
        $5::float8[],
        $6::timestamptz[]
      ) as incoming (id, base_before, base_after, before, after, prune_at)
    ), record as (
      update records as r
      set base_salience = i.base_after, salience = i.after, prune_at = i.prune_at, version = r.version + 1,
        updated_at = greatest(r.updated_at, $7::timestamptz)
      from incoming as i
      where r.id = i.id
      returning r.id, r.updated_at
    ), entry as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
      select id, $8::uuid, updated_at, 'decay', $9, 'compressed: what it taught is kept apart',
        jsonb_build_object(
          'base_salience', jsonb_build_array(base_before, base_after), 'salience', jsonb_build_array(before, after)
        )
      from incoming join record using (id)
    )
    delete
from unconsolidated
    where stage = 'episodic'
and record_id = any($10::uuid[]);

-- src/consolidation/extraction/extraction.queries.ts releaseAll
    update unconsolidated
set claimed_until = null
where stage = 'extraction'
and claimed_until is not null;

-- src/consolidation/extraction/extraction.queries.ts keepClaimed
    update unconsolidated
set claimed_until = $1::timestamptz
    where stage = 'extraction'
and record_id = any($2::uuid[]);

-- src/consolidation/extraction/extraction.queries.ts release
    update unconsolidated
set claimed_until = null
    where stage = 'extraction'
and record_id = any($1::uuid[]);

-- src/consolidation/extraction/extraction.queries.ts lockHeld
    select record_id as id
from unconsolidated
    where stage = 'extraction'
and record_id = any($1::uuid[])
    order by record_id
    for update;

-- src/consolidation/extraction/extraction.queries.ts putOffHeld
    update unconsolidated
    set attempts = attempts + 1, error = $1, claimed_until = null,
      due_at = case when attempts + 1 >= $2 then 'infinity'
        else $3::timestamptz + $4::interval * power(4, attempts) end
    where stage = 'extraction'
and record_id = $5::uuid
    returning record_id as id, attempts, due_at = 'infinity' as is_given_up;

-- src/consolidation/extraction/extraction.queries.ts findSpent
    select coalesce((stats ->> 'extraction_prompt_tokens')::float8, 0) as prompt,
      coalesce((stats ->> 'extraction_completion_tokens')::float8, 0) as completion,
      coalesce((stats ->> 'extraction_cost_micros')::float8, 0) as cost
    from maintenance_runs
where id = $1::uuid;

-- src/consolidation/facts/facts.queries.ts findFacts
    select wanted.place::int - 1 as place, r.id, r.status, r.pinned, r.forgotten_at is not null as is_forgotten,
      coalesce(c.payload #>> '{revision,status}' = 'retracted', false) as is_retracted
    from unnest(
      $1::bytea[], $2::bytea[],
      $3::text[], $4::sensitivity[]
    ) with ordinality as wanted (digest, detail, scope, sensitivity, place)
    join handles as h on h.digest = wanted.digest
and h.detail = wanted.detail
and h.scope = wanted.scope
      and h.detail is not null
    join records as r on r.id = h.record_id
and r.scope = wanted.scope
and r.sensitivity = wanted.sensitivity
    join contents as c on c.record_id = r.id
    where r.type = 'semantic'
    order by r.created_at, r.id;

-- src/consolidation/facts/facts.queries.ts findWitnessed
    select source_id as fact, target_id as episode
    from relations
    where source_id = any($1::uuid[])
and predicate = 'derived_from'
      and target_id = any($2::uuid[]);

-- src/consolidation/facts/facts.queries.ts findEntities
    select wanted.place::int - 1 as place, r.id, r.scope, r.status, r.created_at, c.payload
    from unnest(
      $1::bytea[], $2::text[],
      $3::sensitivity[]
    ) with ordinality as wanted (digest, scope, sensitivity, place)
    join handles as h on h.digest = wanted.digest
and h.scope in (wanted.scope, $4)
and h.detail is null
    join records as r on r.id = h.record_id
and r.scope = h.scope
and r.sensitivity <= wanted.sensitivity
    join contents as c on c.record_id = r.id
    where r.type = 'entity'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
    order by r.id
    for key share of r;

-- src/consolidation/facts/facts.queries.ts claimFacts
    select r.id, r.scope, r.sensitivity, r.curve, r.half_life_seconds, r.min_salience, r.base_salience, r.anchored_at, r.expires_at, r.pinned,
      r.deletion_policy, r.salience, r.created_at, r.max_age_seconds, r.reinforcement_gain, r.max_salience,
      r.last_reinforced_at, r.prune_at
    from records as r
    where r.id = any($1::uuid[])
and r.forgotten_at is null
and not r.pinned
      and r.status in ('active', 'challenged')
    order by r.id
    for no key update;

-- src/consolidation/facts/facts.queries.ts insertWitnesses
    with pair as materialized (
      select *
from unnest(
        $1::uuid[], $2::uuid[]
      ) as pair (fact, episode)
    ), descent as (
      insert into descents (derived_id, source_id, kind, is_ground)
      select p.fact, p.episode, 'consolidation', exists (
        select
from descents as d
where d.derived_id = p.fact
and d.is_ground
      )
      from pair as p
      on conflict on constraint descents_pkey do nothing
    ), edge as (
      insert into relations (source_id, predicate, target_id, weight, created_at)
      select fact, 'derived_from', episode, 1, $3::timestamptz
from pair
      union all
      select episode, 'derives', fact, 1, $4::timestamptz
from pair
      order by 1, 2, 3
      on conflict on constraint relations_pkey do nothing
      returning source_id, predicate, target_id
    )
    select source_id as fact, target_id as episode
from edge
where predicate = 'derived_from';

-- src/consolidation/facts/facts.queries.ts writeReinforced
    with incoming as materialized (
      select *
from unnest(
        $1::uuid[],
        $2::float8[],
        $3::timestamptz[],
        $4::timestamptz[],
        $5::float8[],
        $6::timestamptz[],
        $7::timestamptz[],
        $8::int4[]
      ) as incoming (
        id, base_salience, anchored_at, last_reinforced_at, salience, expires_at, prune_at, times
      )
    ), each as materialized (
      select *
from unnest(
        $9::uuid[], $10::text[],
        $11::text[], $12::float8[],
        $13::float8[], $14::int4[]
      ) with ordinality as each (id, episode, told_at, before, after, nth, place)
    ), witness as (
      select id,
        jsonb_agg(
          jsonb_build_object('source_type', 'event', 'source_id', episode, 'timestamp', told_at)
order by place
        ) as evidence,
        jsonb_agg(jsonb_build_object('kind', 'event', 'ref', episode, 'timestamp', told_at)
order by place) as sources
      from each
      where nth < $15
      group by id
    ), record as (
      update records as r
      set base_salience = i.base_salience, anchored_at = i.anchored_at, last_reinforced_at = i.last_reinforced_at,
        salience = i.salience, expires_at = i.expires_at, prune_at = i.prune_at, version = r.version + i.times,
        updated_at = greatest(r.updated_at, $16::timestamptz)
      from incoming as i
      where r.id = i.id
      returning r.id, r.updated_at
    ), content as (
      update contents as c
      set payload = jsonb_set(c.payload, '{evidence}', (c.payload -> 'evidence') || w.evidence),
        provenance = jsonb_set(c.provenance, '{sources}', (c.provenance -> 'sources') || w.sources)
      from witness as w
      where c.record_id = w.id
and jsonb_array_length(c.payload -> 'evidence') < $17
    )
    insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
    select id, $18::uuid, updated_at, 'reinforce', $19, 'observed again',
      jsonb_build_object(
        'evidence', jsonb_build_array(null, episode), 'salience', jsonb_build_array(before, after)
      )
    from each join record using (id)
    order by place;

-- src/consolidation/practices/practices.queries.ts findCounted
    select episode_id as episode, outcome, digest, scope
    from episode_tallies
    where stage = $1
and episode_id = any($2::uuid[]);

-- src/consolidation/practices/practices.queries.ts writeCounted
    insert into episode_tallies (episode_id, stage, outcome, digest, scope)
    select id, $1::consolidation_stage, outcome, digest, scope
    from unnest(
      $2::uuid[], $3::text[],
      $4::bytea[], $5::text[]
    ) as counted (id, outcome, digest, scope)
    on conflict (episode_id, stage) do update
set outcome = excluded.outcome;

-- src/consolidation/practices/practices.queries.ts findPractices
    select wanted.place::int - 1 as place, r.id, r.status, r.pinned, r.forgotten_at is not null as is_forgotten,
      coalesce(c.provenance ->> 'created_by' = $1, false) as is_ours
    from unnest(
      $2::bytea[], $3::text[],
      $4::sensitivity[]
    ) with ordinality as wanted (digest, scope, sensitivity, place)
    join handles as h on h.digest = wanted.digest
and h.scope = wanted.scope
    join records as r on r.id = h.record_id
and r.scope = wanted.scope
and r.sensitivity = wanted.sensitivity
    join contents as c on c.record_id = r.id
    where r.type = $5::record_type
    order by r.created_at, r.id;

-- src/consolidation/practices/practices.queries.ts countWaiting
    with wanted as materialized (
      select *
from unnest(
        $1::bytea[], $2::text[],
        $3::sensitivity[]
      ) with ordinality as wanted (digest, scope, sensitivity, place)
    ), each as materialized (
      select w.place, t.episode_id, t.outcome, coalesce(
        r.forgotten_at is null
and r.status in ('active', 'challenged', 'merged')
and r.scope = w.scope
          and r.sensitivity = w.sensitivity, false) as is_there
      from wanted as w
      join episode_tallies as t on t.digest = w.digest
and t.scope = w.scope
and t.stage = $4
      join records as r on r.id = t.episode_id
    ), gone as (
      delete
from episode_tallies as t using each
      where t.episode_id = each.episode_id
and t.stage = $5
and not each.is_there
    )
    select place::int - 1 as place, (count(*) filter (where outcome = 'success'))::int as successes,
      (count(*) filter (where outcome = 'failure'))::int as failures,
      (array_agg(episode_id::text
order by episode_id desc))[1:100] as episodes
    from each
    where is_there
and outcome in ('success', 'failure')
    group by place;

-- src/consolidation/practices/practices.queries.ts claimPractices
    with claimed as materialized (
      select r.id, r.curve, r.half_life_seconds, r.min_salience, r.base_salience, r.anchored_at, r.expires_at, r.pinned,
        r.deletion_policy, r.salience, r.created_at, r.max_age_seconds, r.reinforcement_gain, r.max_salience,
        r.last_reinforced_at, r.prune_at
      from records as r
      where r.id = any($1::uuid[])
and r.forgotten_at is null
and not r.pinned
        and r.status in ('active', 'challenged')
      order by r.id
      for no key update
    )
    select claimed.*, c.payload -> $2::text as kept
    from claimed
    join contents as c on c.record_id = claimed.id;

-- src/consolidation/practices/practices.queries.ts writeLearnt
    with incoming as materialized (
      select *
from unnest(
        $1::uuid[],
        $2::float8[],
        $3::timestamptz[],
        $4::timestamptz[],
        $5::float8[],
        $6::timestamptz[],
        $7::timestamptz[],
        $8::text[],
        $9::int4[]
      ) as incoming (
        id, base_salience, anchored_at, last_reinforced_at, salience, expires_at, prune_at, kept, times
      )
    ), each as materialized (
      select *
from unnest(
        $10::uuid[], $11::audit_action[],
        $12::text[], $13::text[],
        $14::text[]
      ) with ordinality as each (id, action, episode, told_at, changes, place)
    ), source as (
      select id,
        jsonb_agg(jsonb_build_object('kind', 'event', 'ref', episode, 'timestamp', told_at)
order by place) as sources
      from each
      group by id
    ), record as (
      update records as r
      set base_salience = i.base_salience, anchored_at = i.anchored_at, last_reinforced_at = i.last_reinforced_at,
        salience = i.salience, expires_at = i.expires_at, prune_at = i.prune_at, version = r.version + i.times,
        updated_at = greatest(r.updated_at, $15::timestamptz)
      from incoming as i
      where r.id = i.id
      returning r.id, r.updated_at
    ), content as (
      update contents as c
      set payload = jsonb_set(c.payload, array[$16::text], i.kept::jsonb),
        provenance = case when jsonb_array_length(c.provenance -> 'sources') < $17
          then jsonb_set(c.provenance, '{sources}', (c.provenance -> 'sources') || s.sources)
          else c.provenance end
      from incoming as i
      join source as s using (id)
      where c.record_id = i.id
    )
    insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
    select id, $18::uuid, updated_at, action, $19,
      case when action = 'reinforce' then 'done again' else 'counted' end, changes::jsonb
    from each join record using (id)
    order by place;

-- src/dream/archival-step.queries.ts countAged
    select count(*)::int4 as count
from records as r
where r.created_at < $1::timestamptz
and r.forgotten_at is null
and not r.pinned
    and r.status in ('active', 'challenged')
and r.deletion_policy = 'auto_prune'
    and r.layer not in ('semantic', 'procedural', 'codebase')
    and
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) < 3;

-- src/dream/archival-step.queries.ts claimAged
    select r.created_at::text as at, r.id
from records as r
    where r.created_at < $1::timestamptz
and r.forgotten_at is null
and not r.pinned
    and r.status in ('active', 'challenged')
and r.deletion_policy = 'auto_prune'
    and r.layer not in ('semantic', 'procedural', 'codebase')
    and
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) < 3
and r.scope = $2
and (r.created_at, r.id) > ($3::timestamptz, $4::uuid)
    order by r.created_at, r.id
    limit $5
    for no key update skip locked;

-- src/dream/archival-step.queries.ts archive
    with judged as materialized (
      select r.id, (
    case when r.layer = any($1::memory_layer[]) then 1::float8
    else least(1::float8,
      case when least(
    greatest(date_part('epoch', $2::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $3::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $4::float8,
    $5::float8
  ) <= $6::float8 then power(2::float8, -least(
    greatest(date_part('epoch', $7::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $8::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $9::float8,
    $10::float8
  ))
    else greatest(0, power(2::float8, -$11::float8) * (1 - ln(2::float8) * (least(
    greatest(date_part('epoch', $12::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $13::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $14::float8,
    $15::float8
  ) - $16::float8))) end
      + least($17::float8, $18::float8 * ln(1 + r.access_count::float8))
    ) end
  ) as retention, greatest(0::float8, least(1::float8, 0.3::float8 * greatest(r.base_importance, 1e-300::float8) + 0.12::float8 * greatest(least(1::float8, ln(1 + used.weight::float8) / 3.044522437723423::float8), 1e-300::float8) + 0.12::float8 * greatest(
  case when r.layer not in ('semantic', 'procedural', 'codebase') then power(2::float8, -least(
    used.since * (1 + 2::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / 30::float8,
    64::float8
  )) else 1 end, 1e-300::float8) + 0.06::float8 * greatest(abs(r.emotional_valence), 1e-300::float8) + 0.06::float8 * greatest(
  case when r.access_count = 0 then 0
    else least(1::float8, used.days / least(r.access_count::float8, floor(used.age) + 1)) end, 1e-300::float8) + 0.12::float8 * greatest(case r.layer when 'working' then 0::float8 when 'episodic' then 0.3333333333333333::float8 when 'codebase' then 0.5::float8 when 'procedural' then 0.6666666666666666::float8 when 'semantic' then 1::float8 end, 1e-300::float8) + 0.08::float8 * greatest(case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end, 1e-300::float8) + 0.06::float8 * greatest(least(1::float8, ln(1 + r.confirmation_count::float8) / 1.791759469228055::float8), 1e-300::float8) + 0.08::float8 * greatest(
  1 / (1 + exp(-(1::float8 + ln(used.activation
    + 2 * (1 + greatest(0::float8, used.weight - used.known_weight)) / (sqrt(used.oldest) + sqrt(
      case when used.weight <= used.known_weight
and used.known < 32
        then used.oldest else used.nearest end
    ))
  )) / 1.5::float8)), 1e-300::float8))) as importance,
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) as accesses, date_part('epoch', $19::timestamptz - r.created_at) / 86400 as age_days,
        salience_at(r, $20::timestamptz) as salience
      from records as r
left join lateral (
      select life.age, life.since,
  case when r.access_count = 0 then 0 else
    coalesce((select f.days
from access_folds as f
where f.record_id = r.id), 0)
    + case when r.access_count <= 100 then (
      select count(distinct floor(greatest(0::float8, date_part('epoch', l.at - r.created_at) / 86400)))
from access_log as l
where l.record_id = r.id
    ) else (
      with recursive visited (at) as (
        (select l.at
from access_log as l
where l.record_id = r.id
order by l.at desc
limit 1)
        union all
        select (
          select l.at
from access_log as l
          where l.record_id = r.id
and floor(greatest(0::float8, date_part('epoch', v.at - r.created_at) / 86400)) > 0
            and l.at < r.created_at + floor(greatest(0::float8, date_part('epoch', v.at - r.created_at) / 86400)) * interval '24 hours'
          order by l.at desc
          limit 1
        )
        from visited as v
where v.at is not null
      )
      select count(at)
from visited
    ) end
  end as days, count(recent.age)::integer as known,
        coalesce(sum(recent.weight), 0) as known_weight,
        coalesce(sum(recent.weight / sqrt(greatest(recent.age, 0.0006944444444444445::float8))), 0) as activation,
        greatest(coalesce(max(recent.age), life.since), 0.0006944444444444445::float8) as nearest,
        greatest(life.age, 0.0006944444444444445::float8) as oldest,
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) as weight
      from (
        select least(born.age, greatest(0::float8, date_part('epoch', $21::timestamptz - coalesce(r.last_accessed_at, r.created_at)) / 86400)) as since, born.age
        from (select greatest(0::float8, date_part('epoch', $22::timestamptz - r.created_at) / 86400) as age) as born
      ) as life
      left join lateral (
        select least(life.age, greatest(0::float8, date_part('epoch', $23::timestamptz - l.at) / 86400)) as age, case l.kind when 'used' then 1::float8 when 'served' then 0.25::float8 end as weight
        from access_log as l
        where l.record_id = r.id
and r.access_count > 0
        order by l.at desc, l.kind
        limit 32
      ) as recent on true
      group by life.age, life.since
    ) as used on true
      where r.id = any($24::uuid[])
and r.created_at < $25::timestamptz
and r.forgotten_at is null
and not r.pinned
    and r.status in ('active', 'challenged')
and r.deletion_policy = 'auto_prune'
    and r.layer not in ('semantic', 'procedural', 'codebase')
    and
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) < 3
    ), archived as (
      update records as r
      set forgotten_at = $26::timestamptz, forgotten_reason = 'archived', forgotten_by = $27,
        forgotten_run_id = $28::uuid, purge_at = $29::timestamptz
      from judged as j
      where r.id = j.id
and j.retention < $30::float8
        and j.importance < $31::float8
      returning j.*
    ), audited as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
      select id, $32::uuid, $33::timestamptz, 'archive', $34,
        'archived: old, hardly kept, of little importance
and rarely used',
        jsonb_build_object('forgotten', jsonb_build_array(null, $35::jsonb
          || jsonb_build_object(
            'retention', retention, 'importance', importance, 'accesses', accesses, 'age_days', age_days
          )))
      from archived
    )
    select id, retention, importance, accesses, age_days, salience
from archived
order by id;

-- src/dream/clustering/clustering.queries.ts listPartitions
    select r.scope, r.memory_kind, r.sensitivity
from records as r
    where r.type in ('episodic', 'semantic')
and r.forgotten_at is null
and r.status = 'active'
  and not r.pinned
and r.source_type <> 'dream'
  and not (r.type = 'semantic'
and exists (
    select
from contents as own
where own.record_id = r.id
and own.tags && array['peer-card', 'synthesis']::text[]
  ))
  and not exists (select
from status_changes as s
where s.record_id = r.id
and s.old = 'merged')
and r.scope = $1
    group by r.scope, r.memory_kind, r.sensitivity
    having count(*) >= 5
    order by r.scope, r.memory_kind, r.sensitivity;

-- src/dream/clustering/clustering.queries.ts readPortion
    select string_agg(uuid_send(id) || bit_send(bits), ''::bytea
order by id) as packed
    from (
      select r.id, s.bits
      from records as r join signatures as s on s.record_id = r.id
and s.model_id = $1
      where r.scope = $2
and r.memory_kind = $3
and r.sensitivity = $4
and r.type in ('episodic', 'semantic')
and r.forgotten_at is null
and r.status = 'active'
  and not r.pinned
and r.source_type <> 'dream'
  and not (r.type = 'semantic'
and exists (
    select
from contents as own
where own.record_id = r.id
and own.tags && array['peer-card', 'synthesis']::text[]
  ))
  and not exists (select
from status_changes as s
where s.record_id = r.id
and s.old = 'merged')
and r.id > $5::uuid
      order by r.id
      limit $6
    ) as portion;

-- src/dream/clustering/clustering.queries.ts findMembers
    select r.id, r.version, r.created_at, c.tags,
      case when pg_column_size(c.payload) <= 65536 then c.payload end as payload
    from unnest($1::uuid[]) with ordinality as wanted (id, place)
    join records as r on r.id = wanted.id
    join contents as c on c.record_id = r.id
    order by wanted.place;

-- src/dream/clustering/clustering.queries.ts carryCounts
    update records as heir
    set access_count = least(parts.accesses, 2147483647)::int4, served_count = least(parts.served, 2147483647)::int4,
      confirmation_count = least(parts.confirmations, 2147483647)::int4, last_accessed_at = parts.last_accessed_at,
      base_importance = greatest(heir.base_importance, parts.base_importance), confidence = parts.confidence
    from (
      select sum(access_count) as accesses, sum(served_count) as served, sum(confirmation_count) as confirmations,
        max(last_accessed_at) as last_accessed_at, max(base_importance) as base_importance,
        min(confidence) as confidence
      from records
where id = any($1::uuid[])
    ) as parts
    where heir.id = $2::uuid;

-- src/dream/clustering/clustering.queries.ts findOrphans
    select r.id
    from records as r
    cross join lateral (
      select s.step, s.at
from status_changes as s
where s.record_id = r.id
order by s.id desc
limit 1
    ) as moved
    where r.status = 'merged'
and r.forgotten_at is null
and not r.pinned
and moved.step = 'cluster'
      and r.id > $1::uuid
and r.scope = $2
      and not exists (
        select
from relations as e
        where e.source_id = r.id
and e.predicate = 'derives'
and e.created_at = moved.at
      )
    order by r.id
    limit $3;

-- src/dream/clustering/clustering.queries.ts findListed
    select record_id as id
from maintenance_changes
    where run_id = $1::uuid
and action = 'candidate'
and record_id = any($2::uuid[]);

-- src/dream/drift/drift.queries.ts countJudged
    select count(*)::int4 as count
from records as r
where r.type in ('entity', 'semantic', 'competence', 'plan_graph')
and r.forgotten_at is null
and r.id > $1::uuid
and r.scope = $2
and not r.pinned
  and (r.status in ('active', 'challenged')
or (r.status = 'invalidated'
and coalesce((
  select s.step = 'drift'
from status_changes as s
where s.record_id = r.id
order by s.id desc
limit 1
), false)));

-- src/dream/drift/drift.queries.ts listJudged
    select r.id, r.version, r.scope, r.status, coalesce((
  select s.step = 'drift'
from status_changes as s
where s.record_id = r.id
order by s.id desc
limit 1
), false) as is_own, (select m.run_id
from drift_misses as m
where m.record_id = r.id) as missed_by, (
  select case
    when pg_column_size(c.payload) <= 262144
      and (c.payload::text like '%/%'
or c.payload::text like '%npm run%'
or c.payload ->> 'primary_type' = 'File')
    then c.payload end
  from contents as c
where c.record_id = r.id
) as payload
    from records as r
    where r.type in ('entity', 'semantic', 'competence', 'plan_graph')
and r.forgotten_at is null
and r.id > $1::uuid
and not r.pinned
  and (r.status in ('active', 'challenged')
or (r.status = 'invalidated'
and coalesce((
  select s.step = 'drift'
from status_changes as s
where s.record_id = r.id
order by s.id desc
limit 1
), false)))
    order by r.id
    limit $2;

-- src/dream/drift/drift.queries.ts listOpen
    select r.id, r.version, r.scope, r.status, coalesce((
  select s.step = 'drift'
from status_changes as s
where s.record_id = r.id
order by s.id desc
limit 1
), false) as is_own, (select m.run_id
from drift_misses as m
where m.record_id = r.id) as missed_by, (
  select case
    when pg_column_size(c.payload) <= 262144
      and (c.payload::text like '%/%'
or c.payload::text like '%npm run%'
or c.payload ->> 'primary_type' = 'File')
    then c.payload end
  from contents as c
where c.record_id = r.id
) as payload
    from records as r
    where r.type in ('entity', 'semantic', 'competence', 'plan_graph')
and r.forgotten_at is null
and r.id > $1::uuid
and r.scope = $2
and r.status in ('active', 'challenged')
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
    order by r.id
    limit $5;

-- src/dream/drift/drift.queries.ts claimJudged
    select r.id
from records as r
    join unnest(
      $1::uuid[], $2::int4[]
    ) as judged (id, version) on judged.id = r.id
    where r.version = judged.version
and r.type in ('entity', 'semantic', 'competence', 'plan_graph')
and r.forgotten_at is null
and not r.pinned
    order by r.id
    for no key update of r skip locked;

-- src/dream/drift/drift.queries.ts upsertMiss
insert into "drift_misses" ("record_id", "run_id", "missed_at", "reference")
values ($1, $2, $3, $4)
on conflict ("record_id") do update
set "run_id" = $5, "missed_at" = $6, "reference" = $7;

-- src/dream/drift/drift.queries.ts deleteMiss
delete
from "drift_misses"
where "record_id" = $1;

-- src/dream/drift/drift.queries.ts findPosition
select "after_id"
from "drift_positions"
where "run_id" = $1;

-- src/dream/drift/drift.queries.ts upsertPosition
insert into "drift_positions" ("run_id", "after_id")
values ($1, $2)
on conflict ("run_id") do update
set "after_id" = $3;

-- src/dream/entity-facts.queries.ts isProfile
select r.id
from records as r
where (("r"."type" = 'semantic'
and exists (
    select
from contents as own
    where own.record_id = "r"."id"
and own.tags && array['peer-card']::text[]
  ))
or exists (
    select
from peer_cards as card
where card.card_id = "r"."id"
  ));

-- src/dream/entity-facts.queries.ts isOpenEntity
select r.id
from records as r
where r.type = 'entity'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
    and not r.pinned
and r.sensitivity <= $1;

-- src/dream/entity-facts.queries.ts findEntity
    select r.id, r.scope, r.sensitivity, c.payload
    from records as r join contents as c on c.record_id = r.id
    where r.id = $1::uuid
and r.type = 'entity'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
    and not r.pinned
and r.sensitivity <= $2;

-- src/dream/entity-facts.queries.ts findKnown
    select known.id, known.created_at, known.sensitivity,
      case when pg_column_size(c.payload) <= 262144 then c.payload end as payload
    from (
      select far.id, far.created_at, far.sensitivity
      from records as r cross join lateral (select far.*
from
  relations as e join records as far on far.id = e.target_id
  where e.source_id = r.id
and e.predicate in ('mentioned_in', 'fact_subject_of', 'fact_object_of')
    and far.forgotten_at is null
and far.status = 'active'
and far.type <> 'entity'
    and far.scope = r.scope
and far.sensitivity <= r.sensitivity
    and not (("far"."type" = 'semantic'
and exists (
    select
from contents as own
    where own.record_id = "far"."id"
and own.tags && array['peer-card']::text[]
  ))
or exists (
    select
from peer_cards as card
where card.card_id = "far"."id"
  ))
and not ("far"."type" = 'semantic'
and exists (
    select
from contents as own
    where own.record_id = "far"."id"
and own.tags && array['synthesis']::text[]
  )) ) as far
      where r.id = $1::uuid
      group by far.id, far.created_at, far.sensitivity
      order by far.created_at desc, far.id desc
      limit 40
    ) as known
    join contents as c on c.record_id = known.id
    order by known.created_at desc, known.id desc;

-- src/dream/entity-facts.queries.ts findKnown: of some
    select known.id, known.created_at, known.sensitivity,
      case when pg_column_size(c.payload) <= 262144 then c.payload end as payload
    from (
      select far.id, far.created_at, far.sensitivity
      from records as r cross join lateral (select far.*
from
  relations as e join records as far on far.id = e.target_id
  where e.source_id = r.id
and e.predicate in ('mentioned_in', 'fact_subject_of', 'fact_object_of')
    and far.forgotten_at is null
and far.status = 'active'
and far.type <> 'entity'
    and far.scope = r.scope
and far.sensitivity <= r.sensitivity
    and not (("far"."type" = 'semantic'
and exists (
    select
from contents as own
    where own.record_id = "far"."id"
and own.tags && array['peer-card']::text[]
  ))
or exists (
    select
from peer_cards as card
where card.card_id = "far"."id"
  ))
and not ("far"."type" = 'semantic'
and exists (
    select
from contents as own
    where own.record_id = "far"."id"
and own.tags && array['synthesis']::text[]
  ))
and far.id = any($1::uuid[])) as far
      where r.id = $2::uuid
      group by far.id, far.created_at, far.sensitivity
      order by far.created_at desc, far.id desc
      limit 40
    ) as known
    join contents as c on c.record_id = known.id
    order by known.created_at desc, known.id desc;

-- src/dream/entity-facts.queries.ts lockTold
    select r.id
from records as r
where r.id = any($1::uuid[])
order by r.id for no key update;

-- src/dream/entity-facts.queries.ts findFigure
    select coalesce((stats ->> $1::text)::float8, 0) as count
from maintenance_runs
where id = $2::uuid;

-- src/dream/model-budget.queries.ts findSpent
    select coalesce((stats ->> 'model_prompt_tokens')::float8, 0) as "promptTokens",
      coalesce((stats ->> 'model_completion_tokens')::float8, 0) as "completionTokens",
      coalesce((stats ->> 'model_cost_micros')::float8, 0) as "costMicros"
    from maintenance_runs
where id = $1::uuid;

-- src/dream/probing/probing.queries.ts listDue
    select r.id
    from records as r
    where r.type in ('semantic', 'competence', 'plan_graph')
and r.layer in ('semantic', 'procedural')
    and r.forgotten_at is null
and r.status = 'active'
and not r.pinned
and r.sensitivity <= $1
    and coalesce(r.last_accessed_at, r.created_at) < $2::timestamptz
and not (("r"."type" = 'semantic'
and exists (
    select
from contents as own
    where own.record_id = "r"."id"
and own.tags && array['peer-card']::text[]
  ))
or exists (
    select
from peer_cards as card
where card.card_id = "r"."id"
  ))
    and not exists (
      select
from belief_probes as p
      where p.record_id = r.id
and p.probed_at >= $3::timestamptz
and not exists (
        select
from status_changes as s
        where s.record_id = r.id
and s.new = 'active'
and s.at > p.probed_at
      )
    )
and r.scope = $4
    order by (select p.probed_at
from belief_probes as p
where p.record_id = r.id) nulls first, coalesce(r.last_accessed_at, r.created_at), r.id
    limit $5;

-- src/dream/probing/probing.queries.ts findBelief
    select r.id, r.version, r.created_at, coalesce(r.last_accessed_at, r.created_at) as used_at,
      case when pg_column_size(c.payload) <= 262144 then c.payload end as payload
    from records as r join contents as c on c.record_id = r.id
    where r.id = $1::uuid
and r.type in ('semantic', 'competence', 'plan_graph')
and r.layer in ('semantic', 'procedural')
    and r.forgotten_at is null
and r.status = 'active'
and not r.pinned
and r.sensitivity <= $2
    and coalesce(r.last_accessed_at, r.created_at) < $3::timestamptz
and not (("r"."type" = 'semantic'
and exists (
    select
from contents as own
    where own.record_id = "r"."id"
and own.tags && array['peer-card']::text[]
  ))
or exists (
    select
from peer_cards as card
where card.card_id = "r"."id"
  ))
    and not exists (
      select
from belief_probes as p
      where p.record_id = r.id
and p.probed_at >= $4::timestamptz
and not exists (
        select
from status_changes as s
        where s.record_id = r.id
and s.new = 'active'
and s.at > p.probed_at
      )
    );

-- src/dream/probing/probing.queries.ts findBeside
    select it.id, it.created_at, case when pg_column_size(c.payload) <= 262144 then c.payload end as payload
    from (
      select far.id, far.created_at
      from records as r
      join relations as e on e.source_id = r.id
        and e.predicate in ('subject_entity', 'object_entity', 'mentions_entity')
      join relations as back on back.source_id = e.target_id
        and back.predicate in ('mentioned_in', 'fact_subject_of', 'fact_object_of')
      join records as far on far.id = back.target_id
      where r.id = $1::uuid
and far.id <> r.id
and far.created_at > r.created_at
        and far.forgotten_at is null
and far.status = 'active'
and far.scope = r.scope
        and far.sensitivity <= r.sensitivity
and not (("far"."type" = 'semantic'
and exists (
    select
from contents as own
    where own.record_id = "far"."id"
and own.tags && array['peer-card']::text[]
  ))
or exists (
    select
from peer_cards as card
where card.card_id = "far"."id"
  ))
      group by far.id, far.created_at
      order by far.created_at desc, far.id desc
      limit 10
    ) as it
    join contents as c on c.record_id = it.id
    order by it.created_at desc, it.id desc;

-- src/dream/probing/probing.queries.ts upsertProbe
insert into "belief_probes" ("record_id", "probed_at")
values ($1, $2)
on conflict ("record_id") do update
set "probed_at" = $3;

-- src/dream/profiles/profiles.queries.ts listKnownWell
    select r.id
    from records as r
    where r.type = 'entity'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
    and not r.pinned
and r.sensitivity <= $1
and r.id > $2::uuid
and r.id <= $3::uuid
      and r.scope = $4
and (
  select count(distinct it.id)
from (select far.id
from
  relations as e join records as far on far.id = e.target_id
  where e.source_id = r.id
and e.predicate in ('mentioned_in', 'fact_subject_of', 'fact_object_of')
    and far.forgotten_at is null
and far.status = 'active'
and far.type <> 'entity'
    and far.scope = r.scope
and far.sensitivity <= r.sensitivity
    and not (("far"."type" = 'semantic'
and exists (
    select
from contents as own
    where own.record_id = "far"."id"
and own.tags && array['peer-card']::text[]
  ))
or exists (
    select
from peer_cards as card
where card.card_id = "far"."id"
  ))
and not ("far"."type" = 'semantic'
and exists (
    select
from contents as own
    where own.record_id = "far"."id"
and own.tags && array['synthesis']::text[]
  ))
limit 15) as it
) >= 5
    order by r.id
    limit $5;

-- src/dream/profiles/profiles.queries.ts findLastWritten
select "entity_id"
from "peer_cards"
order by "written_at" desc, "entity_id" desc
limit $1;

-- src/dream/profiles/profiles.queries.ts findWritten
select "card_id", "digest"
from "peer_cards"
where "entity_id" = $1;

-- src/dream/profiles/profiles.queries.ts findProfiles
    select distinct r.id, r.pinned,
      r.source_type = 'dream'
and c.provenance ->> 'created_by' = $1 as is_dreamt
    from handles as h join records as r on r.id = h.record_id join contents as c on c.record_id = r.id
    where h.digest = $2
and (h.scope = $3
or h.record_id = $4::uuid)
and r.type = 'semantic'
      and r.forgotten_at is null
and r.status in ('active', 'challenged')
    order by r.id;

-- src/dream/profiles/profiles.queries.ts listLeft
    select card.id
    from peer_cards as p
    join records as r on r.id = p.entity_id
    join records as card on card.id = p.card_id
    where r.status = 'merged'
and not r.pinned
and r.scope = $1
      and card.forgotten_at is null
and card.status in ('active', 'challenged')
and not card.pinned
    order by card.id;

-- src/dream/profiles/profiles.queries.ts upsertCard
insert into "peer_cards" ("entity_id", "card_id", "digest", "written_at")
values ($1, $2, $3, $4)
on conflict ("entity_id") do update
set "card_id" = $5, "digest" = $6, "written_at" = $7;

-- src/dream/synthesis/synthesis.queries.ts findServing
select "id", "dimensions"
from "embedding_models"
where "serves" = $1;

-- src/dream/synthesis/synthesis.queries.ts listScopes
    select r.scope
    from records as r
    where r.type = 'entity'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
    and not r.pinned
and r.sensitivity <= $1
    group by r.scope
    having count(*) >= 2
    order by count(*) desc, r.scope
    limit $2;

-- src/dream/synthesis/synthesis.queries.ts listBestKnown
    select r.id
    from records as r cross join lateral (
      select count(*) as links
from relations as e
where e.source_id = r.id
and e.predicate in ('mentioned_in', 'fact_subject_of', 'fact_object_of')
    ) as it
    where r.type = 'entity'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
    and not r.pinned
and r.sensitivity <= $1
and r.scope = $2
and it.links > 0
    order by it.links desc, r.id
    limit $3;

-- src/dream/synthesis/synthesis.queries.ts findSaid
    select r.id as entity_id, c.tags, v.bits, v.code
    from records as r cross join lateral (
      select far.id, far.created_at
      from (select far.id, far.created_at
from
  relations as e join records as far on far.id = e.target_id
  where e.source_id = r.id
and e.predicate in ('mentioned_in', 'fact_subject_of', 'fact_object_of')
    and far.forgotten_at is null
and far.status = 'active'
and far.type <> 'entity'
    and far.scope = r.scope
and far.sensitivity <= r.sensitivity
    and not (("far"."type" = 'semantic'
and exists (
    select
from contents as own
    where own.record_id = "far"."id"
and own.tags && array['peer-card']::text[]
  ))
or exists (
    select
from peer_cards as card
where card.card_id = "far"."id"
  ))
and not ("far"."type" = 'semantic'
and exists (
    select
from contents as own
    where own.record_id = "far"."id"
and own.tags && array['synthesis']::text[]
  ))) as far
      where exists (select
from embeddings as v
where v.record_id = far.id
and v.model_id = $1)
      group by far.id, far.created_at
      order by far.created_at desc, far.id desc
      limit 30
    ) as it
    join contents as c on c.record_id = it.id
    join embeddings as v on v.record_id = it.id
and v.model_id = $2
    where r.id = any($3::uuid[])
    order by r.id, it.created_at desc, it.id desc;

-- src/dream/synthesis/synthesis.queries.ts findStrangers
    select pair.place::int - 1 as place
    from unnest(
      $1::uuid[], $2::uuid[]
    ) with ordinality as pair (one, other, place)
    where
  not exists (select
from relations as e
where e.source_id = pair.one
and e.target_id = pair.other)
  and not exists (select
from relations as e
where e.source_id = pair.other
and e.target_id = pair.one)
  and not exists (
    select
from relations as e join relations as back on back.target_id = e.target_id
    where e.source_id = pair.one
and e.predicate in ('mentioned_in', 'fact_subject_of', 'fact_object_of')
      and back.source_id = pair.other
and back.predicate in ('mentioned_in', 'fact_subject_of', 'fact_object_of')
  )
    order by pair.place;

-- src/dream/synthesis/synthesis.queries.ts findRemembered
    select encode(digest, 'hex') as digest
from dream_verdicts
    where step = 'synthesis'
and digest = any($1::bytea[]);

-- src/dream/verdicts.queries.ts hasVerdict
select "step"
from "dream_verdicts"
where "step" = $1
and "digest" = $2;

-- src/dream/verdicts.queries.ts rememberVerdict
insert into "dream_verdicts" ("step", "digest", "decided_at")
values ($1, $2, $3)
on conflict ("step", "digest") do update
set "decided_at" = $4;

-- src/dream/verdicts.queries.ts deleteOldVerdicts
    delete
from dream_verdicts
    using (
      select step, digest
from dream_verdicts
where decided_at <= $1::timestamptz
      limit $2
      for update skip locked
    ) as old
    where dream_verdicts.step = old.step
and dream_verdicts.digest = old.digest;

-- src/embeddings/compression.queries.ts countVectors
select count(*)::int as count
from embeddings;

-- src/embeddings/compression.queries.ts findEnd
    select record_id, model_id, (row_number() over (order by record_id, model_id))::int as count
    from (
      select record_id, model_id
from embeddings
      where (record_id, model_id) > ($1::uuid, $2::smallint)
      order by record_id, model_id
      limit $3
    ) as next
    order by count desc
    limit 1;

-- src/embeddings/compression.queries.ts claimTooSharp: everywhere
    select e.record_id, e.model_id, e.bits, e.code, m.dimensions, worth.bits as target
    from embeddings as e
    join embedding_models as m on m.id = e.model_id
    join records as r on r.id = e.record_id
    cross join lateral (select (select case when kept.retention > $1::float8 then 32 when kept.retention > $2::float8 then 8 when kept.retention > $3::float8 then 4 else 2 end
from (select (
    case when r.layer = any($4::memory_layer[]) then 1::float8
    else least(1::float8,
      case when least(
    greatest(date_part('epoch', $5::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $6::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $7::float8,
    $8::float8
  ) <= $9::float8 then power(2::float8, -least(
    greatest(date_part('epoch', $10::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $11::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $12::float8,
    $13::float8
  ))
    else greatest(0, power(2::float8, -$14::float8) * (1 - ln(2::float8) * (least(
    greatest(date_part('epoch', $15::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $16::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $17::float8,
    $18::float8
  ) - $19::float8))) end
      + least($20::float8, $21::float8 * ln(1 + r.access_count::float8))
    ) end
  ) as retention) as kept) as bits) as worth
    where (e.record_id, e.model_id) > ($22::uuid, $23::smallint)
    and (e.record_id, e.model_id) <= ($24::uuid, $25::smallint)
    and not r.pinned
and r.forgotten_at is null
and worth.bits < e.bits
    order by e.record_id, e.model_id
    for update of e skip locked;

-- src/embeddings/compression.queries.ts claimTooSharp: in a scope, by another curve
    select e.record_id, e.model_id, e.bits, e.code, m.dimensions, worth.bits as target
    from embeddings as e
    join embedding_models as m on m.id = e.model_id
    join records as r on r.id = e.record_id
    cross join lateral (select (select case when kept.retention > $1::float8 then 32 when kept.retention > $2::float8 then 8 when kept.retention > $3::float8 then 4 else 2 end
from (select (
    case when r.layer = any($4::memory_layer[]) then 1::float8
    else least(1::float8,
      $5::float8 * greatest(0, 1 - least(
    greatest(date_part('epoch', $6::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $7::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $8::float8,
    $9::float8
  ) / $10::float8) + (1 - $11::float8) * power(2::float8, -least(
    greatest(date_part('epoch', $12::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $13::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $14::float8,
    $15::float8
  ))
      + least($16::float8, $17::float8 * ln(1 + r.access_count::float8))
    ) end
  ) as retention) as kept) as bits) as worth
    where (e.record_id, e.model_id) > ($18::uuid, $19::smallint)
    and (e.record_id, e.model_id) <= ($20::uuid, $21::smallint)
    and not r.pinned
and r.forgotten_at is null
and r.scope = $22
and worth.bits < e.bits
    order by e.record_id, e.model_id
    for update of e skip locked;

-- src/embeddings/compression.queries.ts writeCompressed
    update embeddings as e
set bits = blurred.bits, code = blurred.code
    from unnest(
      $1::uuid[], $2::smallint[],
      $3::smallint[], $4::bytea[]
    ) as blurred (record_id, model_id, bits, code)
    where e.record_id = blurred.record_id
and e.model_id = blurred.model_id;

-- src/embeddings/compression.queries.ts listTooBlurred
    insert into unembedded (record_id, asked_at, due_at)
    select distinct e.record_id, $1::timestamptz, $2::timestamptz
    from embeddings as e
    join embedding_models as m on m.id = e.model_id
and m.embeds
    join records as r on r.id = e.record_id
    where (e.record_id, e.model_id) > ($3::uuid, $4::smallint)
    and (e.record_id, e.model_id) <= ($5::uuid, $6::smallint)
    and not r.pinned
and r.forgotten_at is null
and e.bits < 32
and (select case when kept.retention > $7::float8 then 32 when kept.retention > $8::float8 then 8 when kept.retention > $9::float8 then 4 else 2 end
from (select (
    case when r.layer = any($10::memory_layer[]) then 1::float8
    else least(1::float8,
      case when least(
    greatest(date_part('epoch', $11::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $12::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $13::float8,
    $14::float8
  ) <= $15::float8 then power(2::float8, -least(
    greatest(date_part('epoch', $16::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $17::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $18::float8,
    $19::float8
  ))
    else greatest(0, power(2::float8, -$20::float8) * (1 - ln(2::float8) * (least(
    greatest(date_part('epoch', $21::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $22::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $23::float8,
    $24::float8
  ) - $25::float8))) end
      + least($26::float8, $27::float8 * ln(1 + r.access_count::float8))
    ) end
  ) as retention) as kept) > e.bits
    order by 1
    on conflict (record_id) do nothing
    returning record_id;

-- src/embeddings/embedding-models.queries.ts findServingModel
select *
from "embedding_models"
where "serves" = $1;

-- src/embeddings/embedding-models.queries.ts findEmbeddingModel
select *
from "embedding_models"
where "embeds" = $1;

-- src/embeddings/embedding-models.queries.ts noteSeen
update "embedding_models"
set "seen_at" = $1
where "embeds" = $2
and "provider" = $3
and "model" = $4
and "dimensions" = $5
and "max_sensitivity" = $6
returning *;

-- src/embeddings/embedding-models.queries.ts lockModels
lock table embedding_models in share row exclusive mode;

-- src/embeddings/embedding-models.queries.ts retireModel
update "embedding_models"
set "embeds" = $1, "walked_to" = case when not serves then $2::uuid end
where "embeds" = $3;

-- src/embeddings/embedding-models.queries.ts registerModel
insert into "embedding_models" ("provider", "model", "dimensions", "max_sensitivity", "registered_at", "seen_at", "embeds", "walked_to", "serves")
values ($1, $2, $3, $4, $5, $6, $7, $8, not exists (select
from embedding_models
where serves))
on conflict on constraint "embedding_models_name" do update
set "registered_at" = $9, "seen_at" = $10, "embeds" = $11, "walked_to" = $12, "max_sensitivity" = $13, "serves" = embedding_models.serves
or excluded.serves
returning *;

-- src/embeddings/embedding-models.queries.ts lockUnfilledModel
select "id"
from "embedding_models"
where "id" = $1
and "embeds" = $2
and "walked_to" is not null for no key update;

-- src/embeddings/embedding-models.queries.ts listUnread
    with model as materialized (
      select id, walked_to, registered_at, max_sensitivity
from embedding_models
      where id = $1
and embeds
and walked_to is not null
    ), portion as materialized (
      select id, sensitivity
from records
where id > (select walked_to
from model)
order by id
limit $2
    ), listed as (
      insert into unembedded (record_id, asked_at, due_at)
      select p.id, m.registered_at, m.registered_at
      from portion as p, model as m
      where p.sensitivity <= m.max_sensitivity
        and not exists (select
from embeddings as e
where e.record_id = p.id
and e.model_id = m.id)
      on conflict (record_id) do nothing
    )
    update embedding_models
    set walked_to = (select id
from portion
order by id desc
limit 1)
    from model
where embedding_models.id = model.id
    returning embedding_models.walked_to;

-- src/embeddings/embedding-models.queries.ts lockReadyModel
    select
from embedding_models as m
    where id = $1
and embeds
and not serves
and walked_to is null
      and not exists (
        select
from unembedded
where asked_at <= m.registered_at
and due_at < 'infinity'
      )
    for no key update;

-- src/embeddings/embedding-models.queries.ts endService
update "embedding_models"
set "serves" = $1, "walked_to" = $2
where "serves" = $3;

-- src/embeddings/embedding-models.queries.ts beginService
update "embedding_models"
set "serves" = $1
where "id" = $2;

-- src/embeddings/embedding-models.queries.ts deleteRetired
    with model as materialized (
      select id, walked_to
from embedding_models
      where not embeds
and not serves
and walked_to is not null
      order by id
limit 1
      for no key update skip locked
    ), portion as materialized (
      select e.record_id, e.model_id
from embeddings as e
      where e.record_id > (select walked_to
from model)
and e.model_id = (select id
from model)
      order by e.record_id
      limit $1
      for update of e skip locked
    ), deleted as (
      delete
from embeddings using portion
      where embeddings.record_id = portion.record_id
and embeddings.model_id = portion.model_id
    )
    update embedding_models
    set walked_to = (select record_id
from portion
order by record_id desc
limit 1)
    from model
where embedding_models.id = model.id
    returning embedding_models.id;

-- src/embeddings/embedding-queue.queries.ts findWork
    select exists (select
from unembedded
where due_at <= $1::timestamptz) as is_due,
      exists (select
from embedding_models
where walked_to is not null
or (embeds
and not serves)) as is_changing;

-- src/embeddings/embedding-queue.queries.ts lockClaims
select pg_advisory_xact_lock(7350, 11);

-- src/embeddings/embedding-queue.queries.ts claimDue: everywhere
    with due as materialized (
      select u.record_id
from unembedded as u
      where u.due_at <= $1::timestamptz
and true
        and exists (select
from embedding_models
where id = $2
and embeds)
      order by u.due_at
      limit $3
      for update of u skip locked
    )
    update unembedded
set due_at = $4::timestamptz
    from due
where unembedded.record_id = due.record_id
    returning unembedded.record_id;

-- src/embeddings/embedding-queue.queries.ts claimDue: in a scope
    with due as materialized (
      select u.record_id
from unembedded as u
      where u.due_at <= $1::timestamptz
and exists (select
from records as r
where r.id = u.record_id
and r.scope = $2)
        and exists (select
from embedding_models
where id = $3
and embeds)
      order by u.due_at
      limit $4
      for update of u skip locked
    )
    update unembedded
set due_at = $5::timestamptz
    from due
where unembedded.record_id = due.record_id
    returning unembedded.record_id;

-- src/embeddings/embedding-queue.queries.ts findSaid
    select r.id as record_id, r.sensitivity, c.payload, c.tags
    from records as r join contents as c on c.record_id = r.id
    where r.id = any($1::uuid[]);

-- src/embeddings/embedding-queue.queries.ts settle
    with model as materialized (
      select id, registered_at
from embedding_models
where id = $1
and embeds for share
    ), mine as materialized (
      select u.record_id, u.asked_at, u.asked_at <> m.registered_at as is_new
from unembedded as u, model as m
      where u.record_id = any($2::uuid[])
and u.due_at = $3::timestamptz
      for update of u skip locked
    ), kept as materialized (
      select r.id
from records as r
where r.id in (select record_id
from mine) for key share skip locked
    ), settled as materialized (
      select mine.record_id, mine.asked_at, mine.is_new, given.code, given.signature
      from unnest(
        $4::uuid[],
        $5::bytea[],
        $6::text[]
      ) as given (record_id, code, signature)
      join mine using (record_id)
      where exists (select
from kept
where kept.id = mine.record_id)
        or (given.code is null
and not exists (select
from records as r
where r.id = mine.record_id))
    ), stored as (
      insert into embeddings (record_id, model_id, bits, embedded_at, code)
      select record_id, $7, 32, $8::timestamptz, code
from settled
where code is not null
      on conflict (record_id, model_id) do update
        set bits = excluded.bits, embedded_at = excluded.embedded_at, code = excluded.code
    ), signed as (
      insert into signatures (record_id, model_id, bits)
      select record_id, $9, ('x' || signature)::bit(1024)
from settled
where code is not null
      on conflict (record_id, model_id) do update
set bits = excluded.bits
    ), outdated as (
      delete
from embeddings as e using settled as s
      where e.record_id = s.record_id
and (s.code is null
or (s.is_new
and e.model_id <> $10))
    ), unlisted as (
      delete
from unembedded as u using settled as s
where u.record_id = s.record_id
    ), first as (
      insert into unsurprised (record_id, created_at, asked_at)
      select s.record_id, r.created_at, s.asked_at
from settled as s join records as r on r.id = s.record_id
      where s.code is not null
        and not exists (select
from embeddings as e
where e.record_id = s.record_id)
        and not exists (select
from surprises as p
where p.record_id = s.record_id)
      on conflict (record_id) do nothing
    )
    select record_id,
      case when is_new
and code is not null
and not exists (
        select
from embeddings as e
        where e.record_id = settled.record_id
and e.model_id = $11
and e.bits < 32
      ) then extract(epoch
from $12::timestamptz - asked_at)::float8 end as lag_seconds
    from settled;

-- src/embeddings/embedding-queue.queries.ts countFailures
    with mine as materialized (
    select record_id
from unembedded
    where record_id = any($1::uuid[])
and due_at = $2::timestamptz
    for update skip locked
  ), failed as (
      update unembedded as u
      set attempts = u.attempts + 1,
        due_at = case when u.attempts + 1 >= $3 then 'infinity' else $4::timestamptz
          + $5::int * interval '1 millisecond' * (2 ^ u.attempts) end
      from mine
where u.record_id = mine.record_id
      returning u.record_id, u.due_at
    ), given_up as materialized (
      select record_id
from failed
where due_at = 'infinity'
    ), outdated as materialized (
      select e.record_id, e.model_id
from embeddings as e join given_up using (record_id)
for update of e skip locked
    ), deleted as (
      delete
from embeddings as e using outdated as o
where e.record_id = o.record_id
and e.model_id = o.model_id
    )
    select record_id
from given_up;

-- src/embeddings/embedding-queue.queries.ts release
    with mine as materialized (
    select record_id
from unembedded
    where record_id = any($1::uuid[])
and due_at = $2::timestamptz
    for update skip locked
  )
    update unembedded
set due_at = $3::timestamptz
    from mine
where unembedded.record_id = mine.record_id;

-- src/embeddings/embedding-queue.queries.ts reviveGivenUp: everywhere
    with given_up as materialized (
      select u.record_id
from unembedded as u
where u.due_at = 'infinity'
and true
for update of u skip locked
    )
    update unembedded
set due_at = $1::timestamptz, attempts = 0
    from given_up
where unembedded.record_id = given_up.record_id
    returning unembedded.record_id;

-- src/embeddings/embedding-queue.queries.ts reviveGivenUp: in a scope
    with given_up as materialized (
      select u.record_id
from unembedded as u
where u.due_at = 'infinity'
and exists (select
from records as r
where r.id = u.record_id
and r.scope = $1)
for update of u skip locked
    )
    update unembedded
set due_at = $2::timestamptz, attempts = 0
    from given_up
where unembedded.record_id = given_up.record_id
    returning unembedded.record_id;

-- src/embeddings/embedding-queue.queries.ts countWaiting: everywhere
    select count(*) filter (where due_at <= $1::timestamptz)::int as due,
      count(*) filter (where due_at > $2::timestamptz
and due_at < 'infinity')::int as waiting,
      count(*) filter (where due_at = 'infinity')::int as given_up
    from unembedded as u
where true;

-- src/embeddings/embedding-queue.queries.ts countWaiting: in a scope
    select count(*) filter (where due_at <= $1::timestamptz)::int as due,
      count(*) filter (where due_at > $2::timestamptz
and due_at < 'infinity')::int as waiting,
      count(*) filter (where due_at = 'infinity')::int as given_up
    from unembedded as u
where exists (select
from records as r
where r.id = u.record_id
and r.scope = $3);

-- src/embeddings/surprise/surprise-comparison.queries.ts hasUncompared
select
from unsurprised
limit 1;

-- src/embeddings/surprise/surprise-comparison.queries.ts countUncompared: everywhere
    select count(*)::int as count
from unsurprised as u
where true;

-- src/embeddings/surprise/surprise-comparison.queries.ts countUncompared: in a scope
    select count(*)::int as count
from unsurprised as u
where exists (
        select
from records as o
where o.id = "u"."record_id"
and o.scope = $1
      );

-- src/embeddings/surprise/surprise-comparison.queries.ts lockComparing
    select pg_try_advisory_xact_lock(7350, 12) as is_mine;

-- src/embeddings/surprise/surprise-comparison.queries.ts findSettledModel
    select id, dimensions
from embedding_models
where serves
and embeds for share;

-- src/embeddings/surprise/surprise-comparison.queries.ts findUncompared: everywhere
    select r.id, r.scope, r.sensitivity, (r.forgotten_at is null
and r.status in ('active', 'challenged')) as is_live, e.bits, e.code, substr(bit_send(s.bits), 5) as signature
    from unsurprised as u
    join records as r on r.id = u.record_id
    left join (embeddings as e join signatures as s using (record_id, model_id))
      on e.record_id = u.record_id
and e.model_id = $1
    where true
and u.asked_at < coalesce((
      select min(w.asked_at)
from unembedded as w
      where w.attempts = 0
and w.due_at < 'infinity'
and true
    ), 'infinity')
    order by u.created_at, u.record_id
    limit $2;

-- src/embeddings/surprise/surprise-comparison.queries.ts findUncompared: in a scope
    select r.id, r.scope, r.sensitivity, (r.forgotten_at is null
and r.status in ('active', 'challenged')) as is_live, e.bits, e.code, substr(bit_send(s.bits), 5) as signature
    from unsurprised as u
    join records as r on r.id = u.record_id
    left join (embeddings as e join signatures as s using (record_id, model_id))
      on e.record_id = u.record_id
and e.model_id = $1
    where exists (
        select
from records as o
where o.id = "u"."record_id"
and o.scope = $2
      )
and u.asked_at < coalesce((
      select min(w.asked_at)
from unembedded as w
      where w.attempts = 0
and w.due_at < 'infinity'
and exists (
        select
from records as o
where o.id = "w"."record_id"
and o.scope = $3
      )
    ), 'infinity')
    order by u.created_at, u.record_id
    limit $4;

-- src/embeddings/surprise/surprise-comparison.queries.ts knownIn
select r.id
from records as r
where r.scope = $1
and r.forgotten_at is null
and r.status in ('active', 'challenged')
and r.sensitivity <= $2;

-- src/embeddings/surprise/surprise-comparison.queries.ts isCompared
select r.id
from records as r
where not exists (select
from unsurprised as waiting
where waiting.record_id = r.id);

-- src/embeddings/surprise/surprise-comparison.queries.ts findTellers
    select r.id, c.provenance, r.source_type, r.sensitivity
    from records as r join contents as c on c.record_id = r.id
    where r.id = any($1::uuid[]);

-- src/embeddings/surprise/surprise-comparison.queries.ts writeSurprises
    with compared as materialized (
      select *
from json_to_recordset($1::json) as compared (
        id uuid, score float8, delta float8, duplicate_of uuid, confirms bool, neighbours jsonb
      )
    ), locked as materialized (
      select r.id, r.base_importance, r.pinned, (r.forgotten_at is null
and r.status in ('active', 'challenged')) as is_live
from records as r
      where r.id in (select id
from compared union select duplicate_of
from compared
where confirms)
      order by r.id
      for no key update
    ), told as (
      insert into surprises (record_id, at, score, delta, base_before, duplicate_of, neighbours)
      select c.id, $2::timestamptz, c.score, case when l.pinned then 0 else c.delta end, l.base_importance,
        c.duplicate_of, c.neighbours
      from compared as c join locked as l using (id)
      on conflict (record_id) do nothing
      returning record_id, delta
    ), confirmed as (
      select l.id, count(*)::integer as times
      from told join compared as c on c.id = told.record_id
and c.confirms join locked as l on l.id = c.duplicate_of
      where l.is_live
and not l.pinned
and not exists (
        select
from relations as e
        where e.predicate = 'derived_from'
          and ((e.source_id = c.id
and e.target_id = l.id)
or (e.source_id = l.id
and e.target_id = c.id))
      )
      group by l.id
    ), moved as (
      update records as r
      set base_importance = case when told.delta <> 0
          then least(1, greatest(0.05::float8, l.base_importance + told.delta))
          else l.base_importance end,
        confirmation_count = r.confirmation_count + coalesce(confirmed.times, 0)
      from locked as l
      left join told on told.record_id = l.id
      left join confirmed on confirmed.id = l.id
      where r.id = l.id
and (told.delta <> 0
or confirmed.times > 0)
      returning r.id
    ), unlisted as (
      delete
from unsurprised as u using compared as c
where u.record_id = c.id
    )
    select id
from moved
order by id;

-- src/embeddings/surprise/surprise-comparison.queries.ts dropUncompared
delete
from unsurprised
where record_id = any($1::uuid[]);

-- src/embeddings/vector-index.queries.ts findExtension
    select default_version as available, installed_version as installed, exists (
      select
from pg_index as i join pg_class as c on c.oid = i.indexrelid
      where i.indrelid = 'signatures'::regclass
and c.relname = 'signatures_nearest'
and not i.indisvalid
    ) as "hasBrokenIndex"
    from pg_available_extensions
where name = 'vector';

-- src/embeddings/vector-index.queries.ts takeIndexing
    select pg_try_advisory_lock($1) as taken,
      set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false);

-- src/embeddings/vector-index.queries.ts leaveIndexing
select pg_advisory_unlock($1);

-- src/embeddings/vector-index.queries.ts createExtension
create extension if not exists vector;

-- src/embeddings/vector-index.queries.ts dropNearestIndex
drop index concurrently signatures_nearest;

-- src/embeddings/vector-index.queries.ts createNearestIndex
    create index concurrently if not exists signatures_nearest on signatures using hnsw (bits bit_hamming_ops);

-- src/embeddings/vector-index.queries.ts createNearestFunction
    create
or replace function nearest_signatures(model smallint, sought bit)
    returns table (record_id uuid, distance bigint) language sql stable
    set hnsw.ef_search = 1000
set hnsw.iterative_scan = strict_order
    as '
      select s.record_id, bit_count(s.bits # sought)
from signatures as s
      where s.model_id = model
      order by s.bits <~> sought
      limit 1000
    ';

-- src/embeddings/vector-search.queries.ts findAmongNearest
    with near as materialized (
      select record_id, bit_count(bits # $1::bit(1024)) as distance
from signatures
      where model_id = $2
      order by distance, record_id
limit 1000), met as (
      select near.record_id, near.distance
from near cross join lateral (
        select
from records as r
where r.id = near.record_id
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
and r.forgotten_at is null
and (r.status in ('active')
and case when r.type = 'semantic' then coalesce((
    select coalesce((v.payload #>> '{validity,start}')::timestamptz <= $5::timestamptz, true)
      and coalesce((v.payload #>> '{validity,end}')::timestamptz > $6::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end) offset 0
      ) as r
      order by near.distance, near.record_id
      limit 500
    )
    select e.record_id as id, e.bits, e.code, (select count(*)
from near) as sought
    from met join embeddings as e on e.record_id = met.record_id
and e.model_id = $7
    order by met.distance, met.record_id;

-- src/embeddings/vector-search.queries.ts findAmongNearest: with an index
    with near as materialized (select record_id, distance
from nearest_signatures($1::smallint, $2::bit(1024))), met as (
      select near.record_id, near.distance
from near cross join lateral (
        select
from records as r
where r.id = near.record_id
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
and r.forgotten_at is null
and (r.status in ('active')
and case when r.type = 'semantic' then coalesce((
    select coalesce((v.payload #>> '{validity,start}')::timestamptz <= $5::timestamptz, true)
      and coalesce((v.payload #>> '{validity,end}')::timestamptz > $6::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end) offset 0
      ) as r
      order by near.distance, near.record_id
      limit 500
    )
    select e.record_id as id, e.bits, e.code, (select count(*)
from near) as sought
    from met join embeddings as e on e.record_id = met.record_id
and e.model_id = $7
    order by met.distance, met.record_id;

-- src/embeddings/vector-search.queries.ts prepareForMany
    select set_config('work_mem', '32MB', true), set_config('plan_cache_mode', 'force_custom_plan', true);

-- src/embeddings/vector-search.queries.ts findNearestOfAll
    with met as materialized (
      select record_id, distance
from (
        select s.record_id, bit_count(s.bits # $1::bit(1024)) as distance
        from records as r join signatures as s on s.record_id = r.id
and s.model_id = $2
        where ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
and r.forgotten_at is null
and (r.status in ('active')
and case when r.type = 'semantic' then coalesce((
    select coalesce((v.payload #>> '{validity,start}')::timestamptz <= $5::timestamptz, true)
      and coalesce((v.payload #>> '{validity,end}')::timestamptz > $6::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end) offset 0
      ) as met
      order by distance, record_id
      limit 500
    )
    select e.record_id as id, e.bits, e.code
    from met join embeddings as e on e.record_id = met.record_id
and e.model_id = $7
    order by met.distance, met.record_id;

-- src/embeddings/vector-search.queries.ts countInside
    select count(*) as inside
from (
    select id
from records
    where scope = any($1::text[])
and forgotten_at is null
and decay_rank is not null union all
    select id
from records
    where scope = any($2::text[])
and forgotten_at is null
and decay_rank is null
limit 501) as inside;

-- src/embeddings/vector-search.queries.ts findNearestInside
    with inside as materialized (
    select id
from records
    where scope = any($1::text[])
and forgotten_at is null
and decay_rank is not null union all
    select id
from records
    where scope = any($2::text[])
and forgotten_at is null
and decay_rank is null), met as materialized (
      select inside.id, bit_count(s.bits # $3::bit(1024)) as distance
      from inside cross join lateral (
        select bits
from signatures
where record_id = inside.id
and model_id = $4 offset 0
      ) as s cross join lateral (
        select
from records as r
where r.id = inside.id
and ("r"."sensitivity" <= $5
and "r"."scope" = any($6::text[]))
and r.forgotten_at is null
and (r.status in ('active')
and case when r.type = 'semantic' then coalesce((
    select coalesce((v.payload #>> '{validity,start}')::timestamptz <= $7::timestamptz, true)
      and coalesce((v.payload #>> '{validity,end}')::timestamptz > $8::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end) offset 0
      ) as r
      order by distance, inside.id
      limit 500
    )
    select e.record_id as id, e.bits, e.code
    from met join embeddings as e on e.record_id = met.id
and e.model_id = $9
    order by met.distance, met.id;

-- src/embeddings/vector-search.queries.ts readSignatures
    with inside as materialized (
    select id
from records
    where scope = any($1::text[])
and forgotten_at is null
and decay_rank is not null union all
    select id
from records
    where scope = any($2::text[])
and forgotten_at is null
and decay_rank is null)
    select string_agg(uuid_send(r.id) || bit_send(s.bits), ''::bytea) as packed
    from inside
    join records as r on r.id = inside.id
    join signatures as s on s.record_id = r.id
and s.model_id = $3
    where r.forgotten_at is null;

-- src/embeddings/vector-search.queries.ts findCodes
    select record_id as id, bits, code
from embeddings
    where record_id = any($1::uuid[])
and model_id = $2;

-- src/embeddings/vector-search.queries.ts findCode
    select record_id as id, bits, code
from embeddings
where record_id = $1::uuid
and model_id = $2;

-- src/embeddings/vector-search.queries.ts measureSignatures
    select pg_relation_size('signatures') as bytes, exists (
      select
from pg_index as i join pg_class as c on c.oid = i.indexrelid
      where i.indrelid = 'signatures'::regclass
and c.relname = 'signatures_nearest'
and i.indisvalid
    )
and to_regproc('nearest_signatures') is not null as "isIndexed";

-- src/entities/entities.queries.ts findBearers: anywhere
    select bearer.id, bearer.scope, bearer.status, bearer.created_at, c.payload
    from (
      select r.id, r.scope, r.status, r.created_at
      from handles as h join records as r on r.id = h.record_id
      where h.digest = $1
and r.type = 'entity'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
        and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
      order by r.created_at, r.id
      limit $4
    ) as bearer
    join contents as c on c.record_id = bearer.id;

-- src/entities/entities.queries.ts findBearers: in one scope
    select bearer.id, bearer.scope, bearer.status, bearer.created_at, c.payload
    from (
      select r.id, r.scope, r.status, r.created_at
      from handles as h join records as r on r.id = h.record_id
      where h.digest = $1
and h.scope = $2
        and r.type = 'entity'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
        and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
      order by r.created_at, r.id
      limit $5
    ) as bearer
    join contents as c on c.record_id = bearer.id;

-- src/entities/entities.queries.ts findEntity
    select r.scope, r.sensitivity, r.forgotten_at is null as is_live
    from records as r
where r.id = $1::uuid
and r.type = 'entity'
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
    union all
    select d.scope, d.sensitivity, false
    from departures as d
where d.id = $4::uuid
and d.type = 'entity'
and ("d"."sensitivity" <= $5
and "d"."scope" = any($6::text[]));

-- src/entities/entities.queries.ts findPeerCard
    select r.id
    from handles as h
    join records as r on r.id = h.record_id
    join contents as c on c.record_id = r.id
    where h.digest = $1
and h.scope = $2
      and r.type = 'semantic'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
      and c.tags @> array['peer-card']
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
    order by r.created_at desc, r.id desc
    limit 1;

-- src/entities/entities.queries.ts listMentions: the first page
    select r.id, r.type, r.sensitivity, r.layer, r.memory_kind, r.status, r.source_type, r.confidence, r.created_at,
      r.scope, c.tags, c.payload, c.provenance, c.interpretation, r.salience, r.base_salience, r.anchored_at,
      r.last_reinforced_at, r.updated_at, r.expires_at, r.prune_at, r.half_life_seconds, r.max_age_seconds,
      r.min_salience, r.reinforcement_gain, r.max_salience, r.importance, r.base_importance, r.emotional_valence,
      r.last_accessed_at, r.access_count, r.served_count, r.confirmation_count, r.version, r.curve, r.deletion_policy,
      r.pinned, r.forgotten_at, r.purge_at, r.forgotten_run_id, r.forgotten_reason, r.forgotten_by,
      coalesce((
        select json_agg(edge
order by edge.created_at, edge.target_id, edge.predicate)
        from (
          select e.predicate, e.target_id, e.weight, e.created_at
          from relations as e
          join records as t on t.id = e.target_id
          where e.source_id = r.id
and t.forgotten_at is null
and ("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
          order by e.predicate desc, e.target_id desc
          limit 1000
        ) as edge
      ), '[]') as relations,
      coalesce((
        select json_agg(entry)
        from (
          select newest.action, newest.actor, newest.at, newest.rationale, newest.run_id, newest.changes,
            newest.via
          from (
            select *
from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($5::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $6
and "h"."scope" = any($7::text[]))
  ))
  )
            order by a.id desc
limit $8
          ) as newest
          order by newest.id
        ) as entry
      ), '[]') as audit_log, array(select distinct concealed.id
from (
    select h.id
from regexp_matches(concat_ws(' ',
  c.provenance, c.payload -> 'evidence', c.payload -> 'revision', c.interpretation -> 'mentions',
  c.interpretation -> 'relation_candidates', c.interpretation -> 'reference_candidates'
), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
  ) as concealed) as concealed
    from (
    select r.id
    from relations as e join records as r on r.id = e.target_id
    where e.source_id = $11::uuid
and e.predicate = any($12::text[])
      and r.forgotten_at is null
and ("r"."sensitivity" <= $13
and "r"."scope" = any($14::text[]))
    group by r.id
    order by r.created_at desc, r.id desc
    limit $15
  ) as cut join records as r on r.id = cut.id
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $16
and "r"."scope" = any($17::text[]))
order by r.created_at desc, r.id desc;

-- src/entities/entities.queries.ts listMentions: the second page
    select r.id, r.type, r.sensitivity, r.layer, r.memory_kind, r.status, r.source_type, r.confidence, r.created_at,
      r.scope, c.tags, c.payload, c.provenance, c.interpretation, r.salience, r.base_salience, r.anchored_at,
      r.last_reinforced_at, r.updated_at, r.expires_at, r.prune_at, r.half_life_seconds, r.max_age_seconds,
      r.min_salience, r.reinforcement_gain, r.max_salience, r.importance, r.base_importance, r.emotional_valence,
      r.last_accessed_at, r.access_count, r.served_count, r.confirmation_count, r.version, r.curve, r.deletion_policy,
      r.pinned, r.forgotten_at, r.purge_at, r.forgotten_run_id, r.forgotten_reason, r.forgotten_by,
      coalesce((
        select json_agg(edge
order by edge.created_at, edge.target_id, edge.predicate)
        from (
          select e.predicate, e.target_id, e.weight, e.created_at
          from relations as e
          join records as t on t.id = e.target_id
          where e.source_id = r.id
and t.forgotten_at is null
and ("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
          order by e.predicate desc, e.target_id desc
          limit 1000
        ) as edge
      ), '[]') as relations,
      coalesce((
        select json_agg(entry)
        from (
          select newest.action, newest.actor, newest.at, newest.rationale, newest.run_id, newest.changes,
            newest.via
          from (
            select *
from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($5::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $6
and "h"."scope" = any($7::text[]))
  ))
  )
            order by a.id desc
limit $8
          ) as newest
          order by newest.id
        ) as entry
      ), '[]') as audit_log, array(select distinct concealed.id
from (
    select h.id
from regexp_matches(concat_ws(' ',
  c.provenance, c.payload -> 'evidence', c.payload -> 'revision', c.interpretation -> 'mentions',
  c.interpretation -> 'relation_candidates', c.interpretation -> 'reference_candidates'
), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
  ) as concealed) as concealed
    from (
    select r.id
    from relations as e join records as r on r.id = e.target_id
    where e.source_id = $11::uuid
and e.predicate = any($12::text[])
      and r.forgotten_at is null
and ("r"."sensitivity" <= $13
and "r"."scope" = any($14::text[]))
and (r.created_at, r.id) < ($15::timestamptz, $16::uuid)
    group by r.id
    order by r.created_at desc, r.id desc
    limit $17
  ) as cut join records as r on r.id = cut.id
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $18
and "r"."scope" = any($19::text[]))
order by r.created_at desc, r.id desc;

-- src/entities/entities.queries.ts takeTurn
    select case when $1::text = $2 then pg_advisory_xact_lock(7350, 5)
      else pg_advisory_xact_lock_shared(7350, 5) end;

-- src/entities/entities.queries.ts takeTurnInScope
select pg_advisory_xact_lock(hashtextextended($1::text, 7350));

-- src/entities/entities.queries.ts lockTwins
    select r.id
from records as r
where r.id = any($1::uuid[])
order by r.id
for update;

-- src/entities/entities.queries.ts deleteNames
    with handle as (delete
from handles
where record_id = any($1::uuid[]))
    delete
from entity_identifiers
where record_id = any($2::uuid[]);

-- src/entities/entities.queries.ts keepEntities
    select r.id, r.forgotten_at is null
and r.status in ('active', 'challenged') as stands
    from records as r
where r.id = any($1::uuid[])
    order by r.id
    for key share;

-- src/entities/entities.queries.ts recordFolding
    insert into descents (derived_id, source_id, kind, is_ground)
    select $1::uuid, id, 'fold', exists (
      select
from descents as d
where d.derived_id = $2::uuid
and d.is_ground
    )
    from unnest($3::uuid[]) as twin (id)
    on conflict on constraint descents_pkey do nothing;

-- src/http/idempotency.queries.ts tryLock
select pg_try_advisory_xact_lock($1) as "held";

-- src/http/idempotency.queries.ts findAnswer
select "fingerprint", "status", "headers", "body"
from "idempotency_keys"
where "principal" = $1
and "key" = $2
and "expires_at" > $3;

-- src/http/idempotency.queries.ts storeAnswer
insert into "idempotency_keys" ("principal", "key", "fingerprint", "status", "headers", "body", "created_at", "expires_at")
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict ("principal", "key") do update
set "fingerprint" = $9, "status" = $10, "headers" = $11, "body" = $12, "created_at" = $13, "expires_at" = $14;

-- src/http/idempotency.queries.ts deleteExpiredAnswers
delete
from "idempotency_keys"
where ("principal", "key") in (select "principal", "key"
from "idempotency_keys"
where "expires_at" <= $1
order by "expires_at"
limit $2
for update skip locked);

-- src/jobs/ranges.queries.ts insertRanges
    insert into maintenance_ranges (run_id, first_block, end_block, done)
    select $1::uuid, first, first + $2::bigint, false
    from generate_series(
      0, pg_relation_size('records') / current_setting('block_size')::bigint, $3::bigint
    ) as first
    where not exists (select
from maintenance_ranges
where run_id = $4::uuid);

-- src/jobs/ranges.queries.ts takeRange
select "first_block", "end_block"
from "maintenance_ranges"
where "run_id" = $1
and "done" = $2
order by "first_block" desc
limit $3
for update skip locked;

-- src/jobs/ranges.queries.ts finishRange
update "maintenance_ranges"
set "done" = $1
where "run_id" = $2
and "first_block" = $3;

-- src/jobs/ranges.queries.ts hasOpenRanges
select "run_id"
from "maintenance_ranges"
where "run_id" = $1
and "done" = $2
limit $3;

-- src/jobs/schedules.queries.ts tryOwnSchedules
select pg_try_advisory_xact_lock($1) as "owned";

-- src/keys/keys.queries.ts insertKey
insert into "api_keys" ("id", "name", "secret_hash", "permissions", "scopes", "max_sensitivity", "source_type", "created_at", "expires_at", "last_used_at", "revoked_at")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- src/keys/keys.queries.ts findKey
select "id", "name", "secret_hash", "permissions", "scopes", "max_sensitivity", "source_type", "created_at", "expires_at", "last_used_at", "revoked_at"
from "api_keys"
where "id" = $1
and "revoked_at" is null
and (max_sensitivity <= $2::sensitivity
and cardinality(scopes) > 0
and scopes <@ $3::text[]);

-- src/keys/keys.queries.ts findKeyBySecret
select "id", "name", "secret_hash", "permissions", "scopes", "max_sensitivity", "source_type", "created_at", "expires_at", "last_used_at", "revoked_at"
from "api_keys"
where "secret_hash" = $1
and "revoked_at" is null;

-- src/keys/keys.queries.ts listKeys: the first page
select "id", "name", "secret_hash", "permissions", "scopes", "max_sensitivity", "source_type", "created_at", "expires_at", "last_used_at", "revoked_at"
from "api_keys"
where "revoked_at" is null
and (max_sensitivity <= $1::sensitivity
and true)
order by "created_at" desc, "id" desc
limit $2;

-- src/keys/keys.queries.ts listKeys: the second page
select "id", "name", "secret_hash", "permissions", "scopes", "max_sensitivity", "source_type", "created_at", "expires_at", "last_used_at", "revoked_at"
from "api_keys"
where "revoked_at" is null
and (max_sensitivity <= $1::sensitivity
and cardinality(scopes) > 0
and scopes <@ $2::text[])
and ("created_at", "id") < ($3, $4)
order by "created_at" desc, "id" desc
limit $5;

-- src/keys/keys.queries.ts revokeKey
update "api_keys"
set "revoked_at" = $1
where "id" = $2
and "revoked_at" is null;

-- src/keys/keys.queries.ts noteUse
update "api_keys"
set "last_used_at" = $1
where "id" = $2
and ("last_used_at" is null
or "last_used_at" <= $3);

-- src/lifecycle/access-folding.queries.ts claimFoldable
    select r.id
from records as r
    where r.id > $1::uuid
and r.access_count > 32
      and floor(greatest(0::float8, date_part('epoch', (select min(l.at)
from access_log as l
where l.record_id = r.id) - r.created_at) / 86400))
        < floor(greatest(0::float8, date_part('epoch', $2::timestamptz - r.created_at) / 86400))
      and exists (
        select
from access_log as l
where l.record_id = r.id offset 32
limit 1
      )
    order by r.id
    limit $3
    for no key update skip locked;

-- src/lifecycle/access-folding.queries.ts foldOldest
    with due as materialized (
      select old.place, r.id, floor(greatest(0::float8, date_part('epoch', old.at - r.created_at) / 86400)) as day
      from records as r
      cross join lateral (
        select l.at
from access_log as l
where l.record_id = r.id
        order by l.at desc, l.kind
        offset 31
limit 1
      ) as kept
      cross join lateral (
        select l.ctid as place, l.at
from access_log as l
        where l.record_id = r.id
and l.at < kept.at
          and floor(greatest(0::float8, date_part('epoch', l.at - r.created_at) / 86400)) < floor(greatest(0::float8, date_part('epoch', $1::timestamptz - r.created_at) / 86400))
        order by l.at
        limit $2
      ) as old
      where r.id = any($3::uuid[])
      limit $4
    ), deleted as (
      delete
from access_log as l using due
where l.ctid = due.place
    ), emptied as (
      select r.id, d.day
      from (select id, day, count(*) as gone
from due group by id, day) as d
      join records as r on r.id = d.id
      where d.gone = (
        select count(*)
from access_log as l
        where l.record_id = r.id
and l.at < r.created_at + (d.day + 1) * interval '24 hours'
          and (d.day = 0
or l.at >= r.created_at + d.day * interval '24 hours')
      )
    ), folded as (
      insert into access_folds as f (record_id, days)
      select id, count(*)
from emptied group by id
      on conflict (record_id) do update
set days = f.days + excluded.days
    )
    select count(*) as folded
from due;

-- src/lifecycle/access.queries.ts noteAccesses
    with noted as materialized (
      select *
from json_to_recordset($1::json) as noted (
        record_id uuid, at timestamptz, kind access_kind, actor text
      )
    ), locked as materialized (
      select r.id
from records as r
      where r.id in (select record_id
from noted)
      order by r.id
      for no key update
    ), counted as (
      update records as r
      set access_count = r.access_count + n.times, served_count = r.served_count + n.served,
        last_accessed_at = greatest(r.last_accessed_at, n.latest)
      from (
        select n.record_id, count(*)::integer as times, max(n.at) as latest,
          (count(*) filter (where n.kind = 'served'))::integer as served
        from noted as n join locked as l on l.id = n.record_id
        group by n.record_id
      ) as n
      where r.id = n.record_id
    ), sharpened as (
      insert into unembedded (record_id, asked_at, due_at)
      select e.record_id, max(n.at), max(n.at)
      from embeddings as e
      join embedding_models as m on m.id = e.model_id
and m.embeds
      join locked as l on l.id = e.record_id
      join noted as n on n.record_id = e.record_id
      where e.bits < 32
      group by e.record_id
      on conflict (record_id) do nothing
    )
    insert into access_log (record_id, at, kind, actor)
    select n.record_id, n.at, n.kind, n.actor
from noted as n join locked as l on l.id = n.record_id;

-- src/lifecycle/archival.queries.ts findArchival
    select (said ->> 'retention')::float8 as retention, (said ->> 'importance')::float8 as importance,
      (said ->> 'accesses')::int4 as accesses, (said ->> 'age_days')::float8 as age_days
    from (
      select a.changes #> '{forgotten,1}' as said
      from audit_entries as a
      where a.record_id = $1::uuid
and a.action = 'archive'
      order by a.id desc
      limit 1
    ) as archived
    where said ? 'retention';

-- src/lifecycle/decay-sweep.queries.ts countDue: everywhere
    select
      (select count(*)
from records
        where fades_at <= $1::float8 ) as fading,
      (select count(*)
from records
        where prune_at <= $2::timestamptz
and forgotten_at is null
          and status in ('active', 'challenged') )
      + (select count(*)
from records
        where anchored_at <= $3::timestamptz
and prune_at is not null
and forgotten_at is null
          and status in ('invalidated', 'merged', 'superseded') ) as faded;

-- src/lifecycle/decay-sweep.queries.ts countDue: in a scope
    select
      (select count(*)
from records
        where fades_at <= $1::float8
and scope = $2) as fading,
      (select count(*)
from records
        where prune_at <= $3::timestamptz
and forgotten_at is null
          and status in ('active', 'challenged')
and scope = $4)
      + (select count(*)
from records
        where anchored_at <= $5::timestamptz
and prune_at is not null
and forgotten_at is null
          and status in ('invalidated', 'merged', 'superseded')
and scope = $6) as faded;

-- src/lifecycle/decay-sweep.queries.ts materialiseRange
    with due as materialized (
      select ctid
from records
      where ctid >= $1::tid
and ctid < $2::tid
        and fades_at <= $3::float8
      for update skip locked
    ), written as (
      update records as r
set salience = salience_at(r, $4::timestamptz)
      from due
where r.ctid = due.ctid
      returning r.id
    )
    select count(*) as written
from written;

-- src/lifecycle/decay-sweep.queries.ts materialiseNext
    with due as materialized (
      select id, fades_at
from records
      where fades_at <= $1::float8
        and (fades_at, id) > ($2::float8, $3::uuid)
order by fades_at, id
      limit $4
      for update skip locked
    ), written as (
      update records as r
set salience = salience_at(r, $5::timestamptz)
      from due
where r.id = due.id
      returning r.id
    )
    select (select count(*)
from written) as written, fades_at::text as at, id
    from due
order by fades_at desc, id desc
limit 1;

-- src/lifecycle/decay-sweep.queries.ts pruneFaded
    with due as materialized (
      select id, prune_at as at
from records
      where prune_at <= $1::timestamptz
and forgotten_at is null
        and status in ('active', 'challenged')
        and (prune_at, id) > ($2::timestamptz, $3::uuid)
      order by prune_at, id
      limit $4
      for update skip locked
    ), pruned as (
      update records as r
      set forgotten_at = $5::timestamptz, forgotten_reason = 'pruned', forgotten_by = 'decay-service',
        forgotten_run_id = $6::uuid, purge_at = $7::timestamptz
      from due
where r.id = due.id
      returning r.id, due.at, salience_at(r, $8::timestamptz) as salience
    ), audited as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale)
      select id, $9::uuid, $10::timestamptz, 'delete', 'decay-service',
        'auto-pruned: salience reached floor'
      from pruned
    ), listed as (
      insert into maintenance_changes (run_id, record_id, action, before, after)
      select $11::uuid, id, 'prune', jsonb_build_object('salience', salience),
        $12::jsonb
      from pruned
      on conflict (run_id, record_id, action) do nothing
    )
    select id, at::text as at, salience
from pruned
order by pruned.at, id;

-- src/lifecycle/decay-sweep.queries.ts pruneRevised
    with due as materialized (
      select id, anchored_at as at
from records
      where prune_at <= $1::timestamptz
and anchored_at <= $2::timestamptz
        and forgotten_at is null
and status in ('invalidated', 'merged', 'superseded')
        and (anchored_at, id) > ($3::timestamptz, $4::uuid)
      order by anchored_at, id
      limit $5
      for update skip locked
    ), pruned as (
      update records as r
      set forgotten_at = $6::timestamptz, forgotten_reason = 'pruned', forgotten_by = 'decay-service',
        forgotten_run_id = $7::uuid, purge_at = $8::timestamptz
      from due
where r.id = due.id
      returning r.id, due.at, salience_at(r, $9::timestamptz) as salience
    ), audited as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale)
      select id, $10::uuid, $11::timestamptz, 'delete', 'decay-service',
        'auto-pruned: salience reached floor'
      from pruned
    ), listed as (
      insert into maintenance_changes (run_id, record_id, action, before, after)
      select $12::uuid, id, 'prune', jsonb_build_object('salience', salience),
        $13::jsonb
      from pruned
      on conflict (run_id, record_id, action) do nothing
    )
    select id, at::text as at, salience
from pruned
order by pruned.at, id;

-- src/lifecycle/decay-sweep.queries.ts findNext: fading
    select fades_at::text as at, id
from records
where fades_at <= $1::float8
and (fades_at, id) > ($2::float8, $3::uuid)
and scope = $4
    order by fades_at, id
    limit 1
    for update skip locked;

-- src/lifecycle/decay-sweep.queries.ts findNext: faded
    select prune_at::text as at, id
from records
where prune_at <= $1::timestamptz
and forgotten_at is null
and status in ('active', 'challenged')
      and (prune_at, id) > ($2::timestamptz, $3::uuid)
and scope = $4
    order by prune_at, id
    limit 1
    for update skip locked;

-- src/lifecycle/decay-sweep.queries.ts findNext: revised
    select anchored_at::text as at, id
from records
where prune_at is not null
and anchored_at <= $1::timestamptz
and forgotten_at is null
      and status in ('invalidated', 'merged', 'superseded')
      and (anchored_at, id) > ($2::timestamptz, $3::uuid)
and scope = $4
    order by anchored_at, id
    limit 1
    for update skip locked;

-- src/lifecycle/forgetting.queries.ts logUse
insert into "access_log" ("record_id", "at", "kind", "actor")
values ($1, $2, $3, $4);

-- src/lifecycle/importance-history.queries.ts listImportanceMoves
select "id", "old", "new", "at", "run_id"
from "importance_history"
where "record_id" = $1
and "id" > $2
order by "id"
limit $3;

-- src/lifecycle/importance-refresh.queries.ts countRefreshable
    select count(*) as records,
      pg_relation_size('records') / current_setting('block_size')::bigint + 1 as blocks
    from records as r
    where r.forgotten_at is null
and not r.pinned;

-- src/lifecycle/importance-refresh.queries.ts listRefreshable
    select r.id
from records as r
where r.ctid >= $1::tid
and r.ctid < $2::tid
and r.forgotten_at is null
and not r.pinned
and r.scope = $3
order by r.id;

-- src/lifecycle/importance-refresh.queries.ts refreshScores
    with scored as materialized (
      select r.id, r.ctid as place, r.xmin as writer, r.importance as old, greatest(0::float8, least(1::float8, 0.3::float8 * greatest(r.base_importance, 1e-300::float8) + 0.12::float8 * greatest(least(1::float8, ln(1 + used.weight::float8) / 3.044522437723423::float8), 1e-300::float8) + 0.12::float8 * greatest(
  case when r.layer not in ('semantic', 'procedural', 'codebase') then power(2::float8, -least(
    used.since * (1 + 2::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / 30::float8,
    64::float8
  )) else 1 end, 1e-300::float8) + 0.06::float8 * greatest(abs(r.emotional_valence), 1e-300::float8) + 0.06::float8 * greatest(
  case when r.access_count = 0 then 0
    else least(1::float8, used.days / least(r.access_count::float8, floor(used.age) + 1)) end, 1e-300::float8) + 0.12::float8 * greatest(case r.layer when 'working' then 0::float8 when 'episodic' then 0.3333333333333333::float8 when 'codebase' then 0.5::float8 when 'procedural' then 0.6666666666666666::float8 when 'semantic' then 1::float8 end, 1e-300::float8) + 0.08::float8 * greatest(case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end, 1e-300::float8) + 0.06::float8 * greatest(least(1::float8, ln(1 + r.confirmation_count::float8) / 1.791759469228055::float8), 1e-300::float8) + 0.08::float8 * greatest(
  1 / (1 + exp(-(1::float8 + ln(used.activation
    + 2 * (1 + greatest(0::float8, used.weight - used.known_weight)) / (sqrt(used.oldest) + sqrt(
      case when used.weight <= used.known_weight
and used.known < 32
        then used.oldest else used.nearest end
    ))
  )) / 1.5::float8)), 1e-300::float8))) as new
      from records as r
left join lateral (
      select life.age, life.since,
  case when r.access_count = 0 then 0 else
    coalesce((select f.days
from access_folds as f
where f.record_id = r.id), 0)
    + case when r.access_count <= 100 then (
      select count(distinct floor(greatest(0::float8, date_part('epoch', l.at - r.created_at) / 86400)))
from access_log as l
where l.record_id = r.id
    ) else (
      with recursive visited (at) as (
        (select l.at
from access_log as l
where l.record_id = r.id
order by l.at desc
limit 1)
        union all
        select (
          select l.at
from access_log as l
          where l.record_id = r.id
and floor(greatest(0::float8, date_part('epoch', v.at - r.created_at) / 86400)) > 0
            and l.at < r.created_at + floor(greatest(0::float8, date_part('epoch', v.at - r.created_at) / 86400)) * interval '24 hours'
          order by l.at desc
          limit 1
        )
        from visited as v
where v.at is not null
      )
      select count(at)
from visited
    ) end
  end as days, count(recent.age)::integer as known,
        coalesce(sum(recent.weight), 0) as known_weight,
        coalesce(sum(recent.weight / sqrt(greatest(recent.age, 0.0006944444444444445::float8))), 0) as activation,
        greatest(coalesce(max(recent.age), life.since), 0.0006944444444444445::float8) as nearest,
        greatest(life.age, 0.0006944444444444445::float8) as oldest,
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) as weight
      from (
        select least(born.age, greatest(0::float8, date_part('epoch', $1::timestamptz - coalesce(r.last_accessed_at, r.created_at)) / 86400)) as since, born.age
        from (select greatest(0::float8, date_part('epoch', $2::timestamptz - r.created_at) / 86400) as age) as born
      ) as life
      left join lateral (
        select least(life.age, greatest(0::float8, date_part('epoch', $3::timestamptz - l.at) / 86400)) as age, case l.kind when 'used' then 1::float8 when 'served' then 0.25::float8 end as weight
        from access_log as l
        where l.record_id = r.id
and r.access_count > 0
        order by l.at desc, l.kind
        limit 32
      ) as recent on true
      group by life.age, life.since
    ) as used on true
      where r.ctid >= $4::tid
and r.ctid < $5::tid
and r.forgotten_at is null
and not r.pinned
    ), due as materialized (
      select r.ctid, s.id, s.old, s.new
      from scored as s
      join records as r on r.ctid = s.place
      where r.ctid >= $6::tid
and r.ctid < $7::tid
and r.xmin = s.writer
and abs(s.new - s.old) > 0.01::float8
      for no key update of r skip locked
    ), moved as (
      update records as r
set importance = due.new
      from due
where r.ctid = due.ctid
      returning r.id, due.old, due.new
    ), told as (
      insert into importance_history (record_id, old, new, at, run_id)
      select id, old, new, $8::timestamptz, $9::uuid
from moved
    )
    select (select count(*)
from scored) as seen, (select count(*)
from moved) as moved;

-- src/lifecycle/importance.queries.ts scoringAt
select r.id, greatest(0::float8, least(1::float8, 0.3::float8 * greatest(r.base_importance, 1e-300::float8) + 0.12::float8 * greatest(least(1::float8, ln(1 + used.weight::float8) / 3.044522437723423::float8), 1e-300::float8) + 0.12::float8 * greatest(
  case when r.layer not in ('semantic', 'procedural', 'codebase') then power(2::float8, -least(
    used.since * (1 + 2::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / 30::float8,
    64::float8
  )) else 1 end, 1e-300::float8) + 0.06::float8 * greatest(abs(r.emotional_valence), 1e-300::float8) + 0.06::float8 * greatest(
  case when r.access_count = 0 then 0
    else least(1::float8, used.days / least(r.access_count::float8, floor(used.age) + 1)) end, 1e-300::float8) + 0.12::float8 * greatest(case r.layer when 'working' then 0::float8 when 'episodic' then 0.3333333333333333::float8 when 'codebase' then 0.5::float8 when 'procedural' then 0.6666666666666666::float8 when 'semantic' then 1::float8 end, 1e-300::float8) + 0.08::float8 * greatest(case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end, 1e-300::float8) + 0.06::float8 * greatest(least(1::float8, ln(1 + r.confirmation_count::float8) / 1.791759469228055::float8), 1e-300::float8) + 0.08::float8 * greatest(
  1 / (1 + exp(-(1::float8 + ln(used.activation
    + 2 * (1 + greatest(0::float8, used.weight - used.known_weight)) / (sqrt(used.oldest) + sqrt(
      case when used.weight <= used.known_weight
and used.known < 32
        then used.oldest else used.nearest end
    ))
  )) / 1.5::float8)), 1e-300::float8))) as importance
from records as r
left join lateral (
      select life.age, life.since,
  case when r.access_count = 0 then 0 else
    coalesce((select f.days
from access_folds as f
where f.record_id = r.id), 0)
    + case when r.access_count <= 100 then (
      select count(distinct floor(greatest(0::float8, date_part('epoch', l.at - r.created_at) / 86400)))
from access_log as l
where l.record_id = r.id
    ) else (
      with recursive visited (at) as (
        (select l.at
from access_log as l
where l.record_id = r.id
order by l.at desc
limit 1)
        union all
        select (
          select l.at
from access_log as l
          where l.record_id = r.id
and floor(greatest(0::float8, date_part('epoch', v.at - r.created_at) / 86400)) > 0
            and l.at < r.created_at + floor(greatest(0::float8, date_part('epoch', v.at - r.created_at) / 86400)) * interval '24 hours'
          order by l.at desc
          limit 1
        )
        from visited as v
where v.at is not null
      )
      select count(at)
from visited
    ) end
  end as days, count(recent.age)::integer as known,
        coalesce(sum(recent.weight), 0) as known_weight,
        coalesce(sum(recent.weight / sqrt(greatest(recent.age, 0.0006944444444444445::float8))), 0) as activation,
        greatest(coalesce(max(recent.age), life.since), 0.0006944444444444445::float8) as nearest,
        greatest(life.age, 0.0006944444444444445::float8) as oldest,
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) as weight
      from (
        select least(born.age, greatest(0::float8, date_part('epoch', $1::timestamptz - coalesce(r.last_accessed_at, r.created_at)) / 86400)) as since, born.age
        from (select greatest(0::float8, date_part('epoch', $2::timestamptz - r.created_at) / 86400) as age) as born
      ) as life
      left join lateral (
        select least(life.age, greatest(0::float8, date_part('epoch', $3::timestamptz - l.at) / 86400)) as age, case l.kind when 'used' then 1::float8 when 'served' then 0.25::float8 end as weight
        from access_log as l
        where l.record_id = r.id
and r.access_count > 0
        order by l.at desc, l.kind
        limit 32
      ) as recent on true
      group by life.age, life.since
    ) as used on true;

-- src/lifecycle/importance.queries.ts findLoggedAccesses
    select (
  case when r.access_count = 0 then 0 else
    coalesce((select f.days
from access_folds as f
where f.record_id = r.id), 0)
    + case when r.access_count <= 100 then (
      select count(distinct floor(greatest(0::float8, date_part('epoch', l.at - r.created_at) / 86400)))
from access_log as l
where l.record_id = r.id
    ) else (
      with recursive visited (at) as (
        (select l.at
from access_log as l
where l.record_id = r.id
order by l.at desc
limit 1)
        union all
        select (
          select l.at
from access_log as l
          where l.record_id = r.id
and floor(greatest(0::float8, date_part('epoch', v.at - r.created_at) / 86400)) > 0
            and l.at < r.created_at + floor(greatest(0::float8, date_part('epoch', v.at - r.created_at) / 86400)) * interval '24 hours'
          order by l.at desc
          limit 1
        )
        from visited as v
where v.at is not null
      )
      select count(at)
from visited
    ) end
  end)::integer as days, coalesce((
      select json_agg(json_build_object('at', newest.at, 'kind', newest.kind)
order by newest.at desc, newest.kind)
      from (
        select l.at, l.kind
from access_log as l
        where l.record_id = r.id
and r.access_count > 0
        order by l.at desc, l.kind
        limit 32
      ) as newest
    ), '[]') as recent
    from records as r
    where r.id = $1::uuid;

-- src/lifecycle/importance.queries.ts rescore
    with scored as materialized (
      select r.id, r.importance as old, greatest(0::float8, least(1::float8, 0.3::float8 * greatest(r.base_importance, 1e-300::float8) + 0.12::float8 * greatest(least(1::float8, ln(1 + used.weight::float8) / 3.044522437723423::float8), 1e-300::float8) + 0.12::float8 * greatest(
  case when r.layer not in ('semantic', 'procedural', 'codebase') then power(2::float8, -least(
    used.since * (1 + 2::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / 30::float8,
    64::float8
  )) else 1 end, 1e-300::float8) + 0.06::float8 * greatest(abs(r.emotional_valence), 1e-300::float8) + 0.06::float8 * greatest(
  case when r.access_count = 0 then 0
    else least(1::float8, used.days / least(r.access_count::float8, floor(used.age) + 1)) end, 1e-300::float8) + 0.12::float8 * greatest(case r.layer when 'working' then 0::float8 when 'episodic' then 0.3333333333333333::float8 when 'codebase' then 0.5::float8 when 'procedural' then 0.6666666666666666::float8 when 'semantic' then 1::float8 end, 1e-300::float8) + 0.08::float8 * greatest(case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end, 1e-300::float8) + 0.06::float8 * greatest(least(1::float8, ln(1 + r.confirmation_count::float8) / 1.791759469228055::float8), 1e-300::float8) + 0.08::float8 * greatest(
  1 / (1 + exp(-(1::float8 + ln(used.activation
    + 2 * (1 + greatest(0::float8, used.weight - used.known_weight)) / (sqrt(used.oldest) + sqrt(
      case when used.weight <= used.known_weight
and used.known < 32
        then used.oldest else used.nearest end
    ))
  )) / 1.5::float8)), 1e-300::float8))) as new
      from records as r
left join lateral (
      select life.age, life.since,
  case when r.access_count = 0 then 0 else
    coalesce((select f.days
from access_folds as f
where f.record_id = r.id), 0)
    + case when r.access_count <= 100 then (
      select count(distinct floor(greatest(0::float8, date_part('epoch', l.at - r.created_at) / 86400)))
from access_log as l
where l.record_id = r.id
    ) else (
      with recursive visited (at) as (
        (select l.at
from access_log as l
where l.record_id = r.id
order by l.at desc
limit 1)
        union all
        select (
          select l.at
from access_log as l
          where l.record_id = r.id
and floor(greatest(0::float8, date_part('epoch', v.at - r.created_at) / 86400)) > 0
            and l.at < r.created_at + floor(greatest(0::float8, date_part('epoch', v.at - r.created_at) / 86400)) * interval '24 hours'
          order by l.at desc
          limit 1
        )
        from visited as v
where v.at is not null
      )
      select count(at)
from visited
    ) end
  end as days, count(recent.age)::integer as known,
        coalesce(sum(recent.weight), 0) as known_weight,
        coalesce(sum(recent.weight / sqrt(greatest(recent.age, 0.0006944444444444445::float8))), 0) as activation,
        greatest(coalesce(max(recent.age), life.since), 0.0006944444444444445::float8) as nearest,
        greatest(life.age, 0.0006944444444444445::float8) as oldest,
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) as weight
      from (
        select least(born.age, greatest(0::float8, date_part('epoch', $1::timestamptz - coalesce(r.last_accessed_at, r.created_at)) / 86400)) as since, born.age
        from (select greatest(0::float8, date_part('epoch', $2::timestamptz - r.created_at) / 86400) as age) as born
      ) as life
      left join lateral (
        select least(life.age, greatest(0::float8, date_part('epoch', $3::timestamptz - l.at) / 86400)) as age, case l.kind when 'used' then 1::float8 when 'served' then 0.25::float8 end as weight
        from access_log as l
        where l.record_id = r.id
and r.access_count > 0
        order by l.at desc, l.kind
        limit 32
      ) as recent on true
      group by life.age, life.since
    ) as used on true
      where r.id = any($4::uuid[])
      order by r.id
      for no key update of r
    ), moved as (
      update records as r
set importance = s.new
      from scored as s
      where r.id = s.id
and abs(s.new - s.old) > 0.01::float8
      returning r.id, s.old, s.new
    ), told as (
      insert into importance_history (record_id, old, new, at, run_id)
      select id, old, new, $5::timestamptz, $6::uuid
from moved
    )
    select id, new
from moved;

-- src/lifecycle/importance.queries.ts moveScores
    with scored as materialized (
      select r.id, r.importance as old, greatest(0::float8, least(1::float8, 0.3::float8 * greatest(r.base_importance, 1e-300::float8) + 0.12::float8 * greatest(least(1::float8, ln(1 + used.weight::float8) / 3.044522437723423::float8), 1e-300::float8) + 0.12::float8 * greatest(
  case when r.layer not in ('semantic', 'procedural', 'codebase') then power(2::float8, -least(
    used.since * (1 + 2::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / 30::float8,
    64::float8
  )) else 1 end, 1e-300::float8) + 0.06::float8 * greatest(abs(r.emotional_valence), 1e-300::float8) + 0.06::float8 * greatest(
  case when r.access_count = 0 then 0
    else least(1::float8, used.days / least(r.access_count::float8, floor(used.age) + 1)) end, 1e-300::float8) + 0.12::float8 * greatest(case r.layer when 'working' then 0::float8 when 'episodic' then 0.3333333333333333::float8 when 'codebase' then 0.5::float8 when 'procedural' then 0.6666666666666666::float8 when 'semantic' then 1::float8 end, 1e-300::float8) + 0.08::float8 * greatest(case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end, 1e-300::float8) + 0.06::float8 * greatest(least(1::float8, ln(1 + r.confirmation_count::float8) / 1.791759469228055::float8), 1e-300::float8) + 0.08::float8 * greatest(
  1 / (1 + exp(-(1::float8 + ln(used.activation
    + 2 * (1 + greatest(0::float8, used.weight - used.known_weight)) / (sqrt(used.oldest) + sqrt(
      case when used.weight <= used.known_weight
and used.known < 32
        then used.oldest else used.nearest end
    ))
  )) / 1.5::float8)), 1e-300::float8))) as new
      from records as r
left join lateral (
      select life.age, life.since,
  case when r.access_count = 0 then 0 else
    coalesce((select f.days
from access_folds as f
where f.record_id = r.id), 0)
    + case when r.access_count <= 100 then (
      select count(distinct floor(greatest(0::float8, date_part('epoch', l.at - r.created_at) / 86400)))
from access_log as l
where l.record_id = r.id
    ) else (
      with recursive visited (at) as (
        (select l.at
from access_log as l
where l.record_id = r.id
order by l.at desc
limit 1)
        union all
        select (
          select l.at
from access_log as l
          where l.record_id = r.id
and floor(greatest(0::float8, date_part('epoch', v.at - r.created_at) / 86400)) > 0
            and l.at < r.created_at + floor(greatest(0::float8, date_part('epoch', v.at - r.created_at) / 86400)) * interval '24 hours'
          order by l.at desc
          limit 1
        )
        from visited as v
where v.at is not null
      )
      select count(at)
from visited
    ) end
  end as days, count(recent.age)::integer as known,
        coalesce(sum(recent.weight), 0) as known_weight,
        coalesce(sum(recent.weight / sqrt(greatest(recent.age, 0.0006944444444444445::float8))), 0) as activation,
        greatest(coalesce(max(recent.age), life.since), 0.0006944444444444445::float8) as nearest,
        greatest(life.age, 0.0006944444444444445::float8) as oldest,
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) as weight
      from (
        select least(born.age, greatest(0::float8, date_part('epoch', $1::timestamptz - coalesce(r.last_accessed_at, r.created_at)) / 86400)) as since, born.age
        from (select greatest(0::float8, date_part('epoch', $2::timestamptz - r.created_at) / 86400) as age) as born
      ) as life
      left join lateral (
        select least(life.age, greatest(0::float8, date_part('epoch', $3::timestamptz - l.at) / 86400)) as age, case l.kind when 'used' then 1::float8 when 'served' then 0.25::float8 end as weight
        from access_log as l
        where l.record_id = r.id
and r.access_count > 0
        order by l.at desc, l.kind
        limit 32
      ) as recent on true
      group by life.age, life.since
    ) as used on true
      where r.id = any($4::uuid[])
      order by r.id
      for no key update of r
    ), moved as (
      update records as r
set importance = s.new
      from scored as s
      where r.id = s.id
and abs(s.new - s.old) > 0.01::float8
      returning r.id, s.old, s.new
    ), told as (
      insert into importance_history (record_id, old, new, at, run_id)
      select id, old, new, $5::timestamptz, $6::uuid
from moved
    )
    select id, new
from moved;

-- src/lifecycle/promotion.queries.ts countWorking
    select count(*)::int4 as count
from records as r
where r.layer = 'working'
and r.forgotten_at is null
and not r.pinned
and r.status in ('active', 'challenged')
    and (greatest(r.created_at, r.demoted_at) <= $1::timestamptz
or
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) >= 2);

-- src/lifecycle/promotion.queries.ts countEpisodic
    select count(*)::int4 as count
from records as r
where r.layer = 'episodic'
and r.forgotten_at is null
and not r.pinned
and r.status in ('active', 'challenged')
and
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) >= 5
and r.scope = $1;

-- src/lifecycle/promotion.queries.ts claimWorking
    select r.created_at::text as at, r.id
from records as r
    where r.layer = 'working'
and r.forgotten_at is null
and not r.pinned
and r.status in ('active', 'challenged')
    and (greatest(r.created_at, r.demoted_at) <= $1::timestamptz
or
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) >= 2)
    and r.scope = $2
and (r.created_at, r.id) > ($3::timestamptz, $4::uuid)
    order by r.created_at, r.id
    limit $5
    for no key update skip locked;

-- src/lifecycle/promotion.queries.ts claimEpisodic
    select r.created_at::text as at, r.id
from records as r
    where r.layer = 'episodic'
and r.forgotten_at is null
and not r.pinned
and r.status in ('active', 'challenged')
and
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) >= 5
and r.scope = $1
and (r.created_at, r.id) > ($2::timestamptz, $3::uuid)
    order by r.created_at, r.id
    limit $4
    for no key update skip locked;

-- src/lifecycle/promotion.queries.ts promoteWorking
    with due as materialized (
      select r.id
from records as r
      where r.id = any($1::uuid[])
and r.layer = 'working'
and r.forgotten_at is null
and not r.pinned
and r.status in ('active', 'challenged')
        and (
          greatest(r.created_at, r.demoted_at) <= $2::timestamptz
          or (
  case when r.demoted_at is null then
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) else coalesce((
    select sum(case l.kind when 'used' then 1::float8 when 'served' then 0.25::float8 end)
from access_log as l
    where l.record_id = r.id
and l.at > r.demoted_at
  ), 0) end
) >= 2
        )
    ), promoted as (
      update records as r
      set layer = $3::memory_layer, version = r.version + 1,
        updated_at = greatest(r.updated_at, $4::timestamptz)
      from due
where r.id = due.id
      returning r.id, r.updated_at
    ), audited as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
      select id, $5::uuid, updated_at, 'promote', $6, $7::text,
        $8::jsonb
      from promoted
    )
    select id
from promoted
order by id;

-- src/lifecycle/promotion.queries.ts promoteEpisodic
    with due as materialized (
      select r.id
from records as r
left join lateral (
      select life.age, life.since,
  case when r.access_count = 0 then 0 else
    coalesce((select f.days
from access_folds as f
where f.record_id = r.id), 0)
    + case when r.access_count <= 100 then (
      select count(distinct floor(greatest(0::float8, date_part('epoch', l.at - r.created_at) / 86400)))
from access_log as l
where l.record_id = r.id
    ) else (
      with recursive visited (at) as (
        (select l.at
from access_log as l
where l.record_id = r.id
order by l.at desc
limit 1)
        union all
        select (
          select l.at
from access_log as l
          where l.record_id = r.id
and floor(greatest(0::float8, date_part('epoch', v.at - r.created_at) / 86400)) > 0
            and l.at < r.created_at + floor(greatest(0::float8, date_part('epoch', v.at - r.created_at) / 86400)) * interval '24 hours'
          order by l.at desc
          limit 1
        )
        from visited as v
where v.at is not null
      )
      select count(at)
from visited
    ) end
  end as days, count(recent.age)::integer as known,
        coalesce(sum(recent.weight), 0) as known_weight,
        coalesce(sum(recent.weight / sqrt(greatest(recent.age, 0.0006944444444444445::float8))), 0) as activation,
        greatest(coalesce(max(recent.age), life.since), 0.0006944444444444445::float8) as nearest,
        greatest(life.age, 0.0006944444444444445::float8) as oldest,
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) as weight
      from (
        select least(born.age, greatest(0::float8, date_part('epoch', $1::timestamptz - coalesce(r.last_accessed_at, r.created_at)) / 86400)) as since, born.age
        from (select greatest(0::float8, date_part('epoch', $2::timestamptz - r.created_at) / 86400) as age) as born
      ) as life
      left join lateral (
        select least(life.age, greatest(0::float8, date_part('epoch', $3::timestamptz - l.at) / 86400)) as age, case l.kind when 'used' then 1::float8 when 'served' then 0.25::float8 end as weight
        from access_log as l
        where l.record_id = r.id
and r.access_count > 0
        order by l.at desc, l.kind
        limit 32
      ) as recent on true
      group by life.age, life.since
    ) as used on true
      where r.id = any($4::uuid[])
and r.layer = 'episodic'
and r.forgotten_at is null
and not r.pinned
and r.status in ('active', 'challenged')
        and
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) >= 5
and (
  case when r.demoted_at is null then
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) else coalesce((
    select sum(case l.kind when 'used' then 1::float8 when 'served' then 0.25::float8 end)
from access_log as l
    where l.record_id = r.id
and l.at > r.demoted_at
  ), 0) end
) >= 5
        and greatest(0::float8, least(1::float8, 0.3::float8 * greatest(r.base_importance, 1e-300::float8) + 0.12::float8 * greatest(least(1::float8, ln(1 + used.weight::float8) / 3.044522437723423::float8), 1e-300::float8) + 0.12::float8 * greatest(
  case when r.layer not in ('semantic', 'procedural', 'codebase') then power(2::float8, -least(
    used.since * (1 + 2::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / 30::float8,
    64::float8
  )) else 1 end, 1e-300::float8) + 0.06::float8 * greatest(abs(r.emotional_valence), 1e-300::float8) + 0.06::float8 * greatest(
  case when r.access_count = 0 then 0
    else least(1::float8, used.days / least(r.access_count::float8, floor(used.age) + 1)) end, 1e-300::float8) + 0.12::float8 * greatest(case r.layer when 'working' then 0::float8 when 'episodic' then 0.3333333333333333::float8 when 'codebase' then 0.5::float8 when 'procedural' then 0.6666666666666666::float8 when 'semantic' then 1::float8 end, 1e-300::float8) + 0.08::float8 * greatest(case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end, 1e-300::float8) + 0.06::float8 * greatest(least(1::float8, ln(1 + r.confirmation_count::float8) / 1.791759469228055::float8), 1e-300::float8) + 0.08::float8 * greatest(
  1 / (1 + exp(-(1::float8 + ln(used.activation
    + 2 * (1 + greatest(0::float8, used.weight - used.known_weight)) / (sqrt(used.oldest) + sqrt(
      case when used.weight <= used.known_weight
and used.known < 32
        then used.oldest else used.nearest end
    ))
  )) / 1.5::float8)), 1e-300::float8))) >= 0.7
    ), promoted as (
      update records as r
      set layer = $5::memory_layer, version = r.version + 1,
        updated_at = greatest(r.updated_at, $6::timestamptz)
      from due
where r.id = due.id
      returning r.id, r.updated_at
    ), audited as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
      select id, $7::uuid, updated_at, 'promote', $8, $9::text,
        $10::jsonb
      from promoted
    )
    select id
from promoted
order by id;

-- src/lifecycle/reinforcement.queries.ts updateLives
    with incoming as materialized (
      select *
from json_to_recordset($1::json) as incoming (
        id uuid, base_salience float8, anchored_at timestamptz, last_reinforced_at timestamptz, pinned bool,
        salience float8, expires_at timestamptz, prune_at timestamptz, action audit_action, uses integer,
        changes jsonb, written_at timestamptz
      )
    ), record as (
      update records as r
      set base_salience = i.base_salience, anchored_at = i.anchored_at, last_reinforced_at = i.last_reinforced_at,
        pinned = i.pinned, salience = i.salience, expires_at = i.expires_at, prune_at = i.prune_at,
        version = r.version + 1, updated_at = i.written_at,
        access_count = r.access_count + i.uses,
        last_accessed_at = case i.uses when 0 then r.last_accessed_at
          else greatest(r.last_accessed_at, $2::timestamptz) end
      from incoming as i
      where r.id = i.id
    ), used as (
      insert into access_log (record_id, at, kind, actor)
      select id, $3::timestamptz, 'used', $4::text
from incoming
where uses > 0
    )
    insert into audit_entries (record_id, action, actor, at, rationale, changes, via)
    select id, action, $5::text, written_at, $6::text, changes,
      $7::jsonb
    from incoming;

-- src/lifecycle/retention.queries.ts retentionAt: l2
select (
    case when r.layer = any($1::memory_layer[]) then 1::float8
    else least(1::float8,
      power(2::float8, -least(
    greatest(date_part('epoch', $2::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $3::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $4::float8,
    $5::float8
  ))
      + least($6::float8, $7::float8 * ln(1 + r.access_count::float8))
    ) end
  ) as retention
from records as r;

-- src/lifecycle/retention.queries.ts retentionAt: huber
select (
    case when r.layer = any($1::memory_layer[]) then 1::float8
    else least(1::float8,
      case when least(
    greatest(date_part('epoch', $2::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $3::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $4::float8,
    $5::float8
  ) <= $6::float8 then power(2::float8, -least(
    greatest(date_part('epoch', $7::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $8::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $9::float8,
    $10::float8
  ))
    else greatest(0, power(2::float8, -$11::float8) * (1 - ln(2::float8) * (least(
    greatest(date_part('epoch', $12::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $13::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $14::float8,
    $15::float8
  ) - $16::float8))) end
      + least($17::float8, $18::float8 * ln(1 + r.access_count::float8))
    ) end
  ) as retention
from records as r;

-- src/lifecycle/retention.queries.ts retentionAt: elastic
select (
    case when r.layer = any($1::memory_layer[]) then 1::float8
    else least(1::float8,
      $2::float8 * greatest(0, 1 - least(
    greatest(date_part('epoch', $3::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $4::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $5::float8,
    $6::float8
  ) / $7::float8) + (1 - $8::float8) * power(2::float8, -least(
    greatest(date_part('epoch', $9::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $10::float8 * (1 - case r.source_type
  when 'human' then 1 when 'ai' then 0.7 when 'interaction' then 0.6 when 'ingest' then 0.5 when 'code_scan' then 0.5 when 'dream' then 0.4 when 'auto_extracted' then 0 end::float8)) / $11::float8,
    $12::float8
  ))
      + least($13::float8, $14::float8 * ln(1 + r.access_count::float8))
    ) end
  ) as retention
from records as r;

-- src/lifecycle/status.queries.ts listStatusChanges
    select s.id, s.old, s.new, s.step, s.at, s.run_id, case when s.is_shown then s.actor else $1 end as actor,
      case when s.is_shown then s.reason else '' end as reason, case when s.is_shown then s.via end as via
    from (
      select s.*, (not exists (
    select h.id
from regexp_matches(s.reason, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
  )
and s.at not in (
    select edge.created_at
    from unnest($4::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = $5::uuid
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $6
and "h"."scope" = any($7::text[]))
  )) as is_shown
      from status_changes as s
      where s.record_id = $8::uuid
and s.id > $9
      order by s.id
      limit $10
    ) as s
    order by s.id;

-- src/lifecycle/status.queries.ts findLastStep
select "step"
from "status_changes"
where "record_id" = $1
order by "id" desc
limit $2;

-- src/lifecycle/status.queries.ts findSalienceTaken
    select (a.changes #>> '{salience,0}')::float8 as salience
    from audit_entries as a
    where a.record_id = $1::uuid
and a.action = 'revise'
      and a.changes #> '{salience,1}' = '0'
and jsonb_typeof(a.changes #> '{salience,0}') = 'number'
      and not exists (
        select
from audit_entries as later
        where later.record_id = a.record_id
and later.id > a.id
and later.changes #>> '{status,1}' = 'active'
      )
    order by a.id desc
    limit 1;

-- src/lifecycle/surprise.queries.ts findSurprise
    with surprise as materialized (select *
from surprises
where record_id = $1::uuid), near as materialized (
      select (each.value ->> 'id')::uuid as id, (each.value ->> 'similarity')::float8 as similarity, each.place
      from surprise as s cross join lateral jsonb_array_elements(s.neighbours) with ordinality as each (value, place)
    ), seen as materialized (
      select near.*
from near join records as r on r.id = near.id
where ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
    )
    select s.at, s.score, s.delta, s.base_before,
      (select seen.id
from seen
where seen.id = s.duplicate_of) as duplicate_of,
      coalesce((
        select json_agg(json_build_object('id', seen.id, 'similarity', seen.similarity)
order by seen.place)
from seen
      ), '[]') as neighbours
    from surprise as s;

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

-- src/maintenance/maintenance.queries.ts listIntervals
select "job", "interval_ms", "enabled", "last_success_at", "next_at"
from "job_schedules"
order by "job";

-- src/maintenance/running/batches.queries.ts holdFence
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

-- src/maintenance/running/batches.queries.ts setTotal
update "maintenance_runs"
set "total" = $1, "stats" = $2::jsonb || "stats"
where "id" = $3
and "total" is null;

-- src/maintenance/running/batches.queries.ts setError
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
    select job
from job_leases join job_schedules using (job)
    where case when holder is null
or (
    expires_at <= $1::timestamptz
or expires_at > $2::timestamptz + '10 minutes'::interval
  ) then
      (
    enabled
and coalesce(interval_ms, coalesce(($3::jsonb ->> job)::bigint, 0)) > 0
and (
      next_at <= $4::timestamptz
      or next_at > $5::timestamptz + '10 minutes'::interval
        + coalesce(interval_ms, coalesce(($6::jsonb ->> job)::bigint, 0)) * interval '1 millisecond'
    )
  )
      or exists (
        select
from maintenance_runs
        where maintenance_runs.job = job_leases.job
and status in ('queued', 'running')
      )
    else
      holder <> $7
and exists (
        select
from maintenance_ranges
where maintenance_ranges.run_id = job_leases.run_id
and not done
      )
    end
    order by job;

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

-- src/maintenance/running/due-jobs.queries.ts passSchedule
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
    returning job;

-- src/maintenance/running/leases.queries.ts insertJobs
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
and "m"."status" = $2
and exists (select "part"."run_id"
from "maintenance_ranges" as "part"
where "part"."run_id" = "m"."id"
and "part"."done" = $3);

-- src/maintenance/running/leases.queries.ts startRun
update "maintenance_runs"
set "status" = $1, "worker" = $2, "attempts" = "attempts" + $3, "started_at" = coalesce("started_at", $4)
where "id" = $5;

-- src/maintenance/running/leases.queries.ts putRunBack
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

-- src/maintenance/running/leases.queries.ts noteSuccess
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

-- src/maintenance/running/run-totals.queries.ts tallyRun
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

-- src/metrics/store.queries.ts sumTallies
select "name", sum("value") as "value"
from "tallies" group by "name"
order by "name";

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
      select 'forget_revised', anchored_at + ($3::timestamptz - $4::timestamptz)
from (
        select anchored_at
from records
        where prune_at is not null
and forgotten_at is null
and status in ('invalidated', 'merged', 'superseded')
          and anchored_at <= $5::timestamptz
        order by anchored_at
limit $6
      ) as revised
      union all
      select 'purge', purge_at
from (
        select purge_at
from records
where purge_at is not null
and purge_at <= $7::timestamptz
        order by purge_at
limit $8
      ) as expired
      union all
      select 'embed', due_at
from (
        select due_at
from unembedded
where due_at <= $9::timestamptz
order by due_at
limit $10
      ) as unread
      union all
      select 'compare', created_at
from (
        select created_at
from unsurprised
order by created_at
limit $11
      ) as uncompared
      union all
      select 'consolidate', due_at
from (
        select due_at
from unconsolidated
where due_at <= $12::timestamptz
limit $13
      ) as unread
      union all
      select 'update_text', listed_at
from (select listed_at
from outdated_texts
limit $14) as outdated
    )
    select kind.work, count(due.since)::int4 as waiting, min(due.since) as oldest
    from unnest(array['forget_faded', 'forget_revised', 'purge', 'embed', 'compare', 'consolidate', 'update_text'])
      with ordinality as kind (work, place)
    left join due on due.work = kind.work
    group by kind.work, kind.place
    order by kind.place;

-- src/metrics/store.queries.ts listSizes
    select c.relname as table, pg_total_relation_size(c.oid) as bytes, greatest(c.reltuples, 0)::float8 as rows
    from pg_class as c
    where c.relnamespace = current_schema()::regnamespace
and c.relkind in ('r', 'p')
and c.relname not like 'kysely%'
    order by c.relname;

-- src/metrics/summary.queries.ts countRecords: of everything
    select type, status, pinned, count(*) as records
from records as r
    where forgotten_at is null
and true
    group by type, status, pinned;

-- src/metrics/summary.queries.ts countRecords: of what a key sees
    select type, status, pinned, count(*) as records
from records as r
    where forgotten_at is null
and ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
    group by type, status, pinned;

-- src/metrics/summary.queries.ts countFresh
    select count(*) as records
from records as r
    where forgotten_at is null
and created_at > $1::timestamptz
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]));

-- src/metrics/summary.queries.ts drawSample: of every record
    with drawn as materialized (
      select r.id, r.type, r.confidence, r.access_count, r.served_count, salience_at(r, $1::timestamptz) as salience
      from records as r
where r.forgotten_at is null
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
    ), said as materialized (
      select drawn.type, c.payload
from drawn join contents as c on c.record_id = drawn.id
      where drawn.type in ('competence', 'plan_graph')
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
      (select count(*)
from drawn join audit_entries as a on a.record_id = drawn.id) as entries,
      (select sum(least((payload #>> '{performance,success_count}')::float8, 9007199254740991))
from said
where type = 'competence')
        as successes,
      (select sum(least((payload #>> '{performance,failure_count}')::float8, 9007199254740991))
from said
where type = 'competence')
        as failures,
      (select count(*)
from said
where type = 'plan_graph') as plans,
      (select sum(least((payload #>> '{metrics,execution_count}')::float8, 9007199254740991))
from said
where type = 'plan_graph')
        as executions
    from drawn;

-- src/metrics/summary.queries.ts drawSample: of some pages
    with drawn as materialized (
      select r.id, r.type, r.confidence, r.access_count, r.served_count, salience_at(r, $1::timestamptz) as salience
      from records as r tablesample system ($2::float4)
      where r.forgotten_at is null
and true
    ), said as materialized (
      select drawn.type, c.payload
from drawn join contents as c on c.record_id = drawn.id
      where drawn.type in ('competence', 'plan_graph')
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
      (select count(*)
from drawn join audit_entries as a on a.record_id = drawn.id) as entries,
      (select sum(least((payload #>> '{performance,success_count}')::float8, 9007199254740991))
from said
where type = 'competence')
        as successes,
      (select sum(least((payload #>> '{performance,failure_count}')::float8, 9007199254740991))
from said
where type = 'competence')
        as failures,
      (select count(*)
from said
where type = 'plan_graph') as plans,
      (select sum(least((payload #>> '{metrics,execution_count}')::float8, 9007199254740991))
from said
where type = 'plan_graph')
        as executions
    from drawn;

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

-- src/portability/export-line.queries.ts lineOf
select concat(
    left((select row_to_json(row)
from (
    select r.id, r.type, r.sensitivity, r.confidence, salience_at(r, $1) as salience, c.tags,
      to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at, r.version,
      r.layer, r.memory_kind, r.status, r.importance, r.base_importance, r.access_count, r.source_type,
      r.emotional_valence, r.confirmation_count,
      (select row_to_json(row)
from (
        select r.base_salience, to_char(r.anchored_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as anchored_at
      ) as row) as anchors,
      (select row_to_json(row)
from (
        select (select row_to_json(row)
from (
  select r.curve, r.half_life_seconds, r.min_salience, r.max_age_seconds, r.reinforcement_gain, r.max_salience
) as row) as decay, to_char(r.last_reinforced_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_reinforced_at, r.pinned, r.deletion_policy
      ) as row) as lifecycle
  ) as row)::text, -1),
    ',"provenance":', (jsonb_set(c.provenance, '{sources}', coalesce((
    select jsonb_agg(each.value
order by each.place)
    from jsonb_array_elements(c.provenance -> 'sources') with ordinality as each (value, place)
    where not exists (
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
    where not ("h"."sensitivity" <= $2
and "h"."scope" = any($3::text[]))
  )
  ), '[{"kind": "event", "ref": "hidden"}]')))::text, ',"payload":', (case when c.payload ->> 'kind' = 'semantic'
    then jsonb_set(
      (case
    when r.status = 'superseded'
and r.type = 'semantic'
and not exists (
      select
from relations as e
      where e.source_id = r.id
and e.predicate = 'superseded_by'
and (select t.forgotten_at is null
and ("t"."sensitivity" <= $4
and "t"."scope" = any($5::text[]))
from records as t
where t.id = e.target_id)
        and e.target_id::text = c.payload #>> '{revision,superseded_by}'
    ) then c.payload #- '{revision,superseded_by}'
    else c.payload
  end) #- case when not exists (
    select h.id
from regexp_matches(c.payload #>> $6::text[], '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
  ) then '{}' else $9 end::text[] #- case when not exists (
    select h.id
from regexp_matches(c.payload #>> $10::text[], '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
  ) then '{}' else $13 end::text[], '{evidence}', coalesce((
    select jsonb_agg(each.value
order by each.place)
    from jsonb_array_elements(c.payload -> 'evidence') with ordinality as each (value, place)
    where not exists (
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
    where not ("h"."sensitivity" <= $14
and "h"."scope" = any($15::text[]))
  )
  ), '[]')
    )
    else (case
    when r.status = 'superseded'
and r.type = 'semantic'
and not exists (
      select
from relations as e
      where e.source_id = r.id
and e.predicate = 'superseded_by'
and (select t.forgotten_at is null
and ("t"."sensitivity" <= $16
and "t"."scope" = any($17::text[]))
from records as t
where t.id = e.target_id)
        and e.target_id::text = c.payload #>> '{revision,superseded_by}'
    ) then c.payload #- '{revision,superseded_by}'
    else c.payload
  end)
  end)::text,
    ',"relations":[', (
    select case when (select count(*)
from (select
from relations as e
where e.source_id = r.id
limit 1001) as few) <= 1000 then (
    select string_agg((select row_to_json(row)
from (
      select e.predicate, e.target_id, e.weight, to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
    ) as row)::text, ','
order by e.created_at, e.target_id, e.predicate)
    from (
    select e.predicate, e.target_id, e.weight, e.created_at
from relations as e
    where e.source_id = r.id
and (select t.forgotten_at is null
and ("t"."sensitivity" <= $18
and "t"."scope" = any($19::text[]))
from records as t
where t.id = e.target_id)) as e)
    else (
    select string_agg((select row_to_json(row)
from (
      select e.predicate, e.target_id, e.weight, to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
    ) as row)::text, ','
order by e.created_at, e.target_id, e.predicate)
    from (
      (
    select e.predicate, e.target_id, e.weight, e.created_at
from relations as e
    where e.source_id = r.id
and e.predicate not in ('mentioned_in', 'derives', 'referenced_by', 'fact_subject_of', 'fact_object_of', 'dependency_of', 'used_by', 'causes', 'supported_by', 'contradicted_by', 'superseded_by')
and (select t.forgotten_at is null
and ("t"."sensitivity" <= $20
and "t"."scope" = any($21::text[]))
from records as t
where t.id = e.target_id))
      union all
      (
    select e.predicate, e.target_id, e.weight, e.created_at
from relations as e
    where e.source_id = r.id
and e.predicate in ('mentioned_in', 'derives', 'referenced_by', 'fact_subject_of', 'fact_object_of', 'dependency_of', 'used_by', 'causes', 'supported_by', 'contradicted_by', 'superseded_by')
and (select t.forgotten_at is null
and ("t"."sensitivity" <= $22
and "t"."scope" = any($23::text[]))
from records as t
where t.id = e.target_id)
        order by e.predicate desc, e.target_id desc
limit 1000)
    ) as e) end), ']', ',"audit_log":[', (
  select string_agg(left((select row_to_json(row)
from (
      select a.action, a.actor, to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as timestamp, a.rationale
    ) as row)::text, -1) || coalesce(',"run_id":' || (to_json(a.run_id)::text), '')
    || coalesce(',"changes":' || (a.changes::text), '')
    || coalesce(',"via":' || (a.via::text), '') || '}', ','
order by a.id)
  from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $24
and "h"."scope" = any($25::text[]))
  )
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($26::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $27
and "h"."scope" = any($28::text[]))
  ))
  )), ']', ',"status_history":[', (
  select string_agg(left((select row_to_json(row)
from (
      select s.old, s.new, case when s.is_shown then s.actor else $29 end as actor,
        to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as changed_at, case when s.is_shown then s.reason else '' end as reason, s.step
    ) as row)::text, -1) || coalesce(',"run_id":' || (to_json(s.run_id)::text), '')
    || coalesce(',"via":' || (case when s.is_shown then s.via::text end), '') || '}', ','
order by s.id)
  from (
    select s.*, (not exists (
    select h.id
from regexp_matches(s.reason, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $30
and "h"."scope" = any($31::text[]))
  )
and s.at not in (
    select edge.created_at
    from unnest($32::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $33
and "h"."scope" = any($34::text[]))
  )) as is_shown
from status_changes as s
where s.record_id = r.id
  ) as s), ']',
    coalesce(',"scope":' || (to_json(nullif(r.scope, ''))::text), ''),
    coalesce(',"interpretation":' || ((c.interpretation || jsonb_build_object($35::text, coalesce((
    select jsonb_agg(case when not exists (
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
    where not ("h"."sensitivity" <= $36
and "h"."scope" = any($37::text[]))
  ) then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end
order by each.place)
    from jsonb_array_elements(c.interpretation -> $38::text) with ordinality as each (value, place)
  ), '[]')) || jsonb_build_object($39::text, coalesce((
    select jsonb_agg(case when not exists (
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
    where not ("h"."sensitivity" <= $40
and "h"."scope" = any($41::text[]))
  ) then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end
order by each.place)
    from jsonb_array_elements(c.interpretation -> $42::text) with ordinality as each (value, place)
  ), '[]'))
    || jsonb_build_object($43::text, coalesce((
    select jsonb_agg(case when not exists (
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
    where not ("h"."sensitivity" <= $44
and "h"."scope" = any($45::text[]))
  ) then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end
order by each.place)
    from jsonb_array_elements(c.interpretation -> $46::text) with ordinality as each (value, place)
  ), '[]')))::text), ''),
    coalesce(',"last_accessed_at":' || ('"' || to_char(r.last_accessed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'), ''),
    coalesce(',"served_count":' || (nullif(r.served_count, 0)::text), ''),
    coalesce(',"demoted_at":' || ('"' || to_char(r.demoted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'), ''),
    coalesce(',"forgotten":' || (
  case when r.forgotten_at is not null then left((select row_to_json(row)
from (
      select to_char(r.forgotten_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, r.forgotten_reason as reason, r.forgotten_by as actor,
        to_char(r.purge_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as purge_at
    ) as row)::text, -1) || coalesce(',"run_id":' || (to_json(r.forgotten_run_id)::text), '') || '}' end), ''),
    coalesce(',"importance_history":[' || (
  select string_agg(left((select row_to_json(row)
from (
      select h.old, h.new, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as changed_at
    ) as row)::text, -1) || coalesce(',"run_id":' || (to_json(h.run_id)::text), '') || '}', ','
order by h.id)
  from importance_history as h
where h.record_id = r.id) || ']', ''),
    case when r.access_count > 0 then (
  with newest as materialized (
    select l.at, l.kind, l.actor
from access_log as l
where l.record_id = r.id
    order by l.at desc, l.kind desc, l.actor desc
limit 1000
  )
  select coalesce(',"access_log":[' || (select string_agg((select row_to_json(row)
from (
      select to_char(n.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, n.kind, n.actor
    ) as row)::text, ','
order by n.at, n.kind, n.actor)
from newest as n) || ']', '') || coalesce(',"access_days":' || (select nullif(
      coalesce((select f.days
from access_folds as f
where f.record_id = r.id), 0)
      + case when r.access_count <= 1000 then 0 else (
        select count(distinct floor(greatest(0::float8, date_part('epoch', l.at - r.created_at) / 86400)))
from access_log as l, (select min(at) as at
from newest) as oldest
        where l.record_id = r.id
and l.at < oldest.at
and floor(greatest(0::float8, date_part('epoch', l.at - r.created_at) / 86400)) < floor(greatest(0::float8, date_part('epoch', oldest.at - r.created_at) / 86400))
      ) end, 0)::text), '')
) end,
    coalesce(',"surprise":' || (
    select left((select row_to_json(row)
from (
        select to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, s.score, s.delta, s.base_before
      ) as row)::text, -1) || concat(',"neighbours":[', (select string_agg(near.value::text, ','
order by near.place)
            from jsonb_array_elements(s.neighbours) with ordinality as near (value, place)
            where exists (select
from records as t
where t.id = (near.value ->> 'id')::uuid
and ("t"."sensitivity" <= $47
and "t"."scope" = any($48::text[])))), ']') || coalesce(',"duplicate_of":' || (case when exists (select
from records as t
where t.id = (s.duplicate_of)::uuid
and ("t"."sensitivity" <= $49
and "t"."scope" = any($50::text[]))) then to_json(s.duplicate_of)::text end), '') || '}'
    from surprises as s
where s.record_id = r.id), ''),
    coalesce(',"descent":[' || (
  select string_agg((select row_to_json(row)
from (select d.source_id, d.kind, d.is_ground) as row)::text, ','
order by d.source_id)
  from descents as d
  where d.derived_id = r.id
and (
    exists (select
from records as t
where t.id = d.source_id
and ("t"."sensitivity" <= $51
and "t"."scope" = any($52::text[])))
    or exists (select
from departures as t
where t.id = d.source_id
and ("t"."sensitivity" <= $53
and "t"."scope" = any($54::text[])))
  )) || ']', ''),
    ',"handles":[', (
  select string_agg(left((select row_to_json(row)
from (
      select encode(h.digest, 'hex') as digest
    ) as row)::text, -1) || coalesce(',"detail":' || ('"' || encode(h.detail, 'hex') || '"'), '') || coalesce(',"place":' || (h.place::text), '')
    || '}', ','
order by h.digest, h.detail, h.place)
  from handles as h
where h.record_id = r.id), ']',
    case r.type when 'episodic' then concat(',"consolidation":', (
  select '{"due":[' || coalesce((
    select string_agg(to_json(u.stage)::text, ','
order by u.stage)
from unconsolidated as u
where u.record_id = r.id
  ), '') || '],"tallies":[' || coalesce((
    select string_agg((select row_to_json(row)
from (
      select e.stage, e.outcome, encode(e.digest, 'hex') as digest, e.scope
    ) as row)::text, ','
order by e.stage)
    from episode_tallies as e
where e.episode_id = r.id
  ), '') || ']}'
))
      when 'entity' then concat(',"identifiers":[', (
  select string_agg((select row_to_json(row)
from (select i.namespace, i.value) as row)::text, ','
order by i.namespace, i.value)
  from entity_identifiers as i
where i.record_id = r.id), ']') end,
    '',
    '}'
  )
from records as r join contents as c on c.record_id = r.id;

-- src/portability/export.queries.ts findPage
    with scanned as materialized (
      select id, scope, type, sensitivity, updated_at, forgotten_at
from records
      where id > $1::uuid
order by id
limit 500
    ), wanted as materialized (
      select r.id, sum(pg_column_size(c.payload)) over (order by r.id) - pg_column_size(c.payload) as bytes_before
      from scanned as r join contents as c on c.record_id = r.id
      where ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
and r.forgotten_at is null
    ), page as materialized (
      select id
from wanted
where bytes_before < 262144
    ), place as (
      select (select count(*)
from page) < (select count(*)
from wanted) as is_cut
    )
    select case when is_cut then (select id
from page
order by id desc
limit 1)
        else (select id
from scanned
order by id desc
limit 1) end as to,
      not is_cut
and (select count(*)
from scanned) < 500 as "isLast"
    from place;

-- src/portability/export.queries.ts readLines: all of it
    with page as materialized (
      select r.id
from records as r
      where r.id > $1::uuid
and r.id <= $2::uuid
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
and r.forgotten_at is null
      order by r.id
limit 1000
    ), written as (
      select r.id, concat(
    left((select row_to_json(row)
from (
    select r.id, r.type, r.sensitivity, r.confidence, salience_at(r, $5) as salience, c.tags,
      to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at, r.version,
      r.layer, r.memory_kind, r.status, r.importance, r.base_importance, r.access_count, r.source_type,
      r.emotional_valence, r.confirmation_count,
      (select row_to_json(row)
from (
        select r.base_salience, to_char(r.anchored_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as anchored_at
      ) as row) as anchors,
      (select row_to_json(row)
from (
        select (select row_to_json(row)
from (
  select r.curve, r.half_life_seconds, r.min_salience, r.max_age_seconds, r.reinforcement_gain, r.max_salience
) as row) as decay, to_char(r.last_reinforced_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_reinforced_at, r.pinned, r.deletion_policy
      ) as row) as lifecycle
  ) as row)::text, -1),
    ',"provenance":', (jsonb_set(c.provenance, '{sources}', coalesce((
    select jsonb_agg(each.value
order by each.place)
    from jsonb_array_elements(c.provenance -> 'sources') with ordinality as each (value, place)
    where not exists (
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
    where not ("h"."sensitivity" <= $6
and "h"."scope" = any($7::text[]))
  )
  ), '[{"kind": "event", "ref": "hidden"}]')))::text, ',"payload":', (case when c.payload ->> 'kind' = 'semantic'
    then jsonb_set(
      (case
    when r.status = 'superseded'
and r.type = 'semantic'
and not exists (
      select
from relations as e
      where e.source_id = r.id
and e.predicate = 'superseded_by'
and (select t.forgotten_at is null
and ("t"."sensitivity" <= $8
and "t"."scope" = any($9::text[]))
from records as t
where t.id = e.target_id)
        and e.target_id::text = c.payload #>> '{revision,superseded_by}'
    ) then c.payload #- '{revision,superseded_by}'
    else c.payload
  end) #- case when not exists (
    select h.id
from regexp_matches(c.payload #>> $10::text[], '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
  ) then '{}' else $13 end::text[] #- case when not exists (
    select h.id
from regexp_matches(c.payload #>> $14::text[], '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
  ) then '{}' else $17 end::text[], '{evidence}', coalesce((
    select jsonb_agg(each.value
order by each.place)
    from jsonb_array_elements(c.payload -> 'evidence') with ordinality as each (value, place)
    where not exists (
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
    where not ("h"."sensitivity" <= $18
and "h"."scope" = any($19::text[]))
  )
  ), '[]')
    )
    else (case
    when r.status = 'superseded'
and r.type = 'semantic'
and not exists (
      select
from relations as e
      where e.source_id = r.id
and e.predicate = 'superseded_by'
and (select t.forgotten_at is null
and ("t"."sensitivity" <= $20
and "t"."scope" = any($21::text[]))
from records as t
where t.id = e.target_id)
        and e.target_id::text = c.payload #>> '{revision,superseded_by}'
    ) then c.payload #- '{revision,superseded_by}'
    else c.payload
  end)
  end)::text,
    ',"relations":[', (
    select case when (select count(*)
from (select
from relations as e
where e.source_id = r.id
limit 1001) as few) <= 1000 then (
    select string_agg((select row_to_json(row)
from (
      select e.predicate, e.target_id, e.weight, to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
    ) as row)::text, ','
order by e.created_at, e.target_id, e.predicate)
    from (
    select e.predicate, e.target_id, e.weight, e.created_at
from relations as e
    where e.source_id = r.id
and (select t.forgotten_at is null
and ("t"."sensitivity" <= $22
and "t"."scope" = any($23::text[]))
from records as t
where t.id = e.target_id)) as e)
    else (
    select string_agg((select row_to_json(row)
from (
      select e.predicate, e.target_id, e.weight, to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
    ) as row)::text, ','
order by e.created_at, e.target_id, e.predicate)
    from (
      (
    select e.predicate, e.target_id, e.weight, e.created_at
from relations as e
    where e.source_id = r.id
and e.predicate not in ('mentioned_in', 'derives', 'referenced_by', 'fact_subject_of', 'fact_object_of', 'dependency_of', 'used_by', 'causes', 'supported_by', 'contradicted_by', 'superseded_by')
and (select t.forgotten_at is null
and ("t"."sensitivity" <= $24
and "t"."scope" = any($25::text[]))
from records as t
where t.id = e.target_id))
      union all
      (
    select e.predicate, e.target_id, e.weight, e.created_at
from relations as e
    where e.source_id = r.id
and e.predicate in ('mentioned_in', 'derives', 'referenced_by', 'fact_subject_of', 'fact_object_of', 'dependency_of', 'used_by', 'causes', 'supported_by', 'contradicted_by', 'superseded_by')
and (select t.forgotten_at is null
and ("t"."sensitivity" <= $26
and "t"."scope" = any($27::text[]))
from records as t
where t.id = e.target_id)
        order by e.predicate desc, e.target_id desc
limit 1000)
    ) as e) end), ']', ',"audit_log":[', (
  select string_agg(left((select row_to_json(row)
from (
      select a.action, a.actor, to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as timestamp, a.rationale
    ) as row)::text, -1) || coalesce(',"run_id":' || (to_json(a.run_id)::text), '')
    || coalesce(',"changes":' || (a.changes::text), '')
    || coalesce(',"via":' || (a.via::text), '') || '}', ','
order by a.id)
  from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $28
and "h"."scope" = any($29::text[]))
  )
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($30::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $31
and "h"."scope" = any($32::text[]))
  ))
  )), ']', ',"status_history":[', (
  select string_agg(left((select row_to_json(row)
from (
      select s.old, s.new, case when s.is_shown then s.actor else $33 end as actor,
        to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as changed_at, case when s.is_shown then s.reason else '' end as reason, s.step
    ) as row)::text, -1) || coalesce(',"run_id":' || (to_json(s.run_id)::text), '')
    || coalesce(',"via":' || (case when s.is_shown then s.via::text end), '') || '}', ','
order by s.id)
  from (
    select s.*, (not exists (
    select h.id
from regexp_matches(s.reason, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $34
and "h"."scope" = any($35::text[]))
  )
and s.at not in (
    select edge.created_at
    from unnest($36::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $37
and "h"."scope" = any($38::text[]))
  )) as is_shown
from status_changes as s
where s.record_id = r.id
  ) as s), ']',
    coalesce(',"scope":' || (to_json(nullif(r.scope, ''))::text), ''),
    coalesce(',"interpretation":' || ((c.interpretation || jsonb_build_object($39::text, coalesce((
    select jsonb_agg(case when not exists (
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
    where not ("h"."sensitivity" <= $40
and "h"."scope" = any($41::text[]))
  ) then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end
order by each.place)
    from jsonb_array_elements(c.interpretation -> $42::text) with ordinality as each (value, place)
  ), '[]')) || jsonb_build_object($43::text, coalesce((
    select jsonb_agg(case when not exists (
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
    where not ("h"."sensitivity" <= $44
and "h"."scope" = any($45::text[]))
  ) then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end
order by each.place)
    from jsonb_array_elements(c.interpretation -> $46::text) with ordinality as each (value, place)
  ), '[]'))
    || jsonb_build_object($47::text, coalesce((
    select jsonb_agg(case when not exists (
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
    where not ("h"."sensitivity" <= $48
and "h"."scope" = any($49::text[]))
  ) then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end
order by each.place)
    from jsonb_array_elements(c.interpretation -> $50::text) with ordinality as each (value, place)
  ), '[]')))::text), ''),
    coalesce(',"last_accessed_at":' || ('"' || to_char(r.last_accessed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'), ''),
    coalesce(',"served_count":' || (nullif(r.served_count, 0)::text), ''),
    coalesce(',"demoted_at":' || ('"' || to_char(r.demoted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'), ''),
    coalesce(',"forgotten":' || (
  case when r.forgotten_at is not null then left((select row_to_json(row)
from (
      select to_char(r.forgotten_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, r.forgotten_reason as reason, r.forgotten_by as actor,
        to_char(r.purge_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as purge_at
    ) as row)::text, -1) || coalesce(',"run_id":' || (to_json(r.forgotten_run_id)::text), '') || '}' end), ''),
    coalesce(',"importance_history":[' || (
  select string_agg(left((select row_to_json(row)
from (
      select h.old, h.new, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as changed_at
    ) as row)::text, -1) || coalesce(',"run_id":' || (to_json(h.run_id)::text), '') || '}', ','
order by h.id)
  from importance_history as h
where h.record_id = r.id) || ']', ''),
    case when r.access_count > 0 then (
  with newest as materialized (
    select l.at, l.kind, l.actor
from access_log as l
where l.record_id = r.id
    order by l.at desc, l.kind desc, l.actor desc
limit 1000
  )
  select coalesce(',"access_log":[' || (select string_agg((select row_to_json(row)
from (
      select to_char(n.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, n.kind, n.actor
    ) as row)::text, ','
order by n.at, n.kind, n.actor)
from newest as n) || ']', '') || coalesce(',"access_days":' || (select nullif(
      coalesce((select f.days
from access_folds as f
where f.record_id = r.id), 0)
      + case when r.access_count <= 1000 then 0 else (
        select count(distinct floor(greatest(0::float8, date_part('epoch', l.at - r.created_at) / 86400)))
from access_log as l, (select min(at) as at
from newest) as oldest
        where l.record_id = r.id
and l.at < oldest.at
and floor(greatest(0::float8, date_part('epoch', l.at - r.created_at) / 86400)) < floor(greatest(0::float8, date_part('epoch', oldest.at - r.created_at) / 86400))
      ) end, 0)::text), '')
) end,
    coalesce(',"surprise":' || (
    select left((select row_to_json(row)
from (
        select to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, s.score, s.delta, s.base_before
      ) as row)::text, -1) || concat(',"neighbours":[', (select string_agg(near.value::text, ','
order by near.place)
            from jsonb_array_elements(s.neighbours) with ordinality as near (value, place)
            where exists (select
from records as t
where t.id = (near.value ->> 'id')::uuid
and ("t"."sensitivity" <= $51
and "t"."scope" = any($52::text[])))), ']') || coalesce(',"duplicate_of":' || (case when exists (select
from records as t
where t.id = (s.duplicate_of)::uuid
and ("t"."sensitivity" <= $53
and "t"."scope" = any($54::text[]))) then to_json(s.duplicate_of)::text end), '') || '}'
    from surprises as s
where s.record_id = r.id), ''),
    coalesce(',"descent":[' || (
  select string_agg((select row_to_json(row)
from (select d.source_id, d.kind, d.is_ground) as row)::text, ','
order by d.source_id)
  from descents as d
  where d.derived_id = r.id
and (
    exists (select
from records as t
where t.id = d.source_id
and ("t"."sensitivity" <= $55
and "t"."scope" = any($56::text[])))
    or exists (select
from departures as t
where t.id = d.source_id
and ("t"."sensitivity" <= $57
and "t"."scope" = any($58::text[])))
  )) || ']', ''),
    ',"handles":[', (
  select string_agg(left((select row_to_json(row)
from (
      select encode(h.digest, 'hex') as digest
    ) as row)::text, -1) || coalesce(',"detail":' || ('"' || encode(h.detail, 'hex') || '"'), '') || coalesce(',"place":' || (h.place::text), '')
    || '}', ','
order by h.digest, h.detail, h.place)
  from handles as h
where h.record_id = r.id), ']',
    case r.type when 'episodic' then concat(',"consolidation":', (
  select '{"due":[' || coalesce((
    select string_agg(to_json(u.stage)::text, ','
order by u.stage)
from unconsolidated as u
where u.record_id = r.id
  ), '') || '],"tallies":[' || coalesce((
    select string_agg((select row_to_json(row)
from (
      select e.stage, e.outcome, encode(e.digest, 'hex') as digest, e.scope
    ) as row)::text, ','
order by e.stage)
    from episode_tallies as e
where e.episode_id = r.id
  ), '') || ']}'
))
      when 'entity' then concat(',"identifiers":[', (
  select string_agg((select row_to_json(row)
from (select i.namespace, i.value) as row)::text, ','
order by i.namespace, i.value)
  from entity_identifiers as i
where i.record_id = r.id), ']') end,
    '',
    '}'
  ) as line
      from page join records as r on r.id = page.id join contents as c on c.record_id = r.id
    )
    select coalesce(string_agg(line, chr(10)
order by id) || chr(10), '') as text
from written;

-- src/portability/export.queries.ts readLines: of one scope and type
    with page as materialized (
      select r.id
from records as r
      where r.id > $1::uuid
and r.id <= $2::uuid
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
and r.scope = $5
and r.type = $6
and r.updated_at > $7::timestamptz
      order by r.id
limit 1000
    ), written as (
      select r.id, concat(
    left((select row_to_json(row)
from (
    select r.id, r.type, r.sensitivity, r.confidence, salience_at(r, $8) as salience, c.tags,
      to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at, r.version,
      r.layer, r.memory_kind, r.status, r.importance, r.base_importance, r.access_count, r.source_type,
      r.emotional_valence, r.confirmation_count,
      (select row_to_json(row)
from (
        select r.base_salience, to_char(r.anchored_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as anchored_at
      ) as row) as anchors,
      (select row_to_json(row)
from (
        select (select row_to_json(row)
from (
  select r.curve, r.half_life_seconds, r.min_salience, r.max_age_seconds, r.reinforcement_gain, r.max_salience
) as row) as decay, to_char(r.last_reinforced_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_reinforced_at, r.pinned, r.deletion_policy
      ) as row) as lifecycle
  ) as row)::text, -1),
    ',"provenance":', (jsonb_set(c.provenance, '{sources}', coalesce((
    select jsonb_agg(each.value
order by each.place)
    from jsonb_array_elements(c.provenance -> 'sources') with ordinality as each (value, place)
    where not exists (
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
    where not ("h"."sensitivity" <= $9
and "h"."scope" = any($10::text[]))
  )
  ), '[{"kind": "event", "ref": "hidden"}]')))::text, ',"payload":', (case when c.payload ->> 'kind' = 'semantic'
    then jsonb_set(
      (case
    when r.status = 'superseded'
and r.type = 'semantic'
and not exists (
      select
from relations as e
      where e.source_id = r.id
and e.predicate = 'superseded_by'
and (select ("t"."sensitivity" <= $11
and "t"."scope" = any($12::text[]))
from records as t
where t.id = e.target_id)
        and e.target_id::text = c.payload #>> '{revision,superseded_by}'
    ) then c.payload #- '{revision,superseded_by}'
    else c.payload
  end) #- case when not exists (
    select h.id
from regexp_matches(c.payload #>> $13::text[], '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $14
and "h"."scope" = any($15::text[]))
  ) then '{}' else $16 end::text[] #- case when not exists (
    select h.id
from regexp_matches(c.payload #>> $17::text[], '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $18
and "h"."scope" = any($19::text[]))
  ) then '{}' else $20 end::text[], '{evidence}', coalesce((
    select jsonb_agg(each.value
order by each.place)
    from jsonb_array_elements(c.payload -> 'evidence') with ordinality as each (value, place)
    where not exists (
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
    where not ("h"."sensitivity" <= $21
and "h"."scope" = any($22::text[]))
  )
  ), '[]')
    )
    else (case
    when r.status = 'superseded'
and r.type = 'semantic'
and not exists (
      select
from relations as e
      where e.source_id = r.id
and e.predicate = 'superseded_by'
and (select ("t"."sensitivity" <= $23
and "t"."scope" = any($24::text[]))
from records as t
where t.id = e.target_id)
        and e.target_id::text = c.payload #>> '{revision,superseded_by}'
    ) then c.payload #- '{revision,superseded_by}'
    else c.payload
  end)
  end)::text,
    ',"relations":[', (
    select case when (select count(*)
from (select
from relations as e
where e.source_id = r.id
limit 1001) as few) <= 1000 then (
    select string_agg((select row_to_json(row)
from (
      select e.predicate, e.target_id, e.weight, to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
    ) as row)::text, ','
order by e.created_at, e.target_id, e.predicate)
    from (
    select e.predicate, e.target_id, e.weight, e.created_at
from relations as e
    where e.source_id = r.id
and (select ("t"."sensitivity" <= $25
and "t"."scope" = any($26::text[]))
from records as t
where t.id = e.target_id)) as e)
    else (
    select string_agg((select row_to_json(row)
from (
      select e.predicate, e.target_id, e.weight, to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
    ) as row)::text, ','
order by e.created_at, e.target_id, e.predicate)
    from (
      (
    select e.predicate, e.target_id, e.weight, e.created_at
from relations as e
    where e.source_id = r.id
and e.predicate not in ('mentioned_in', 'derives', 'referenced_by', 'fact_subject_of', 'fact_object_of', 'dependency_of', 'used_by', 'causes', 'supported_by', 'contradicted_by', 'superseded_by')
and (select ("t"."sensitivity" <= $27
and "t"."scope" = any($28::text[]))
from records as t
where t.id = e.target_id))
      union all
      (
    select e.predicate, e.target_id, e.weight, e.created_at
from relations as e
    where e.source_id = r.id
and e.predicate in ('mentioned_in', 'derives', 'referenced_by', 'fact_subject_of', 'fact_object_of', 'dependency_of', 'used_by', 'causes', 'supported_by', 'contradicted_by', 'superseded_by')
and (select ("t"."sensitivity" <= $29
and "t"."scope" = any($30::text[]))
from records as t
where t.id = e.target_id)
        order by e.predicate desc, e.target_id desc
limit 1000)
    ) as e) end), ']', ',"audit_log":[', (
  select string_agg(left((select row_to_json(row)
from (
      select a.action, a.actor, to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as timestamp, a.rationale
    ) as row)::text, -1) || coalesce(',"run_id":' || (to_json(a.run_id)::text), '')
    || coalesce(',"changes":' || (a.changes::text), '')
    || coalesce(',"via":' || (a.via::text), '') || '}', ','
order by a.id)
  from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $31
and "h"."scope" = any($32::text[]))
  )
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($33::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $34
and "h"."scope" = any($35::text[]))
  ))
  )), ']', ',"status_history":[', (
  select string_agg(left((select row_to_json(row)
from (
      select s.old, s.new, case when s.is_shown then s.actor else $36 end as actor,
        to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as changed_at, case when s.is_shown then s.reason else '' end as reason, s.step
    ) as row)::text, -1) || coalesce(',"run_id":' || (to_json(s.run_id)::text), '')
    || coalesce(',"via":' || (case when s.is_shown then s.via::text end), '') || '}', ','
order by s.id)
  from (
    select s.*, (not exists (
    select h.id
from regexp_matches(s.reason, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $37
and "h"."scope" = any($38::text[]))
  )
and s.at not in (
    select edge.created_at
    from unnest($39::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $40
and "h"."scope" = any($41::text[]))
  )) as is_shown
from status_changes as s
where s.record_id = r.id
  ) as s), ']',
    coalesce(',"scope":' || (to_json(nullif(r.scope, ''))::text), ''),
    coalesce(',"interpretation":' || ((c.interpretation || jsonb_build_object($42::text, coalesce((
    select jsonb_agg(case when not exists (
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
    where not ("h"."sensitivity" <= $43
and "h"."scope" = any($44::text[]))
  ) then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end
order by each.place)
    from jsonb_array_elements(c.interpretation -> $45::text) with ordinality as each (value, place)
  ), '[]')) || jsonb_build_object($46::text, coalesce((
    select jsonb_agg(case when not exists (
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
    where not ("h"."sensitivity" <= $47
and "h"."scope" = any($48::text[]))
  ) then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end
order by each.place)
    from jsonb_array_elements(c.interpretation -> $49::text) with ordinality as each (value, place)
  ), '[]'))
    || jsonb_build_object($50::text, coalesce((
    select jsonb_agg(case when not exists (
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
    where not ("h"."sensitivity" <= $51
and "h"."scope" = any($52::text[]))
  ) then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end
order by each.place)
    from jsonb_array_elements(c.interpretation -> $53::text) with ordinality as each (value, place)
  ), '[]')))::text), ''),
    coalesce(',"last_accessed_at":' || ('"' || to_char(r.last_accessed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'), ''),
    coalesce(',"served_count":' || (nullif(r.served_count, 0)::text), ''),
    coalesce(',"demoted_at":' || ('"' || to_char(r.demoted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'), ''),
    coalesce(',"forgotten":' || (
  case when r.forgotten_at is not null then left((select row_to_json(row)
from (
      select to_char(r.forgotten_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, r.forgotten_reason as reason, r.forgotten_by as actor,
        to_char(r.purge_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as purge_at
    ) as row)::text, -1) || coalesce(',"run_id":' || (to_json(r.forgotten_run_id)::text), '') || '}' end), ''),
    coalesce(',"importance_history":[' || (
  select string_agg(left((select row_to_json(row)
from (
      select h.old, h.new, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as changed_at
    ) as row)::text, -1) || coalesce(',"run_id":' || (to_json(h.run_id)::text), '') || '}', ','
order by h.id)
  from importance_history as h
where h.record_id = r.id) || ']', ''),
    case when r.access_count > 0 then (
  with newest as materialized (
    select l.at, l.kind, l.actor
from access_log as l
where l.record_id = r.id
    order by l.at desc, l.kind desc, l.actor desc
limit 1000
  )
  select coalesce(',"access_log":[' || (select string_agg((select row_to_json(row)
from (
      select to_char(n.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, n.kind, n.actor
    ) as row)::text, ','
order by n.at, n.kind, n.actor)
from newest as n) || ']', '') || coalesce(',"access_days":' || (select nullif(
      coalesce((select f.days
from access_folds as f
where f.record_id = r.id), 0)
      + case when r.access_count <= 1000 then 0 else (
        select count(distinct floor(greatest(0::float8, date_part('epoch', l.at - r.created_at) / 86400)))
from access_log as l, (select min(at) as at
from newest) as oldest
        where l.record_id = r.id
and l.at < oldest.at
and floor(greatest(0::float8, date_part('epoch', l.at - r.created_at) / 86400)) < floor(greatest(0::float8, date_part('epoch', oldest.at - r.created_at) / 86400))
      ) end, 0)::text), '')
) end,
    coalesce(',"surprise":' || (
    select left((select row_to_json(row)
from (
        select to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, s.score, s.delta, s.base_before
      ) as row)::text, -1) || concat(',"neighbours":[', (select string_agg(near.value::text, ','
order by near.place)
            from jsonb_array_elements(s.neighbours) with ordinality as near (value, place)
            where exists (select
from records as t
where t.id = (near.value ->> 'id')::uuid
and ("t"."sensitivity" <= $54
and "t"."scope" = any($55::text[])))), ']') || coalesce(',"duplicate_of":' || (case when exists (select
from records as t
where t.id = (s.duplicate_of)::uuid
and ("t"."sensitivity" <= $56
and "t"."scope" = any($57::text[]))) then to_json(s.duplicate_of)::text end), '') || '}'
    from surprises as s
where s.record_id = r.id), ''),
    coalesce(',"descent":[' || (
  select string_agg((select row_to_json(row)
from (select d.source_id, d.kind, d.is_ground) as row)::text, ','
order by d.source_id)
  from descents as d
  where d.derived_id = r.id
and (
    exists (select
from records as t
where t.id = d.source_id
and ("t"."sensitivity" <= $58
and "t"."scope" = any($59::text[])))
    or exists (select
from departures as t
where t.id = d.source_id
and ("t"."sensitivity" <= $60
and "t"."scope" = any($61::text[])))
  )) || ']', ''),
    ',"handles":[', (
  select string_agg(left((select row_to_json(row)
from (
      select encode(h.digest, 'hex') as digest
    ) as row)::text, -1) || coalesce(',"detail":' || ('"' || encode(h.detail, 'hex') || '"'), '') || coalesce(',"place":' || (h.place::text), '')
    || '}', ','
order by h.digest, h.detail, h.place)
  from handles as h
where h.record_id = r.id), ']',
    case r.type when 'episodic' then concat(',"consolidation":', (
  select '{"due":[' || coalesce((
    select string_agg(to_json(u.stage)::text, ','
order by u.stage)
from unconsolidated as u
where u.record_id = r.id
  ), '') || '],"tallies":[' || coalesce((
    select string_agg((select row_to_json(row)
from (
      select e.stage, e.outcome, encode(e.digest, 'hex') as digest, e.scope
    ) as row)::text, ','
order by e.stage)
    from episode_tallies as e
where e.episode_id = r.id
  ), '') || ']}'
))
      when 'entity' then concat(',"identifiers":[', (
  select string_agg((select row_to_json(row)
from (select i.namespace, i.value) as row)::text, ','
order by i.namespace, i.value)
  from entity_identifiers as i
where i.record_id = r.id), ']') end,
    coalesce(',"embeddings":[' || (
  select string_agg((select row_to_json(row)
from (
    select m.provider, m.model, m.dimensions, e.bits, to_char(e.embedded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as embedded_at,
      replace(encode(e.code, 'base64'), chr(10), '') as code,
      replace(encode(substring(bit_send(s.bits)
from 5), 'base64'), chr(10), '') as signature
  ) as row)::text, ','
order by m.provider, m.model, m.dimensions)
  from embeddings as e
  join embedding_models as m on m.id = e.model_id
  join signatures as s on s.record_id = e.record_id
and s.model_id = e.model_id
  where e.record_id = r.id) || ']', ''),
    '}'
  ) as line
      from page join records as r on r.id = page.id join contents as c on c.record_id = r.id
    )
    select coalesce(string_agg(line, chr(10)
order by id) || chr(10), '') as text
from written;

-- src/portability/import/import-edges.queries.ts linkEdges
    with given as materialized (
      select *
from json_to_recordset($1::json) as given (
        source_id uuid, target_id uuid, predicate text, inverse text, weight float8, created_at timestamptz, is_whole bool
      )
    ), judged as materialized (
      select g.*, t.id is not null as is_open, t.forgotten_at
      from given as g
left join records as t on t.id = g.target_id
and (("t"."sensitivity" <= $2
and "t"."scope" = any($3::text[]))
and (g.predicate <> all($4::text[])
or t.scope = any($5::text[])))
    ), come as (
      delete
from awaiting_edges as w
      where w.import_id = $6::uuid
and w.target_id = any($7::uuid[])
      returning w.*
    ), coming as (
      insert into awaiting_edges (import_id, source_id, target_id, received_at, created_at, weight, predicate, inverse)
      select $8::uuid, source_id, target_id, $9::timestamptz, created_at, weight, predicate, inverse
      from judged
where not is_open
      on conflict do nothing
    ), ready as materialized (
      select source_id, target_id, predicate, inverse, weight, created_at
      from judged
where is_open
and (forgotten_at is null
or is_whole)
      union all
      select source_id, target_id, predicate, inverse, weight, created_at
from come
      where source_id in (select id
from records)
    )
    insert into relations (source_id, predicate, target_id, weight, created_at)
    select source_id, predicate, target_id, weight, created_at
from (
      select source_id, predicate, target_id, weight, created_at
from ready
      union all
      select target_id, inverse, source_id, weight, created_at
from ready
where inverse is not null
    ) as edge
    order by source_id, predicate, target_id
    on conflict do nothing;

-- src/portability/import/import-edges.queries.ts settleEdges
    with due as materialized (
      delete
from awaiting_edges
where ctid = any(array(
        select ctid
from awaiting_edges
where import_id = $1::uuid
limit $2
for update skip locked
      ))
      returning *
    ), judged as materialized (
      select d.*, exists (
        select
from records as t
        where t.id = d.target_id
and t.forgotten_at is null
and (("t"."sensitivity" <= $3
and "t"."scope" = any($4::text[]))
and (d.predicate <> all($5::text[])
or t.scope = any($6::text[])))
      )
and exists (select
from records as s
where s.id = d.source_id) as is_ready
      from due as d
    ), ready as materialized (
      select *
from judged
where is_ready
    ), written as (
    insert into relations (source_id, predicate, target_id, weight, created_at)
    select source_id, predicate, target_id, weight, created_at
from (
      select source_id, predicate, target_id, weight, created_at
from ready
      union all
      select target_id, inverse, source_id, weight, created_at
from ready
where inverse is not null
    ) as edge
    order by source_id, predicate, target_id
    on conflict do nothing
    )
    select source_id, predicate, target_id, not is_ready as is_loose
from judged;

-- src/portability/import/import-edges.queries.ts findMissingEdges
    with missing as materialized (
      select source_id, predicate, target_id
      from json_to_recordset($1::json) as given (source_id uuid, predicate text, target_id uuid)
      where not exists (
        select
from relations as e
        where e.source_id = given.source_id
and e.predicate = given.predicate
and e.target_id = given.target_id
      )
    )
    select m.source_id, m.predicate, m.target_id, case
      when exists (
        select
from awaiting_edges as w
        where w.source_id = m.source_id
and w.target_id = m.target_id
and w.predicate = m.predicate
      ) then 'awaited'
      when exists (
        select
from records as t
where t.id = m.target_id
and t.forgotten_at is null
and ("t"."sensitivity" <= $2
and "t"."scope" = any($3::text[]))
      ) then 'absent'
      else 'loose' end as cause
    from missing as m;

-- src/portability/import/import-edges.queries.ts deleteAbandonedEdges
    delete
from awaiting_edges
where ctid = any(array(
      select ctid
from awaiting_edges
where received_at <= $1::timestamptz - interval '1 day'
limit $2
      for update skip locked
    ))
    returning true;

-- src/portability/import/import-vectors.queries.ts registerModels
    insert into embedding_models (provider, model, dimensions, registered_at, seen_at, max_sensitivity, walked_to)
    select distinct provider, model, dimensions, $1::timestamptz, $2::timestamptz, 'hyper'::sensitivity,
      '00000000-0000-0000-0000-000000000000'::uuid
    from json_to_recordset($3::json) as given (provider text, model text, dimensions int4)
    where not exists (select
from embedding_models)
    on conflict do nothing;

-- src/portability/import/import-vectors.queries.ts keepVectors
    with given as materialized (
      select g.id as record_id, m.id as model_id, g.bits, g.embedded_at, decode(g.code, 'base64') as code,
        ('x' || encode(decode(g.signature, 'base64'), 'hex'))::bit(1024) as signature,
        m.embeds
or not exists (select
from embedding_models
where embeds) as is_current
      from json_to_recordset($1::json) as g (
        id uuid, provider text, model text, dimensions int4, bits int2, embedded_at timestamptz, code text, signature text
      )
      join embedding_models as m on m.provider = g.provider
and m.model = g.model
and m.dimensions = g.dimensions
    ), stored as (
      insert into embeddings (record_id, model_id, bits, embedded_at, code)
      select record_id, model_id, bits, embedded_at, code
from given
      on conflict do nothing
    ), signed as (
      insert into signatures (record_id, model_id, bits)
      select record_id, model_id, signature
from given
      on conflict do nothing
    ), unlisted as (
      delete
from unembedded
where record_id in (select record_id
from given
where is_current)
    )
    insert into unsurprised (record_id, created_at, asked_at)
    select distinct r.id, r.created_at, r.updated_at
    from given as g join records as r on r.id = g.record_id
    where g.is_current
and not exists (select
from surprises as s
where s.record_id = r.id)
    on conflict do nothing;

-- src/portability/import/import.queries.ts findKnown
    select r.id, r.type, r.scope, r.sensitivity, r.confidence, r.created_at, r.version,
      c.tags, c.payload, c.provenance, c.interpretation
    from records as r join contents as c on c.record_id = r.id
    where r.id = any($1::uuid[])
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]));

-- src/portability/import/import.queries.ts findTakenPlaces
    select h.digest, h.scope, h.place
    from unnest(
      $1::bytea[], $2::text[],
      $3::int4[]
    ) as wanted (digest, scope, place)
    join handles as h on h.digest = wanted.digest
and h.scope = wanted.scope
and h.place = wanted.place;

-- src/portability/import/import.queries.ts keepPasts
    with past as materialized (
      select *
from json_to_recordset($1::json) as past (
        id uuid, created_at timestamptz, forgotten json, served_count int4, demoted_at timestamptz, audit_log json,
        status_history json, importance_history json, access_log json, access_days int4, surprise json,
        consolidation json, place int8
      )
    ), changed as (
      update records as r
      set served_count = coalesce(p.served_count, 0), demoted_at = p.demoted_at,
        forgotten_at = (p.forgotten ->> 'at')::timestamptz, forgotten_reason = p.forgotten ->> 'reason',
        forgotten_by = p.forgotten ->> 'actor', forgotten_run_id = (p.forgotten ->> 'run_id')::uuid,
        purge_at = (p.forgotten ->> 'purge_at')::timestamptz
      from past as p
      where r.id = p.id
and (p.forgotten is not null
or p.demoted_at is not null
or p.served_count > 0)
    ), entry as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes, via)
      select p.id, e.run_id, e.timestamp, e.action, e.actor, e.rationale, e.changes,
        coalesce(e.via, '{}') || $2::jsonb
      from past as p cross join lateral rows
from (
        json_to_recordset(p.audit_log) as
          (run_id uuid, "timestamp" timestamptz, action audit_action, actor text, rationale text, changes jsonb,
            via jsonb)
      ) with ordinality as e (run_id, "timestamp", action, actor, rationale, changes, via, place)
      order by p.place, e.place
    ), move as (
      insert into status_changes (record_id, run_id, at, old, new, actor, reason, step, via)
      select p.id, m.run_id, m.changed_at, m.old, m.new, m.actor, m.reason, m.step, coalesce(m.via, '{}') || $3::jsonb
      from past as p cross join lateral rows
from (
        json_to_recordset(p.status_history) as
          (run_id uuid, changed_at timestamptz, old record_status, new record_status, actor text, reason text, step text,
            via jsonb)
      ) with ordinality as m (run_id, changed_at, old, new, actor, reason, step, via, place)
      order by p.place, m.place
    ), score as (
      insert into importance_history (record_id, run_id, at, old, new)
      select p.id, s.run_id, s.changed_at, s.old, s.new
      from past as p cross join lateral rows
from (
        json_to_recordset(p.importance_history) as (run_id uuid, changed_at timestamptz, old float8, new float8)
      ) with ordinality as s (run_id, changed_at, old, new, place)
      order by p.place, s.place
    ), access as (
      insert into access_log (record_id, at, kind, actor)
      select p.id, a.at, a.kind, a.actor
      from past as p
      cross join lateral json_to_recordset(p.access_log) as a (at timestamptz, kind access_kind, actor text)
    ), fold as (
      insert into access_folds (record_id, days) select p.id, p.access_days
from past as p
where p.access_days > 0
    ), comparison as (
      insert into surprises (record_id, at, score, delta, base_before, duplicate_of, neighbours)
      select p.id, s.at, s.score, s.delta, s.base_before, s.duplicate_of, s.neighbours
      from past as p
      cross join lateral json_to_record(p.surprise) as s
        (at timestamptz, score float8, delta float8, base_before float8, duplicate_of uuid, neighbours jsonb)
      where p.surprise is not null
    ), learnt as (
      delete
from unconsolidated as u using past as p
      where u.record_id = p.id
and p.consolidation is not null
        and u.stage::text not in (select json_array_elements_text(p.consolidation -> 'due'))
    ), due as (
      insert into unconsolidated (record_id, stage, due_at)
      select p.id, each.stage::consolidation_stage, p.created_at
      from past as p cross join lateral json_array_elements_text(p.consolidation -> 'due') as each (stage)
      on conflict do nothing
    )
    insert into episode_tallies (episode_id, stage, outcome, digest, scope)
    select p.id, t.stage, t.outcome, decode(t.digest, 'hex'), t.scope
    from past as p
    cross join lateral json_to_recordset(p.consolidation -> 'tallies') as t
      (stage consolidation_stage, outcome text, digest text, scope text)
    on conflict do nothing;

-- src/portability/import/import.queries.ts keepDescents
    insert into descents (derived_id, source_id, kind, is_ground)
    select derived_id, source_id, kind, is_ground
    from json_to_recordset($1::json) as g
      (derived_id uuid, source_id uuid, kind text, is_ground bool)
    where not exists (select
from departures as d
where d.id = g.source_id
and d.kind = 'erased')
    on conflict on constraint descents_pkey do nothing;

-- src/portability/import/staging.queries.ts holdLines
    insert into import_lines (import_id, line, received_at, bytes)
    select $1::uuid, line, $2::timestamptz, bytes
    from unnest($3::int4[], $4::bytea[]) as held (line, bytes);

-- src/portability/import/staging.queries.ts readHeld
    with next as materialized (
      select line, sum(octet_length(bytes)) over (order by line) - octet_length(bytes) as bytes_before
      from (
        select line, bytes
from import_lines
where import_id = $1::uuid
and line > $2
        order by line
limit $3
      ) as ahead
    )
    select l.line, l.bytes
from next join import_lines as l on l.import_id = $4::uuid
and l.line = next.line
    where next.bytes_before < $5
    order by l.line;

-- src/portability/import/staging.queries.ts releaseLines
delete
from import_lines
where import_id = $1::uuid;

-- src/portability/import/staging.queries.ts deleteAbandonedLines
    delete
from import_lines
where ctid = any(array(
      select ctid
from import_lines
where received_at <= $1::timestamptz - interval '1 day'
limit $2
      for update skip locked
    ))
    returning true;

-- src/records/deleted-records.queries.ts findDepartures
select "d"."id", "d"."type", "d"."sensitivity", "d"."scope", "d"."created_at", "d"."departed_at", "d"."kind", "d"."reason", "d"."actor", "d"."run_id", "d"."numbers"
from "departures" as "d"
where "d"."id" = any($1::uuid[])
and ("d"."sensitivity" <= $2
and "d"."scope" = any($3::text[]));

-- src/records/deleted-records.queries.ts purgeForgotten
    with leaving as materialized (
    select *
from records
where purge_at <= $1::timestamptz
order by purge_at
limit $2
    for update skip locked
  ), remains as (
      insert into departures
        (id, created_at, departed_at, scope, run_id, type, sensitivity, kind, reason, actor, numbers)
      select r.id, r.created_at, $3::timestamptz, r.scope, r.forgotten_run_id, r.type, r.sensitivity,
        $4::departure_kind, r.forgotten_reason, r.forgotten_by, jsonb_build_object('anchored_at', "r"."anchored_at", 'expires_at', "r"."expires_at", 'last_accessed_at', "r"."last_accessed_at", 'forgotten_at', "r"."forgotten_at", 'prune_at', "r"."prune_at", 'base_salience', "r"."base_salience", 'half_life_seconds', "r"."half_life_seconds", 'min_salience', "r"."min_salience", 'max_salience', "r"."max_salience", 'curve', "r"."curve", 'deletion_policy', "r"."deletion_policy", 'pinned', "r"."pinned", 'status', "r"."status", 'layer', "r"."layer", 'source_type', "r"."source_type", 'base_importance', "r"."base_importance", 'emotional_valence', "r"."emotional_valence", 'access_count', "r"."access_count", 'served_count', "r"."served_count", 'confirmation_count', "r"."confirmation_count")
      from leaving as r
    ), unlisted as (
      delete
from unembedded
where record_id in (select id
from leaving)
    )
    delete
from records
where id in (select id
from leaving)
returning id;

-- src/records/deleted-records.queries.ts departErased
    with leaving as materialized (select *
from records
where id = any($1::uuid[])), remains as (
      insert into departures
        (id, created_at, departed_at, scope, run_id, type, sensitivity, kind, reason, actor, numbers)
      select r.id, r.created_at, $2::timestamptz, r.scope, r.forgotten_run_id, r.type, r.sensitivity,
        $3::departure_kind, 'erased', $4::text, jsonb_build_object('anchored_at', "r"."anchored_at", 'expires_at', "r"."expires_at", 'last_accessed_at', "r"."last_accessed_at", 'forgotten_at', "r"."forgotten_at", 'prune_at', "r"."prune_at", 'base_salience', "r"."base_salience", 'half_life_seconds', "r"."half_life_seconds", 'min_salience', "r"."min_salience", 'max_salience', "r"."max_salience", 'curve', "r"."curve", 'deletion_policy', "r"."deletion_policy", 'pinned', "r"."pinned", 'status', "r"."status", 'layer', "r"."layer", 'source_type', "r"."source_type", 'base_importance', "r"."base_importance", 'emotional_valence', "r"."emotional_valence", 'access_count', "r"."access_count", 'served_count', "r"."served_count", 'confirmation_count', "r"."confirmation_count")
      from leaving as r
    ), unlisted as (
      delete
from unembedded
where record_id in (select id
from leaving)
    )
    delete
from records
where id in (select id
from leaving)
returning id;

-- src/records/erasure/erasure.queries.ts findDerivations
    with recursive descendant as (
      select $1::uuid as id
      union
      select d.derived_id
from descendant join descents as d on d.source_id = descendant.id
and d.is_ground
    ), touched as materialized (
      select distinct d.derived_id as id
      from descendant join descents as d on d.source_id = descendant.id
and d.kind <> 'contest'
      where d.derived_id <> $2::uuid
    )
    select d.derived_id as derived, d.source_id as source, d.kind, d.is_ground as "isGround",
      bool_or(d.kind = 'dream') over (partition by d.derived_id) as "tellsAll"
    from touched join descents as d on d.derived_id = touched.id
    where d.kind <> 'contest';

-- src/records/erasure/erasure.queries.ts deleteDescentsFrom
delete
from descents
where source_id = any($1::uuid[]);

-- src/records/erasure/erasure.queries.ts findContents
    select c.record_id as id, c.tags, c.payload, c.provenance, c.interpretation
    from contents as c
where c.record_id = any($1::uuid[]);

-- src/records/erasure/erasure.queries.ts rewriteKept
    with kept as materialized (
      select *
from json_to_recordset($1::json) as kept
        (id uuid, tags text[], payload jsonb, provenance jsonb, text text, words int4, scope text, type text)
    ), record as (
      update records as r
set version = r.version + 1, updated_at = greatest(r.updated_at, $2::timestamptz)
      from kept as k
where r.id = k.id
    ), content as (
      update contents as c
      set tags = k.tags, payload = k.payload, provenance = k.provenance, words = k.words,
        search = to_tsvector($3::text::regconfig, k.text)
          || array_to_tsvector(array['scope ' || k.scope, 'type ' || k.type, 'text 1'])
      from kept as k
where c.record_id = k.id
    ), name as (
      delete
from handles as h
      using json_to_recordset($4::json) as n (id uuid, digest bytea)
      where h.record_id = n.id
and h.digest = n.digest
    ), mark as (
      delete
from entity_identifiers as i
      using json_to_recordset($5::json) as m (id uuid, namespace text, value text)
      where i.record_id = m.id
and i.namespace = m.namespace
and i.value = m.value
    ), listed as (
      insert into unembedded (record_id, asked_at, due_at)
      select k.id, $6::timestamptz, $7::timestamptz
from kept as k
      on conflict (record_id) do update
        set asked_at = excluded.asked_at, due_at = excluded.due_at, attempts = excluded.attempts
    )
    insert into audit_entries (record_id, action, actor, at, rationale, via)
    select k.id, 'revise', $8::text, $9::timestamptz, 'a source was erased',
      $10::jsonb
    from kept as k
order by k.id;

-- src/records/erasure/erasure.queries.ts blankTakenOver
    update audit_entries as a
set rationale = '', changes = null
    where a.record_id = any($1::uuid[])
and a.changes is not null
and exists (
      select
from jsonb_object_keys(a.changes) as named (key)
      where key in ('tags', 'merged')
or key like 'provenance%'
        or key like 'payload%'
and key <> 'payload.revision.status'
    );

-- src/records/erasure/erasure.queries.ts lockForErasure
select r.id
from records as r
where r.id = any($1::uuid[])
order by r.id for update;

-- src/records/erasure/erasure.queries.ts findOpenIds
select "r"."id"
from "records" as "r"
where "r"."id" = any($1::uuid[])
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
order by "r"."id";

-- src/records/erasure/erasure.queries.ts deleteEdgesOf
delete
from "relations"
where ("source_id" = any($1::uuid[])
or "target_id" = any($2::uuid[]));

-- src/records/erasure/erasure.queries.ts deleteAccesses
delete
from "access_log"
where "record_id" = any($1::uuid[]);

-- src/records/erasure/erasure.queries.ts deleteEmbeddings
delete
from "embeddings"
where "record_id" = any($1::uuid[]);

-- src/records/erasure/erasure.queries.ts blankAudit
update "audit_entries"
set "rationale" = $1, "changes" = $2
where "record_id" = any($3::uuid[])
and ("rationale" <> $4
or "changes" is not null);

-- src/records/erasure/erasure.queries.ts blankStatusReasons
update "status_changes"
set "reason" = $1
where "record_id" = any($2::uuid[])
and "reason" <> $3;

-- src/records/erasure/erasure.queries.ts appendErasures
    insert into audit_entries (record_id, action, actor, at, rationale, via)
    select id, 'erase', $1::text, $2::timestamptz, $3::text, $4::jsonb
    from unnest($5::uuid[]) as erased (id);

-- src/records/erasure/erasure.queries.ts markErased
update "departures"
set "kind" = $1, "reason" = $2, "actor" = $3, "departed_at" = $4
where "id" = $5;

-- src/records/erasure/stored-answers.queries.ts deleteAnswersAbout
    delete
from idempotency_keys
    where body::jsonb ->> 'id' = any($1::text[])
or body::jsonb -> 'record' ->> 'id' = any($2::text[])
      or body::jsonb -> 'primary_record' ->> 'id' = any($3::text[]);

-- src/records/erasure/stored-answers.queries.ts thinAnswersAbout
    update idempotency_keys
    set body = jsonb_set(body::jsonb, '{results}', (
      select jsonb_agg(
        case when result -> 'record' ->> 'id' = any($1::text[])
          then result - 'record' || '{"status": 410}' else result end
        order by place
      )
      from jsonb_array_elements(body::jsonb -> 'results') with ordinality as each (result, place)
    ))::text
    where exists (
      select
from jsonb_array_elements(
        case when jsonb_typeof(body::jsonb -> 'results') = 'array' then body::jsonb -> 'results' end
      ) as result
      where result -> 'record' ->> 'id' = any($2::text[])
    );

-- src/records/erasure/stored-answers.queries.ts thinAnswersOfKept
    update idempotency_keys
    set body = (case
      when body::jsonb ? 'payload' then jsonb_build_object('id', body::jsonb -> 'id', 'version', body::jsonb -> 'version')
      when body::jsonb ? 'record'
        then jsonb_set(body::jsonb, '{record}', jsonb_build_object('id', (body::jsonb -> 'record') -> 'id', 'version', (body::jsonb -> 'record') -> 'version'))
      else jsonb_set(body::jsonb, '{primary_record}', jsonb_build_object('id', (body::jsonb -> 'primary_record') -> 'id', 'version', (body::jsonb -> 'primary_record') -> 'version')) end)::text
    where (body::jsonb ->> 'id' = any($1::text[])
and body::jsonb ? 'payload')
or body::jsonb -> 'record' ->> 'id' = any($2::text[])
      or body::jsonb -> 'primary_record' ->> 'id' = any($3::text[]);

-- src/records/erasure/stored-answers.queries.ts thinCapturesAbout
    update idempotency_keys
    set body = jsonb_set(body::jsonb, '{created_records}', coalesce((
      select jsonb_agg(record
order by place)
      from jsonb_array_elements(body::jsonb -> 'created_records') with ordinality as each (record, place)
      where record ->> 'id' <> all($1::text[])
    ), '[]'))::text
    where exists (
      select
from jsonb_array_elements(
        case when jsonb_typeof(body::jsonb -> 'created_records') = 'array' then body::jsonb -> 'created_records' end
      ) as record
      where record ->> 'id' = any($2::text[])
    );

-- src/records/erasure/tombstones.queries.ts findErased
    select erased_scope as scope, erased_digest as digest
    from erased_among($1::bytea, $2::text[], $3::bytea[]);

-- src/records/erasure/tombstones.queries.ts lockTombstones
select pg_advisory_xact_lock(7350, 3);

-- src/records/erasure/tombstones.queries.ts shareTombstones
select pg_advisory_xact_lock_shared(7350, 3);

-- src/records/erasure/tombstones.queries.ts insertTombstones
insert into "tombstones" ("scope", "digest", "id", "key_id", "created_at", "actor")
values ($1, $2, $3, $4, $5, $6)
on conflict on constraint "tombstones_content" do update
set "sensitivity" = greatest(tombstones.sensitivity, excluded.sensitivity)
returning "id";

-- src/records/erasure/tombstones.queries.ts listTombstones: the first page
select "id", "scope", "created_at", "actor", "via"
from "tombstones"
where (sensitivity <= $1::sensitivity
and scope = any($2::text[]))
order by "created_at" desc, "id" desc
limit $3;

-- src/records/erasure/tombstones.queries.ts listTombstones: the second page
select "id", "scope", "created_at", "actor", "via"
from "tombstones"
where (sensitivity <= $1::sensitivity
and scope = any($2::text[]))
and (created_at, id) < ($3::timestamptz, $4::uuid)
order by "created_at" desc, "id" desc
limit $5;

-- src/records/erasure/tombstones.queries.ts deleteTombstone
delete
from "tombstones"
where "id" = $1
and (sensitivity <= $2::sensitivity
and scope = any($3::text[]))
returning "id";

-- src/records/listing/list-matching.queries.ts rankedBy
select salience_at(r, $1::timestamptz)
from records as r;

-- src/records/listing/list-matching.queries.ts matching
select "r"."id"
from "records" as "r"
where ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
and r.forgotten_at is null;

-- src/records/listing/list.queries.ts listRecords: by salience
    select r.id, r.type, r.sensitivity, r.layer, r.memory_kind, r.status, r.source_type, r.confidence, r.created_at,
      r.scope, c.tags, c.payload, c.provenance, c.interpretation, r.salience, r.base_salience, r.anchored_at,
      r.last_reinforced_at, r.updated_at, r.expires_at, r.prune_at, r.half_life_seconds, r.max_age_seconds,
      r.min_salience, r.reinforcement_gain, r.max_salience, r.importance, r.base_importance, r.emotional_valence,
      r.last_accessed_at, r.access_count, r.served_count, r.confirmation_count, r.version, r.curve, r.deletion_policy,
      r.pinned, r.forgotten_at, r.purge_at, r.forgotten_run_id, r.forgotten_reason, r.forgotten_by,
      coalesce((
        select json_agg(edge
order by edge.created_at, edge.target_id, edge.predicate)
        from (
          select e.predicate, e.target_id, e.weight, e.created_at
          from relations as e
          join records as t on t.id = e.target_id
          where e.source_id = r.id
and t.forgotten_at is null
and ("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
          order by e.predicate desc, e.target_id desc
          limit 1000
        ) as edge
      ), '[]') as relations,
      coalesce((
        select json_agg(entry)
        from (
          select newest.action, newest.actor, newest.at, newest.rationale, newest.run_id, newest.changes,
            newest.via
          from (
            select *
from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($5::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $6
and "h"."scope" = any($7::text[]))
  ))
  )
            order by a.id desc
limit $8
          ) as newest
          order by newest.id
        ) as entry
      ), '[]') as audit_log, array(select distinct concealed.id
from (
    select h.id
from regexp_matches(concat_ws(' ',
  c.provenance, c.payload -> 'evidence', c.payload -> 'revision', c.interpretation -> 'mentions',
  c.interpretation -> 'relation_candidates', c.interpretation -> 'reference_candidates'
), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
  ) as concealed) as concealed, cut.position
    from ((select "r"."id", salience_at(r, $11::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $12
and "r"."scope" = any($13::text[]))
and r.forgotten_at is null
order by salience_at(r, $14::timestamptz) desc, "r"."id" desc
limit $15)) as cut join records as r on r.id = cut.id
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $16
and "r"."scope" = any($17::text[]))
order by cut.position desc, r.id desc;

-- src/records/listing/list.queries.ts listRecords: by creation, every filter
    select r.id, r.type, r.sensitivity, r.layer, r.memory_kind, r.status, r.source_type, r.confidence, r.created_at,
      r.scope, c.tags, c.payload, c.provenance, c.interpretation, r.salience, r.base_salience, r.anchored_at,
      r.last_reinforced_at, r.updated_at, r.expires_at, r.prune_at, r.half_life_seconds, r.max_age_seconds,
      r.min_salience, r.reinforcement_gain, r.max_salience, r.importance, r.base_importance, r.emotional_valence,
      r.last_accessed_at, r.access_count, r.served_count, r.confirmation_count, r.version, r.curve, r.deletion_policy,
      r.pinned, r.forgotten_at, r.purge_at, r.forgotten_run_id, r.forgotten_reason, r.forgotten_by,
      coalesce((
        select json_agg(edge
order by edge.created_at, edge.target_id, edge.predicate)
        from (
          select e.predicate, e.target_id, e.weight, e.created_at
          from relations as e
          join records as t on t.id = e.target_id
          where e.source_id = r.id
and t.forgotten_at is null
and ("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
          order by e.predicate desc, e.target_id desc
          limit 1000
        ) as edge
      ), '[]') as relations,
      coalesce((
        select json_agg(entry)
        from (
          select newest.action, newest.actor, newest.at, newest.rationale, newest.run_id, newest.changes,
            newest.via
          from (
            select *
from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($5::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $6
and "h"."scope" = any($7::text[]))
  ))
  )
            order by a.id desc
limit $8
          ) as newest
          order by newest.id
        ) as entry
      ), '[]') as audit_log, array(select distinct concealed.id
from (
    select h.id
from regexp_matches(concat_ws(' ',
  c.provenance, c.payload -> 'evidence', c.payload -> 'revision', c.interpretation -> 'mentions',
  c.interpretation -> 'relation_candidates', c.interpretation -> 'reference_candidates'
), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
  ) as concealed) as concealed, cut.position
    from ((select "r"."id", "r"."created_at" as "position"
from "records" as "r"
inner join "contents" as "c" on "c"."record_id" = "r"."id"
where ("r"."sensitivity" <= $11
and "r"."scope" = any($12::text[]))
and ("r"."type" = $13
and "r"."scope" = $14
and "r"."sensitivity" = $15
and "r"."layer" = $16
and "r"."memory_kind" = $17
and "r"."status" = $18
and c.tags @> $19::text[]
and r.created_at > $20::timestamptz
and r.created_at < $21::timestamptz
and c.search @@ websearch_to_tsquery($22::text::regconfig, $23)
and r.forgotten_at is null
and r.pinned = $24
and r.updated_at > $25::timestamptz
and r.salience >= $26
and salience_at(r, $27::timestamptz) >= $28
and salience_at(r, $29::timestamptz) <= $30)
and "r"."created_at" >= $31::timestamptz
and ("r"."created_at" > $32::timestamptz
or r.id > $33::uuid)
order by "r"."created_at" asc, "r"."id" asc
limit $34)) as cut join records as r on r.id = cut.id
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $35
and "r"."scope" = any($36::text[]))
order by cut.position asc, r.id asc;

-- src/records/listing/list.queries.ts listRecords: by importance, everything seen
    select r.id, r.type, r.sensitivity, r.layer, r.memory_kind, r.status, r.source_type, r.confidence, r.created_at,
      r.scope, c.tags, c.payload, c.provenance, c.interpretation, r.salience, r.base_salience, r.anchored_at,
      r.last_reinforced_at, r.updated_at, r.expires_at, r.prune_at, r.half_life_seconds, r.max_age_seconds,
      r.min_salience, r.reinforcement_gain, r.max_salience, r.importance, r.base_importance, r.emotional_valence,
      r.last_accessed_at, r.access_count, r.served_count, r.confirmation_count, r.version, r.curve, r.deletion_policy,
      r.pinned, r.forgotten_at, r.purge_at, r.forgotten_run_id, r.forgotten_reason, r.forgotten_by,
      coalesce((
        select json_agg(edge
order by edge.created_at, edge.target_id, edge.predicate)
        from (
          select e.predicate, e.target_id, e.weight, e.created_at
          from relations as e
          join records as t on t.id = e.target_id
          where e.source_id = r.id
and t.forgotten_at is null
and true
          order by e.predicate desc, e.target_id desc
          limit 1000
        ) as edge
      ), '[]') as relations,
      coalesce((
        select json_agg(entry)
        from (
          select newest.action, newest.actor, newest.at, newest.rationale, newest.run_id, newest.changes,
            newest.via
          from (
            select *
from audit_entries as a
where a.record_id = r.id
and true
            order by a.id desc
limit $1
          ) as newest
          order by newest.id
        ) as entry
      ), '[]') as audit_log, array[]::uuid[] as concealed, cut.position
    from ((select "r"."id", "r"."importance" as "position"
from "records" as "r"
where true
and r.forgotten_at is null
order by "r"."importance" desc, "r"."id" desc
limit $2)) as cut join records as r on r.id = cut.id
    join contents as c on c.record_id = r.id
    where true
order by cut.position desc, r.id desc;

-- src/records/listing/list.queries.ts pickRecords
select "r"."id", salience_at(r, $1::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
and (r.forgotten_at is null
and r.pinned)
order by salience_at(r, $4::timestamptz) desc, "r"."id" desc
limit $5;

-- src/records/listing/list.queries.ts listHalfLives
  with recursive used as (
    (
      select half_life_seconds as seconds
from records
      where decay_rank is not null
and forgotten_at is null
      order by half_life_seconds
      limit 1
    )
    union all
    select (
      select half_life_seconds
from records
      where decay_rank is not null
and forgotten_at is null
and half_life_seconds > used.seconds
      order by half_life_seconds
      limit 1
    )
    from used
    where used.seconds is not null
  )
  select seconds
from used
where seconds is not null
limit 101;

-- src/records/listing/list.queries.ts pickBest
    with used as materialized (
  with recursive used as (
    (
      select half_life_seconds as seconds
from records
      where decay_rank is not null
and forgotten_at is null
      order by half_life_seconds
      limit 1
    )
    union all
    select (
      select half_life_seconds
from records
      where decay_rank is not null
and forgotten_at is null
and half_life_seconds > used.seconds
      order by half_life_seconds
      limit 1
    )
    from used
    where used.seconds is not null
  )
  select seconds
from used
where seconds is not null
limit 501
), best as (
      select id, position
from ((select "best"."id", "best"."position"
from (select seconds as half_life, scope
from used cross join (values ('')) as named (scope)) as lane (half_life, scope)
inner join lateral (select "r"."id", salience_at(r, $1::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is not null
and r.half_life_seconds = lane.half_life
and 1 = 1
order by "r"."decay_rank" desc, "r"."id" desc
limit 51) as "best" on true)) as candidate
order by position desc, id desc
limit 51
    )
    select best.id, best.position, (select count(*)
from used) * $4 as lanes,
      ((select "r"."salience"
from "records" as "r"
where ("r"."sensitivity" <= $5
and "r"."scope" = any($6::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is null
order by "r"."salience" desc, "r"."id" desc
limit 1)) as loose
    from (select) as always
left join best on true
    order by best.position desc, best.id desc;

-- src/records/listing/list.queries.ts pickBest: of some scopes
    with used as materialized (
  with recursive used as (
    (
      select half_life_seconds as seconds
from records
      where decay_rank is not null
and forgotten_at is null
      order by half_life_seconds
      limit 1
    )
    union all
    select (
      select half_life_seconds
from records
      where decay_rank is not null
and forgotten_at is null
and half_life_seconds > used.seconds
      order by half_life_seconds
      limit 1
    )
    from used
    where used.seconds is not null
  )
  select seconds
from used
where seconds is not null
limit 501
), best as (
      select id, position
from ((select "best"."id", "best"."position"
from (select seconds as half_life, scope
from used cross join unnest($1::text[]) as named (scope)) as lane (half_life, scope)
inner join lateral (select "r"."id", salience_at(r, $2::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is not null
and r.half_life_seconds = lane.half_life
and r.scope = lane.scope
and 1 = 1
order by "r"."decay_rank" desc, "r"."id" desc
limit 51) as "best" on true)) as candidate
order by position desc, id desc
limit 51
    )
    select best.id, best.position, (select count(*)
from used) * $5 as lanes,
      ((select "r"."salience"
from "records" as "r"
where ("r"."sensitivity" <= $6
and "r"."scope" = any($7::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is null
order by "r"."salience" desc, "r"."id" desc
limit 1)) as loose
    from (select) as always
left join best on true
    order by best.position desc, best.id desc;

-- src/records/listing/list.queries.ts findSalienceFloor
select "position"
from (select "best"."id", "best"."position"
from unnest($1::bigint[], $2::text[]) as lane (half_life, scope)
inner join lateral (select "r"."id", salience_at(r, $3::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is not null
and r.half_life_seconds = lane.half_life
and 1 = 1
order by "r"."decay_rank" desc, "r"."id" desc
limit 51) as "best" on true union all (select "r"."id", salience_at(r, $6::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $7
and "r"."scope" = any($8::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is null
order by "r"."salience" desc, "r"."id" desc
limit $9)) as "candidate"
order by "position" desc
limit $10 offset $11;

-- src/records/listing/list.queries.ts listBySalience
    select r.id, r.type, r.sensitivity, r.layer, r.memory_kind, r.status, r.source_type, r.confidence, r.created_at,
      r.scope, c.tags, c.payload, c.provenance, c.interpretation, r.salience, r.base_salience, r.anchored_at,
      r.last_reinforced_at, r.updated_at, r.expires_at, r.prune_at, r.half_life_seconds, r.max_age_seconds,
      r.min_salience, r.reinforcement_gain, r.max_salience, r.importance, r.base_importance, r.emotional_valence,
      r.last_accessed_at, r.access_count, r.served_count, r.confirmation_count, r.version, r.curve, r.deletion_policy,
      r.pinned, r.forgotten_at, r.purge_at, r.forgotten_run_id, r.forgotten_reason, r.forgotten_by,
      coalesce((
        select json_agg(edge
order by edge.created_at, edge.target_id, edge.predicate)
        from (
          select e.predicate, e.target_id, e.weight, e.created_at
          from relations as e
          join records as t on t.id = e.target_id
          where e.source_id = r.id
and t.forgotten_at is null
and ("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
          order by e.predicate desc, e.target_id desc
          limit 1000
        ) as edge
      ), '[]') as relations,
      coalesce((
        select json_agg(entry)
        from (
          select newest.action, newest.actor, newest.at, newest.rationale, newest.run_id, newest.changes,
            newest.via
          from (
            select *
from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($5::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $6
and "h"."scope" = any($7::text[]))
  ))
  )
            order by a.id desc
limit $8
          ) as newest
          order by newest.id
        ) as entry
      ), '[]') as audit_log, array(select distinct concealed.id
from (
    select h.id
from regexp_matches(concat_ws(' ',
  c.provenance, c.payload -> 'evidence', c.payload -> 'revision', c.interpretation -> 'mentions',
  c.interpretation -> 'relation_candidates', c.interpretation -> 'reference_candidates'
), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
  ) as concealed) as concealed, cut.position
    from ((select "id", "position"
from (select "best"."id", "best"."position"
from unnest($11::bigint[], $12::text[]) as lane (half_life, scope)
inner join lateral (select "r"."id", salience_at(r, $13::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $14
and "r"."scope" = any($15::text[]))
and r.forgotten_at is null
and salience_at(r, $16::timestamptz) <= $17::float8
and (salience_at(r, $18::timestamptz) < $19::float8
or r.id < $20::uuid)
and "r"."decay_rank" is not null
and r.half_life_seconds = lane.half_life
and r.scope = lane.scope
and r.decay_rank <= $21::float8 + $22::float8 / lane.half_life
order by "r"."decay_rank" desc, "r"."id" desc
limit 51) as "best" on true union all select "r"."id", salience_at(r, $23::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $24
and "r"."scope" = any($25::text[]))
and r.forgotten_at is null
and salience_at(r, $26::timestamptz) <= $27::float8
and (salience_at(r, $28::timestamptz) < $29::float8
or r.id < $30::uuid)
and "r"."decay_rank" is null
and "r"."salience" >= $31) as "candidate"
order by "position" desc, "id" desc
limit $32)) as cut join records as r on r.id = cut.id
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $33
and "r"."scope" = any($34::text[]))
order by cut.position desc, r.id desc;

-- src/records/listing/list.queries.ts pickBySalience
select "id", "position"
from (select "best"."id", "best"."position"
from unnest($1::bigint[], $2::text[]) as lane (half_life, scope)
inner join lateral (select "r"."id", salience_at(r, $3::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is not null
and r.half_life_seconds = lane.half_life
and 1 = 1
order by "r"."decay_rank" desc, "r"."id" desc
limit 51) as "best" on true union all select "r"."id", salience_at(r, $6::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $7
and "r"."scope" = any($8::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is null
and "r"."salience" >= $9) as "candidate"
order by "position" desc, "id" desc
limit $10;

-- src/records/listing/list.queries.ts listAudit
select "id", "action", "actor", "at", "rationale", "run_id", "changes", "via"
from "audit_entries" as "a"
where "record_id" = $1
and "id" > $2
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($5::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = a.record_id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $6
and "h"."scope" = any($7::text[]))
  ))
  )
order by "id"
limit $8;

-- src/records/outdated-texts.queries.ts hasOutdated
    select exists (select
from outdated_texts) as is_listed;

-- src/records/outdated-texts.queries.ts listOutdated
    select record_id
from outdated_texts
    where $1::uuid is null
or record_id > $2::uuid
    order by record_id
    limit $3;

-- src/records/outdated-texts.queries.ts claimOutdated
    with mine as materialized (
      select record_id
from outdated_texts
where record_id = any($1::uuid[])
      order by record_id
      for update skip locked
    ), gone as (
      delete
from outdated_texts as o using mine
      where o.record_id = mine.record_id
and not exists (select
from records as r
where r.id = mine.record_id)
    )
    select r.id
from records as r
where r.id in (select record_id
from mine)
    order by r.id
    for no key update skip locked;

-- src/records/outdated-texts.queries.ts findOutdated
    select record_id, payload, tags
from contents
    where record_id = any($1::uuid[]);

-- src/records/outdated-texts.queries.ts rewriteTexts
    with made as materialized (
      select r.id, given.words,
        to_tsvector($1::text::regconfig, given.text) || array_to_tsvector(array['scope ' || r.scope, 'type ' || r.type, 'text 1']) as search
      from unnest(
        $2::uuid[], $3::text[],
        $4::int4[]
      ) as given (id, text, words)
      join records as r on r.id = given.id
    ), rewritten as (
      update contents as c
set search = made.search, words = made.words
      from made
      where c.record_id = made.id
and made.search <> c.search || array_to_tsvector(array['text 1'])
      returning c.record_id
    ), unread as (
      insert into unembedded (record_id, asked_at, due_at)
      select record_id, $5::timestamptz, $6::timestamptz
from rewritten
      order by record_id
      on conflict (record_id) do update
        set asked_at = excluded.asked_at, due_at = excluded.due_at, attempts = excluded.attempts
    ), unlisted as (
      delete
from outdated_texts as o using made
where o.record_id = made.id
    )
    select count(*)::int4 as count
from rewritten;

-- src/records/record-change.queries.ts applyChange: of a record alone
with "changed" as (update "records"
set "version" = $1, "updated_at" = $2
where "id" = $3) insert into "audit_entries" ("action", "actor", "at", "rationale", "run_id", "changes", "via", "record_id")
values ($4, $5, $6, $7, $8, $9, $10, $11);

-- src/records/record-change.queries.ts applyChange: of what it says too
with "changed" as (update "records"
set "version" = $1, "updated_at" = $2
where "id" = $3), "rewritten" as (update "contents"
set "tags" = $4, "payload" = $5, "words" = $6, "search" = to_tsvector($7::text::regconfig, $8)
      || array_to_tsvector(array['scope ' || $9::text, 'type ' || $10::text, 'text 1'])
where "record_id" = $11), "listed" as (insert into "unembedded" ("record_id", "asked_at", "due_at", "attempts")
values ($12, $13, $14, $15)
on conflict ("record_id") do update
set "asked_at" = $16, "due_at" = $17, "attempts" = $18) insert into "audit_entries" ("action", "actor", "at", "rationale", "run_id", "changes", "via", "record_id")
values ($19, $20, $21, $22, $23, $24, $25, $26);

-- src/records/record-change.queries.ts appendStatusChange
insert into "status_changes" ("at", "old", "new", "actor", "reason", "step", "run_id", "via", "record_id")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- src/records/record-creation.queries.ts insertRecords
    with incoming as materialized (
      select *
from json_to_recordset($1::json) as incoming (
        id uuid, created_at timestamptz, updated_at timestamptz, salience float8, base_salience float8,
        anchored_at timestamptz, last_reinforced_at timestamptz, expires_at timestamptz, prune_at timestamptz,
        half_life_seconds int8, max_age_seconds int8, min_salience float8, reinforcement_gain float8,
        max_salience float8, confidence float8, importance float8, base_importance float8,
        emotional_valence float8, last_accessed_at timestamptz, access_count int4, confirmation_count int4,
        version int4, type record_type, sensitivity sensitivity, layer memory_layer, memory_kind memory_kind,
        status record_status, source_type source_type, curve decay_curve, deletion_policy deletion_policy,
        pinned bool, scope text, tags text[], payload jsonb, provenance jsonb, interpretation jsonb,
        "searchText" text, words int4, audit jsonb, "isNamed" bool, digest bytea
      )
    ), held as materialized (
      select r.id
from records as r
      where r.id in (select source_id
from json_to_recordset($2::json) as g (source_id uuid))
      order by r.id
      for key share
    ), erased as materialized (
      select erased_scope as scope, erased_digest as digest
      from (select array_agg(scope) as scopes, array_agg(digest) as digests
from incoming
where digest is not null)
        as said,
        erased_among($3::bytea, said.scopes, said.digests)
    ), record as (
      insert into records (
        id, created_at, updated_at, salience, base_salience, anchored_at, last_reinforced_at, expires_at, prune_at,
        half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience, confidence, importance,
        base_importance, emotional_valence, last_accessed_at, access_count, confirmation_count, version, type,
        sensitivity, layer, memory_kind, status, source_type, curve, deletion_policy, pinned, scope
      )
      select id, created_at, updated_at, salience, base_salience, anchored_at, last_reinforced_at, expires_at, prune_at,
        half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience, confidence, importance,
        base_importance, emotional_valence, last_accessed_at, access_count, confirmation_count, version, type,
        sensitivity, layer, memory_kind, status, source_type, curve, deletion_policy, pinned, scope
      from incoming as i
      where not exists (select
from erased as e
where e.scope = i.scope
and e.digest = i.digest)
        and (not "isNamed"
or not exists (select
from departures as d
where d.id = i.id))
      order by id
      on conflict (id) do nothing
      returning id
    ), content as (
      insert into contents (record_id, tags, payload, provenance, interpretation, words, search)
      select id, tags, payload, provenance, interpretation, words,
        to_tsvector($4::text::regconfig, "searchText")
          || array_to_tsvector(array['scope ' || scope, 'type ' || type, 'text 1'])
      from incoming join record using (id)
    ), edge as (
      insert into relations (source_id, predicate, target_id, weight, created_at)
      select source_id, predicate, target_id, weight, created_at
      from json_to_recordset($5::json) as edge
        (owner uuid, source_id uuid, predicate text, target_id uuid, weight float8, created_at timestamptz)
      where owner in (select id
from record)
        and (source_id in (select id
from record)
or source_id not in (select id
from incoming))
        and (target_id in (select id
from record)
or target_id not in (select id
from incoming))
      order by source_id, predicate, target_id
      on conflict on constraint relations_pkey do nothing
    ), descent as (
      insert into descents (derived_id, source_id, kind, is_ground)
      select g.derived_id, g.source_id, g.kind, coalesce(g.is_ground, has.grounds)
      from json_to_recordset($6::json) as g
        (owner uuid, derived_id uuid, source_id uuid, kind text, is_ground bool)
      cross join lateral (
        select exists (select
from descents as d
where d.derived_id = g.derived_id
and d.is_ground) as grounds
      ) as has
      where (g.owner is null
or g.owner in (select id
from record))
        and (g.derived_id in (select id
from record)
or g.derived_id not in (select id
from incoming))
        and (g.source_id in (select id
from record)
or g.source_id in (select id
from held))
        and (g.kind <> 'mention'
or has.grounds)
      on conflict on constraint descents_pkey do nothing
    ), identifier as (
      insert into entity_identifiers (record_id, scope, sensitivity, namespace, value)
      select record_id, scope, sensitivity, namespace, value
      from json_to_recordset($7::json) as identifier
        (record_id uuid, scope text, sensitivity sensitivity, namespace text, value text)
      where record_id in (select id
from record)
      order by scope, namespace, value
    ), handle as (
      insert into handles (digest, detail, record_id, place, scope)
      select digest, detail, record_id, place, scope
      from json_to_recordset($8::json) as handle
        (digest bytea, detail bytea, record_id uuid, place int4, scope text)
      where record_id in (select id
from record)
      order by digest, scope, place
    ), listed as (
      insert into unembedded (record_id, asked_at, due_at)
      select id, updated_at, updated_at
from incoming join record using (id)
      on conflict (record_id) do update
        set asked_at = excluded.asked_at, due_at = excluded.due_at, attempts = excluded.attempts
    ), entry as (
      insert into audit_entries (record_id, run_id, action, actor, at, rationale, via)
      select id, (audit ->> 'run_id')::uuid, (audit ->> 'action')::audit_action, audit ->> 'actor', (audit ->> 'at')::timestamptz,
        audit ->> 'rationale', nullif(audit -> 'via', 'null')
      from incoming join record using (id)
      where audit is not null
    )
    select id, false as is_erased
from record
    union all
    select id, true
from incoming join erased using (scope, digest);

-- src/records/record-creation.queries.ts findUsedIds
select "id"
from "records"
where id = any($1::uuid[]) union all select "id"
from "departures"
where id = any($2::uuid[]);

-- src/records/record-creation.queries.ts findTargets
select "r"."id", "r"."sensitivity"
from "records" as "r"
where "r"."id" = any($1::uuid[])
and "r"."forgotten_at" is null
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]));

-- src/records/record-creation.queries.ts findTakenIdentifiers
    select taken.record_id, taken.scope, taken.sensitivity, taken.namespace, taken.value
    from json_to_recordset($1::json)
      as wanted (scope text, sensitivity sensitivity, namespace text, value text)
    join entity_identifiers as taken
      on taken.scope = wanted.scope
and taken.sensitivity = wanted.sensitivity
and taken.namespace = wanted.namespace
and taken.value = wanted.value;

-- src/records/records.queries.ts selectStored
    select r.id, r.type, r.sensitivity, r.layer, r.memory_kind, r.status, r.source_type, r.confidence, r.created_at,
      r.scope, c.tags, c.payload, c.provenance, c.interpretation, r.salience, r.base_salience, r.anchored_at,
      r.last_reinforced_at, r.updated_at, r.expires_at, r.prune_at, r.half_life_seconds, r.max_age_seconds,
      r.min_salience, r.reinforcement_gain, r.max_salience, r.importance, r.base_importance, r.emotional_valence,
      r.last_accessed_at, r.access_count, r.served_count, r.confirmation_count, r.version, r.curve, r.deletion_policy,
      r.pinned, r.forgotten_at, r.purge_at, r.forgotten_run_id, r.forgotten_reason, r.forgotten_by,
      coalesce((
        select json_agg(edge
order by edge.created_at, edge.target_id, edge.predicate)
        from (
          select e.predicate, e.target_id, e.weight, e.created_at
          from relations as e
          join records as t on t.id = e.target_id
          where e.source_id = r.id
and t.forgotten_at is null
and ("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
          order by e.predicate desc, e.target_id desc
          limit 1000
        ) as edge
      ), '[]') as relations,
      coalesce((
        select json_agg(entry)
        from (
          select newest.action, newest.actor, newest.at, newest.rationale, newest.run_id, newest.changes,
            newest.via
          from (
            select *
from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($5::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $6
and "h"."scope" = any($7::text[]))
  ))
  )
            order by a.id desc
limit $8
          ) as newest
          order by newest.id
        ) as entry
      ), '[]') as audit_log, array(select distinct concealed.id
from (
    select h.id
from regexp_matches(concat_ws(' ',
  c.provenance, c.payload -> 'evidence', c.payload -> 'revision', c.interpretation -> 'mentions',
  c.interpretation -> 'relation_candidates', c.interpretation -> 'reference_candidates'
), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
  ) as concealed) as concealed
    from records as r
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $11
and "r"."scope" = any($12::text[]));

-- src/records/records.queries.ts findRecords: one
    select r.id, r.type, r.sensitivity, r.layer, r.memory_kind, r.status, r.source_type, r.confidence, r.created_at,
      r.scope, c.tags, c.payload, c.provenance, c.interpretation, r.salience, r.base_salience, r.anchored_at,
      r.last_reinforced_at, r.updated_at, r.expires_at, r.prune_at, r.half_life_seconds, r.max_age_seconds,
      r.min_salience, r.reinforcement_gain, r.max_salience, r.importance, r.base_importance, r.emotional_valence,
      r.last_accessed_at, r.access_count, r.served_count, r.confirmation_count, r.version, r.curve, r.deletion_policy,
      r.pinned, r.forgotten_at, r.purge_at, r.forgotten_run_id, r.forgotten_reason, r.forgotten_by,
      coalesce((
        select json_agg(edge
order by edge.created_at, edge.target_id, edge.predicate)
        from (
          select e.predicate, e.target_id, e.weight, e.created_at
          from relations as e
          join records as t on t.id = e.target_id
          where e.source_id = r.id
and t.forgotten_at is null
and ("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
          order by e.predicate desc, e.target_id desc
          limit 1000
        ) as edge
      ), '[]') as relations,
      coalesce((
        select json_agg(entry)
        from (
          select newest.action, newest.actor, newest.at, newest.rationale, newest.run_id, newest.changes,
            newest.via
          from (
            select *
from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($5::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $6
and "h"."scope" = any($7::text[]))
  ))
  )
            order by a.id desc
limit $8
          ) as newest
          order by newest.id
        ) as entry
      ), '[]') as audit_log, array(select distinct concealed.id
from (
    select h.id
from regexp_matches(concat_ws(' ',
  c.provenance, c.payload -> 'evidence', c.payload -> 'revision', c.interpretation -> 'mentions',
  c.interpretation -> 'relation_candidates', c.interpretation -> 'reference_candidates'
), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
  ) as concealed) as concealed
    from records as r
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $11
and "r"."scope" = any($12::text[]))
and r.id = $13::uuid;

-- src/records/records.queries.ts findRecords: several
    select r.id, r.type, r.sensitivity, r.layer, r.memory_kind, r.status, r.source_type, r.confidence, r.created_at,
      r.scope, c.tags, c.payload, c.provenance, c.interpretation, r.salience, r.base_salience, r.anchored_at,
      r.last_reinforced_at, r.updated_at, r.expires_at, r.prune_at, r.half_life_seconds, r.max_age_seconds,
      r.min_salience, r.reinforcement_gain, r.max_salience, r.importance, r.base_importance, r.emotional_valence,
      r.last_accessed_at, r.access_count, r.served_count, r.confirmation_count, r.version, r.curve, r.deletion_policy,
      r.pinned, r.forgotten_at, r.purge_at, r.forgotten_run_id, r.forgotten_reason, r.forgotten_by,
      coalesce((
        select json_agg(edge
order by edge.created_at, edge.target_id, edge.predicate)
        from (
          select e.predicate, e.target_id, e.weight, e.created_at
          from relations as e
          join records as t on t.id = e.target_id
          where e.source_id = r.id
and t.forgotten_at is null
and ("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
          order by e.predicate desc, e.target_id desc
          limit 1000
        ) as edge
      ), '[]') as relations,
      coalesce((
        select json_agg(entry)
        from (
          select newest.action, newest.actor, newest.at, newest.rationale, newest.run_id, newest.changes,
            newest.via
          from (
            select *
from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($5::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $6
and "h"."scope" = any($7::text[]))
  ))
  )
            order by a.id desc
limit $8
          ) as newest
          order by newest.id
        ) as entry
      ), '[]') as audit_log, array(select distinct concealed.id
from (
    select h.id
from regexp_matches(concat_ws(' ',
  c.provenance, c.payload -> 'evidence', c.payload -> 'revision', c.interpretation -> 'mentions',
  c.interpretation -> 'relation_candidates', c.interpretation -> 'reference_candidates'
), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') as named (id)
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
  ) as concealed) as concealed
    from records as r
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $11
and "r"."scope" = any($12::text[]))
and r.id = any($13::uuid[]);

-- src/records/records.queries.ts lockRecords
select r.id
from records as r
where r.id = $1::uuid
order by r.id for no key update;

-- src/records/records.queries.ts seekHandles
    select *
from seek_handles(
      $1::bytea[], $2::bytea[],
      $3::text[], $4::boolean[],
      $5::sensitivity
    );

-- src/records/records.queries.ts deleteHandles
delete
from "handles"
where "record_id" = $1
and "digest" = any($2::bytea[]);

-- src/records/records.queries.ts insertHandles
    insert into handles (digest, detail, record_id, place, scope)
    select digest, detail, $1::uuid, place, $2
    from unnest(
      $3::bytea[], $4::bytea[],
      $5::integer[]
    ) as handle (digest, detail, place);

-- src/records/records.queries.ts deleteIdentifiers
delete
from "entity_identifiers"
where "record_id" = $1;

-- src/records/records.queries.ts insertIdentifiers
    insert into entity_identifiers (record_id, scope, sensitivity, namespace, value)
    select $1::uuid, scope, sensitivity, namespace, value
    from unnest(
      $2::text[],
      $3::sensitivity[],
      $4::text[], $5::text[]
    ) as identifier (scope, sensitivity, namespace, value);

-- src/relations/relations.queries.ts upsertEdges
insert into "relations" ("source_id", "predicate", "target_id", "weight", "created_at")
values ($1, $2, $3, $4, $5)
on conflict on constraint "relations_pkey" do update
set "weight" = "excluded"."weight";

-- src/relations/relations.queries.ts findEdge
select "source_id", "predicate", "target_id", "weight", "created_at"
from "relations"
where "source_id" = $1
and "predicate" = $2
and "target_id" = $3;

-- src/relations/relations.queries.ts hasContest
    select
from descents as d
    where d.kind = 'contest'
and (
      d.derived_id = $1::uuid
and d.source_id = $2::uuid
      or d.derived_id = $3::uuid
and d.source_id = $4::uuid
    )
    limit 1;

-- src/relations/relations.queries.ts deleteEdges
delete
from "relations"
where ("source_id" = $1
and "predicate" = $2
and "target_id" = $3);

-- src/relations/relations.queries.ts listEdges: outgoing
select "e"."source_id", "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "r" on "r"."id" = "e"."target_id"
where "e"."source_id" = $1
and "r"."forgotten_at" is null
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
order by "e"."predicate", "e"."target_id"
limit $4;

-- src/relations/relations.queries.ts listEdges: incoming, the second page of one predicate
select "e"."source_id", "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "r" on "r"."id" = "e"."source_id"
where "e"."target_id" = $1
and "r"."forgotten_at" is null
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
and "e"."predicate" = $4
and (e.predicate, "e"."source_id") > ($5, $6::uuid)
order by "e"."predicate", "e"."source_id"
limit $7;

-- src/retrieval/candidates.queries.ts findNamed
    with recursive named as materialized (
      select h.record_id as id, min(w.place) as place
      from unnest($1::bytea[]) with ordinality as w (digest, place)
      join handles as h on h.digest = w.digest
      join records as r on r.id = h.record_id
      where r.type = 'entity'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
      group by h.record_id
      order by place, id
      limit $4
    ), edge_kind as (
      select n.id, n.place, (
        select e.predicate
from relations as e
where e.source_id = n.id
order by e.predicate
limit 1
      ) as predicate
      from named as n
      union all
      select k.id, k.place, (
        select e.predicate
from relations as e
        where e.source_id = k.id
and e.predicate > k.predicate
order by e.predicate
limit 1
      )
      from edge_kind as k
where k.predicate is not null
    ), reached as (
      select n.id, n.id as entity, n.place, 0 as hop, 1::float8 as weight, r.salience
      from named as n join records as r on r.id = n.id
where r.forgotten_at is null
      union all
      select e.target_id, k.id, k.place, 1, e.weight, e.salience
      from (select *
from edge_kind
where predicate is not null
limit 200) as k
      cross join lateral (
        select e.target_id, e.weight, r.salience
        from relations as e join records as r on r.id = e.target_id
        where e.source_id = k.id
and e.predicate = k.predicate
and r.forgotten_at is null
        order by e.target_id desc
        limit $5
      ) as e
    )
    select id
from reached
    group by id
    order by min(hop), count(distinct entity) desc, min(place), max(weight) desc, max(salience) desc, id
    limit $6;

-- src/retrieval/candidates.queries.ts findStandings
    select standing.*
    from unnest($1::uuid[]) as candidate (id) cross join lateral (
      select r.id, salience_at(r, $2::timestamptz) as salience, r.importance,
        r.sensitivity <= $3::sensitivity as "isOpen"
      from records as r
where r.id = candidate.id
      offset 0
    ) as standing;

-- src/retrieval/candidates.queries.ts findMovedSince
    select r.id
    from (select distinct s.record_id
from status_changes as s
where s.at > $1::timestamptz) as moved
    join records as r on r.id = moved.record_id
    where r.forgotten_at is null
    order by (
    select case
      when not p.pinned
and r.expires_at <= $2::timestamptz then 0
      when r.anchored_at <= $3::timestamptz
and n.at is null then salience_at(r, $4::timestamptz)
      when p.pinned then coalesce(n.before, l.after, r.base_salience)
      when r.anchored_at <= $5::timestamptz then coalesce(
    least(
      n.before * fading_factor(r.curve, least(
      greatest(date_part('epoch', $6::timestamptz - r.anchored_at), 0) / r.half_life_seconds, 64
    )) / nullif(fading_factor(r.curve, least(
      greatest(date_part('epoch', n.at - r.anchored_at), 0) / r.half_life_seconds, 64
    )), 0),
      greatest(n.before, r.max_salience, 1)
    ), n.before)
      when l.at is not null then greatest(
        l.after * fading_factor(r.curve, least(
      greatest(date_part('epoch', $7::timestamptz - l.at), 0) / r.half_life_seconds, 64
    )), least(r.min_salience, l.after)
      )
      when n.at is not null then coalesce(
    least(
      n.before * fading_factor(r.curve, least(
      greatest(date_part('epoch', $8::timestamptz - r.created_at), 0) / r.half_life_seconds, 64
    )) / nullif(fading_factor(r.curve, least(
      greatest(date_part('epoch', n.at - r.created_at), 0) / r.half_life_seconds, 64
    )), 0),
      greatest(n.before, r.max_salience, 1)
    ), n.before)
      else r.base_salience
    end
    from (select) as nothing
    left join lateral (
      select a.at, (a.changes #>> '{salience,0}')::float8 as before
from audit_entries as a
      where a.record_id = r.id
and a.at > $9::timestamptz
and jsonb_typeof(a.changes #> '{salience,0}') = 'number'
      order by a.id
limit 1
    ) as n on true
    left join lateral (
      select a.at, (a.changes #>> '{salience,1}')::float8 as after
from audit_entries as a
      where a.record_id = r.id
and a.at <= $10::timestamptz
and jsonb_typeof(a.changes #> '{salience,1}') = 'number'
      order by a.id desc
limit 1
    ) as l on true
    cross join lateral (
      select coalesce((
        select a.action = 'unpin'
from audit_entries as a
        where a.record_id = r.id
and a.at > $11::timestamptz
and a.action in ('pin', 'unpin')
        order by a.id
limit 1
      ), r.pinned) as pinned
    ) as p
  ) desc, r.id
    limit $12;

-- src/retrieval/candidates.queries.ts findWithheld
    select r.id, r.status as status, case when r.type = 'semantic' then coalesce((
    select coalesce((v.payload #>> '{validity,start}')::timestamptz <= $1::timestamptz, true)
      and coalesce((v.payload #>> '{validity,end}')::timestamptz > $2::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end as is_valid, salience_at(r, $3::timestamptz) as salience,
      r.status = 'invalidated' as is_retracted
    from records as r
    where r.id = any($4::uuid[])
and ("r"."sensitivity" <= $5
and "r"."scope" = any($6::text[]))
and r.forgotten_at is null
    order by r.id;

-- src/retrieval/candidates.queries.ts findPast
    select r.id, coalesce((
    select s.old
from status_changes as s
    where s.record_id = r.id
and s.at > $1::timestamptz
order by s.id
limit 1
  ), r.status) as status, (
    select case
      when not p.pinned
and r.expires_at <= $2::timestamptz then 0
      when r.anchored_at <= $3::timestamptz
and n.at is null then salience_at(r, $4::timestamptz)
      when p.pinned then coalesce(n.before, l.after, r.base_salience)
      when r.anchored_at <= $5::timestamptz then coalesce(
    least(
      n.before * fading_factor(r.curve, least(
      greatest(date_part('epoch', $6::timestamptz - r.anchored_at), 0) / r.half_life_seconds, 64
    )) / nullif(fading_factor(r.curve, least(
      greatest(date_part('epoch', n.at - r.anchored_at), 0) / r.half_life_seconds, 64
    )), 0),
      greatest(n.before, r.max_salience, 1)
    ), n.before)
      when l.at is not null then greatest(
        l.after * fading_factor(r.curve, least(
      greatest(date_part('epoch', $7::timestamptz - l.at), 0) / r.half_life_seconds, 64
    )), least(r.min_salience, l.after)
      )
      when n.at is not null then coalesce(
    least(
      n.before * fading_factor(r.curve, least(
      greatest(date_part('epoch', $8::timestamptz - r.created_at), 0) / r.half_life_seconds, 64
    )) / nullif(fading_factor(r.curve, least(
      greatest(date_part('epoch', n.at - r.created_at), 0) / r.half_life_seconds, 64
    )), 0),
      greatest(n.before, r.max_salience, 1)
    ), n.before)
      else r.base_salience
    end
    from (select) as nothing
    left join lateral (
      select a.at, (a.changes #>> '{salience,0}')::float8 as before
from audit_entries as a
      where a.record_id = r.id
and a.at > $9::timestamptz
and jsonb_typeof(a.changes #> '{salience,0}') = 'number'
      order by a.id
limit 1
    ) as n on true
    left join lateral (
      select a.at, (a.changes #>> '{salience,1}')::float8 as after
from audit_entries as a
      where a.record_id = r.id
and a.at <= $10::timestamptz
and jsonb_typeof(a.changes #> '{salience,1}') = 'number'
      order by a.id desc
limit 1
    ) as l on true
    cross join lateral (
      select coalesce((
        select a.action = 'unpin'
from audit_entries as a
        where a.record_id = r.id
and a.at > $11::timestamptz
and a.action in ('pin', 'unpin')
        order by a.id
limit 1
      ), r.pinned) as pinned
    ) as p
  ) as salience, coalesce((
      select a.changes #>> '{payload.revision.status,0}'
from audit_entries as a
      where a.record_id = r.id
and a.at > $12::timestamptz
and a.changes ? 'payload.revision.status'
      order by a.id
limit 1
    ), c.payload #>> '{revision,status}') as revision
    from records as r join contents as c on c.record_id = r.id
    where r.id = any($13::uuid[]);

-- src/retrieval/expansion.queries.ts findNeighbours
    select n.source_id, n.predicate, n.target_id, n.weight, n.created_at, n.salience, n.importance,
      n.sensitivity <= $1::sensitivity as "isOpen"
    from unnest($2::uuid[]) as source (id)
    cross join lateral (
      with recursive edge_kind as (
        (
          select e.predicate
from relations as e
where e.source_id = source.id
order by e.predicate
limit 1
        )
        union all
        select (
          select e.predicate
from relations as e
          where e.source_id = source.id
and e.predicate > k.predicate
order by e.predicate
limit 1
        )
        from edge_kind as k
where k.predicate is not null
      )
      select predicate
from edge_kind
where predicate is not null
limit $3
    ) as k
    cross join lateral (
      select e.source_id, e.predicate, e.target_id, e.weight, e.created_at, r.sensitivity, r.importance,
        salience_at(r, $4::timestamptz) as salience
      from relations as e join records as r on r.id = e.target_id
      where e.source_id = source.id
and e.predicate = k.predicate
and r.forgotten_at is null
      order by e.target_id desc
      limit $5
    ) as n;

-- src/retrieval/filters.queries.ts answering: seen whole
select r.id
from records as r
where ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
and r.forgotten_at is null
and (r.status in ('active')
and case when r.type = 'semantic' then coalesce((
    select coalesce((v.payload #>> '{validity,start}')::timestamptz <= $3::timestamptz, true)
      and coalesce((v.payload #>> '{validity,end}')::timestamptz > $4::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end);

-- src/retrieval/filters.queries.ts answering: seen at all, every filter
select r.id
from records as r
where ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
and r.forgotten_at is null
and r.type = any($3::record_type[])
and r.memory_kind = any($4::memory_kind[])
and r.layer = any($5::memory_layer[])
and r.scope = any($6::text[])
and r.importance >= $7
and r.id in (select t.record_id
from contents as t
where t.tags @> $8::text[])
and case when r.sensitivity > $9 then r.base_salience > 0 else (r.status in ('active', 'challenged')) end
and r.salience >= $10
and salience_at(r, $11::timestamptz) >= $12;

-- src/retrieval/filters.queries.ts answering: of the past
select r.id
from records as r
where ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
and r.forgotten_at is null
and r.created_at <= $3::timestamptz
and (coalesce((
    select s.old
from status_changes as s
    where s.record_id = r.id
and s.at > $4::timestamptz
order by s.id
limit 1
  ), r.status) in ('active')
and case when r.type = 'semantic' then coalesce((
    select coalesce((v.payload #>> '{validity,start}')::timestamptz <= $5::timestamptz, true)
      and coalesce((v.payload #>> '{validity,end}')::timestamptz > $6::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end)
and (
    select case
      when not p.pinned
and r.expires_at <= $7::timestamptz then 0
      when r.anchored_at <= $8::timestamptz
and n.at is null then salience_at(r, $9::timestamptz)
      when p.pinned then coalesce(n.before, l.after, r.base_salience)
      when r.anchored_at <= $10::timestamptz then coalesce(
    least(
      n.before * fading_factor(r.curve, least(
      greatest(date_part('epoch', $11::timestamptz - r.anchored_at), 0) / r.half_life_seconds, 64
    )) / nullif(fading_factor(r.curve, least(
      greatest(date_part('epoch', n.at - r.anchored_at), 0) / r.half_life_seconds, 64
    )), 0),
      greatest(n.before, r.max_salience, 1)
    ), n.before)
      when l.at is not null then greatest(
        l.after * fading_factor(r.curve, least(
      greatest(date_part('epoch', $12::timestamptz - l.at), 0) / r.half_life_seconds, 64
    )), least(r.min_salience, l.after)
      )
      when n.at is not null then coalesce(
    least(
      n.before * fading_factor(r.curve, least(
      greatest(date_part('epoch', $13::timestamptz - r.created_at), 0) / r.half_life_seconds, 64
    )) / nullif(fading_factor(r.curve, least(
      greatest(date_part('epoch', n.at - r.created_at), 0) / r.half_life_seconds, 64
    )), 0),
      greatest(n.before, r.max_salience, 1)
    ), n.before)
      else r.base_salience
    end
    from (select) as nothing
    left join lateral (
      select a.at, (a.changes #>> '{salience,0}')::float8 as before
from audit_entries as a
      where a.record_id = r.id
and a.at > $14::timestamptz
and jsonb_typeof(a.changes #> '{salience,0}') = 'number'
      order by a.id
limit 1
    ) as n on true
    left join lateral (
      select a.at, (a.changes #>> '{salience,1}')::float8 as after
from audit_entries as a
      where a.record_id = r.id
and a.at <= $15::timestamptz
and jsonb_typeof(a.changes #> '{salience,1}') = 'number'
      order by a.id desc
limit 1
    ) as l on true
    cross join lateral (
      select coalesce((
        select a.action = 'unpin'
from audit_entries as a
        where a.record_id = r.id
and a.at > $16::timestamptz
and a.action in ('pin', 'unpin')
        order by a.id
limit 1
      ), r.pinned) as pinned
    ) as p
  ) >= $17;

-- src/retrieval/filters.queries.ts withheld
select r.id
from records as r
where ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
and r.forgotten_at is null
and r.type = any($3::record_type[])
and r.memory_kind = any($4::memory_kind[])
and r.layer = any($5::memory_layer[])
and r.scope = any($6::text[])
and r.importance >= $7
and r.id in (select t.record_id
from contents as t
where t.tags @> $8::text[])
and not (r.status in ('active', 'challenged')
and r.salience >= $9
and salience_at(r, $10::timestamptz) >= $11);

-- src/retrieval/filters.queries.ts matchingConditions
select r.id
from records as r
where ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
and r.forgotten_at is null;

-- src/retrieval/filters.queries.ts isValidThen
select case when r.type = 'semantic' then coalesce((
    select coalesce((v.payload #>> '{validity,start}')::timestamptz <= $1::timestamptz, true)
      and coalesce((v.payload #>> '{validity,end}')::timestamptz > $2::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end
from records as r;

-- src/retrieval/filters.queries.ts statusThen: now
select r.status
from records as r;

-- src/retrieval/filters.queries.ts statusThen: past
select coalesce((
    select s.old
from status_changes as s
    where s.record_id = r.id
and s.at > $1::timestamptz
order by s.id
limit 1
  ), r.status)
from records as r;

-- src/retrieval/filters.queries.ts salienceThen: now
select salience_at(r, $1::timestamptz)
from records as r;

-- src/retrieval/filters.queries.ts salienceThen: past
select (
    select case
      when not p.pinned
and r.expires_at <= $1::timestamptz then 0
      when r.anchored_at <= $2::timestamptz
and n.at is null then salience_at(r, $3::timestamptz)
      when p.pinned then coalesce(n.before, l.after, r.base_salience)
      when r.anchored_at <= $4::timestamptz then coalesce(
    least(
      n.before * fading_factor(r.curve, least(
      greatest(date_part('epoch', $5::timestamptz - r.anchored_at), 0) / r.half_life_seconds, 64
    )) / nullif(fading_factor(r.curve, least(
      greatest(date_part('epoch', n.at - r.anchored_at), 0) / r.half_life_seconds, 64
    )), 0),
      greatest(n.before, r.max_salience, 1)
    ), n.before)
      when l.at is not null then greatest(
        l.after * fading_factor(r.curve, least(
      greatest(date_part('epoch', $6::timestamptz - l.at), 0) / r.half_life_seconds, 64
    )), least(r.min_salience, l.after)
      )
      when n.at is not null then coalesce(
    least(
      n.before * fading_factor(r.curve, least(
      greatest(date_part('epoch', $7::timestamptz - r.created_at), 0) / r.half_life_seconds, 64
    )) / nullif(fading_factor(r.curve, least(
      greatest(date_part('epoch', n.at - r.created_at), 0) / r.half_life_seconds, 64
    )), 0),
      greatest(n.before, r.max_salience, 1)
    ), n.before)
      else r.base_salience
    end
    from (select) as nothing
    left join lateral (
      select a.at, (a.changes #>> '{salience,0}')::float8 as before
from audit_entries as a
      where a.record_id = r.id
and a.at > $8::timestamptz
and jsonb_typeof(a.changes #> '{salience,0}') = 'number'
      order by a.id
limit 1
    ) as n on true
    left join lateral (
      select a.at, (a.changes #>> '{salience,1}')::float8 as after
from audit_entries as a
      where a.record_id = r.id
and a.at <= $9::timestamptz
and jsonb_typeof(a.changes #> '{salience,1}') = 'number'
      order by a.id desc
limit 1
    ) as l on true
    cross join lateral (
      select coalesce((
        select a.action = 'unpin'
from audit_entries as a
        where a.record_id = r.id
and a.at > $10::timestamptz
and a.action in ('pin', 'unpin')
        order by a.id
limit 1
      ), r.pinned) as pinned
    ) as p
  )
from records as r;

-- src/retrieval/text/stemming.queries.ts findStems
    select word, tsvector_to_array(to_tsvector($1::text::regconfig, word)) as stems
    from unnest($2::text[]) as word;

-- src/retrieval/text/text-search.queries.ts findByWords
    with found as materialized (
      select c.record_id as id, $1::float8 + $2::float8 * c.words as length, coalesce(round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $3::tsquery))) - 0.5), 0) as "count_0", coalesce(round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $4::tsquery))) - 0.5), 0) as "count_1", coalesce(round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $5::tsquery))) - 0.5), 0) as "count_2", coalesce(round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $6::tsquery))) - 0.5), 0) as "count_3"
from contents as c
where c.search @@ ($7::tsquery && $8::tsquery && phraseto_tsquery($9::text::regconfig, $10) && !!phraseto_tsquery($11::text::regconfig, $12))
    ), hit as materialized (
      select found.*, seen.is_wanted
      from found cross join lateral (
        select true as is_wanted
from records as r
        where r.id = found.id
and r.forgotten_at is null
and ("r"."sensitivity" <= $13
and "r"."scope" = any($14::text[]))
        offset 0
      ) as seen
    ), total as materialized (
      select count(*) as hits, coalesce($15::float8, ln(1 + greatest(0, $16::float8 - least(count(*) filter (where "count_0" > 0), $17::float8) + 0.5) / (least(count(*) filter (where "count_0" > 0), $18::float8) + 0.5))) as "idf_0", coalesce($19::float8, ln(1 + greatest(0, $20::float8 - least(count(*) filter (where "count_1" > 0), $21::float8) + 0.5) / (least(count(*) filter (where "count_1" > 0), $22::float8) + 0.5))) as "idf_1", coalesce($23::float8, ln(1 + greatest(0, $24::float8 - least(count(*) filter (where "count_2" > 0), $25::float8) + 0.5) / (least(count(*) filter (where "count_2" > 0), $26::float8) + 0.5))) as "idf_2", coalesce($27::float8, ln(1 + greatest(0, $28::float8 - least(count(*) filter (where "count_3" > 0), $29::float8) + 0.5) / (least(count(*) filter (where "count_3" > 0), $30::float8) + 0.5))) as "idf_3"
from hit
    )
    select id, round(("idf_0" * "count_0" * 2.2::float8 / ("count_0" + length) + "idf_1" * "count_1" * 2.2::float8 / ("count_1" + length) + "idf_2" * "count_2" * 2.2::float8 / ("count_2" + length) + "idf_3" * "count_3" * 2.2::float8 / ("count_3" + length)) * 1e9) / 1e9 as score
    from hit cross join total
    where is_wanted
    order by score desc, id
    limit $31;

-- src/retrieval/text/text-search.queries.ts findTogether
    with found as materialized (
      select c.record_id as id, $1::float8 + $2::float8 * c.words as length, coalesce(round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $3::tsquery))) - 0.5), 0) as "count_0", coalesce(round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $4::tsquery))) - 0.5), 0) as "count_1", coalesce(round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $5::tsquery))) - 0.5), 0) as "count_2", coalesce(round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $6::tsquery))) - 0.5), 0) as "count_3"
from contents as c
where c.search @@ ($7::tsquery && $8::tsquery && phraseto_tsquery($9::text::regconfig, $10) && !!phraseto_tsquery($11::text::regconfig, $12))
and not (c.search @@ ($13::tsquery))
    ), hit as materialized (
      select found.*, seen.is_wanted
      from found cross join lateral (
        select true as is_wanted
from records as r
        where r.id = found.id
and r.forgotten_at is null
and ("r"."sensitivity" <= $14
and "r"."scope" = any($15::text[]))
        offset 0
      ) as seen
    ), total as materialized (
      select count(*) as hits, coalesce($16::float8, ln(1 + greatest(0, $17::float8 - least(count(*) filter (where "count_0" > 0), $18::float8) + 0.5) / (least(count(*) filter (where "count_0" > 0), $19::float8) + 0.5))) as "idf_0", coalesce($20::float8, ln(1 + greatest(0, $21::float8 - least(count(*) filter (where "count_1" > 0), $22::float8) + 0.5) / (least(count(*) filter (where "count_1" > 0), $23::float8) + 0.5))) as "idf_1", coalesce($24::float8, ln(1 + greatest(0, $25::float8 - least(count(*) filter (where "count_2" > 0), $26::float8) + 0.5) / (least(count(*) filter (where "count_2" > 0), $27::float8) + 0.5))) as "idf_2", coalesce($28::float8, ln(1 + greatest(0, $29::float8 - least(count(*) filter (where "count_3" > 0), $30::float8) + 0.5) / (least(count(*) filter (where "count_3" > 0), $31::float8) + 0.5))) as "idf_3"
from hit
    )
    select id, round(("idf_0" * "count_0" * 2.2::float8 / ("count_0" + length) + "idf_1" * "count_1" * 2.2::float8 / ("count_1" + length) + "idf_2" * "count_2" * 2.2::float8 / ("count_2" + length) + "idf_3" * "count_3" * 2.2::float8 / ("count_3" + length)) * 1e9) / 1e9 as score
    from hit cross join total
    where is_wanted
    order by score desc, id
    limit $32;

-- src/retrieval/text/text-search.queries.ts findAmong
    with found as materialized (
      select c.record_id as id, $1::float8 + $2::float8 * c.words as length, coalesce(round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $3::tsquery))) - 0.5), 0) as "count_0", coalesce(round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $4::tsquery))) - 0.5), 0) as "count_1", coalesce(round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $5::tsquery))) - 0.5), 0) as "count_2", coalesce(round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $6::tsquery))) - 0.5), 0) as "count_3"
from contents as c
where c.record_id = any(array(
    (
      select id
from (
        select *
from records
where forgotten_at is null
        order by created_at desc, id desc
limit 1000
      ) as r
where ("r"."sensitivity" <= $7
and "r"."scope" = any($8::text[]))
limit 500
    )
    union select unnest($9::uuid[])))
and c.search @@ ($10::tsquery && $11::tsquery && phraseto_tsquery($12::text::regconfig, $13) && !!phraseto_tsquery($14::text::regconfig, $15))
      and not (c.search @@ ($16::tsquery))
    ), hit as materialized (
      select found.*, seen.is_wanted
      from found cross join lateral (
        select true as is_wanted
from records as r
        where r.id = found.id
and r.forgotten_at is null
and ("r"."sensitivity" <= $17
and "r"."scope" = any($18::text[]))
        offset 0
      ) as seen
    ), total as materialized (
      select count(*) as hits, coalesce($19::float8, ln(1 + greatest(0, $20::float8 - least(count(*) filter (where "count_0" > 0), $21::float8) + 0.5) / (least(count(*) filter (where "count_0" > 0), $22::float8) + 0.5))) as "idf_0", coalesce($23::float8, ln(1 + greatest(0, $24::float8 - least(count(*) filter (where "count_1" > 0), $25::float8) + 0.5) / (least(count(*) filter (where "count_1" > 0), $26::float8) + 0.5))) as "idf_1", coalesce($27::float8, ln(1 + greatest(0, $28::float8 - least(count(*) filter (where "count_2" > 0), $29::float8) + 0.5) / (least(count(*) filter (where "count_2" > 0), $30::float8) + 0.5))) as "idf_2", coalesce($31::float8, ln(1 + greatest(0, $32::float8 - least(count(*) filter (where "count_3" > 0), $33::float8) + 0.5) / (least(count(*) filter (where "count_3" > 0), $34::float8) + 0.5))) as "idf_3"
from hit
    )
    select id, round(("idf_0" * "count_0" * 2.2::float8 / ("count_0" + length) + "idf_1" * "count_1" * 2.2::float8 / ("count_1" + length) + "idf_2" * "count_2" * 2.2::float8 / ("count_2" + length) + "idf_3" * "count_3" * 2.2::float8 / ("count_3" + length)) * 1e9) / 1e9 as score
    from hit cross join total
    where is_wanted
    order by score desc, id
    limit $35;

-- src/retrieval/text/text-search.queries.ts findAmong: of no rare words
    with found as materialized (
      select c.record_id as id, $1::float8 + $2::float8 * c.words as length, coalesce(round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $3::tsquery))) - 0.5), 0) as "count_0", coalesce(round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $4::tsquery))) - 0.5), 0) as "count_1", coalesce(round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $5::tsquery))) - 0.5), 0) as "count_2", coalesce(round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $6::tsquery))) - 0.5), 0) as "count_3"
from contents as c
where c.record_id = any(array(
    (
      select id
from (
        select *
from records
where forgotten_at is null
        order by created_at desc, id desc
limit 1000
      ) as r
where ("r"."sensitivity" <= $7
and "r"."scope" = any($8::text[]))
limit 500
    )
    union select unnest($9::uuid[])))
and c.search @@ ($10::tsquery && $11::tsquery && phraseto_tsquery($12::text::regconfig, $13) && !!phraseto_tsquery($14::text::regconfig, $15))
    ), hit as materialized (
      select found.*, seen.is_wanted
      from found cross join lateral (
        select true as is_wanted
from records as r
        where r.id = found.id
and r.forgotten_at is null
and ("r"."sensitivity" <= $16
and "r"."scope" = any($17::text[]))
        offset 0
      ) as seen
    ), total as materialized (
      select count(*) as hits, coalesce($18::float8, ln(1 + greatest(0, $19::float8 - least(count(*) filter (where "count_0" > 0), $20::float8) + 0.5) / (least(count(*) filter (where "count_0" > 0), $21::float8) + 0.5))) as "idf_0", coalesce($22::float8, ln(1 + greatest(0, $23::float8 - least(count(*) filter (where "count_1" > 0), $24::float8) + 0.5) / (least(count(*) filter (where "count_1" > 0), $25::float8) + 0.5))) as "idf_1", coalesce($26::float8, ln(1 + greatest(0, $27::float8 - least(count(*) filter (where "count_2" > 0), $28::float8) + 0.5) / (least(count(*) filter (where "count_2" > 0), $29::float8) + 0.5))) as "idf_2", coalesce($30::float8, ln(1 + greatest(0, $31::float8 - least(count(*) filter (where "count_3" > 0), $32::float8) + 0.5) / (least(count(*) filter (where "count_3" > 0), $33::float8) + 0.5))) as "idf_3"
from hit
    )
    select id, round(("idf_0" * "count_0" * 2.2::float8 / ("count_0" + length) + "idf_1" * "count_1" * 2.2::float8 / ("count_1" + length) + "idf_2" * "count_2" * 2.2::float8 / ("count_2" + length) + "idf_3" * "count_3" * 2.2::float8 / ("count_3" + length)) * 1e9) / 1e9 as score
    from hit cross join total
    where is_wanted
    order by score desc, id
    limit $34;

-- src/retrieval/text/word-statistics.queries.ts readLexicon
    with portion as materialized (
      select least(100, $1::float8 * current_setting('block_size')::int
        / greatest(1, pg_relation_size('contents'))) as percent
    ), sample as materialized (
      select c.words, c.search
      from contents as c tablesample system ((select percent
from portion)) repeatable (0)
    ), word as (
      select word, count(*) as count
from sample, unnest(tsvector_to_array(search)) as word
      group by word having count(*) > 1
    )
    select count(*) as sampled, count(*) * 100 / (select percent
from portion) as rows,
      coalesce(avg(words), 1)::float8 as average,
      (select coalesce(json_agg(json_build_array(word, count)), '[]')
from word) as words
    from sample;

-- src/retrieval/text/word-statistics.queries.ts measureOpen
    select count(*) as rows, coalesce(avg(c.words), 1)::float8 as average
    from contents as c join records as r on r.id = c.record_id
    where r.forgotten_at is null
and ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]));

-- src/retrieval/text/word-statistics.queries.ts countPages
    select pg_relation_size('contents') / current_setting('block_size')::int as pages;

-- src/revision/merge-reversal.queries.ts findToldIn
    select r.id
    from relations as e
    join records as r on r.id = e.target_id
    cross join lateral (
      select s.step, s.at
from status_changes as s
where s.record_id = r.id
order by s.id desc
limit 1
    ) as moved
    where e.source_id = $1::uuid
and e.predicate = 'derived_from'
and r.status = 'merged'
      and r.forgotten_at is null
and moved.step = 'cluster'
and moved.at = e.created_at
    order by r.id;

-- src/revision/merge-reversal.queries.ts findTakenByMerge
    select r.id, merged.salience
    from unnest($1::uuid[]) as r (id)
    cross join lateral (
      select (a.changes #>> '{salience,0}')::float8 as salience
      from audit_entries as a
      where a.record_id = r.id
and a.action = 'merge'
and jsonb_typeof(a.changes #> '{salience,0}') = 'number'
      order by a.id desc
      limit 1
    ) as merged;

-- src/revision/revision.queries.ts carryLinks
    with source as materialized (
      select unnest($1::uuid[]) as id
    ), one as materialized (
      select id
from source union select $2::uuid
    ), target as materialized (
      select type
from records
where id = $3::uuid
    ), ground as materialized (
      select exists (select
from descents as d
where d.derived_id = $4::uuid
and d.is_ground) as is_there
    ), descent as (
      insert into descents (derived_id, source_id, kind, is_ground)
      select $5::uuid, d.source_id, 'inherited', bool_or(d.is_ground)
and (select is_there
from ground)
      from descents as d
      where d.derived_id in (select id
from source)
and d.source_id not in (select id
from one)
and d.kind <> 'contest'
      group by d.source_id
      on conflict on constraint descents_pkey do nothing
    ), link as (
      select $6::uuid as source_id, e.predicate, e.target_id, e.weight
      from relations as e join records as far on far.id = e.target_id
      where e.source_id in (select id
from source)
and e.target_id not in (select id
from one)
        and e.predicate not in ('supersedes', 'superseded_by', 'derives')
        and (e.predicate <> 'derived_from'
or far.type <> (select type
from target))
      union all
      select e.source_id, e.predicate, $7::uuid, e.weight
      from relations as e join records as far on far.id = e.source_id
      where e.target_id in (select id
from source)
and e.source_id not in (select id
from one)
        and e.predicate not in ('supersedes', 'superseded_by', 'derived_from')
        and (e.predicate <> 'derives'
or far.type <> (select type
from target))
    )
    insert into relations (source_id, predicate, target_id, weight, created_at)
    select source_id, predicate, target_id, max(weight), $8::timestamptz
    from link
    group by source_id, predicate, target_id
    order by source_id, predicate, target_id
    on conflict on constraint relations_pkey
      do update
set weight = greatest(relations.weight, excluded.weight);

-- src/revision/revision.queries.ts findSuccessor
    select r.id
    from records as old
    join status_changes as moved on moved.record_id = old.id
and moved.new = old.status
    join relations as e on e.source_id = old.id
and e.created_at = moved.at
      and (e.predicate = 'superseded_by'
or old.status = 'merged'
and e.predicate = 'derives')
    join records as r on r.id = e.target_id
    where old.id = $1::uuid
and old.status in ('superseded', 'merged')
and r.forgotten_at is null
      and r.type = old.type
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
    order by moved.id desc, r.id desc
    limit 1;

-- src/revision/revision.queries.ts findLineage
    with recursive reached as (
      select r.id, r.type
from records as r
where r.id = $1::uuid
      union
      select next.id, reached.type
      from reached cross join lateral (
        select r.id
        from relations as e join records as r on r.id = e.target_id
        where e.source_id = reached.id
and e.predicate in ('supersedes', 'superseded_by', 'derived_from', 'derives')
          and r.type = reached.type
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
        offset 0
      ) as next
      where reached.type not in ('episodic', 'working')
    ), node as materialized (
      select id
from reached
limit $4
    )
    select
      (select json_agg(json_build_object(
          'id', r.id, 'type', r.type, 'status', r.status, 'created_at', r.created_at
        )
order by r.created_at, r.id)
        from node join records as r using (id)) as nodes,
      coalesce((select json_agg(json_build_object(
          'source_id', node.id, 'predicate', edge.predicate, 'target_id', edge.target_id
        )
order by edge.created_at, node.id, edge.predicate, edge.target_id)
        from node cross join lateral (
          select e.predicate, e.target_id, e.created_at
          from relations as e
          where e.source_id = node.id
and e.predicate in ('supersedes', 'derived_from')
          offset 0
        ) as edge
        where (edge.target_id in (select id
from node)) is true), '[]') as edges;

-- src/revision/revision.queries.ts releaseIdentifiers
delete
from "entity_identifiers"
where "record_id" = any($1::uuid[]);
