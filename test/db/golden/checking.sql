-- src/checking/breaches.queries.ts findBreaches
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (select r.id, true
from records as r) as each (name, holds);

-- src/checking/breaches.queries.ts prepareForWholeTables
    select set_config('work_mem', '64MB', true), set_config('max_parallel_workers_per_gather', '0', true);

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
            union all select k.body::jsonb -> 'structuredContent' -> 'record'
            union all select jsonb_array_elements(case jsonb_typeof(k.body::jsonb -> 'created_records')
              when 'array' then k.body::jsonb -> 'created_records' end)
            union all select jsonb_array_elements(case jsonb_typeof(k.body::jsonb -> 'results')
              when 'array' then k.body::jsonb -> 'results' end) -> 'record'
          ) as quoting
          where quoted ? 'payload'
          union all
          select item ->> 'record_id'
          from jsonb_array_elements(case jsonb_typeof(k.body::jsonb -> 'items')
            when 'array' then k.body::jsonb -> 'items' end) as item
          where k.body::jsonb -> 'conversation' ? 'speakers'
        ) as quoted
        from idempotency_keys as k
        where k.body is not null
and exists (select
from departures
where kind = 'erased')
      ) as each
    ) as each (name, holds);

-- src/checking/deletion-laws.queries.ts findErasedWords
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select d.id, d.conversation is null
and not exists (
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
        and not exists (
          select
from audit_entries as own join audit_entries as a on a.operation_id = own.operation_id
          where own.record_id = d.id
and own.operation_id is not null
and a.rationale <> ''
        )
        and (not d.departed_at >= coalesce(
    (select c.before
from history_cuts as c
where c.history = 'audit_entries'), '-infinity'
  )
          or exists (select
from audit_entries as a
where a.record_id = d.id
and a.action = 'erase'))
      from departures as d
      where d.kind = 'erased'
    ) as each (name, holds);

-- src/checking/deletion-laws.queries.ts findForeignTombstones
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (select t.id, t.key_id = (select key_id
from tombstones
order by created_at, id
limit 1)
from tombstones as t) as each (name, holds);

-- src/checking/deletion-laws.queries.ts findReturnedRecords
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
        and (not d.created_at >= coalesce(
    (select c.before
from history_cuts as c
where c.history = 'audit_entries'), '-infinity'
  )
or exists (select
from audit_entries as a
where a.record_id = d.id))
      from departures as d
    ) as each (name, holds);

-- src/checking/edge-laws.queries.ts findLostDescent
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select concat_ws(' ', d.derived_id, d.kind, d.source_id), (
          r.id is not null
          or exists (select
from departures as gone
where gone.id = d.derived_id
and gone.kind = 'purged')
        )
        and not exists (select
from departures as gone
where gone.id = d.source_id
and gone.kind = 'erased')
        and (s.id is null
or r.id is null
or not d.kind in ('supersede', 'fold', 'capture', 'consolidation', 'dream', 'fork', 'merge')
          or r.type = 'entity'
and d.kind = 'capture'
          or exists (
            select
from status_changes as moved
            where moved.record_id = r.id
and moved.new = 'invalidated'
and moved.step in ('revert', 'undo')
          )
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

-- src/checking/history-laws.queries.ts findBrokenScoreChains
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

-- src/checking/history-laws.queries.ts findBrokenStatusChains
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
              or step in ('revert', 'undo')
and (old::text, new::text) in (('active', 'challenged'), ('active', 'invalidated'), ('challenged', 'active'), ('invalidated', 'active'), ('invalidated', 'challenged'), ('merged', 'active'), ('merged', 'challenged'), ('superseded', 'active'), ('superseded', 'challenged')))
          ) as is_whole
        from (
          select record_id, id, old, new, step, lag(new) over (partition by record_id
order by id) as before
          from status_changes
        ) as moved
        group by record_id
      ) as chain on chain.record_id = r.id
    ) as each (name, holds);

-- src/checking/history-laws.queries.ts findMiscountedAccesses
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

-- src/checking/history-laws.queries.ts findRewrittenEpisodes
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

-- src/checking/history-laws.queries.ts findStaleScores
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
        select least(created.age, greatest(0::float8, date_part('epoch', $2::timestamptz - coalesce(r.last_accessed_at, r.created_at)) / 86400)) as since, created.age
        from (select greatest(0::float8, date_part('epoch', $3::timestamptz - r.created_at) / 86400) as age) as created
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
      cross join (select max(m.started_at) as at
from maintenance_runs as m
where
  m.job in ('dream', 'refresh_importance')
and m.status = 'succeeded'
and not m.dry_run
and m.scope is null
  and not m.options ? 'plan_id'
and coalesce(m.options -> 'steps' ? 'forget', true)
  and not exists (
    select
from maintenance_runs as undone
where undone.job = 'undo'
and undone.options ->> 'run_id' = m.id::text
  )) as refreshed
      where r.forgotten_at is null
and not r.pinned
and coalesce(r.restored_at < refreshed.at, r.restored_at is null)
        and not exists (
          select
from audit_entries as a
where a.record_id = r.id
and a.via ? 'imported_by'
        )
    ) as each (name, holds);

-- src/checking/history-laws.queries.ts findUnloggedVersions
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, coalesce(a.entries, 0) >= r.version
or not r.created_at >= coalesce(
    (select c.before
from history_cuts as c
where c.history = 'audit_entries'), '-infinity'
  )
      from records as r
      left join (select record_id, count(*) as entries
from audit_entries group by record_id) as a
        on a.record_id = r.id
    ) as each (name, holds);

-- src/checking/lifecycle-laws.queries.ts findFutureTimes
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, greatest(r.created_at, r.updated_at, r.anchored_at, r.last_reinforced_at, r.last_accessed_at,
          r.forgotten_at) <= $1::timestamptz + '5 minutes'::interval
      from records as r
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
or moved.is_imported
      from
  records as r
  join contents as c on c.record_id = r.id
  cross join lateral (
    select s.step, coalesce(s.via ? 'imported_by', false) as is_imported
    from status_changes as s
where s.record_id = r.id
order by s.id desc
limit 1
  ) as moved
  where r.status in ('superseded', 'merged')
and moved.step in ('supersede', 'merge', 'cluster')
    ) as each (name, holds);

-- src/checking/lifecycle-laws.queries.ts findSalientHistory
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
    select s.step, coalesce(s.via ? 'imported_by', false) as is_imported
    from status_changes as s
where s.record_id = r.id
order by s.id desc
limit 1
  ) as moved
  where r.status in ('superseded', 'merged')
and moved.step in ('supersede', 'merge', 'cluster')
    ) as each (name, holds);

-- src/checking/lifecycle-laws.queries.ts findWrongExpiries
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, case when r.max_age_seconds = 0 then r.expires_at is null
        else r.expires_at = r.created_at + make_interval(secs => r.max_age_seconds) end
      from records as r
    ) as each (name, holds);

-- src/checking/lifecycle-laws.queries.ts findWrongForgettings
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, r.deletion_policy <> 'never'
and r.purge_at >= r.forgotten_at
        and (r.forgotten_reason not in ('pruned', 'archived', 'budget')
or (r.deletion_policy = 'auto_prune'
and not r.pinned))
        and (not r.forgotten_at >= coalesce(
    (select c.before
from history_cuts as c
where c.history = 'audit_entries'), '-infinity'
  )
          or exists (select
from audit_entries as a
where a.record_id = r.id
and a.action in ('delete', 'archive')))
      from records as r
      where r.forgotten_at is not null
    ) as each (name, holds);

-- src/checking/lifecycle-laws.queries.ts findWrongPruneMoments
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, case
        when r.pinned
or r.deletion_policy <> 'auto_prune' then r.prune_at is null
        when r.base_salience <= 0.001 then r.prune_at = least(r.anchored_at, r.expires_at)
        when r.prune_at is null then salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, timestamptz '9999-12-31 00:00:00+00') > 0.001 * (1 - 1e-9)
        else salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, r.prune_at) <= 0.001 * (1 + 1e-9)
          and salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, r.prune_at - interval '2 milliseconds') >= 0.001 * (1 - 1e-9) end
      from records as r
    ) as each (name, holds);

-- src/checking/lifecycle-laws.queries.ts findWrongSaliences
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select r.id, case when r.pinned then r.salience = r.base_salience
        else salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $1::timestamptz) - r.salience <= least(greatest(r.base_salience, 1), 1e300) * 1e-9
and r.salience - r.base_salience <= least(greatest(r.base_salience, 1), 1e300) * 1e-9 end
      from records as r
    ) as each (name, holds);

-- src/checking/lifecycle-laws.queries.ts findWrongSizes
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      with counted as (
        select scope, type, layer, is_guarded, sum(records) as records, sum(bytes) as bytes
        from scope_sizes group by 1, 2, 3, 4
      ), actual as (
        select r.scope, r.type, r.layer, r.pinned
or r.deletion_policy <> 'auto_prune' as is_guarded,
          count(*) as records, sum(record_bytes(c.tags, c.payload, c.provenance, c.interpretation)) as bytes
        from records as r join contents as c on c.record_id = r.id
        where r.forgotten_at is null
        group by 1, 2, 3, 4
      )
      select concat(type, ' ', layer), coalesce(counted.records, 0) = coalesce(actual.records, 0)
        and coalesce(counted.bytes, 0) = coalesce(actual.bytes, 0)
      from counted full join actual using (scope, type, layer, is_guarded)
    ) as each (name, holds);

-- src/checking/maintenance-laws.queries.ts findDisabledGuards
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
      select part.oid::regclass || ' is append-only', (
        select count(*) = 2
from pg_trigger as g
        where g.tgrelid = part.oid
and g.tgname in (log || '_append_only', log || '_kept')
      )
      from unnest($1::text[]) as log
      cross join lateral (
        select log::regclass as oid
        union all select i.inhrelid
from pg_inherits as i
where i.inhparent = log::regclass
      ) as part
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

-- src/checking/maintenance-laws.queries.ts findWrongStoredAnswers
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

-- src/checking/name-laws.queries.ts listHandledRecords
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

-- src/checking/plan-laws.queries.ts findMiscountedPlans
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select p.id, m.dry_run
and (m.status <> 'succeeded'
or grouped.changes = listed.changes)
      from plans as p join maintenance_runs as m on m.id = p.id
      cross join lateral (
        select coalesce(sum(g.changes), 0) as changes
from plan_groups as g
where g.plan_id = p.id
      ) as grouped
      cross join lateral (
        select count(*) as changes
from maintenance_changes as c
where c.run_id = p.id
and c.action <> 'failed'
      ) as listed
    ) as each (name, holds);

-- src/checking/plan-laws.queries.ts findStrayEffects
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select e.run_id, not coalesce(m.dry_run, false)
or p.id is not null
      from (select run_id
from run_effects group by run_id) as e
      left join maintenance_runs as m on m.id = e.run_id
      left join plans as p on p.id = e.run_id
    ) as each (name, holds);

-- src/checking/plan-laws.queries.ts findUnloggedUndos
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select c.record_id, exists (
        select
from audit_entries as a
        where a.record_id = c.record_id
and a.run_id = c.run_id
and a.action = 'undo'
      )
or not m.started_at >= coalesce(
    (select c.before
from history_cuts as c
where c.history = 'audit_entries'), '-infinity'
  )
      from maintenance_runs as m join maintenance_changes as c on c.run_id = m.id
and c.action = 'undo'
      where m.job = 'undo'
and not m.dry_run
    ) as each (name, holds);

-- src/checking/plan-laws.queries.ts findUnplannedChanges
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select made.record_id, count(*) = 1
and bool_and(planned.run_id is not null)
      from plan_applications as a
      join maintenance_changes as made on made.run_id = a.run_id
and made.action not in ('failed', 'skipped')
      left join maintenance_changes as planned on planned.run_id = a.plan_id
        and planned.record_id = made.record_id
and planned.action = made.action
      group by a.plan_id, made.record_id, made.action
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
and m.provider in ('static', 'hash')
and m.walked_to is null
and c.words > 0
    ) as each (name, holds);

-- src/checking/vector-laws.queries.ts findLostCells
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select s.record_id, s.cell = 0
or s.cell % 16384 < cardinality(c.members)
      from signatures as s
      left join vector_cells as c on c.model_id = s.model_id
and c.id = s.cell / 16384
    ) as each (name, holds);

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

-- src/checking/vector-laws.queries.ts findVectorsOfWrongSize
    select count(*) as checked, count(*) filter (where holds is not true) as broken,
      coalesce((array_agg(name) filter (where holds is not true))[1:20], '{}')::text[] as named
    from (
      select e.record_id, octet_length(e.code) = case when e.bits = 32 then m.dimensions * 4
        else 8 + ceil(m.dimensions * e.bits / 8.0) end
      from embeddings as e
      join embedding_models as m on m.id = e.model_id
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
