-- src/revision/retirement/quoting-records.queries.ts deleteProfileRows
delete
from peer_cards
where card_id = any($1::uuid[]);

-- src/revision/retirement/quoting-records.queries.ts findQuoting
    select r.id
    from descents as d
    cross join lateral (
      select w.id, w.status, w.forgotten_at, w.pinned
from records as w
where w.id = d.derived_id offset 0
    ) as r
    where d.source_id = $1::uuid
and d.kind = 'dream'
      and r.status in ('active', 'challenged')
and r.forgotten_at is null
and not r.pinned
    order by r.id;

-- src/revision/reversal/merge-reversal.queries.ts findMergedSources
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

-- src/revision/reversal/merge-reversal.queries.ts findSalienceBeforeMerge
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

-- src/revision/reversal/reversal.queries.ts findLastOperation
    select e.run_id as id, (e.before ->> 'version')::int4 as version
    from audit_entries as a
    join run_effects as e on e.run_id = a.operation_id
and e.record_id = a.record_id
and e.relation = 'records'
    where a.record_id = $1::uuid
and a.operation_id is not null
    order by a.id desc, e.id
    limit 1;

-- src/revision/revision.queries.ts copyLinks
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

-- src/revision/revision.queries.ts deleteIdentifiersOf
delete
from "entity_identifiers"
where "record_id" = any($1::uuid[]);

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
