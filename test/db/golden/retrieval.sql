-- src/retrieval/candidates/candidates.queries.ts findCandidateStates
    select state.*
    from unnest($1::uuid[]) as candidate (id) cross join lateral (
      select r.id, salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $2::timestamptz) as salience, r.importance,
  round(date_part('epoch', coalesce(m.at, r.created_at)) * 1000) as at,
  case when r.type = 'episodic'
and m.at is null then c.payload #>> '{timeline,0,t}' end as happened_at,
  case when r.type = 'semantic' then c.payload #>> '{evidence,0,timestamp}' end as stated_at
,
        r.sensitivity <= $3::sensitivity as "isOpen",
        case when r.type <> 'entity'
and c.words <= 60 then
          array_to_string(tsvector_to_array(c.search), '') end as words,
        case when m.record_id is not null then coalesce(
  c.payload #>> '{conversation,name}',
  case when strpos(left(c.payload #>> '{timeline,0,summary}', 100), ':') > 0
and left(c.payload #>> '{timeline,0,summary}', 100) !~ '^(?:Also|Answer|Date|Edit|Error|Example|Finally|First|Important|Next|Note|Options|Plan|Question|Reminder|Result|Second|Status|Subject|Summary|Task|Time|Tip|Todo|Update|Warning):'
    then substring(left(c.payload #>> '{timeline,0,summary}', 100)
from '^(?:[[(][^])]+[])]:? *|[0-9][-0-9./:, T]+(?: ?[AaPp][Mm])? (?:- )?)?([[:upper:]][[:alpha:]''’.-]*(?: [[:upper:]][[:alpha:]''’.-]*){0,2}):\s') end
) end as speaker,
        m.record_id is not null
and coalesce(
  lower(c.payload #>> '{conversation,role}') in ('assistant', 'ai', 'bot', 'model', 'agent'), false
) as "isOfAssistant",
  (r.type = 'entity'
and c.payload ->> 'summary' is null
  and coalesce(c.payload -> 'aliases', '[]') = '[]'
and coalesce(c.payload -> 'identifiers', '[]') = '[]') as "isOnlyName", (r.type = 'episodic'
and coalesce(
  case when jsonb_typeof((c.payload #> '{environment,context,captured,content}')) = 'object' then
    (c.payload #> '{environment,context,captured,content}') ?& array['subject', 'predicate', 'object']
and (c.payload #> '{environment,context,captured,content}') - array['subject', 'predicate', 'object', 'validity', 'revision_policy'] = '{}'
      and jsonb_array_length(c.payload -> 'timeline') = 1
and coalesce(length(c.payload #>> '{timeline,0,summary}'), 0) <= length((c.payload #> '{environment,context,captured,content}')::text)
      and c.payload -> 'tool_graph' = '[]'
and c.payload -> 'artifacts' = '[]'
  end, false
)) as "statesOnlyFact", (not coalesce(
  lower(c.payload #>> '{conversation,role}') in ('assistant', 'ai', 'bot', 'model', 'agent'), false
)
and coalesce(
  left(coalesce(c.payload #>> '{timeline,0,summary}', c.payload ->> 'predicate'), 300) ~ '^([Pp]lease,? )?([Ff]rom now on|[Gg]oing forward|[Aa]lways|[Nn]ever|[Dd]o(n[''’]t| not) ever|([Ww]hen(ever)?|[Ii]f) I ask)\M|\mprefers?\M'
or (c.payload -> 'conversation' is not null
and length(c.payload #>> '{timeline,0,summary}') <= 120
  and c.payload #>> '{timeline,0,summary}' ~ '\m(I|[Mm]e|[Mm]y|[Mm]ine|[Ww]e|[Uu]s|[Oo]urs?)\M'
and c.payload #>> '{timeline,0,summary}' !~ '\m([Ww]onder(ing|ed)?|[Rr]ecommend|[Ss]uggest|[Pp]lease|([Ll]et|[Tt]ell|[Hh]elp|[Gg]ive|[Ss]how) (me|us)|([Cc]an|[Cc]ould) you)\M'
and not coalesce(c.payload #>> '{timeline,0,summary}' ~ '[?](?![[:alnum:]=&])|[？؟]', false)), false
)) as "isGuidance",
  m.record_id is not null
and coalesce(case when length(c.payload #>> '{timeline,0,summary}') <= 500 then
  2 * length(regexp_replace(c.payload #>> '{timeline,0,summary}', '[^.!?。！？؟]*([?](?![[:alnum:]=&])|[？؟])', '', 'g')) <= length(c.payload #>> '{timeline,0,summary}')
    and c.payload #>> '{timeline,0,summary}' !~ '[0-9]|\m(I|[Mm]e|[Mm]y|[Mm]ine|[Ww]e|[Uu]s|[Oo]urs?)\M'
end, false) as "onlyAsks"
      from records as r
left join contents as c on c.record_id = r.id
      left join messages as m on r.type = 'episodic'
and m.record_id = r.id
      where r.id = candidate.id
      offset 0
    ) as state;

-- src/retrieval/candidates/candidates.queries.ts findStatusChangedSince
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
and n.at is null then salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $4::timestamptz)
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

-- src/retrieval/candidates/record-columns.queries.ts isOfDays
select exists (
    select
from (
      select left(coalesce(
  c.payload #>> '{timeline,0,t}', c.payload #>> '{evidence,0,timestamp}',
  to_char(r.created_at at time zone 'utc', 'yyyy-mm-dd')
), 10) collate "C" as day
from contents as c
where c.record_id = r.id offset 0
    ) as stated
    join unnest($1::text[], $2::text[])
      as range (first_day, last_day) on stated.day between range.first_day
and range.last_day
  )
from records as r;

-- src/retrieval/channels/name-search.queries.ts findByNames
    with recursive named as materialized (
      select id, place
from unnest($1::uuid[]) with ordinality as named (id, place)
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
        limit $2
      ) as e
    )
    select id
from reached
    group by id
    order by min(hop), count(distinct entity) desc, min(place), max(weight) desc, max(salience) desc, id
    limit $3;

-- src/retrieval/channels/name-search.queries.ts findNamedEntities
    select h.record_id as id
    from unnest($1::bytea[]) with ordinality as w (digest, place)
    cross join lateral (select record_id
from handles
where digest = w.digest
and scope = any($2::text[]) offset 0) as h
    cross join lateral (
      select
from records as r
      where r.id = h.record_id
and r.type = 'entity'
and r.forgotten_at is null
        and r.status in ('active', 'challenged')
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
      offset 0
    ) as r
    group by h.record_id
    order by min(w.place), id
    limit $5;

-- src/retrieval/channels/period-search.queries.ts findMessagesInPeriods: in every scope
    select of_period.id
    from unnest($1::timestamptz[], $2::timestamptz[]) as range (from_time, until_time)
    cross join lateral (
      select r.id, m.at, m.arrival
      from messages as m join records as r on r.id = m.record_id
      where m.at >= range.from_time
and m.at < range.until_time
and r.forgotten_at is null
      order by m.at desc, m.arrival desc
      limit $3
    ) as of_period
    order by of_period.at desc, of_period.arrival desc
    limit $4;

-- src/retrieval/channels/period-search.queries.ts findMessagesInPeriods: in scopes
    select of_period.id
    from unnest($1::timestamptz[], $2::timestamptz[]) as range (from_time, until_time)
    cross join lateral (
      select r.id, m.at, m.arrival
      from messages as m join records as r on r.id = m.record_id
      where m.at >= range.from_time
and m.at < range.until_time
and m.scope = any($3::text[])
        and r.forgotten_at is null
      order by m.at desc, m.arrival desc
      limit $4
    ) as of_period
    order by of_period.at desc, of_period.arrival desc
    limit $5;

-- src/retrieval/channels/period-search.queries.ts findTimes: of records
    select dated.*
    from unnest($1::uuid[]) as candidate (id) cross join lateral (
      select r.id, r.importance,
  round(date_part('epoch', coalesce(m.at, r.created_at)) * 1000) as at,
  case when r.type = 'episodic'
and m.at is null then c.payload #>> '{timeline,0,t}' end as happened_at,
  case when r.type = 'semantic' then c.payload #>> '{evidence,0,timestamp}' end as stated_at
      from records as r
left join contents as c on c.record_id = r.id
      left join messages as m on r.type = 'episodic'
and m.record_id = r.id
      where r.id = candidate.id
      offset 0
    ) as dated;

-- src/retrieval/channels/period-search.queries.ts isDated
select r.type in ('semantic', 'episodic')
from records as r;

-- src/retrieval/expansion/expansion.queries.ts findNeighbours
    select n.source_id, n.predicate, n.target_id, n.weight, n.created_at, n.salience, n.importance,
      n.sensitivity <= $1::sensitivity as "isOpen"
    from unnest($2::uuid[]) as source (id)
    cross join lateral (
      with recursive edge_kind as (
        select (
    select e.predicate
from relations as e
where e.source_id = source.id
order by e.predicate
limit 1
  ) as predicate
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
        salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $4::timestamptz) as salience
      from relations as e join records as r on r.id = e.target_id
      where e.source_id = source.id
and e.predicate = k.predicate
and r.forgotten_at is null
      order by e.target_id desc
      limit $5
    ) as n;

-- src/retrieval/expansion/expansion.queries.ts findWithNeighbours: now
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
          cross join lateral (
            select
from records as t
            where t.id = e.target_id
and t.forgotten_at is null
and ("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
            offset 0
          ) as t
          where e.source_id = r.id
          order by e.predicate desc, e.target_id desc
          limit 20
        ) as edge
      ), '[]') as relations,
      coalesce((
        select json_agg(entry)
        from (
          select newest.action, newest.actor, newest.at, newest.rationale, newest.run_id, newest.operation_id,
            newest.changes, newest.via
          from (
            select a.*, sum(case when pg_column_size(a.changes) > 65536 then pg_column_size(a.changes) else coalesce(case when pg_column_compression(a.changes) is null then pg_column_size(a.changes)
    else octet_length(a.changes::text) end, 0)::int8 end) over (order by a.id desc) as total
            from (
              select *
from audit_entries as a
              where a.record_id = r.id
and case when pg_column_size(a.changes) > 65536 then pg_column_size(a.changes) else coalesce(case when pg_column_compression(a.changes) is null then pg_column_size(a.changes)
    else octet_length(a.changes::text) end, 0)::int8 end <= 65536
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
            ) as a
          ) as newest
          where newest.total <= 131072
          order by newest.id
        ) as entry
      ), '[]') as audit_log, coalesce((select json_agg(near)
from (
    select n.source_id, n.predicate, n.target_id, n.weight, n.created_at, n.salience, n.importance,
      n.sensitivity <= $9::sensitivity as "isOpen"
    from (select r.id) as source (id)
    cross join lateral (
      with recursive edge_kind as (
        select (
    select e.predicate
from relations as e
where e.source_id = source.id
order by e.predicate
limit 1
  ) as predicate
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
limit $10
    ) as k
    cross join lateral (
      select e.source_id, e.predicate, e.target_id, e.weight, e.created_at, r.sensitivity, r.importance,
        salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $11::timestamptz) as salience
      from relations as e join records as r on r.id = e.target_id
      where e.source_id = source.id
and e.predicate = k.predicate
and r.forgotten_at is null
      order by e.target_id desc
      limit $12
    ) as n
  ) as near), '[]') as neighbours
    from records as r
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $13
and "r"."scope" = any($14::text[]))
and r.id = $15::uuid
and (coalesce(case when pg_column_compression("c"."payload") is null then pg_column_size("c"."payload")
    else octet_length("c"."payload"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."provenance") is null then pg_column_size("c"."provenance")
    else octet_length("c"."provenance"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."interpretation") is null then pg_column_size("c"."interpretation")
    else octet_length("c"."interpretation"::text) end, 0)::int8) <= 32768;

-- src/retrieval/expansion/expansion.queries.ts findWithNeighbours: of the past
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
          cross join lateral (
            select
from records as t
            where t.id = e.target_id
and t.forgotten_at is null
and ("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
            offset 0
          ) as t
          where e.source_id = r.id
          order by e.predicate desc, e.target_id desc
          limit 20
        ) as edge
      ), '[]') as relations,
      coalesce((
        select json_agg(entry)
        from (
          select newest.action, newest.actor, newest.at, newest.rationale, newest.run_id, newest.operation_id,
            newest.changes, newest.via
          from (
            select a.*, sum(case when pg_column_size(a.changes) > 65536 then pg_column_size(a.changes) else coalesce(case when pg_column_compression(a.changes) is null then pg_column_size(a.changes)
    else octet_length(a.changes::text) end, 0)::int8 end) over (order by a.id desc) as total
            from (
              select *
from audit_entries as a
              where a.record_id = r.id
and case when pg_column_size(a.changes) > 65536 then pg_column_size(a.changes) else coalesce(case when pg_column_compression(a.changes) is null then pg_column_size(a.changes)
    else octet_length(a.changes::text) end, 0)::int8 end <= 65536
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
            ) as a
          ) as newest
          where newest.total <= 131072
          order by newest.id
        ) as entry
      ), '[]') as audit_log, coalesce((select json_agg(near)
from (
    select n.source_id, n.predicate, n.target_id, n.weight, n.created_at, n.salience, n.importance,
      n.sensitivity <= $9::sensitivity as "isOpen"
    from (select r.id) as source (id)
    cross join lateral (
      with recursive edge_kind as (
        select (
    select e.predicate
from relations as e
where e.source_id = source.id
order by e.predicate
limit 1
  ) as predicate
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
limit $10
    ) as k
    cross join lateral (
      select e.source_id, e.predicate, e.target_id, e.weight, e.created_at, r.sensitivity, r.importance,
        (
    select case
      when not p.pinned
and r.expires_at <= $11::timestamptz then 0
      when r.anchored_at <= $12::timestamptz
and n.at is null then salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $13::timestamptz)
      when p.pinned then coalesce(n.before, l.after, r.base_salience)
      when r.anchored_at <= $14::timestamptz then coalesce(
    least(
      n.before * fading_factor(r.curve, least(
      greatest(date_part('epoch', $15::timestamptz - r.anchored_at), 0) / r.half_life_seconds, 64
    )) / nullif(fading_factor(r.curve, least(
      greatest(date_part('epoch', n.at - r.anchored_at), 0) / r.half_life_seconds, 64
    )), 0),
      greatest(n.before, r.max_salience, 1)
    ), n.before)
      when l.at is not null then greatest(
        l.after * fading_factor(r.curve, least(
      greatest(date_part('epoch', $16::timestamptz - l.at), 0) / r.half_life_seconds, 64
    )), least(r.min_salience, l.after)
      )
      when n.at is not null then coalesce(
    least(
      n.before * fading_factor(r.curve, least(
      greatest(date_part('epoch', $17::timestamptz - r.created_at), 0) / r.half_life_seconds, 64
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
and a.at > $18::timestamptz
and jsonb_typeof(a.changes #> '{salience,0}') = 'number'
      order by a.id
limit 1
    ) as n on true
    left join lateral (
      select a.at, (a.changes #>> '{salience,1}')::float8 as after
from audit_entries as a
      where a.record_id = r.id
and a.at <= $19::timestamptz
and jsonb_typeof(a.changes #> '{salience,1}') = 'number'
      order by a.id desc
limit 1
    ) as l on true
    cross join lateral (
      select coalesce((
        select a.action = 'unpin'
from audit_entries as a
        where a.record_id = r.id
and a.at > $20::timestamptz
and a.action in ('pin', 'unpin')
        order by a.id
limit 1
      ), r.pinned) as pinned
    ) as p
  ) as salience
      from relations as e join records as r on r.id = e.target_id
      where e.source_id = source.id
and e.predicate = k.predicate
and e.created_at <= $21::timestamptz
        and r.forgotten_at is null
      order by e.target_id desc
      limit $22
    ) as n
  ) as near), '[]') as neighbours
    from records as r
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $23
and "r"."scope" = any($24::text[]))
and r.id = $25::uuid
and (coalesce(case when pg_column_compression("c"."payload") is null then pg_column_size("c"."payload")
    else octet_length("c"."payload"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."provenance") is null then pg_column_size("c"."provenance")
    else octet_length("c"."provenance"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."interpretation") is null then pg_column_size("c"."interpretation")
    else octet_length("c"."interpretation"::text) end, 0)::int8) <= 32768;

-- src/retrieval/filters.queries.ts listAnswerConditions: seen whole
select r.id
from records as r
where ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
and r.forgotten_at is null
and (r.status in ('active')
and case when r.type = 'semantic' then coalesce((
    select coalesce(regexp_replace(v.payload #>> '{validity,start}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz <= $3::timestamptz, true)
      and coalesce(regexp_replace(v.payload #>> '{validity,end}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz > $4::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end);

-- src/retrieval/filters.queries.ts listAnswerConditions: seen at all, every filter
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
and salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $11::timestamptz) >= $12;

-- src/retrieval/filters.queries.ts listAnswerConditions: of the past
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
    select coalesce(regexp_replace(v.payload #>> '{validity,start}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz <= $5::timestamptz, true)
      and coalesce(regexp_replace(v.payload #>> '{validity,end}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz > $6::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end)
and (
    select case
      when not p.pinned
and r.expires_at <= $7::timestamptz then 0
      when r.anchored_at <= $8::timestamptz
and n.at is null then salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $9::timestamptz)
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

-- src/retrieval/filters.queries.ts listAnswerConditions: among forgotten records too
select r.id
from records as r
where ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
and (r.status in ('active')
and case when r.type = 'semantic' then coalesce((
    select coalesce(regexp_replace(v.payload #>> '{validity,start}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz <= $3::timestamptz, true)
      and coalesce(regexp_replace(v.payload #>> '{validity,end}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz > $4::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end);

-- src/retrieval/filters.queries.ts listContextConditions: now
select r.id
from records as r
where ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
and r.forgotten_at is null
and r.status in ('active');

-- src/retrieval/filters.queries.ts listContextConditions: of the past
select r.id
from records as r
where ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
and r.forgotten_at is null
and r.created_at <= $3::timestamptz
and coalesce((
    select s.old
from status_changes as s
    where s.record_id = r.id
and s.at > $4::timestamptz
order by s.id
limit 1
  ), r.status) in ('active');

-- src/retrieval/filters.queries.ts listMatchingConditions
select r.id
from records as r
where ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
and r.forgotten_at is null;

-- src/retrieval/filters.queries.ts listSuppressedConditions
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
and salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $10::timestamptz) >= $11);

-- src/retrieval/instant/instant-state.queries.ts computeSalienceAtInstant: now
select salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $1::timestamptz)
from records as r;

-- src/retrieval/instant/instant-state.queries.ts computeSalienceAtInstant: past
select (
    select case
      when not p.pinned
and r.expires_at <= $1::timestamptz then 0
      when r.anchored_at <= $2::timestamptz
and n.at is null then salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $3::timestamptz)
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

-- src/retrieval/instant/instant-state.queries.ts isValidAtInstant
select case when r.type = 'semantic' then coalesce((
    select coalesce(regexp_replace(v.payload #>> '{validity,start}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz <= $1::timestamptz, true)
      and coalesce(regexp_replace(v.payload #>> '{validity,end}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz > $2::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end
from records as r;

-- src/retrieval/instant/instant-state.queries.ts selectStatus: now
select r.status
from records as r;

-- src/retrieval/instant/instant-state.queries.ts selectStatus: past
select coalesce((
    select s.old
from status_changes as s
    where s.record_id = r.id
and s.at > $1::timestamptz
order by s.id
limit 1
  ), r.status)
from records as r;

-- src/retrieval/instant/past-record.queries.ts findPastStates
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
and n.at is null then salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $4::timestamptz)
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

-- src/retrieval/prompt/prompt-context.queries.ts findByHandles: in every scope
    select h.record_id as id
    from unnest($1::bytea[]) with ordinality as w (digest, place)
    cross join lateral (select record_id
from handles
where digest = w.digest offset 0) as h
    cross join lateral (
      select r.scope
from records as r
where r.id = h.record_id
and r.type = $2
and r.forgotten_at is null offset 0
    ) as r
    group by h.record_id
    order by  min(w.place), h.record_id desc
    limit $3;

-- src/retrieval/prompt/prompt-context.queries.ts findByHandles: in scopes
    select h.record_id as id
    from unnest($1::bytea[]) with ordinality as w (digest, place)
    cross join lateral (select record_id
from handles
where digest = w.digest offset 0) as h
    cross join lateral (
      select r.scope
from records as r
where r.id = h.record_id
and r.type = $2
and r.forgotten_at is null offset 0
    ) as r
    group by h.record_id
    order by bool_and(r.scope = any($3::text[])) desc, min(w.place), h.record_id desc
    limit $4;

-- src/retrieval/prompt/prompt-context.queries.ts findDisputes: now
    select d.one, d.other, bool_or(d.predicate <> 'contested_by') as is_stated
    from (
      select e.source_id as one, e.target_id as other, e.predicate
from relations as e
      where e.source_id = any($1::uuid[])
        and e.predicate in ('contradicts', 'contradicted_by', 'contested_by')
      union all
      select e.target_id, e.source_id, e.predicate
from relations as e
      where e.target_id = any($2::uuid[])
and e.predicate = 'contested_by'
    ) as d
    join records as r on r.id = d.other
    where r.type = 'semantic'
and r.forgotten_at is null
    group by d.one, d.other
    order by d.one, d.other desc
    limit $3;

-- src/retrieval/prompt/prompt-context.queries.ts findDisputes: of the past
    select d.one, d.other, bool_or(d.predicate <> 'contested_by') as is_stated
    from (
      select e.source_id as one, e.target_id as other, e.predicate
from relations as e
      where e.source_id = any($1::uuid[])
        and e.predicate in ('contradicts', 'contradicted_by', 'contested_by')
and e.created_at <= $2::timestamptz
      union all
      select e.target_id, e.source_id, e.predicate
from relations as e
      where e.target_id = any($3::uuid[])
and e.predicate = 'contested_by'
and e.created_at <= $4::timestamptz
    ) as d
    join records as r on r.id = d.other
    where r.type = 'semantic'
and r.forgotten_at is null
    group by d.one, d.other
    order by d.one, d.other desc
    limit $5;

-- src/retrieval/prompt/prompt-context.queries.ts findEntityNames
    select r.id, coalesce(c.payload ->> 'canonical_name', '') as name
    from records as r join contents as c on c.record_id = r.id
    where r.id = any($1::uuid[])
and r.type = 'entity'
and r.forgotten_at is null;

-- src/retrieval/prompt/prompt-context.queries.ts findNewerStates
    select unnest(d.ids) as older, newest.id as newer
    from (
      select h.digest, h.scope, mine.sensitivity, array_agg(mine.id
order by mine.id) as ids
      from handles as h join records as mine on mine.id = h.record_id
      where h.record_id = any($1::uuid[])
      group by h.digest, h.scope, mine.sensitivity
    ) as d
    cross join lateral (
      select r.id
      from handles as t join records as r on r.id = t.record_id
      where t.digest = d.digest
and t.scope = d.scope
and r.type = 'working'
and r.sensitivity = d.sensitivity
        and r.forgotten_at is null
      order by r.updated_at desc, r.id desc
      limit 1
    ) as newest
    order by older;

-- src/retrieval/prompt/prompt-context.queries.ts findOpposites
    select h.record_id as one, other.id as other, true as is_stated
    from handles as h
    join records as mine on mine.id = h.record_id
and mine.type = 'semantic'
    cross join lateral (
      select array_agg(t.record_id) as others
      from (
        select t.record_id
        from handles as t join records as r on r.id = t.record_id
        where t.digest = h.digest
and t.scope = h.scope
and t.detail <> h.detail
          and r.type = 'semantic'
and r.forgotten_at is null
and exists (
    select
from contents as u
    where u.record_id = r.id
and u.payload #>> '{validity,mode}' is distinct
from 'conditional'
  )
        limit 3
      ) as t
    ) as o
    cross join lateral unnest(o.others) as other (id)
    where h.record_id = any($1::uuid[])
and cardinality(o.others) <= 2
      and exists (
    select
from contents as u
    where u.record_id = h.record_id
and u.payload #>> '{validity,mode}' is distinct
from 'conditional'
  )
      and not (exists (
    select
from contents as g
    where g.record_id = h.record_id
and g.provenance #>> '{sources,0,ref}' like $2
  )
and exists (
    select
from contents as g
    where g.record_id = other.id
and g.provenance #>> '{sources,0,ref}' like $3
  ))
      and not exists (
        select
from relations as d
        join relations as e on e.source_id = other.id
and e.predicate = d.predicate
and e.target_id = d.target_id
        join contents as m on m.record_id = d.target_id
and m.payload ? 'conversation'
        where d.source_id = h.record_id
and d.predicate = 'derived_from'
      )
      and not exists (
        select
from relations as e
        where e.predicate in ('contradicts', 'contradicted_by', 'contested_by')
          and ((e.source_id = h.record_id
and e.target_id = other.id)
            or (e.target_id = h.record_id
and e.source_id = other.id))
      )
    order by one, other desc;

-- src/retrieval/suppression/suppression.queries.ts findSuppressedStates
    select r.id, r.status as status, case when r.type = 'semantic' then coalesce((
    select coalesce(regexp_replace(v.payload #>> '{validity,start}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz <= $1::timestamptz, true)
      and coalesce(regexp_replace(v.payload #>> '{validity,end}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz > $2::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end as is_valid,
      salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $3::timestamptz) as salience
    from records as r
    where r.id = any($4::uuid[])
and ("r"."sensitivity" <= $5
and "r"."scope" = any($6::text[]))
and r.forgotten_at is null
    order by r.id;

-- src/retrieval/text/memory/text-memory.queries.ts checkTexts: with states
    with checked as materialized (
      select asked.place, found.*
      from unnest($1::uuid[]) with ordinality as asked (id, place)
      left join lateral (
    select r.forgotten_at is not null as is_forgotten, met.answers, met.is_context, case when met.answers then salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $2::timestamptz) end as salience, r.importance as importance
    from records as r cross join lateral (
      select coalesce(true
and r.forgotten_at is null
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
and r.forgotten_at is null, false) as answers, coalesce(true
and r.forgotten_at is null, false) as is_context offset 0
    ) as met
    where r.id = asked.id
    offset 0
  ) as found on true
    ), unseen as materialized (select record_id
from (
    select "t"."record_id" as record_id
from "contents" as t
    where true
and "t"."changed" >= pg_snapshot_xmax((select $5::pg_snapshot))
and "t"."changed" < pg_snapshot_xmax(pg_current_snapshot())
    order by "t"."changed"
limit 2001) as later union all select their.record_id
from pg_snapshot_xip((select $6::pg_snapshot)) as running (id)
        cross join lateral (
    select "t"."record_id" as record_id
from "contents" as t
    where true
and "t"."changed" >= running.id
and "t"."changed" <= running.id
    order by "t"."changed"
limit 2001) as their union all select record_id
from (
    select "t"."id" as record_id
from "records" as t
    where true
and "t"."revealed" >= pg_snapshot_xmax((select $7::pg_snapshot))
and "t"."revealed" < pg_snapshot_xmax(pg_current_snapshot())
    order by "t"."revealed"
limit 2001) as later union all select their.record_id
from pg_snapshot_xip((select $8::pg_snapshot)) as running (id)
        cross join lateral (
    select "t"."id" as record_id
from "records" as t
    where true
and "t"."revealed" >= running.id
and "t"."revealed" <= running.id
    order by "t"."revealed"
limit 2001) as their), counted as materialized (select count(*) as unseen
from unseen)
    select '[' || string_agg(concat_ws(',', place, salience, importance), ',') filter (where answers) || ']' as answering,
      string_agg(place::text, ',') filter (where is_context) as context,
      string_agg(place::text, ',') filter (where is_forgotten is not false) as gone,
      (
        select string_agg(int4send(octet_length(t.head)) || t.head || int4send(octet_length(t.body)) || t.body, ''::bytea)
from (
          select each.*
from unseen as change cross join lateral (
            select
  convert_to((select row_to_json(head)
from (
    select r.id, json_build_array(case when c.changed < pg_snapshot_xmax(pg_current_snapshot()) then c.changed::text::int8 else 0 end, case when r.revealed < pg_snapshot_xmax(pg_current_snapshot()) then r.revealed::text::int8 else 0 end) as version,
  round(date_part('epoch', coalesce(m.at, r.created_at)) * 1000) as at,
  case when r.type = 'episodic'
and m.at is null then c.payload #>> '{timeline,0,t}' end as happened_at,
  case when r.type = 'semantic' then c.payload #>> '{evidence,0,timestamp}' end as stated_at
, r.scope, r.type, r.sensitivity,
      c.words, left(coalesce(
  c.payload #>> '{timeline,0,t}', c.payload #>> '{evidence,0,timestamp}',
  to_char(r.created_at at time zone 'utc', 'yyyy-mm-dd')
), 10) as day,
      m.record_id is not null
and coalesce(c.payload #>> '{timeline,0,summary}' ~ '[?](?![[:alnum:]=&])|[？؟]', false) as asks,
  (r.type = 'entity'
and c.payload ->> 'summary' is null
  and coalesce(c.payload -> 'aliases', '[]') = '[]'
and coalesce(c.payload -> 'identifiers', '[]') = '[]') as "isOnlyName", (r.type = 'episodic'
and coalesce(
  case when jsonb_typeof((c.payload #> '{environment,context,captured,content}')) = 'object' then
    (c.payload #> '{environment,context,captured,content}') ?& array['subject', 'predicate', 'object']
and (c.payload #> '{environment,context,captured,content}') - array['subject', 'predicate', 'object', 'validity', 'revision_policy'] = '{}'
      and jsonb_array_length(c.payload -> 'timeline') = 1
and coalesce(length(c.payload #>> '{timeline,0,summary}'), 0) <= length((c.payload #> '{environment,context,captured,content}')::text)
      and c.payload -> 'tool_graph' = '[]'
and c.payload -> 'artifacts' = '[]'
  end, false
)) as "statesOnlyFact", (not coalesce(
  lower(c.payload #>> '{conversation,role}') in ('assistant', 'ai', 'bot', 'model', 'agent'), false
)
and coalesce(
  left(coalesce(c.payload #>> '{timeline,0,summary}', c.payload ->> 'predicate'), 300) ~ '^([Pp]lease,? )?([Ff]rom now on|[Gg]oing forward|[Aa]lways|[Nn]ever|[Dd]o(n[''’]t| not) ever|([Ww]hen(ever)?|[Ii]f) I ask)\M|\mprefers?\M'
or (c.payload -> 'conversation' is not null
and length(c.payload #>> '{timeline,0,summary}') <= 120
  and c.payload #>> '{timeline,0,summary}' ~ '\m(I|[Mm]e|[Mm]y|[Mm]ine|[Ww]e|[Uu]s|[Oo]urs?)\M'
and c.payload #>> '{timeline,0,summary}' !~ '\m([Ww]onder(ing|ed)?|[Rr]ecommend|[Ss]uggest|[Pp]lease|([Ll]et|[Tt]ell|[Hh]elp|[Gg]ive|[Ss]how) (me|us)|([Cc]an|[Cc]ould) you)\M'
and not coalesce(c.payload #>> '{timeline,0,summary}' ~ '[?](?![[:alnum:]=&])|[？؟]', false)), false
)) as "isGuidance",
  m.record_id is not null
and coalesce(case when length(c.payload #>> '{timeline,0,summary}') <= 500 then
  2 * length(regexp_replace(c.payload #>> '{timeline,0,summary}', '[^.!?。！？؟]*([?](?![[:alnum:]=&])|[？؟])', '', 'g')) <= length(c.payload #>> '{timeline,0,summary}')
    and c.payload #>> '{timeline,0,summary}' !~ '[0-9]|\m(I|[Mm]e|[Mm]y|[Mm]ine|[Ww]e|[Uu]s|[Oo]urs?)\M'
end, false) as "onlyAsks"
,
      case when m.record_id is not null then json_build_object(
        'conversation', m.conversation, 'at', date_part('epoch', m.at) * 1000, 'arrival', m.arrival,
        'speaker', coalesce(
  c.payload #>> '{conversation,name}',
  case when strpos(left(c.payload #>> '{timeline,0,summary}', 100), ':') > 0
and left(c.payload #>> '{timeline,0,summary}', 100) !~ '^(?:Also|Answer|Date|Edit|Error|Example|Finally|First|Important|Next|Note|Options|Plan|Question|Reminder|Result|Second|Status|Subject|Summary|Task|Time|Tip|Todo|Update|Warning):'
    then substring(left(c.payload #>> '{timeline,0,summary}', 100)
from '^(?:[[(][^])]+[])]:? *|[0-9][-0-9./:, T]+(?: ?[AaPp][Mm])? (?:- )?)?([[:upper:]][[:alpha:]''’.-]*(?: [[:upper:]][[:alpha:]''’.-]*){0,2}):\s') end
), 'isOfAssistant', coalesce(
  lower(c.payload #>> '{conversation,role}') in ('assistant', 'ai', 'bot', 'model', 'agent'), false
)
      ) end as message
  ) as head)::text, 'UTF8') as head,
  tsvectorsend(c.search) as body
 from records as r join contents as c on c.record_id = r.id
left join messages as m on m.record_id = r.id
            where r.id = change.record_id
and r.forgotten_at is null
            offset 0
          ) as each
          where (select unseen
from counted) <= 2000
        ) as t
      ) as changed,
      (select unseen
from counted) as unseen, (
  select case when pg_is_in_recovery() then concat(pg_snapshot_xmin(now_seen), ':', pg_snapshot_xmin(now_seen), ':')
    else now_seen::text end
  from pg_current_snapshot() as now_seen
) as snapshot, pg_snapshot_xmax(pg_current_snapshot())::text::int8 as reached, concat_ws(
  '/', (select system_identifier::text
from pg_control_system()), (select oid::text
from pg_database
where datname = current_database()), (
  case when pg_is_in_recovery() then greatest(
    (select timeline_id
from pg_control_checkpoint()), (select received_tli
from pg_stat_wal_receiver)
  ) else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int end
), (select xmin
from import_secret)
) as origin
    from checked;

-- src/retrieval/text/memory/text-memory.queries.ts checkTexts: without states
    with checked as materialized (
      select asked.place, found.*
      from unnest($1::uuid[]) with ordinality as asked (id, place)
      left join lateral (
    select r.forgotten_at is not null as is_forgotten, met.answers, met.is_context, null::float8 as salience, null::float8 as importance
    from records as r cross join lateral (
      select coalesce(true
and r.forgotten_at is null
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
and r.forgotten_at is null, false) as answers, coalesce(true
and r.forgotten_at is null, false) as is_context offset 0
    ) as met
    where r.id = asked.id
    offset 0
  ) as found on true
    ), unseen as materialized (select record_id
from (
    select "t"."record_id" as record_id
from "contents" as t
    where true
and "t"."changed" >= pg_snapshot_xmax((select $4::pg_snapshot))
and "t"."changed" < pg_snapshot_xmax(pg_current_snapshot())
    order by "t"."changed"
limit 2001) as later union all select their.record_id
from pg_snapshot_xip((select $5::pg_snapshot)) as running (id)
        cross join lateral (
    select "t"."record_id" as record_id
from "contents" as t
    where true
and "t"."changed" >= running.id
and "t"."changed" <= running.id
    order by "t"."changed"
limit 2001) as their union all select record_id
from (
    select "t"."id" as record_id
from "records" as t
    where true
and "t"."revealed" >= pg_snapshot_xmax((select $6::pg_snapshot))
and "t"."revealed" < pg_snapshot_xmax(pg_current_snapshot())
    order by "t"."revealed"
limit 2001) as later union all select their.record_id
from pg_snapshot_xip((select $7::pg_snapshot)) as running (id)
        cross join lateral (
    select "t"."id" as record_id
from "records" as t
    where true
and "t"."revealed" >= running.id
and "t"."revealed" <= running.id
    order by "t"."revealed"
limit 2001) as their), counted as materialized (select count(*) as unseen
from unseen)
    select '[' || string_agg(concat_ws(',', place, salience, importance), ',') filter (where answers) || ']' as answering,
      string_agg(place::text, ',') filter (where is_context) as context,
      string_agg(place::text, ',') filter (where is_forgotten is not false) as gone,
      (
        select string_agg(int4send(octet_length(t.head)) || t.head || int4send(octet_length(t.body)) || t.body, ''::bytea)
from (
          select each.*
from unseen as change cross join lateral (
            select
  convert_to((select row_to_json(head)
from (
    select r.id, json_build_array(case when c.changed < pg_snapshot_xmax(pg_current_snapshot()) then c.changed::text::int8 else 0 end, case when r.revealed < pg_snapshot_xmax(pg_current_snapshot()) then r.revealed::text::int8 else 0 end) as version,
  round(date_part('epoch', coalesce(m.at, r.created_at)) * 1000) as at,
  case when r.type = 'episodic'
and m.at is null then c.payload #>> '{timeline,0,t}' end as happened_at,
  case when r.type = 'semantic' then c.payload #>> '{evidence,0,timestamp}' end as stated_at
, r.scope, r.type, r.sensitivity,
      c.words, left(coalesce(
  c.payload #>> '{timeline,0,t}', c.payload #>> '{evidence,0,timestamp}',
  to_char(r.created_at at time zone 'utc', 'yyyy-mm-dd')
), 10) as day,
      m.record_id is not null
and coalesce(c.payload #>> '{timeline,0,summary}' ~ '[?](?![[:alnum:]=&])|[？؟]', false) as asks,
  (r.type = 'entity'
and c.payload ->> 'summary' is null
  and coalesce(c.payload -> 'aliases', '[]') = '[]'
and coalesce(c.payload -> 'identifiers', '[]') = '[]') as "isOnlyName", (r.type = 'episodic'
and coalesce(
  case when jsonb_typeof((c.payload #> '{environment,context,captured,content}')) = 'object' then
    (c.payload #> '{environment,context,captured,content}') ?& array['subject', 'predicate', 'object']
and (c.payload #> '{environment,context,captured,content}') - array['subject', 'predicate', 'object', 'validity', 'revision_policy'] = '{}'
      and jsonb_array_length(c.payload -> 'timeline') = 1
and coalesce(length(c.payload #>> '{timeline,0,summary}'), 0) <= length((c.payload #> '{environment,context,captured,content}')::text)
      and c.payload -> 'tool_graph' = '[]'
and c.payload -> 'artifacts' = '[]'
  end, false
)) as "statesOnlyFact", (not coalesce(
  lower(c.payload #>> '{conversation,role}') in ('assistant', 'ai', 'bot', 'model', 'agent'), false
)
and coalesce(
  left(coalesce(c.payload #>> '{timeline,0,summary}', c.payload ->> 'predicate'), 300) ~ '^([Pp]lease,? )?([Ff]rom now on|[Gg]oing forward|[Aa]lways|[Nn]ever|[Dd]o(n[''’]t| not) ever|([Ww]hen(ever)?|[Ii]f) I ask)\M|\mprefers?\M'
or (c.payload -> 'conversation' is not null
and length(c.payload #>> '{timeline,0,summary}') <= 120
  and c.payload #>> '{timeline,0,summary}' ~ '\m(I|[Mm]e|[Mm]y|[Mm]ine|[Ww]e|[Uu]s|[Oo]urs?)\M'
and c.payload #>> '{timeline,0,summary}' !~ '\m([Ww]onder(ing|ed)?|[Rr]ecommend|[Ss]uggest|[Pp]lease|([Ll]et|[Tt]ell|[Hh]elp|[Gg]ive|[Ss]how) (me|us)|([Cc]an|[Cc]ould) you)\M'
and not coalesce(c.payload #>> '{timeline,0,summary}' ~ '[?](?![[:alnum:]=&])|[？؟]', false)), false
)) as "isGuidance",
  m.record_id is not null
and coalesce(case when length(c.payload #>> '{timeline,0,summary}') <= 500 then
  2 * length(regexp_replace(c.payload #>> '{timeline,0,summary}', '[^.!?。！？؟]*([?](?![[:alnum:]=&])|[？؟])', '', 'g')) <= length(c.payload #>> '{timeline,0,summary}')
    and c.payload #>> '{timeline,0,summary}' !~ '[0-9]|\m(I|[Mm]e|[Mm]y|[Mm]ine|[Ww]e|[Uu]s|[Oo]urs?)\M'
end, false) as "onlyAsks"
,
      case when m.record_id is not null then json_build_object(
        'conversation', m.conversation, 'at', date_part('epoch', m.at) * 1000, 'arrival', m.arrival,
        'speaker', coalesce(
  c.payload #>> '{conversation,name}',
  case when strpos(left(c.payload #>> '{timeline,0,summary}', 100), ':') > 0
and left(c.payload #>> '{timeline,0,summary}', 100) !~ '^(?:Also|Answer|Date|Edit|Error|Example|Finally|First|Important|Next|Note|Options|Plan|Question|Reminder|Result|Second|Status|Subject|Summary|Task|Time|Tip|Todo|Update|Warning):'
    then substring(left(c.payload #>> '{timeline,0,summary}', 100)
from '^(?:[[(][^])]+[])]:? *|[0-9][-0-9./:, T]+(?: ?[AaPp][Mm])? (?:- )?)?([[:upper:]][[:alpha:]''’.-]*(?: [[:upper:]][[:alpha:]''’.-]*){0,2}):\s') end
), 'isOfAssistant', coalesce(
  lower(c.payload #>> '{conversation,role}') in ('assistant', 'ai', 'bot', 'model', 'agent'), false
)
      ) end as message
  ) as head)::text, 'UTF8') as head,
  tsvectorsend(c.search) as body
 from records as r join contents as c on c.record_id = r.id
left join messages as m on m.record_id = r.id
            where r.id = change.record_id
and r.forgotten_at is null
            offset 0
          ) as each
          where (select unseen
from counted) <= 2000
        ) as t
      ) as changed,
      (select unseen
from counted) as unseen, (
  select case when pg_is_in_recovery() then concat(pg_snapshot_xmin(now_seen), ':', pg_snapshot_xmin(now_seen), ':')
    else now_seen::text end
  from pg_current_snapshot() as now_seen
) as snapshot, pg_snapshot_xmax(pg_current_snapshot())::text::int8 as reached, concat_ws(
  '/', (select system_identifier::text
from pg_control_system()), (select oid::text
from pg_database
where datname = current_database()), (
  case when pg_is_in_recovery() then greatest(
    (select timeline_id
from pg_control_checkpoint()), (select received_tli
from pg_stat_wal_receiver)
  ) else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int end
), (select xmin
from import_secret)
) as origin
    from checked;

-- src/retrieval/text/memory/text-memory.queries.ts readTexts
    select string_agg(int4send(octet_length(t.head)) || t.head || int4send(octet_length(t.body)) || t.body, ''::bytea) as texts
from (
      select
  convert_to((select row_to_json(head)
from (
    select r.id, json_build_array(case when c.changed < pg_snapshot_xmax(pg_current_snapshot()) then c.changed::text::int8 else 0 end, case when r.revealed < pg_snapshot_xmax(pg_current_snapshot()) then r.revealed::text::int8 else 0 end) as version,
  round(date_part('epoch', coalesce(m.at, r.created_at)) * 1000) as at,
  case when r.type = 'episodic'
and m.at is null then c.payload #>> '{timeline,0,t}' end as happened_at,
  case when r.type = 'semantic' then c.payload #>> '{evidence,0,timestamp}' end as stated_at
, r.scope, r.type, r.sensitivity,
      c.words, left(coalesce(
  c.payload #>> '{timeline,0,t}', c.payload #>> '{evidence,0,timestamp}',
  to_char(r.created_at at time zone 'utc', 'yyyy-mm-dd')
), 10) as day,
      m.record_id is not null
and coalesce(c.payload #>> '{timeline,0,summary}' ~ '[?](?![[:alnum:]=&])|[？؟]', false) as asks,
  (r.type = 'entity'
and c.payload ->> 'summary' is null
  and coalesce(c.payload -> 'aliases', '[]') = '[]'
and coalesce(c.payload -> 'identifiers', '[]') = '[]') as "isOnlyName", (r.type = 'episodic'
and coalesce(
  case when jsonb_typeof((c.payload #> '{environment,context,captured,content}')) = 'object' then
    (c.payload #> '{environment,context,captured,content}') ?& array['subject', 'predicate', 'object']
and (c.payload #> '{environment,context,captured,content}') - array['subject', 'predicate', 'object', 'validity', 'revision_policy'] = '{}'
      and jsonb_array_length(c.payload -> 'timeline') = 1
and coalesce(length(c.payload #>> '{timeline,0,summary}'), 0) <= length((c.payload #> '{environment,context,captured,content}')::text)
      and c.payload -> 'tool_graph' = '[]'
and c.payload -> 'artifacts' = '[]'
  end, false
)) as "statesOnlyFact", (not coalesce(
  lower(c.payload #>> '{conversation,role}') in ('assistant', 'ai', 'bot', 'model', 'agent'), false
)
and coalesce(
  left(coalesce(c.payload #>> '{timeline,0,summary}', c.payload ->> 'predicate'), 300) ~ '^([Pp]lease,? )?([Ff]rom now on|[Gg]oing forward|[Aa]lways|[Nn]ever|[Dd]o(n[''’]t| not) ever|([Ww]hen(ever)?|[Ii]f) I ask)\M|\mprefers?\M'
or (c.payload -> 'conversation' is not null
and length(c.payload #>> '{timeline,0,summary}') <= 120
  and c.payload #>> '{timeline,0,summary}' ~ '\m(I|[Mm]e|[Mm]y|[Mm]ine|[Ww]e|[Uu]s|[Oo]urs?)\M'
and c.payload #>> '{timeline,0,summary}' !~ '\m([Ww]onder(ing|ed)?|[Rr]ecommend|[Ss]uggest|[Pp]lease|([Ll]et|[Tt]ell|[Hh]elp|[Gg]ive|[Ss]how) (me|us)|([Cc]an|[Cc]ould) you)\M'
and not coalesce(c.payload #>> '{timeline,0,summary}' ~ '[?](?![[:alnum:]=&])|[？؟]', false)), false
)) as "isGuidance",
  m.record_id is not null
and coalesce(case when length(c.payload #>> '{timeline,0,summary}') <= 500 then
  2 * length(regexp_replace(c.payload #>> '{timeline,0,summary}', '[^.!?。！？؟]*([?](?![[:alnum:]=&])|[？؟])', '', 'g')) <= length(c.payload #>> '{timeline,0,summary}')
    and c.payload #>> '{timeline,0,summary}' !~ '[0-9]|\m(I|[Mm]e|[Mm]y|[Mm]ine|[Ww]e|[Uu]s|[Oo]urs?)\M'
end, false) as "onlyAsks"
,
      case when m.record_id is not null then json_build_object(
        'conversation', m.conversation, 'at', date_part('epoch', m.at) * 1000, 'arrival', m.arrival,
        'speaker', coalesce(
  c.payload #>> '{conversation,name}',
  case when strpos(left(c.payload #>> '{timeline,0,summary}', 100), ':') > 0
and left(c.payload #>> '{timeline,0,summary}', 100) !~ '^(?:Also|Answer|Date|Edit|Error|Example|Finally|First|Important|Next|Note|Options|Plan|Question|Reminder|Result|Second|Status|Subject|Summary|Task|Time|Tip|Todo|Update|Warning):'
    then substring(left(c.payload #>> '{timeline,0,summary}', 100)
from '^(?:[[(][^])]+[])]:? *|[0-9][-0-9./:, T]+(?: ?[AaPp][Mm])? (?:- )?)?([[:upper:]][[:alpha:]''’.-]*(?: [[:upper:]][[:alpha:]''’.-]*){0,2}):\s') end
), 'isOfAssistant', coalesce(
  lower(c.payload #>> '{conversation,role}') in ('assistant', 'ai', 'bot', 'model', 'agent'), false
)
      ) end as message
  ) as head)::text, 'UTF8') as head,
  tsvectorsend(c.search) as body
      from (
        select *
from records
where id > $1::uuid
and forgotten_at is null
order by id
limit $2
      ) as r join contents as c on c.record_id = r.id
left join messages as m on m.record_id = r.id
      order by r.id
    ) as t;

-- src/retrieval/text/memory/text-memory.queries.ts readUnforgottenIds
    select string_agg(uuid_send(id), ''::bytea
order by id) as ids
from (
      select id
from records
where id > $1::uuid
and forgotten_at is null
order by id
limit $2
    ) as r;

-- src/retrieval/text/prefilter.queries.ts prefilterAll
    select array(
      select r.id
from records as r
where r.forgotten_at is null
limit 201
    ) as met;

-- src/retrieval/text/prefilter.queries.ts prefilterByIndex: by a phrase
    with chosen as materialized (
      select c.record_id as id
from contents as c
where c.search @@ (select coalesce(nullif(coalesce((
    select string_agg(concat('(', phrase, ')'), ' & ')::tsquery
    from (
      select phraseto_tsquery($1::text::regconfig, said) as phrase
      from unnest($2::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery), ''::tsquery), '!''-'''::tsquery))
limit 201
    )
    select (select count(*)
from chosen) as chosen, array(
      select chosen.id
from chosen cross join lateral (
        select
from records as r
where r.id = chosen.id
and r.forgotten_at is null offset 0
      ) as r
      where (select count(*)
from chosen) <= 200
    ) as met;

-- src/retrieval/text/prefilter.queries.ts prefilterByIndex: by tags and words
    with chosen as materialized (
      select c.record_id as id
from contents as c
where c.tags @> $1::text[]
and c.search @@ (select $2::tsquery)
limit 201
    )
    select (select count(*)
from chosen) as chosen, array(
      select chosen.id
from chosen cross join lateral (
        select
from records as r
where r.id = chosen.id
and r.forgotten_at is null offset 0
      ) as r
      where (select count(*)
from chosen) <= 200
    ) as met;

-- src/retrieval/text/score-columns.queries.ts selectScoreColumns
select $1::float8 + $2::float8 * c.words as length, 0::float8 + coalesce(case when c.search @@ $3::tsquery then $4::float8 * 2.2::float8 / (1 + ($5::float8 + $6::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $7::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $8::tsquery then $9::float8 * 2.2::float8 / (1 + ($10::float8 + $11::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $12::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $13::tsquery then $14::float8 * 2.2::float8 / (1 + ($15::float8 + $16::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $17::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $18::tsquery then $19::float8 * 2.2::float8 / (1 + ($20::float8 + $21::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $22::tsquery))) - 0.5)) end, 0) as known
from contents as c;

-- src/retrieval/text/statistics/word-statistics.queries.ts countPages
    select coalesce((
    select pg_relation_size(tableoid) / current_setting('block_size')::bigint
from "contents"
limit 1
  ), 0) as pages;

-- src/retrieval/text/statistics/word-statistics.queries.ts countVisible
    select word, count(*)::int4 as count
    from contents as c join records as r on r.id = c.record_id cross join unnest(tsvector_to_array(c.search)) as word
    where r.forgotten_at is null
and ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
and word = any($3::text[])
    group by word;

-- src/retrieval/text/statistics/word-statistics.queries.ts measureVisible
    select count(*) as rows, coalesce(avg(c.words), 1)::float8 as average
    from contents as c join records as r on r.id = c.record_id
    where r.forgotten_at is null
and ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]));

-- src/retrieval/text/statistics/word-statistics.queries.ts readWordStatistics
    with portion as materialized (
      select least(100, $1::float8 / greatest(1, coalesce((
    select pg_relation_size(tableoid) / current_setting('block_size')::bigint
from "contents"
limit 1
  ), 0))) as percent
    ), sample as materialized (
      select c.words, c.search
      from contents as c tablesample system ((select percent
from portion)) repeatable (0)
    ), word as (
      select word, count(*) as count
from sample, unnest(tsvector_to_array(search)) as word
      group by word having count(*) > 1
    ), middle as (
      select percentile_disc(0.5) within group (order by words) as words
from sample
    )
    select count(*) as sampled, count(*) * 100 / (select percent
from portion) as rows,
      coalesce(avg(least(sample.words, 8 * greatest(1, middle.words))), 1)::float8 as average,
      (select coalesce(json_agg(json_build_array(word, count)), '[]')
from word) as words
    from sample cross join middle;

-- src/retrieval/text/stems/stemming.queries.ts findStems
    select word, tsvector_to_array(to_tsvector($1::text::regconfig, word)) as stems
    from unnest($2::text[]) as word;

-- src/retrieval/text/stems/word-forms.queries.ts findWordsWithBeginnings
    with found as materialized (
      select c.search
from contents as c join records as r on r.id = c.record_id
      where c.search @@ (select $1::tsquery)
and c.words <= 2000
        and r.forgotten_at is null
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
      limit 500
    )
    select distinct word
from found cross join unnest(tsvector_to_array(found.search)) as word
    where left(word, 5) = any($4::text[])
    limit 500;

-- src/retrieval/text/surroundings/surroundings.queries.ts findMessagesAround
    select m.record_id as message, array_agg(near.record_id
order by near.at, near.arrival) as ids,
      array_agg(near.at
order by near.at, near.arrival) as times
    from unnest($1::uuid[]) as found (id)
    join messages as m on m.record_id = found.id
    cross join lateral (
      select m.record_id, m.at, m.arrival
      union all (
    select n.record_id, n.at, n.arrival
from messages as n join records as r on r.id = n.record_id
    where n.scope = m.scope
and n.conversation = m.conversation
and (n.at, n.arrival) < (m.at, m.arrival)
      and r.forgotten_at is null
    order by n.at desc, n.arrival desc
    limit 4)
      union all (
    select n.record_id, n.at, n.arrival
from messages as n join records as r on r.id = n.record_id
    where n.scope = m.scope
and n.conversation = m.conversation
and (n.at, n.arrival) > (m.at, m.arrival)
      and r.forgotten_at is null
    order by n.at asc, n.arrival asc
    limit 4)
    ) as near
    group by m.record_id;

-- src/retrieval/text/surroundings/surroundings.queries.ts readWordsAround
    with match as materialized (
      select m.*, coalesce(true
and r.importance > 0, false) as is_answer
      from unnest($1::uuid[]) as found (id) join messages as m on m.record_id = found.id
      join records as r on r.id = found.id
    ), message as materialized (
      select near.record_id, m.scope, m.conversation, near.at, near.arrival, bool_or(near.is_context) as is_context,
        bool_or(near.is_answer) as is_answer
      from match as m cross join lateral (
        select m.record_id, m.at, m.arrival, m.is_answer, false as is_context
        union all (select *, true
from (
    select n.record_id, n.at, n.arrival , coalesce(true
and r.importance > 0, false) as is_answer
    from messages as n join records as r on r.id = n.record_id
    where n.scope = m.scope
and n.conversation = m.conversation
and (n.at, n.arrival) < (m.at, m.arrival)
      and r.forgotten_at is null
    order by n.at desc, n.arrival desc
    limit 4) as earlier)
        union all (select *, true
from (
    select n.record_id, n.at, n.arrival , coalesce(true
and r.importance > 0, false) as is_answer
    from messages as n join records as r on r.id = n.record_id
    where n.scope = m.scope
and n.conversation = m.conversation
and (n.at, n.arrival) > (m.at, m.arrival)
      and r.forgotten_at is null
    order by n.at asc, n.arrival asc
    limit 4) as later)
      ) as near
      group by near.record_id, m.scope, m.conversation, near.at, near.arrival
    ), line as materialized (
      select concat_ws(' ', m.record_id, round(date_part('epoch', m.at) * 1000), c.words, m.is_context::int,
          case when c.speaker is null then 0 else dense_rank() over (order by c.speaker) end,
          coalesce(c.payload #>> '{timeline,0,summary}' ~ '[?](?![[:alnum:]=&])|[？؟]', false)::int,
          coalesce(m.is_answer
and c.words > 1, false)::int,
          (lag(m.arrival) over (partition by m.scope, m.conversation
order by m.at, m.arrival) is null)::int,
          case when c.search @@ $2::tsquery then array_to_string(array[case when c.search @@ $3::tsquery then '0:' || round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $4::tsquery))) - 0.5) end, case when c.search @@ $5::tsquery then '1:' || round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $6::tsquery))) - 0.5) end, case when c.search @@ $7::tsquery then '2:' || round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $8::tsquery))) - 0.5) end, case when c.search @@ $9::tsquery then '3:' || round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $10::tsquery))) - 0.5) end], ' ') end) as text,
        m.scope, m.conversation, m.at, m.arrival
      from message as m cross join lateral (
        select c.*, coalesce(
  c.payload #>> '{conversation,name}',
  case when strpos(left(c.payload #>> '{timeline,0,summary}', 100), ':') > 0
and left(c.payload #>> '{timeline,0,summary}', 100) !~ '^(?:Also|Answer|Date|Edit|Error|Example|Finally|First|Important|Next|Note|Options|Plan|Question|Reminder|Result|Second|Status|Subject|Summary|Task|Time|Tip|Todo|Update|Warning):'
    then substring(left(c.payload #>> '{timeline,0,summary}', 100)
from '^(?:[[(][^])]+[])]:? *|[0-9][-0-9./:, T]+(?: ?[AaPp][Mm])? (?:- )?)?([[:upper:]][[:alpha:]''’.-]*(?: [[:upper:]][[:alpha:]''’.-]*){0,2}):\s') end
) as speaker
from contents as c
where c.record_id = m.record_id offset 0
      ) as c
    )
    select string_agg(text, ','
order by scope, conversation, at, arrival) as messages
from line;

-- src/retrieval/text/text-requirements.queries.ts listRecordRequirements
select exists (select
from contents as c
where c.record_id = r.id
and c.search @@ (select coalesce(nullif(coalesce((
    select string_agg(concat('(', phrase, ')'), ' & ')::tsquery
    from (
      select phraseto_tsquery($1::text::regconfig, said) as phrase
      from unnest($2::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery), ''::tsquery), '!''-'''::tsquery))), not exists (select
from contents as c
where c.record_id = r.id
and c.search @@ (select coalesce((
    select string_agg(concat('(', phrase, ')'), ' | ')::tsquery
    from (
      select phraseto_tsquery($3::text::regconfig, said) as phrase
      from unnest($4::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery)))
from records as r;

-- src/retrieval/text/text-requirements.queries.ts listRequiredPhrases
select c.search @@ (select coalesce(nullif(coalesce((
    select string_agg(concat('(', phrase, ')'), ' & ')::tsquery
    from (
      select phraseto_tsquery($1::text::regconfig, said) as phrase
      from unnest($2::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery), ''::tsquery), '!''-'''::tsquery))
from contents as c;

-- src/retrieval/text/text-requirements.queries.ts listRequiredQueries
select coalesce((
    select string_agg(concat('(', phrase, ')'), ' & ')::tsquery
    from (
      select phraseto_tsquery($1::text::regconfig, said) as phrase
      from unnest($2::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery), !!coalesce((
    select string_agg(concat('(', phrase, ')'), ' | ')::tsquery
    from (
      select phraseto_tsquery($3::text::regconfig, said) as phrase
      from unnest($4::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery);

-- src/retrieval/text/text-requirements.queries.ts listTextRequirements
select c.search @@ (select coalesce(nullif(coalesce((
    select string_agg(concat('(', phrase, ')'), ' & ')::tsquery
    from (
      select phraseto_tsquery($1::text::regconfig, said) as phrase
      from unnest($2::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery), ''::tsquery), '!''-'''::tsquery)), not (c.search @@ (select coalesce((
    select string_agg(concat('(', phrase, ')'), ' | ')::tsquery
    from (
      select phraseto_tsquery($3::text::regconfig, said) as phrase
      from unnest($4::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery)))
from contents as c;

-- src/retrieval/text/text-search.queries.ts findByCombinations
    with found as materialized (
      select c.record_id as id, $1::float8 + $2::float8 * c.words as length, 0::float8 + coalesce(case when c.search @@ $3::tsquery then $4::float8 * 2.2::float8 / (1 + ($5::float8 + $6::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $7::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $8::tsquery then $9::float8 * 2.2::float8 / (1 + ($10::float8 + $11::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $12::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $13::tsquery then $14::float8 * 2.2::float8 / (1 + ($15::float8 + $16::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $17::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $18::tsquery then $19::float8 * 2.2::float8 / (1 + ($20::float8 + $21::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $22::tsquery))) - 0.5)) end, 0) as known
from contents as c
where c.search @@ (select $23::tsquery && $24::tsquery && coalesce((
    select string_agg(concat('(', phrase, ')'), ' & ')::tsquery
    from (
      select phraseto_tsquery($25::text::regconfig, said) as phrase
      from unnest($26::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery) && !!coalesce((
    select string_agg(concat('(', phrase, ')'), ' | ')::tsquery
    from (
      select phraseto_tsquery($27::text::regconfig, said) as phrase
      from unnest($28::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery))
and not (c.search @@ ($29::tsquery))
    ), visible as materialized (
      select found.*, seen.is_match
      from found cross join lateral (
        select true as is_match
from records as r
        where r.id = found.id
and r.forgotten_at is null
and ("r"."sensitivity" <= $30
and "r"."scope" = any($31::text[]))
        offset 0
      ) as seen
    ), total as materialized (
      select count(*) as matches
from visible
    ), best as (
      select id, round((known + 0::float8) * 1e9) / 1e9 as score
      from visible cross join total
      where is_match
      order by score desc, id
      limit $32
    )
    select (select string_agg(id || ' ' || score, ','
order by score desc, id)
from best) as matches,
      array_to_string(array[]::float8[], ' ') as idfs
    from total;

-- src/retrieval/text/text-search.queries.ts findByWords
    with found as materialized (
      select c.record_id as id, $1::float8 + $2::float8 * c.words as length, 0::float8 + coalesce(case when c.search @@ $3::tsquery then $4::float8 * 2.2::float8 / (1 + ($5::float8 + $6::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $7::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $8::tsquery then $9::float8 * 2.2::float8 / (1 + ($10::float8 + $11::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $12::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $13::tsquery then $14::float8 * 2.2::float8 / (1 + ($15::float8 + $16::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $17::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $18::tsquery then $19::float8 * 2.2::float8 / (1 + ($20::float8 + $21::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $22::tsquery))) - 0.5)) end, 0) as known , case when c.search @@ $23::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $24::tsquery))) - 0.5) end as "count_0", case when c.search @@ $25::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $26::tsquery))) - 0.5) end as "count_1", case when c.search @@ $27::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $28::tsquery))) - 0.5) end as "count_2", case when c.search @@ $29::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $30::tsquery))) - 0.5) end as "count_3"
      from contents as c
where c.search @@ (select $31::tsquery && $32::tsquery && coalesce((
    select string_agg(concat('(', phrase, ')'), ' & ')::tsquery
    from (
      select phraseto_tsquery($33::text::regconfig, said) as phrase
      from unnest($34::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery) && !!coalesce((
    select string_agg(concat('(', phrase, ')'), ' | ')::tsquery
    from (
      select phraseto_tsquery($35::text::regconfig, said) as phrase
      from unnest($36::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery))
    ), visible as materialized (
      select found.*, seen.is_match
      from found cross join lateral (
        select true as is_match
from records as r
        where r.id = found.id
and r.forgotten_at is null
and ("r"."sensitivity" <= $37
and "r"."scope" = any($38::text[]))
        offset 0
      ) as seen
    ), total as materialized (
      select count(*) as matches , $39::float8 * ln(1 + greatest(0, $40::float8 - least(count("count_0"), $41::float8) + 0.5) / (least(count("count_0"), $42::float8) + 0.5)) as "idf_0", $43::float8 * ln(1 + greatest(0, $44::float8 - least(count("count_1"), $45::float8) + 0.5) / (least(count("count_1"), $46::float8) + 0.5)) as "idf_1", $47::float8 * ln(1 + greatest(0, $48::float8 - least(count("count_2"), $49::float8) + 0.5) / (least(count("count_2"), $50::float8) + 0.5)) as "idf_2", $51::float8 * ln(1 + greatest(0, $52::float8 - least(count("count_3"), $53::float8) + 0.5) / (least(count("count_3"), $54::float8) + 0.5)) as "idf_3"
from visible
    ), best as (
      select id, round((known + 0::float8 + coalesce("idf_0" * 2.2::float8 / (1 + (length) / "count_0"), 0) + coalesce("idf_1" * 2.2::float8 / (1 + (length) / "count_1"), 0) + coalesce("idf_2" * 2.2::float8 / (1 + (length) / "count_2"), 0) + coalesce("idf_3" * 2.2::float8 / (1 + (length) / "count_3"), 0)) * 1e9) / 1e9 as score
      from visible cross join total
      where is_match
      order by score desc, id
      limit $55
    )
    select (select string_agg(id || ' ' || score, ','
order by score desc, id)
from best) as matches,
      array_to_string(array["idf_0", "idf_1", "idf_2", "idf_3"]::float8[], ' ') as idfs
    from total;

-- src/retrieval/text/text-search.queries.ts findByWords: among forgotten records too
    with found as materialized (
      select c.record_id as id, $1::float8 + $2::float8 * c.words as length, 0::float8 + coalesce(case when c.search @@ $3::tsquery then $4::float8 * 2.2::float8 / (1 + ($5::float8 + $6::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $7::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $8::tsquery then $9::float8 * 2.2::float8 / (1 + ($10::float8 + $11::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $12::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $13::tsquery then $14::float8 * 2.2::float8 / (1 + ($15::float8 + $16::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $17::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $18::tsquery then $19::float8 * 2.2::float8 / (1 + ($20::float8 + $21::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $22::tsquery))) - 0.5)) end, 0) as known , case when c.search @@ $23::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $24::tsquery))) - 0.5) end as "count_0", case when c.search @@ $25::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $26::tsquery))) - 0.5) end as "count_1", case when c.search @@ $27::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $28::tsquery))) - 0.5) end as "count_2", case when c.search @@ $29::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $30::tsquery))) - 0.5) end as "count_3"
      from contents as c
where c.search @@ (select $31::tsquery && $32::tsquery && coalesce((
    select string_agg(concat('(', phrase, ')'), ' & ')::tsquery
    from (
      select phraseto_tsquery($33::text::regconfig, said) as phrase
      from unnest($34::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery) && !!coalesce((
    select string_agg(concat('(', phrase, ')'), ' | ')::tsquery
    from (
      select phraseto_tsquery($35::text::regconfig, said) as phrase
      from unnest($36::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery))
    ), visible as materialized (
      select found.*, seen.is_match
      from found cross join lateral (
        select true as is_match
from records as r
        where r.id = found.id
and ("r"."sensitivity" <= $37
and "r"."scope" = any($38::text[]))
        offset 0
      ) as seen
    ), total as materialized (
      select count(*) as matches , $39::float8 * ln(1 + greatest(0, $40::float8 - least(count("count_0"), $41::float8) + 0.5) / (least(count("count_0"), $42::float8) + 0.5)) as "idf_0", $43::float8 * ln(1 + greatest(0, $44::float8 - least(count("count_1"), $45::float8) + 0.5) / (least(count("count_1"), $46::float8) + 0.5)) as "idf_1", $47::float8 * ln(1 + greatest(0, $48::float8 - least(count("count_2"), $49::float8) + 0.5) / (least(count("count_2"), $50::float8) + 0.5)) as "idf_2", $51::float8 * ln(1 + greatest(0, $52::float8 - least(count("count_3"), $53::float8) + 0.5) / (least(count("count_3"), $54::float8) + 0.5)) as "idf_3"
from visible
    ), best as (
      select id, round((known + 0::float8 + coalesce("idf_0" * 2.2::float8 / (1 + (length) / "count_0"), 0) + coalesce("idf_1" * 2.2::float8 / (1 + (length) / "count_1"), 0) + coalesce("idf_2" * 2.2::float8 / (1 + (length) / "count_2"), 0) + coalesce("idf_3" * 2.2::float8 / (1 + (length) / "count_3"), 0)) * 1e9) / 1e9 as score
      from visible cross join total
      where is_match
      order by score desc, id
      limit $55
    )
    select (select string_agg(id || ' ' || score, ','
order by score desc, id)
from best) as matches,
      array_to_string(array["idf_0", "idf_1", "idf_2", "idf_3"]::float8[], ' ') as idfs
    from total;

-- src/retrieval/text/text-search.queries.ts findByWords: with related words
    with found as materialized (
      select c.record_id as id, $1::float8 + $2::float8 * c.words as length, 0::float8 + coalesce(case when c.search @@ $3::tsquery then $4::float8 * 2.2::float8 / (1 + ($5::float8 + $6::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $7::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $8::tsquery then $9::float8 * 2.2::float8 / (1 + ($10::float8 + $11::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $12::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $13::tsquery then $14::float8 * 2.2::float8 / (1 + ($15::float8 + $16::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $17::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $18::tsquery then $19::float8 * 2.2::float8 / (1 + ($20::float8 + $21::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $22::tsquery))) - 0.5)) end, 0) as known , case when c.search @@ $23::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $24::tsquery))) - 0.5) end as "count_0", case when c.search @@ $25::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $26::tsquery))) - 0.5) end as "count_1", case when c.search @@ $27::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $28::tsquery))) - 0.5) end as "count_2", case when c.search @@ $29::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $30::tsquery))) - 0.5) end as "count_3", case when c.search @@ $31::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $32::tsquery))) - 0.5) end as "count_4", case when c.search @@ $33::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $34::tsquery))) - 0.5) end as "count_5", case when c.search @@ $35::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $36::tsquery))) - 0.5) end as "count_6", case when c.search @@ $37::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $38::tsquery))) - 0.5) end as "count_7", case when c.search @@ $39::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $40::tsquery))) - 0.5) end as "count_8", case when c.search @@ $41::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $42::tsquery))) - 0.5) end as "count_9", case when c.search @@ $43::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $44::tsquery))) - 0.5) end as "count_10", case when c.search @@ $45::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $46::tsquery))) - 0.5) end as "count_11"
      from contents as c
where c.search @@ (select $47::tsquery && $48::tsquery && coalesce((
    select string_agg(concat('(', phrase, ')'), ' & ')::tsquery
    from (
      select phraseto_tsquery($49::text::regconfig, said) as phrase
      from unnest($50::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery) && !!coalesce((
    select string_agg(concat('(', phrase, ')'), ' | ')::tsquery
    from (
      select phraseto_tsquery($51::text::regconfig, said) as phrase
      from unnest($52::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery))
    ), visible as materialized (
      select found.*, seen.is_match
      from found cross join lateral (
        select true as is_match
from records as r
        where r.id = found.id
and r.forgotten_at is null
and ("r"."sensitivity" <= $53
and "r"."scope" = any($54::text[]))
        offset 0
      ) as seen
    ), total as materialized (
      select count(*) as matches , $55::float8 * ln(1 + greatest(0, $56::float8 - least(count("count_0"), $57::float8) + 0.5) / (least(count("count_0"), $58::float8) + 0.5)) as "idf_0", $59::float8 * ln(1 + greatest(0, $60::float8 - least(count("count_1"), $61::float8) + 0.5) / (least(count("count_1"), $62::float8) + 0.5)) as "idf_1", $63::float8 * ln(1 + greatest(0, $64::float8 - least(count("count_2"), $65::float8) + 0.5) / (least(count("count_2"), $66::float8) + 0.5)) as "idf_2", $67::float8 * ln(1 + greatest(0, $68::float8 - least(count("count_3"), $69::float8) + 0.5) / (least(count("count_3"), $70::float8) + 0.5)) as "idf_3", $71::float8 * ln(1 + greatest(0, $72::float8 - least(count("count_4"), $73::float8) + 0.5) / (least(count("count_4"), $74::float8) + 0.5)) as "idf_4", $75::float8 * ln(1 + greatest(0, $76::float8 - least(count("count_5"), $77::float8) + 0.5) / (least(count("count_5"), $78::float8) + 0.5)) as "idf_5", $79::float8 * ln(1 + greatest(0, $80::float8 - least(count("count_6"), $81::float8) + 0.5) / (least(count("count_6"), $82::float8) + 0.5)) as "idf_6", $83::float8 * ln(1 + greatest(0, $84::float8 - least(count("count_7"), $85::float8) + 0.5) / (least(count("count_7"), $86::float8) + 0.5)) as "idf_7", $87::float8 * ln(1 + greatest(0, $88::float8 - least(count("count_8"), $89::float8) + 0.5) / (least(count("count_8"), $90::float8) + 0.5)) as "idf_8", $91::float8 * ln(1 + greatest(0, $92::float8 - least(count("count_9"), $93::float8) + 0.5) / (least(count("count_9"), $94::float8) + 0.5)) as "idf_9", $95::float8 * ln(1 + greatest(0, $96::float8 - least(count("count_10"), $97::float8) + 0.5) / (least(count("count_10"), $98::float8) + 0.5)) as "idf_10", $99::float8 * ln(1 + greatest(0, $100::float8 - least(count("count_11"), $101::float8) + 0.5) / (least(count("count_11"), $102::float8) + 0.5)) as "idf_11"
from visible
    ), best as (
      select id, round((known + 0::float8 + coalesce("idf_0" * 2.2::float8 / (1 + (length) / "count_0"), 0) + coalesce("idf_1" * 2.2::float8 / (1 + (length) / "count_1"), 0) + coalesce("idf_2" * 2.2::float8 / (1 + (length) / "count_2"), 0) + coalesce("idf_3" * 2.2::float8 / (1 + (length) / "count_3"), 0) + coalesce(case when (array["idf_0", "idf_1", "idf_2", "idf_3", $103::float8])[$104::int4] >= $105::float8 then $106::float8 * least("idf_4", (array["idf_0", "idf_1", "idf_2", "idf_3", $107::float8])[$108::int4]) else 0 end * 2.2::float8 / (1 + (length) / "count_4"), 0) + coalesce(case when (array["idf_0", "idf_1", "idf_2", "idf_3", $109::float8])[$110::int4] >= $111::float8 then $112::float8 * least("idf_5", (array["idf_0", "idf_1", "idf_2", "idf_3", $113::float8])[$114::int4]) else 0 end * 2.2::float8 / (1 + (length) / "count_5"), 0) + coalesce(case when (array["idf_0", "idf_1", "idf_2", "idf_3", $115::float8])[$116::int4] >= $117::float8 then $118::float8 * least("idf_6", (array["idf_0", "idf_1", "idf_2", "idf_3", $119::float8])[$120::int4]) else 0 end * 2.2::float8 / (1 + (length) / "count_6"), 0) + coalesce(case when (array["idf_0", "idf_1", "idf_2", "idf_3", $121::float8])[$122::int4] >= $123::float8 then $124::float8 * least("idf_7", (array["idf_0", "idf_1", "idf_2", "idf_3", $125::float8])[$126::int4]) else 0 end * 2.2::float8 / (1 + (length) / "count_7"), 0) + coalesce($127::float8 * least("idf_8", (array["idf_0", "idf_1", "idf_2", "idf_3", $128::float8])[$129::int4]) * 2.2::float8 / (1 + (length) / "count_8"), 0) + coalesce($130::float8 * least("idf_9", (array["idf_0", "idf_1", "idf_2", "idf_3", $131::float8])[$132::int4]) * 2.2::float8 / (1 + (length) / "count_9"), 0) + coalesce($133::float8 * least("idf_10", (array["idf_0", "idf_1", "idf_2", "idf_3", $134::float8])[$135::int4]) * 2.2::float8 / (1 + (length) / "count_10"), 0) + coalesce($136::float8 * least("idf_11", (array["idf_0", "idf_1", "idf_2", "idf_3", $137::float8])[$138::int4]) * 2.2::float8 / (1 + (length) / "count_11"), 0)) * 1e9) / 1e9 as score
      from visible cross join total
      where is_match
      order by score desc, id
      limit $139
    )
    select (select string_agg(id || ' ' || score, ','
order by score desc, id)
from best) as matches,
      array_to_string(array["idf_0", "idf_1", "idf_2", "idf_3", "idf_4", "idf_5", "idf_6", "idf_7", "idf_8", "idf_9", "idf_10", "idf_11"]::float8[], ' ') as idfs
    from total;

-- src/retrieval/text/text-search.queries.ts findInSubset
    with found as materialized (
      select c.record_id as id, $1::float8 + $2::float8 * c.words as length, 0::float8 + coalesce(case when c.search @@ $3::tsquery then $4::float8 * 2.2::float8 / (1 + ($5::float8 + $6::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $7::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $8::tsquery then $9::float8 * 2.2::float8 / (1 + ($10::float8 + $11::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $12::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $13::tsquery then $14::float8 * 2.2::float8 / (1 + ($15::float8 + $16::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $17::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $18::tsquery then $19::float8 * 2.2::float8 / (1 + ($20::float8 + $21::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $22::tsquery))) - 0.5)) end, 0) as known
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
where ("r"."sensitivity" <= $23
and "r"."scope" = any($24::text[]))
limit 500
    )
    union select unnest($25::uuid[])))
and c.search @@ (select $26::tsquery && $27::tsquery && coalesce((
    select string_agg(concat('(', phrase, ')'), ' & ')::tsquery
    from (
      select phraseto_tsquery($28::text::regconfig, said) as phrase
      from unnest($29::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery) && !!coalesce((
    select string_agg(concat('(', phrase, ')'), ' | ')::tsquery
    from (
      select phraseto_tsquery($30::text::regconfig, said) as phrase
      from unnest($31::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery))
      and not (c.search @@ ($32::tsquery))
    ), visible as materialized (
      select found.*, seen.is_match
      from found cross join lateral (
        select true as is_match
from records as r
        where r.id = found.id
and r.forgotten_at is null
and ("r"."sensitivity" <= $33
and "r"."scope" = any($34::text[]))
        offset 0
      ) as seen
    ), total as materialized (
      select count(*) as matches
from visible
    ), best as (
      select id, round((known + 0::float8) * 1e9) / 1e9 as score
      from visible cross join total
      where is_match
      order by score desc, id
      limit $35
    )
    select (select string_agg(id || ' ' || score, ','
order by score desc, id)
from best) as matches,
      array_to_string(array[]::float8[], ' ') as idfs
    from total;

-- src/retrieval/text/text-search.queries.ts findInSubset: of no rare words
    with found as materialized (
      select c.record_id as id, $1::float8 + $2::float8 * c.words as length, 0::float8 + coalesce(case when c.search @@ $3::tsquery then $4::float8 * 2.2::float8 / (1 + ($5::float8 + $6::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $7::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $8::tsquery then $9::float8 * 2.2::float8 / (1 + ($10::float8 + $11::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $12::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $13::tsquery then $14::float8 * 2.2::float8 / (1 + ($15::float8 + $16::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $17::tsquery))) - 0.5)) end, 0) + coalesce(case when c.search @@ $18::tsquery then $19::float8 * 2.2::float8 / (1 + ($20::float8 + $21::float8 * c.words) / round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $22::tsquery))) - 0.5)) end, 0) as known
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
where ("r"."sensitivity" <= $23
and "r"."scope" = any($24::text[]))
limit 500
    )
    union select unnest($25::uuid[])))
and c.search @@ (select $26::tsquery && $27::tsquery && coalesce((
    select string_agg(concat('(', phrase, ')'), ' & ')::tsquery
    from (
      select phraseto_tsquery($28::text::regconfig, said) as phrase
      from unnest($29::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery) && !!coalesce((
    select string_agg(concat('(', phrase, ')'), ' | ')::tsquery
    from (
      select phraseto_tsquery($30::text::regconfig, said) as phrase
      from unnest($31::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery))
    ), visible as materialized (
      select found.*, seen.is_match
      from found cross join lateral (
        select true as is_match
from records as r
        where r.id = found.id
and r.forgotten_at is null
and ("r"."sensitivity" <= $32
and "r"."scope" = any($33::text[]))
        offset 0
      ) as seen
    ), total as materialized (
      select count(*) as matches
from visible
    ), best as (
      select id, round((known + 0::float8) * 1e9) / 1e9 as score
      from visible cross join total
      where is_match
      order by score desc, id
      limit $34
    )
    select (select string_agg(id || ' ' || score, ','
order by score desc, id)
from best) as matches,
      array_to_string(array[]::float8[], ' ') as idfs
    from total;

-- src/retrieval/text/word-conditions.queries.ts andNone
select true
and not (c.search @@ ($1::tsquery))
from contents as c;

-- src/retrieval/text/word-conditions.queries.ts containsAny
select c.search @@ (select $1::tsquery && $2::tsquery && coalesce((
    select string_agg(concat('(', phrase, ')'), ' & ')::tsquery
    from (
      select phraseto_tsquery($3::text::regconfig, said) as phrase
      from unnest($4::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery) && !!coalesce((
    select string_agg(concat('(', phrase, ')'), ' | ')::tsquery
    from (
      select phraseto_tsquery($5::text::regconfig, said) as phrase
      from unnest($6::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery))
from contents as c;

-- src/retrieval/text/word-conditions.queries.ts containsSet
select c.search @@ (select $1::tsquery && $2::tsquery && coalesce((
    select string_agg(concat('(', phrase, ')'), ' & ')::tsquery
    from (
      select phraseto_tsquery($3::text::regconfig, said) as phrase
      from unnest($4::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery) && !!coalesce((
    select string_agg(concat('(', phrase, ')'), ' | ')::tsquery
    from (
      select phraseto_tsquery($5::text::regconfig, said) as phrase
      from unnest($6::text[]) as said
    ) as said
    where numnode(phrase) > 0
  ), ''::tsquery))
from contents as c;

-- src/retrieval/text/word-occurrences.queries.ts selectOccurrences
select case when c.search @@ $1::tsquery then round(1 / (1.6449340668482264::float8 * (1 - ts_rank('{1,1,1,1}', c.search, $2::tsquery))) - 0.5) end
from contents as c;
