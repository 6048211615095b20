-- src/entities/entities.queries.ts deleteHandlesAndIdentifiers
    with handle as (delete
from handles
where record_id = any($1::uuid[]))
    delete
from entity_identifiers
where record_id = any($2::uuid[]);

-- src/entities/entities.queries.ts findEntitiesByName: anywhere
    select entity.id, entity.scope, entity.status, entity.created_at, c.payload
    from (
      select r.id, r.scope, r.status, r.created_at
      from handles as h cross join lateral (
        select r.id, r.scope, r.status, r.created_at
from records as r
        where r.id = h.record_id
and r.type = 'entity'
and r.forgotten_at is null
          and r.status in ('active', 'challenged')
and ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
        offset 0
      ) as r
      where h.digest = $3
order by r.created_at, r.id
      limit $4
    ) as entity
    cross join lateral (select payload
from contents
where record_id = entity.id offset 0) as c;

-- src/entities/entities.queries.ts findEntitiesByName: in one scope
    select entity.id, entity.scope, entity.status, entity.created_at, c.payload
    from (
      select r.id, r.scope, r.status, r.created_at
      from handles as h cross join lateral (
        select r.id, r.scope, r.status, r.created_at
from records as r
        where r.id = h.record_id
and r.type = 'entity'
and r.forgotten_at is null
          and r.status in ('active', 'challenged')
and ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
        offset 0
      ) as r
      where h.digest = $3
and h.scope = $4
      order by r.created_at, r.id
      limit $5
    ) as entity
    cross join lateral (select payload
from contents
where record_id = entity.id offset 0) as c;

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

-- src/entities/entities.queries.ts insertMergeDescents
    insert into descents (derived_id, source_id, kind, is_ground)
    select $1::uuid, id, 'fold', exists (
      select
from descents as d
where d.derived_id = $2::uuid
and d.is_ground
    )
    from unnest($3::uuid[]) as merged (id)
    on conflict on constraint descents_pkey do nothing;

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
          limit 1000
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
            ) as a
          ) as newest
          where newest.total <= 131072
          order by newest.id
        ) as entry
      ), '[]') as audit_log
    from (
    select r.id
    from relations as e join records as r on r.id = e.target_id
    where e.source_id = $9::uuid
and e.predicate = any($10::text[])
      and r.forgotten_at is null
and ("r"."sensitivity" <= $11
and "r"."scope" = any($12::text[]))
    group by r.id
    order by r.created_at desc, r.id desc
    limit $13
  ) as cut join records as r on r.id = cut.id
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $14
and "r"."scope" = any($15::text[]))
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
          limit 1000
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
            ) as a
          ) as newest
          where newest.total <= 131072
          order by newest.id
        ) as entry
      ), '[]') as audit_log
    from (
    select r.id
    from relations as e join records as r on r.id = e.target_id
    where e.source_id = $9::uuid
and e.predicate = any($10::text[])
      and r.forgotten_at is null
and ("r"."sensitivity" <= $11
and "r"."scope" = any($12::text[]))
and (r.created_at, r.id) < ($13::timestamptz, $14::uuid)
    group by r.id
    order by r.created_at desc, r.id desc
    limit $15
  ) as cut join records as r on r.id = cut.id
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $16
and "r"."scope" = any($17::text[]))
order by r.created_at desc, r.id desc;

-- src/entities/entities.queries.ts lockActiveEntities
    select r.id, r.forgotten_at is null
and r.status in ('active', 'challenged') as is_active
    from records as r
where r.id = any($1::uuid[])
    order by r.id
    for key share;

-- src/entities/entities.queries.ts lockEntitiesToMerge
    select r.id
from records as r
where r.id = any($1::uuid[])
order by r.id
for update;

-- src/entities/entities.queries.ts lockMergesAcrossScopes
    select case when $1::text = $2 then pg_advisory_xact_lock(7350 # lock_seed(), 5)
      else pg_advisory_xact_lock_shared(7350 # lock_seed(), 5) end;

-- src/entities/entities.queries.ts lockMergesInScope
select pg_advisory_xact_lock(hashtextextended($1::text, 7350 # lock_seed()));
