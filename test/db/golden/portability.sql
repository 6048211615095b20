-- src/portability/export/export-edges.queries.ts buildEdges
        select (
    select case when (select count(*)
from (select
from relations as e
where e.source_id = r.id
limit 1001) as few) <= 1000 then (
    select string_agg(concat('{"predicate":', to_json(e.predicate), ',"target_id":"', e.target_id, '","weight":', e.weight, ',"created_at":"', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}'), ','
order by e.created_at, e.target_id, e.predicate)
    from (
    select e.predicate, e.target_id, e.weight, e.created_at
from relations as e
    where e.source_id = r.id
and (select t.forgotten_at is null
and ("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
from records as t
where t.id = e.target_id)) as e)
    else (
    select string_agg(concat('{"predicate":', to_json(e.predicate), ',"target_id":"', e.target_id, '","weight":', e.weight, ',"created_at":"', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}'), ','
order by e.created_at, e.target_id, e.predicate)
    from (
      (
    select e.predicate, e.target_id, e.weight, e.created_at
from relations as e
    where e.source_id = r.id
and e.predicate not in ('mentioned_in', 'derives', 'referenced_by', 'fact_subject_of', 'fact_object_of', 'dependency_of', 'used_by', 'causes', 'supported_by', 'contradicted_by', 'superseded_by')
and (select t.forgotten_at is null
and ("t"."sensitivity" <= $3
and "t"."scope" = any($4::text[]))
from records as t
where t.id = e.target_id))
      union all
      (
    select e.predicate, e.target_id, e.weight, e.created_at
from relations as e
    where e.source_id = r.id
and e.predicate in ('mentioned_in', 'derives', 'referenced_by', 'fact_subject_of', 'fact_object_of', 'dependency_of', 'used_by', 'causes', 'supported_by', 'contradicted_by', 'superseded_by')
and (select t.forgotten_at is null
and ("t"."sensitivity" <= $5
and "t"."scope" = any($6::text[]))
from records as t
where t.id = e.target_id)
        order by e.predicate desc, e.target_id desc
limit 1000)
    ) as e) end), (select bool_or((select t.forgotten_at is null
and ("t"."sensitivity" <= $7
and "t"."scope" = any($8::text[]))
from records as t
where t.id = e.target_id))
from relations as e
where e.source_id = r.id)
        from records as r;

-- src/portability/export/export-histories.queries.ts buildHistories
        select (
  select case when coalesce(sum(octet_length(a.changes::text)), 0) <= 1048576
    then string_agg(concat('{"action":"', a.action, '","actor":', to_json(a.actor), ',"timestamp":"', to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","rationale":', to_json(a.rationale), '', ',"run_id":"' || (a.run_id) || '"', ',"operation_id":"' || (a.operation_id) || '"', ',"changes":' || (a.changes::text), ',"via":' || (a.via::text), '}'), ','
order by a.id)
    else (
      select string_agg(concat('{"action":"', a.action, '","actor":', to_json(a.actor), ',"timestamp":"', to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","rationale":', to_json(a.rationale), '', ',"run_id":"' || (a.run_id) || '"', ',"operation_id":"' || (a.operation_id) || '"', ',"changes":' || (case when a.share <= a.room then a.written end), ',"via":' || (a.via::text), '}'), ','
order by a.id)
      from (
        select a.*, sum(greatest(
    octet_length(a.written), 17 * (length(a.written) - length(replace(a.written, ',', '')))
  )::int8) over (order by a.id desc) as share
        from (
          select a.*, a.changes::text as written, 15728640
            - greatest(
    octet_length(c.payload::text), 17 * (length(c.payload::text) - length(replace(c.payload::text, ',', '')))
  )::int8 - greatest(
    octet_length(c.provenance::text), 17 * (length(c.provenance::text) - length(replace(c.provenance::text, ',', '')))
  )::int8 as room
          from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
  )
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($3::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $4
and "h"."scope" = any($5::text[]))
  ))
  ) offset 0
        ) as a
      ) as a
    ) end
  from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($8::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $9
and "h"."scope" = any($10::text[]))
  ))
  )), (
  select string_agg(concat('{"old":"', s.old, '","new":"', s.new, '","actor":', to_json(case when s.is_shown then s.actor else $11 end), ',"changed_at":"', to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","reason":', to_json(case when s.is_shown then s.reason else '' end), ',"step":', to_json(s.step), '', ',"run_id":"' || (s.run_id) || '"', ',"via":' || (case when s.is_shown then s.via::text end), '}'), ','
order by s.id)
  from (
    select s.*, (
    not exists (
    select h.id
from regexp_matches(s.reason, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $12
and "h"."scope" = any($13::text[]))
  )
and s.at not in (
    select edge.created_at
    from unnest($14::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $15
and "h"."scope" = any($16::text[]))
  )
    and not exists (select
from audit_entries as a
where a.record_id = r.id
and a.at = s.at
and not not exists (
    select h.id
from regexp_matches(a.changes::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
  ))
  ) as is_shown
from status_changes as s
where s.record_id = r.id
  ) as s), (
  select string_agg(concat('{"old":', h.old, ',"new":', h.new, ',"changed_at":"', to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"run_id":"' || (h.run_id) || '"', '}'), ','
order by h.id)
  from importance_history as h
where h.record_id = r.id), (
  with newest as materialized (
    select l.at, l.kind, l.actor, l.key_id
from access_log as l
where l.record_id = r.id
    order by l.at desc, l.kind desc, l.actor desc, l.key_id desc
limit 1000
  )
  select concat(',"access_log":[' || (select string_agg(concat('{"at":"', to_char(n.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","kind":"', n.kind, '","actor":', to_json(n.actor), '', ',"key_id":' || (to_json(n.key_id)::text), '}'), ','
order by n.at, n.kind, n.actor, n.key_id)
    from newest as n) || ']', ',"access_days":' || (select nullif(
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
      ) end, 0)::text))
)
        from records as r join contents as c on c.record_id = r.id;

-- src/portability/export/export-line.queries.ts buildExportLine
select concat('{"id":"', r.id, '","type":"', r.type, '","sensitivity":"', r.sensitivity, '","confidence":', r.confidence, ',"salience":', salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $1::timestamptz), ',"tags":', to_json(c.tags), ',"created_at":"', to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","updated_at":"', to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","version":', r.version, ',"layer":"', r.layer, '","memory_kind":"', r.memory_kind, '","status":"', r.status, '","importance":', r.importance, ',"base_importance":', r.base_importance, ',"access_count":', r.access_count, ',"source_type":"', r.source_type, '","emotional_valence":', r.emotional_valence, ',"confirmation_count":', r.confirmation_count, ',"anchors":', concat('{"base_salience":', r.base_salience, ',"anchored_at":"', to_char(r.anchored_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}'), ',"lifecycle":', concat('{"decay":', concat('{"curve":"', r.curve, '","half_life_seconds":', r.half_life_seconds, ',"min_salience":', r.min_salience, ',"max_age_seconds":', r.max_age_seconds, ',"reinforcement_gain":', r.reinforcement_gain, ',"max_salience":', coalesce(r.max_salience::text, 'null'), '', '}'), ',"last_reinforced_at":"', to_char(r.last_reinforced_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","pinned":', (r.pinned)::text, ',"deletion_policy":"', r.deletion_policy, '"', '}'), ',"provenance":', jsonb_set(c.provenance, '{sources}', coalesce((
    select jsonb_agg(each.value
order by each.place)
    from jsonb_array_elements(c.provenance -> 'sources') with ordinality as each (value, place)
    where not exists (
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
    where not ("h"."sensitivity" <= $2
and "h"."scope" = any($3::text[]))
  )
  ), '[{"kind": "event", "ref": "hidden"}]')), ',"payload":', (case when c.payload ->> 'kind' = 'semantic'
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
from regexp_matches(c.payload #>> $6::text[], '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
from regexp_matches(c.payload #>> $10::text[], '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
  end), '', ',"relations":[', (
    select case when (select count(*)
from (select
from relations as e
where e.source_id = r.id
limit 1001) as few) <= 1000 then (
    select string_agg(concat('{"predicate":', to_json(e.predicate), ',"target_id":"', e.target_id, '","weight":', e.weight, ',"created_at":"', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}'), ','
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
    select string_agg(concat('{"predicate":', to_json(e.predicate), ',"target_id":"', e.target_id, '","weight":', e.weight, ',"created_at":"', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}'), ','
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
  select case when coalesce(sum(octet_length(a.changes::text)), 0) <= 1048576
    then string_agg(concat('{"action":"', a.action, '","actor":', to_json(a.actor), ',"timestamp":"', to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","rationale":', to_json(a.rationale), '', ',"run_id":"' || (a.run_id) || '"', ',"operation_id":"' || (a.operation_id) || '"', ',"changes":' || (a.changes::text), ',"via":' || (a.via::text), '}'), ','
order by a.id)
    else (
      select string_agg(concat('{"action":"', a.action, '","actor":', to_json(a.actor), ',"timestamp":"', to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","rationale":', to_json(a.rationale), '', ',"run_id":"' || (a.run_id) || '"', ',"operation_id":"' || (a.operation_id) || '"', ',"changes":' || (case when a.share <= a.room then a.written end), ',"via":' || (a.via::text), '}'), ','
order by a.id)
      from (
        select a.*, sum(greatest(
    octet_length(a.written), 17 * (length(a.written) - length(replace(a.written, ',', '')))
  )::int8) over (order by a.id desc) as share
        from (
          select a.*, a.changes::text as written, 15728640
            - greatest(
    octet_length(c.payload::text), 17 * (length(c.payload::text) - length(replace(c.payload::text, ',', '')))
  )::int8 - greatest(
    octet_length(c.provenance::text), 17 * (length(c.provenance::text) - length(replace(c.provenance::text, ',', '')))
  )::int8 as room
          from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
  ) offset 0
        ) as a
      ) as a
    ) end
  from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $29
and "h"."scope" = any($30::text[]))
  )
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($31::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $32
and "h"."scope" = any($33::text[]))
  ))
  )), ']', ',"status_history":[', (
  select string_agg(concat('{"old":"', s.old, '","new":"', s.new, '","actor":', to_json(case when s.is_shown then s.actor else $34 end), ',"changed_at":"', to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","reason":', to_json(case when s.is_shown then s.reason else '' end), ',"step":', to_json(s.step), '', ',"run_id":"' || (s.run_id) || '"', ',"via":' || (case when s.is_shown then s.via::text end), '}'), ','
order by s.id)
  from (
    select s.*, (
    not exists (
    select h.id
from regexp_matches(s.reason, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $35
and "h"."scope" = any($36::text[]))
  )
and s.at not in (
    select edge.created_at
    from unnest($37::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $38
and "h"."scope" = any($39::text[]))
  )
    and not exists (select
from audit_entries as a
where a.record_id = r.id
and a.at = s.at
and not not exists (
    select h.id
from regexp_matches(a.changes::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
  ))
  ) as is_shown
from status_changes as s
where s.record_id = r.id
  ) as s), ']', ',"scope":' || (to_json(nullif(r.scope, ''))::text), ',"interpretation":' || ((c.interpretation || jsonb_build_object($42::text, coalesce((
    select jsonb_agg(case when not exists (
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
    where not ("h"."sensitivity" <= $51
and "h"."scope" = any($52::text[]))
  ) then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end
order by each.place)
    from jsonb_array_elements(c.interpretation -> $53::text) with ordinality as each (value, place)
  ), '[]')))::text), ',"last_accessed_at":"' || (to_char(r.last_accessed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) || '"', ',"served_count":' || (nullif(r.served_count, 0)::text), ',"demoted_at":"' || (to_char(r.demoted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) || '"', ',"forgotten":' || (
  case when r.forgotten_at is not null then concat('{"at":"', to_char(r.forgotten_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","reason":', coalesce(to_json(r.forgotten_reason)::text, 'null'), ',"actor":', coalesce(to_json(r.forgotten_by)::text, 'null'), ',"purge_at":', coalesce('"' || to_char(r.purge_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'), '', ',"run_id":"' || (r.forgotten_run_id) || '"', '}') end), ',"importance_history":[' || (
  select string_agg(concat('{"old":', h.old, ',"new":', h.new, ',"changed_at":"', to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"run_id":"' || (h.run_id) || '"', '}'), ','
order by h.id)
  from importance_history as h
where h.record_id = r.id) || ']', case when r.access_count > 0 then (
  with newest as materialized (
    select l.at, l.kind, l.actor, l.key_id
from access_log as l
where l.record_id = r.id
    order by l.at desc, l.kind desc, l.actor desc, l.key_id desc
limit 1000
  )
  select concat(',"access_log":[' || (select string_agg(concat('{"at":"', to_char(n.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","kind":"', n.kind, '","actor":', to_json(n.actor), '', ',"key_id":' || (to_json(n.key_id)::text), '}'), ','
order by n.at, n.kind, n.actor, n.key_id)
    from newest as n) || ']', ',"access_days":' || (select nullif(
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
      ) end, 0)::text))
) end, ',"worth":"' || (encode(r.worth, 'hex')) || '"', ',"surprise":' || (
    select concat('{"at":"', to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","score":', s.score, ',"delta":', s.delta, ',"base_before":', s.base_before, '', ',"neighbours":[', (select string_agg(near.value::text, ','
order by near.place)
            from jsonb_array_elements(s.neighbours) with ordinality as near (value, place)
            where exists (select
from records as t
where t.id = (near.value ->> 'id')::uuid
and ("t"."sensitivity" <= $54
and "t"."scope" = any($55::text[])))), ']', ',"duplicate_of":"' || (case when exists (select
from records as t
where t.id = (s.duplicate_of)::uuid
and ("t"."sensitivity" <= $56
and "t"."scope" = any($57::text[]))) then s.duplicate_of end) || '"', '}')
    from surprises as s
where s.record_id = r.id), ',"descent":[' || (
  select string_agg(concat('{"source_id":"', d.source_id, '","kind":', to_json(d.kind), ',"is_ground":', (d.is_ground)::text, '', '}'), ','
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
  )) || ']', ',"handles":[', (
  select string_agg(concat('{"digest":"', encode(h.digest, 'hex'), '"', ',"detail":"' || (encode(h.detail, 'hex')) || '"', '}'), ','
order by h.digest, h.detail, h.place)
  from handles as h
where h.record_id = r.id), ']', case r.type when 'episodic' then ',"consolidation":' || ((
  select '{"due":[' || coalesce((
    select string_agg(to_json(u.stage)::text, ','
order by u.stage)
from unconsolidated as u
where u.record_id = r.id
  ), '') || '],"tallies":[' || coalesce((
    select string_agg(concat('{"stage":"', e.stage, '","outcome":', to_json(e.outcome), ',"digest":"', encode(e.digest, 'hex'), '","scope":', to_json(e.scope), '', '}'), ','
order by e.stage)
    from episode_tallies as e
where e.episode_id = r.id
  ), '') || ']}'
))
      when 'entity' then concat(',"identifiers":[', (
  select string_agg(
    concat('{"namespace":', to_json(i.namespace), ',"value":', to_json(i.value), '', '}'), ','
order by i.namespace, i.value
  )
  from entity_identifiers as i
where i.record_id = r.id), ']') end, null, '}')
from records as r join contents as c on c.record_id = r.id;

-- src/portability/export/export.queries.ts findPage
    with scanned as materialized (
      select id, scope, type, sensitivity, updated_at, forgotten_at, purge_at
from records
      where id > $1::uuid
order by id
limit 500
    ), requested as materialized (
      select r.id, sum(pg_column_size(c.payload)) over (order by r.id) - pg_column_size(c.payload) as bytes_before
      from scanned as r join contents as c on c.record_id = r.id
      where ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
and r.forgotten_at is null
    ), page as materialized (
      select id
from requested
where bytes_before < 262144
    ), place as (
      select (select count(*)
from page) < (select count(*)
from requested) as is_cut
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

-- src/portability/export/export.queries.ts readExportLines: all of it
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
      select r.id, concat('{"id":"', r.id, '","type":"', r.type, '","sensitivity":"', r.sensitivity, '","confidence":', r.confidence, ',"salience":', salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $5::timestamptz), ',"tags":', to_json(c.tags), ',"created_at":"', to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","updated_at":"', to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","version":', r.version, ',"layer":"', r.layer, '","memory_kind":"', r.memory_kind, '","status":"', r.status, '","importance":', r.importance, ',"base_importance":', r.base_importance, ',"access_count":', r.access_count, ',"source_type":"', r.source_type, '","emotional_valence":', r.emotional_valence, ',"confirmation_count":', r.confirmation_count, ',"anchors":', concat('{"base_salience":', r.base_salience, ',"anchored_at":"', to_char(r.anchored_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}'), ',"lifecycle":', concat('{"decay":', concat('{"curve":"', r.curve, '","half_life_seconds":', r.half_life_seconds, ',"min_salience":', r.min_salience, ',"max_age_seconds":', r.max_age_seconds, ',"reinforcement_gain":', r.reinforcement_gain, ',"max_salience":', coalesce(r.max_salience::text, 'null'), '', '}'), ',"last_reinforced_at":"', to_char(r.last_reinforced_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","pinned":', (r.pinned)::text, ',"deletion_policy":"', r.deletion_policy, '"', '}'), ',"provenance":', jsonb_set(c.provenance, '{sources}', coalesce((
    select jsonb_agg(each.value
order by each.place)
    from jsonb_array_elements(c.provenance -> 'sources') with ordinality as each (value, place)
    where not exists (
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
    where not ("h"."sensitivity" <= $6
and "h"."scope" = any($7::text[]))
  )
  ), '[{"kind": "event", "ref": "hidden"}]')), ',"payload":', (case when c.payload ->> 'kind' = 'semantic'
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
from regexp_matches(c.payload #>> $10::text[], '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
from regexp_matches(c.payload #>> $14::text[], '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
  end), '', ',"relations":[', (
    select case when (select count(*)
from (select
from relations as e
where e.source_id = r.id
limit 1001) as few) <= 1000 then (
    select string_agg(concat('{"predicate":', to_json(e.predicate), ',"target_id":"', e.target_id, '","weight":', e.weight, ',"created_at":"', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}'), ','
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
    select string_agg(concat('{"predicate":', to_json(e.predicate), ',"target_id":"', e.target_id, '","weight":', e.weight, ',"created_at":"', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}'), ','
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
  select case when coalesce(sum(octet_length(a.changes::text)), 0) <= 1048576
    then string_agg(concat('{"action":"', a.action, '","actor":', to_json(a.actor), ',"timestamp":"', to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","rationale":', to_json(a.rationale), '', ',"run_id":"' || (a.run_id) || '"', ',"operation_id":"' || (a.operation_id) || '"', ',"changes":' || (a.changes::text), ',"via":' || (a.via::text), '}'), ','
order by a.id)
    else (
      select string_agg(concat('{"action":"', a.action, '","actor":', to_json(a.actor), ',"timestamp":"', to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","rationale":', to_json(a.rationale), '', ',"run_id":"' || (a.run_id) || '"', ',"operation_id":"' || (a.operation_id) || '"', ',"changes":' || (case when a.share <= a.room then a.written end), ',"via":' || (a.via::text), '}'), ','
order by a.id)
      from (
        select a.*, sum(greatest(
    octet_length(a.written), 17 * (length(a.written) - length(replace(a.written, ',', '')))
  )::int8) over (order by a.id desc) as share
        from (
          select a.*, a.changes::text as written, 15728640
            - greatest(
    octet_length(c.payload::text), 17 * (length(c.payload::text) - length(replace(c.payload::text, ',', '')))
  )::int8 - greatest(
    octet_length(c.provenance::text), 17 * (length(c.provenance::text) - length(replace(c.provenance::text, ',', '')))
  )::int8 as room
          from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
  ) offset 0
        ) as a
      ) as a
    ) end
  from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $33
and "h"."scope" = any($34::text[]))
  )
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($35::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $36
and "h"."scope" = any($37::text[]))
  ))
  )), ']', ',"status_history":[', (
  select string_agg(concat('{"old":"', s.old, '","new":"', s.new, '","actor":', to_json(case when s.is_shown then s.actor else $38 end), ',"changed_at":"', to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","reason":', to_json(case when s.is_shown then s.reason else '' end), ',"step":', to_json(s.step), '', ',"run_id":"' || (s.run_id) || '"', ',"via":' || (case when s.is_shown then s.via::text end), '}'), ','
order by s.id)
  from (
    select s.*, (
    not exists (
    select h.id
from regexp_matches(s.reason, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $39
and "h"."scope" = any($40::text[]))
  )
and s.at not in (
    select edge.created_at
    from unnest($41::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $42
and "h"."scope" = any($43::text[]))
  )
    and not exists (select
from audit_entries as a
where a.record_id = r.id
and a.at = s.at
and not not exists (
    select h.id
from regexp_matches(a.changes::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
  ))
  ) as is_shown
from status_changes as s
where s.record_id = r.id
  ) as s), ']', ',"scope":' || (to_json(nullif(r.scope, ''))::text), ',"interpretation":' || ((c.interpretation || jsonb_build_object($46::text, coalesce((
    select jsonb_agg(case when not exists (
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
    where not ("h"."sensitivity" <= $47
and "h"."scope" = any($48::text[]))
  ) then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end
order by each.place)
    from jsonb_array_elements(c.interpretation -> $49::text) with ordinality as each (value, place)
  ), '[]')) || jsonb_build_object($50::text, coalesce((
    select jsonb_agg(case when not exists (
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
    where not ("h"."sensitivity" <= $51
and "h"."scope" = any($52::text[]))
  ) then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end
order by each.place)
    from jsonb_array_elements(c.interpretation -> $53::text) with ordinality as each (value, place)
  ), '[]'))
    || jsonb_build_object($54::text, coalesce((
    select jsonb_agg(case when not exists (
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
    where not ("h"."sensitivity" <= $55
and "h"."scope" = any($56::text[]))
  ) then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end
order by each.place)
    from jsonb_array_elements(c.interpretation -> $57::text) with ordinality as each (value, place)
  ), '[]')))::text), ',"last_accessed_at":"' || (to_char(r.last_accessed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) || '"', ',"served_count":' || (nullif(r.served_count, 0)::text), ',"demoted_at":"' || (to_char(r.demoted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) || '"', ',"forgotten":' || (
  case when r.forgotten_at is not null then concat('{"at":"', to_char(r.forgotten_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","reason":', coalesce(to_json(r.forgotten_reason)::text, 'null'), ',"actor":', coalesce(to_json(r.forgotten_by)::text, 'null'), ',"purge_at":', coalesce('"' || to_char(r.purge_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'), '', ',"run_id":"' || (r.forgotten_run_id) || '"', '}') end), ',"importance_history":[' || (
  select string_agg(concat('{"old":', h.old, ',"new":', h.new, ',"changed_at":"', to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"run_id":"' || (h.run_id) || '"', '}'), ','
order by h.id)
  from importance_history as h
where h.record_id = r.id) || ']', case when r.access_count > 0 then (
  with newest as materialized (
    select l.at, l.kind, l.actor, l.key_id
from access_log as l
where l.record_id = r.id
    order by l.at desc, l.kind desc, l.actor desc, l.key_id desc
limit 1000
  )
  select concat(',"access_log":[' || (select string_agg(concat('{"at":"', to_char(n.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","kind":"', n.kind, '","actor":', to_json(n.actor), '', ',"key_id":' || (to_json(n.key_id)::text), '}'), ','
order by n.at, n.kind, n.actor, n.key_id)
    from newest as n) || ']', ',"access_days":' || (select nullif(
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
      ) end, 0)::text))
) end, ',"worth":"' || (encode(r.worth, 'hex')) || '"', ',"surprise":' || (
    select concat('{"at":"', to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","score":', s.score, ',"delta":', s.delta, ',"base_before":', s.base_before, '', ',"neighbours":[', (select string_agg(near.value::text, ','
order by near.place)
            from jsonb_array_elements(s.neighbours) with ordinality as near (value, place)
            where exists (select
from records as t
where t.id = (near.value ->> 'id')::uuid
and ("t"."sensitivity" <= $58
and "t"."scope" = any($59::text[])))), ']', ',"duplicate_of":"' || (case when exists (select
from records as t
where t.id = (s.duplicate_of)::uuid
and ("t"."sensitivity" <= $60
and "t"."scope" = any($61::text[]))) then s.duplicate_of end) || '"', '}')
    from surprises as s
where s.record_id = r.id), ',"descent":[' || (
  select string_agg(concat('{"source_id":"', d.source_id, '","kind":', to_json(d.kind), ',"is_ground":', (d.is_ground)::text, '', '}'), ','
order by d.source_id)
  from descents as d
  where d.derived_id = r.id
and (
    exists (select
from records as t
where t.id = d.source_id
and ("t"."sensitivity" <= $62
and "t"."scope" = any($63::text[])))
    or exists (select
from departures as t
where t.id = d.source_id
and ("t"."sensitivity" <= $64
and "t"."scope" = any($65::text[])))
  )) || ']', ',"handles":[', (
  select string_agg(concat('{"digest":"', encode(h.digest, 'hex'), '"', ',"detail":"' || (encode(h.detail, 'hex')) || '"', '}'), ','
order by h.digest, h.detail, h.place)
  from handles as h
where h.record_id = r.id), ']', case r.type when 'episodic' then ',"consolidation":' || ((
  select '{"due":[' || coalesce((
    select string_agg(to_json(u.stage)::text, ','
order by u.stage)
from unconsolidated as u
where u.record_id = r.id
  ), '') || '],"tallies":[' || coalesce((
    select string_agg(concat('{"stage":"', e.stage, '","outcome":', to_json(e.outcome), ',"digest":"', encode(e.digest, 'hex'), '","scope":', to_json(e.scope), '', '}'), ','
order by e.stage)
    from episode_tallies as e
where e.episode_id = r.id
  ), '') || ']}'
))
      when 'entity' then concat(',"identifiers":[', (
  select string_agg(
    concat('{"namespace":', to_json(i.namespace), ',"value":', to_json(i.value), '', '}'), ','
order by i.namespace, i.value
  )
  from entity_identifiers as i
where i.record_id = r.id), ']') end, null, '}') as line
      from page join records as r on r.id = page.id join contents as c on c.record_id = r.id
    )
    select coalesce(string_agg(line, chr(10)
order by id) || chr(10), '') as text
from written;

-- src/portability/export/export.queries.ts readExportLines: of one scope and type
    with page as materialized (
      select r.id
from records as r
      where r.id > $1::uuid
and r.id <= $2::uuid
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
and ("r"."purge_at" is null
or "r"."purge_at" > $5::timestamptz)
and r.scope = $6
and r.type = $7
and r.updated_at > $8::timestamptz
      order by r.id
limit 1000
    ), written as (
      select r.id, concat('{"id":"', r.id, '","type":"', r.type, '","sensitivity":"', r.sensitivity, '","confidence":', r.confidence, ',"salience":', salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $9::timestamptz), ',"tags":', to_json(c.tags), ',"created_at":"', to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","updated_at":"', to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","version":', r.version, ',"layer":"', r.layer, '","memory_kind":"', r.memory_kind, '","status":"', r.status, '","importance":', r.importance, ',"base_importance":', r.base_importance, ',"access_count":', r.access_count, ',"source_type":"', r.source_type, '","emotional_valence":', r.emotional_valence, ',"confirmation_count":', r.confirmation_count, ',"anchors":', concat('{"base_salience":', r.base_salience, ',"anchored_at":"', to_char(r.anchored_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}'), ',"lifecycle":', concat('{"decay":', concat('{"curve":"', r.curve, '","half_life_seconds":', r.half_life_seconds, ',"min_salience":', r.min_salience, ',"max_age_seconds":', r.max_age_seconds, ',"reinforcement_gain":', r.reinforcement_gain, ',"max_salience":', coalesce(r.max_salience::text, 'null'), '', '}'), ',"last_reinforced_at":"', to_char(r.last_reinforced_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","pinned":', (r.pinned)::text, ',"deletion_policy":"', r.deletion_policy, '"', '}'), ',"provenance":', jsonb_set(c.provenance, '{sources}', coalesce((
    select jsonb_agg(each.value
order by each.place)
    from jsonb_array_elements(c.provenance -> 'sources') with ordinality as each (value, place)
    where not exists (
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
    where not ("h"."sensitivity" <= $10
and "h"."scope" = any($11::text[]))
  )
  ), '[{"kind": "event", "ref": "hidden"}]')), ',"payload":', (case when c.payload ->> 'kind' = 'semantic'
    then jsonb_set(
      (case
    when r.status = 'superseded'
and r.type = 'semantic'
and not exists (
      select
from relations as e
      where e.source_id = r.id
and e.predicate = 'superseded_by'
and (select ("t"."purge_at" is null
or "t"."purge_at" > $12::timestamptz)
and ("t"."sensitivity" <= $13
and "t"."scope" = any($14::text[]))
from records as t
where t.id = e.target_id)
        and e.target_id::text = c.payload #>> '{revision,superseded_by}'
    ) then c.payload #- '{revision,superseded_by}'
    else c.payload
  end) #- case when not exists (
    select h.id
from regexp_matches(c.payload #>> $15::text[], '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $16
and "h"."scope" = any($17::text[]))
  ) then '{}' else $18 end::text[] #- case when not exists (
    select h.id
from regexp_matches(c.payload #>> $19::text[], '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
  ) then '{}' else $22 end::text[], '{evidence}', coalesce((
    select jsonb_agg(each.value
order by each.place)
    from jsonb_array_elements(c.payload -> 'evidence') with ordinality as each (value, place)
    where not exists (
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
    where not ("h"."sensitivity" <= $23
and "h"."scope" = any($24::text[]))
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
and (select ("t"."purge_at" is null
or "t"."purge_at" > $25::timestamptz)
and ("t"."sensitivity" <= $26
and "t"."scope" = any($27::text[]))
from records as t
where t.id = e.target_id)
        and e.target_id::text = c.payload #>> '{revision,superseded_by}'
    ) then c.payload #- '{revision,superseded_by}'
    else c.payload
  end)
  end), '', ',"relations":[', (
    select case when (select count(*)
from (select
from relations as e
where e.source_id = r.id
limit 1001) as few) <= 1000 then (
    select string_agg(concat('{"predicate":', to_json(e.predicate), ',"target_id":"', e.target_id, '","weight":', e.weight, ',"created_at":"', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}'), ','
order by e.created_at, e.target_id, e.predicate)
    from (
    select e.predicate, e.target_id, e.weight, e.created_at
from relations as e
    where e.source_id = r.id
and (select ("t"."purge_at" is null
or "t"."purge_at" > $28::timestamptz)
and ("t"."sensitivity" <= $29
and "t"."scope" = any($30::text[]))
from records as t
where t.id = e.target_id)) as e)
    else (
    select string_agg(concat('{"predicate":', to_json(e.predicate), ',"target_id":"', e.target_id, '","weight":', e.weight, ',"created_at":"', to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}'), ','
order by e.created_at, e.target_id, e.predicate)
    from (
      (
    select e.predicate, e.target_id, e.weight, e.created_at
from relations as e
    where e.source_id = r.id
and e.predicate not in ('mentioned_in', 'derives', 'referenced_by', 'fact_subject_of', 'fact_object_of', 'dependency_of', 'used_by', 'causes', 'supported_by', 'contradicted_by', 'superseded_by')
and (select ("t"."purge_at" is null
or "t"."purge_at" > $31::timestamptz)
and ("t"."sensitivity" <= $32
and "t"."scope" = any($33::text[]))
from records as t
where t.id = e.target_id))
      union all
      (
    select e.predicate, e.target_id, e.weight, e.created_at
from relations as e
    where e.source_id = r.id
and e.predicate in ('mentioned_in', 'derives', 'referenced_by', 'fact_subject_of', 'fact_object_of', 'dependency_of', 'used_by', 'causes', 'supported_by', 'contradicted_by', 'superseded_by')
and (select ("t"."purge_at" is null
or "t"."purge_at" > $34::timestamptz)
and ("t"."sensitivity" <= $35
and "t"."scope" = any($36::text[]))
from records as t
where t.id = e.target_id)
        order by e.predicate desc, e.target_id desc
limit 1000)
    ) as e) end), ']', ',"audit_log":[', (
  select case when coalesce(sum(octet_length(a.changes::text)), 0) <= 1048576
    then string_agg(concat('{"action":"', a.action, '","actor":', to_json(a.actor), ',"timestamp":"', to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","rationale":', to_json(a.rationale), '', ',"run_id":"' || (a.run_id) || '"', ',"operation_id":"' || (a.operation_id) || '"', ',"changes":' || (a.changes::text), ',"via":' || (a.via::text), '}'), ','
order by a.id)
    else (
      select string_agg(concat('{"action":"', a.action, '","actor":', to_json(a.actor), ',"timestamp":"', to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","rationale":', to_json(a.rationale), '', ',"run_id":"' || (a.run_id) || '"', ',"operation_id":"' || (a.operation_id) || '"', ',"changes":' || (case when a.share <= a.room then a.written end), ',"via":' || (a.via::text), '}'), ','
order by a.id)
      from (
        select a.*, sum(greatest(
    octet_length(a.written), 17 * (length(a.written) - length(replace(a.written, ',', '')))
  )::int8) over (order by a.id desc) as share
        from (
          select a.*, a.changes::text as written, 15728640
            - greatest(
    octet_length(c.payload::text), 17 * (length(c.payload::text) - length(replace(c.payload::text, ',', '')))
  )::int8 - greatest(
    octet_length(c.provenance::text), 17 * (length(c.provenance::text) - length(replace(c.provenance::text, ',', '')))
  )::int8 as room
          from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
and (a.action = 'create'
or a.at not in (
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
  ))
  ) offset 0
        ) as a
      ) as a
    ) end
  from audit_entries as a
where a.record_id = r.id
and (
    not exists (
    select h.id
from regexp_matches(concat_ws(' ', a.rationale, a.changes), '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $42
and "h"."scope" = any($43::text[]))
  )
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($44::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $45
and "h"."scope" = any($46::text[]))
  ))
  )), ']', ',"status_history":[', (
  select string_agg(concat('{"old":"', s.old, '","new":"', s.new, '","actor":', to_json(case when s.is_shown then s.actor else $47 end), ',"changed_at":"', to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","reason":', to_json(case when s.is_shown then s.reason else '' end), ',"step":', to_json(s.step), '', ',"run_id":"' || (s.run_id) || '"', ',"via":' || (case when s.is_shown then s.via::text end), '}'), ','
order by s.id)
  from (
    select s.*, (
    not exists (
    select h.id
from regexp_matches(s.reason, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
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
  )
and s.at not in (
    select edge.created_at
    from unnest($50::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $51
and "h"."scope" = any($52::text[]))
  )
    and not exists (select
from audit_entries as a
where a.record_id = r.id
and a.at = s.at
and not not exists (
    select h.id
from regexp_matches(a.changes::text, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'gi') as named (id)
    cross join lateral (
      select n.id, n.sensitivity, n.scope
from records as n
where n.id = named.id[1]::uuid
      union all
      select n.id, n.sensitivity, n.scope
from departures as n
where n.id = named.id[1]::uuid
    ) as h
    where not ("h"."sensitivity" <= $53
and "h"."scope" = any($54::text[]))
  ))
  ) as is_shown
from status_changes as s
where s.record_id = r.id
  ) as s), ']', ',"scope":' || (to_json(nullif(r.scope, ''))::text), ',"interpretation":' || ((c.interpretation || jsonb_build_object($55::text, coalesce((
    select jsonb_agg(case when not exists (
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
    where not ("h"."sensitivity" <= $56
and "h"."scope" = any($57::text[]))
  ) then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end
order by each.place)
    from jsonb_array_elements(c.interpretation -> $58::text) with ordinality as each (value, place)
  ), '[]')) || jsonb_build_object($59::text, coalesce((
    select jsonb_agg(case when not exists (
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
    where not ("h"."sensitivity" <= $60
and "h"."scope" = any($61::text[]))
  ) then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end
order by each.place)
    from jsonb_array_elements(c.interpretation -> $62::text) with ordinality as each (value, place)
  ), '[]'))
    || jsonb_build_object($63::text, coalesce((
    select jsonb_agg(case when not exists (
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
    where not ("h"."sensitivity" <= $64
and "h"."scope" = any($65::text[]))
  ) then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end
order by each.place)
    from jsonb_array_elements(c.interpretation -> $66::text) with ordinality as each (value, place)
  ), '[]')))::text), ',"last_accessed_at":"' || (to_char(r.last_accessed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) || '"', ',"served_count":' || (nullif(r.served_count, 0)::text), ',"demoted_at":"' || (to_char(r.demoted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) || '"', ',"forgotten":' || (
  case when r.forgotten_at is not null then concat('{"at":"', to_char(r.forgotten_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","reason":', coalesce(to_json(r.forgotten_reason)::text, 'null'), ',"actor":', coalesce(to_json(r.forgotten_by)::text, 'null'), ',"purge_at":', coalesce('"' || to_char(r.purge_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"', 'null'), '', ',"run_id":"' || (r.forgotten_run_id) || '"', '}') end), ',"importance_history":[' || (
  select string_agg(concat('{"old":', h.old, ',"new":', h.new, ',"changed_at":"', to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"run_id":"' || (h.run_id) || '"', '}'), ','
order by h.id)
  from importance_history as h
where h.record_id = r.id) || ']', case when r.access_count > 0 then (
  with newest as materialized (
    select l.at, l.kind, l.actor, l.key_id
from access_log as l
where l.record_id = r.id
    order by l.at desc, l.kind desc, l.actor desc, l.key_id desc
limit 1000
  )
  select concat(',"access_log":[' || (select string_agg(concat('{"at":"', to_char(n.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","kind":"', n.kind, '","actor":', to_json(n.actor), '', ',"key_id":' || (to_json(n.key_id)::text), '}'), ','
order by n.at, n.kind, n.actor, n.key_id)
    from newest as n) || ']', ',"access_days":' || (select nullif(
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
      ) end, 0)::text))
) end, ',"worth":"' || (encode(r.worth, 'hex')) || '"', ',"surprise":' || (
    select concat('{"at":"', to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","score":', s.score, ',"delta":', s.delta, ',"base_before":', s.base_before, '', ',"neighbours":[', (select string_agg(near.value::text, ','
order by near.place)
            from jsonb_array_elements(s.neighbours) with ordinality as near (value, place)
            where exists (select
from records as t
where t.id = (near.value ->> 'id')::uuid
and ("t"."sensitivity" <= $67
and "t"."scope" = any($68::text[])))), ']', ',"duplicate_of":"' || (case when exists (select
from records as t
where t.id = (s.duplicate_of)::uuid
and ("t"."sensitivity" <= $69
and "t"."scope" = any($70::text[]))) then s.duplicate_of end) || '"', '}')
    from surprises as s
where s.record_id = r.id), ',"descent":[' || (
  select string_agg(concat('{"source_id":"', d.source_id, '","kind":', to_json(d.kind), ',"is_ground":', (d.is_ground)::text, '', '}'), ','
order by d.source_id)
  from descents as d
  where d.derived_id = r.id
and (
    exists (select
from records as t
where t.id = d.source_id
and ("t"."sensitivity" <= $71
and "t"."scope" = any($72::text[])))
    or exists (select
from departures as t
where t.id = d.source_id
and ("t"."sensitivity" <= $73
and "t"."scope" = any($74::text[])))
  )) || ']', ',"handles":[', (
  select string_agg(concat('{"digest":"', encode(h.digest, 'hex'), '"', ',"detail":"' || (encode(h.detail, 'hex')) || '"', '}'), ','
order by h.digest, h.detail, h.place)
  from handles as h
where h.record_id = r.id), ']', case r.type when 'episodic' then ',"consolidation":' || ((
  select '{"due":[' || coalesce((
    select string_agg(to_json(u.stage)::text, ','
order by u.stage)
from unconsolidated as u
where u.record_id = r.id
  ), '') || '],"tallies":[' || coalesce((
    select string_agg(concat('{"stage":"', e.stage, '","outcome":', to_json(e.outcome), ',"digest":"', encode(e.digest, 'hex'), '","scope":', to_json(e.scope), '', '}'), ','
order by e.stage)
    from episode_tallies as e
where e.episode_id = r.id
  ), '') || ']}'
))
      when 'entity' then concat(',"identifiers":[', (
  select string_agg(
    concat('{"namespace":', to_json(i.namespace), ',"value":', to_json(i.value), '', '}'), ','
order by i.namespace, i.value
  )
  from entity_identifiers as i
where i.record_id = r.id), ']') end, ',"embeddings":[' || (
  select string_agg(concat('{"provider":', to_json(m.provider), ',"model":', to_json(m.model), ',"dimensions":', m.dimensions, ',"bits":', e.bits, ',"embedded_at":"', to_char(e.embedded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","code":"', replace(encode(e.code, 'base64'), chr(10), ''), '","signature":"', replace(encode(substring(bit_send(s.bits)
from 5), 'base64'), chr(10), ''), '"', '}'), ','
order by m.provider, m.model, m.dimensions)
  from embeddings as e
  join embedding_models as m on m.id = e.model_id
  join signatures as s on s.record_id = e.record_id
and s.model_id = e.model_id
  where e.record_id = r.id) || ']', '}') as line
      from page join records as r on r.id = page.id join contents as c on c.record_id = r.id
    )
    select coalesce(string_agg(line, chr(10)
order by id) || chr(10), '') as text
from written;

-- src/portability/import/abandoned-rows.queries.ts createAbandonedRemoval
      delete
from "import_lines"
where ctid = any(array(
        select ctid
from "import_lines"
where received_at <= $1::timestamptz - interval '1 day'
limit $2
        for update skip locked
      ))
      returning true;
      delete
from "awaiting_edges"
where ctid = any(array(
        select ctid
from "awaiting_edges"
where received_at <= $1::timestamptz - interval '1 day'
limit $2
        for update skip locked
      ))
      returning true;

-- src/portability/import/staging.queries.ts deleteStagedLines
delete
from import_lines
where import_id = $1::uuid;

-- src/portability/import/staging.queries.ts insertStagedLines
    insert into import_lines (import_id, line, received_at, bytes)
    select $1::uuid, line, $2::timestamptz, bytes
    from unnest($3::int4[], $4::bytea[]) as held (line, bytes);

-- src/portability/import/staging.queries.ts readStagedLines
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

-- src/portability/import/storing/import-edges.queries.ts findMissingEdges
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

-- src/portability/import/storing/import-edges.queries.ts linkEdges
    with given as materialized (
      select *
from json_to_recordset($1::json) as given (
        source_id uuid, target_id uuid, predicate text, inverse text, weight float8, created_at timestamptz, is_whole bool
      )
    ), judged as materialized (
      select g.*, t.id is not null as is_open, t.forgotten_at
      from given as g
      left join lateral (
        select t.id, t.forgotten_at
from records as t
        where t.id = g.target_id
and (("t"."sensitivity" <= $2
and "t"."scope" = any($3::text[]))
and (g.predicate <> all($4::text[])
or t.scope = any($5::text[])))
limit 1
      ) as t on true
    ), come as (
      delete
from awaiting_edges
where ctid = any(array(
        select w.ctid
from unnest($6::uuid[]) as arrived (id)
        cross join lateral (
          select ctid
from awaiting_edges
where import_id = $7::uuid
and target_id = arrived.id offset 0
        ) as w
      ))
      returning *
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

-- src/portability/import/storing/import-edges.queries.ts mayLinkTo
select t.id
from records as t
where (("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
and ('derives' <> all($3::text[])
or t.scope = any($4::text[])));

-- src/portability/import/storing/import-edges.queries.ts resolveWaitingEdges
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

-- src/portability/import/storing/import-vectors.queries.ts insertVectors
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

-- src/portability/import/storing/import-vectors.queries.ts registerModels
    insert into embedding_models (provider, model, dimensions, registered_at, seen_at, max_sensitivity, walked_to)
    select distinct provider, model, dimensions, $1::timestamptz, $2::timestamptz, 'hyper'::sensitivity,
      '00000000-0000-0000-0000-000000000000'::uuid
    from json_to_recordset($3::json) as given (provider text, model text, dimensions int4)
    where not exists (select
from embedding_models)
    on conflict do nothing;

-- src/portability/import/storing/import.queries.ts findExisting
    select r.id, r.type, r.scope, r.sensitivity, r.confidence, r.created_at, r.version,
      c.tags, c.payload, c.provenance, c.interpretation,
      case when r.version > requested.version then exists (
        select
from audit_entries as a
        where a.record_id = r.id
and a.at = requested.at
and a.action = requested.action
and a.actor = requested.actor
      ) else false end as is_later
    from unnest(
      $1::uuid[], $2::int4[],
      $3::timestamptz[],
      $4::audit_action[],
      $5::text[]
    ) as requested (id, version, at, action, actor)
    cross join lateral (select *
from records
where id = requested.id
limit 1) as r
    cross join lateral (select *
from contents
where record_id = r.id
limit 1) as c
    where ("r"."sensitivity" <= $6
and "r"."scope" = any($7::text[]));

-- src/portability/import/storing/import.queries.ts findTakenPlaces
    select h.digest, h.scope, h.place
    from unnest(
      $1::bytea[], $2::text[],
      $3::int4[]
    ) as requested (digest, scope, place)
    join handles as h on h.digest = requested.digest
and h.scope = requested.scope
and h.place = requested.place;

-- src/portability/import/storing/import.queries.ts insertDescents
    insert into descents (derived_id, source_id, kind, is_ground)
    select g.derived_id, g.source_id, case when t.id is null
or (("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
and ('derived_from' <> all($3::text[])
or t.scope = any($4::text[]))) then g.kind else 'inherited' end, g.is_ground
    from json_to_recordset($5::json) as g
      (derived_id uuid, source_id uuid, kind text, is_ground bool)
    left join records as t on t.id = g.source_id
    where not exists (select
from departures as d
where d.id = g.source_id
and d.kind = 'erased')
      and (t.id is null
or ("t"."sensitivity" <= $6
and "t"."scope" = any($7::text[])))
    on conflict on constraint descents_pkey do nothing;

-- src/portability/import/storing/import.queries.ts insertHistories
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
      insert into audit_entries (record_id, run_id, operation_id, at, action, actor, rationale, changes, via)
      select p.id, e.run_id, e.operation_id, e.timestamp, e.action, e.actor, e.rationale, e.changes,
        coalesce(e.via, '{}') || $2::jsonb
      from past as p cross join lateral rows
from (
        json_to_recordset(p.audit_log) as
          (run_id uuid, operation_id uuid, "timestamp" timestamptz, action audit_action, actor text, rationale text,
            changes jsonb, via jsonb)
      ) with ordinality as e (run_id, operation_id, "timestamp", action, actor, rationale, changes, via, place)
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
      insert into access_log (record_id, at, kind, actor, key_id)
      select p.id, a.at, a.kind, a.actor, a.key_id
      from past as p
      cross join lateral json_to_recordset(p.access_log) as a
        (at timestamptz, kind access_kind, actor text, key_id text)
      on conflict do nothing
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
