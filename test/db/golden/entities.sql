-- src/entities/entities.queries.ts deleteHandlesAndIdentifiers
    with handle as (delete
from handles
where record_id = any($1::uuid[]))
    delete
from entity_identifiers
where record_id = any($2::uuid[]);

-- src/entities/entities.queries.ts findEntitiesByName: anywhere
    select entity.id, entity.scope, entity.status, entity.created_at,
      case when case when pg_column_size(c.payload) > 16384 then pg_column_size(c.payload) else coalesce(case when pg_column_compression(c.payload) is null then pg_column_size(c.payload)
    else octet_length(c.payload::text) end, 0)::int8 end <= 16384 then c.payload else jsonb_build_object(
    'canonical_name', c.payload -> 'canonical_name', 'primary_type', '', 'types', '[]'::jsonb,
    'aliases', jsonb_build_array(jsonb_build_object('value', $1::text)),
    'identifiers', coalesce((
      select jsonb_agg(i)
from jsonb_array_elements(c.payload -> 'identifiers') as i
      where $2 in (i ->> 'value', (i ->> 'namespace') || ':' || (i ->> 'value'))
    ), '[]')
  ) end as payload
    from (
      select r.id, r.scope, r.status, r.created_at
      from handles as h cross join lateral (
        select r.id, r.scope, r.status, r.created_at
from records as r
        where r.id = h.record_id
and r.type = 'entity'
and r.forgotten_at is null
          and r.status in ('active', 'challenged')
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
        offset 0
      ) as r
      where h.digest = $5
order by r.created_at, r.id
      limit $6
    ) as entity
    cross join lateral (select payload
from contents
where record_id = entity.id offset 0) as c;

-- src/entities/entities.queries.ts findEntitiesByName: in one scope
    select entity.id, entity.scope, entity.status, entity.created_at,
      case when case when pg_column_size(c.payload) > 16384 then pg_column_size(c.payload) else coalesce(case when pg_column_compression(c.payload) is null then pg_column_size(c.payload)
    else octet_length(c.payload::text) end, 0)::int8 end <= 16384 then c.payload else jsonb_build_object(
    'canonical_name', c.payload -> 'canonical_name', 'primary_type', '', 'types', '[]'::jsonb,
    'aliases', jsonb_build_array(jsonb_build_object('value', $1::text)),
    'identifiers', coalesce((
      select jsonb_agg(i)
from jsonb_array_elements(c.payload -> 'identifiers') as i
      where $2 in (i ->> 'value', (i ->> 'namespace') || ':' || (i ->> 'value'))
    ), '[]')
  ) end as payload
    from (
      select r.id, r.scope, r.status, r.created_at
      from handles as h cross join lateral (
        select r.id, r.scope, r.status, r.created_at
from records as r
        where r.id = h.record_id
and r.type = 'entity'
and r.forgotten_at is null
          and r.status in ('active', 'challenged')
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
        offset 0
      ) as r
      where h.digest = $5
and h.scope = $6
      order by r.created_at, r.id
      limit $7
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

-- src/entities/entities.queries.ts findProfile
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
    select r.id, r.created_at
    from relations as e join records as r on r.id = e.target_id
    where e.source_id = $1::uuid
and e.predicate = any($2::text[])
      and r.forgotten_at is null
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
    group by r.id
    order by r.created_at desc, r.id desc
    limit $5;

-- src/entities/entities.queries.ts listMentions: the second page
    select r.id, r.created_at
    from relations as e join records as r on r.id = e.target_id
    where e.source_id = $1::uuid
and e.predicate = any($2::text[])
      and r.forgotten_at is null
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
and (r.created_at, r.id) < ($5::timestamptz, $6::uuid)
    group by r.id
    order by r.created_at desc, r.id desc
    limit $7;

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
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
order by r.id
for update;

-- src/entities/entities.queries.ts lockMergesAcrossScopes
    select case when $1::text = $2 then pg_advisory_xact_lock(7350 # lock_seed(), 5)
      else pg_advisory_xact_lock_shared(7350 # lock_seed(), 5) end;

-- src/entities/entities.queries.ts lockMergesInScope
select pg_advisory_xact_lock(hashtextextended($1::text, 7350 # lock_seed()));
