-- src/lifecycle/access/access-folding.queries.ts claimFoldable
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

-- src/lifecycle/access/access-folding.queries.ts foldOldest
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

-- src/lifecycle/access/access.queries.ts insertUse
insert into "access_log" ("record_id", "at", "kind", "actor")
values ($1, $2, $3, $4);

-- src/lifecycle/access/access.queries.ts logAccesses
    with new_access as materialized (
      select *
from json_to_recordset($1::json) as n (
        record_id uuid, at timestamptz, kind access_kind, actor text, key_id text
      )
      where not exists (
        select
from access_log as l
        where l.record_id = n.record_id
and l.key_id = n.key_id
and (l.at at time zone 'UTC')::date = (n.at at time zone 'UTC')::date
      )
    ), locked as materialized (
      select r.id
from records as r
      where "r"."id" = any(array(select "record_id"
from "new_access"))
      order by r.id
      for no key update
    ), logged as (
      insert into access_log (record_id, at, kind, actor, key_id)
      select n.record_id, n.at, n.kind, n.actor, n.key_id
from new_access as n join locked as l on l.id = n.record_id
      on conflict do nothing
      returning record_id, at, kind
    ), counted as (
      update records as r
      set access_count = r.access_count + n.times, served_count = r.served_count + n.served,
        last_accessed_at = greatest(r.last_accessed_at, n.latest)
      from (
        select n.record_id, count(*)::integer as times, max(n.at) as latest,
          (count(*) filter (where n.kind = 'served'))::integer as served
        from logged as n
        group by n.record_id
      ) as n
      where r.id = n.record_id
and "r"."id" = any(array(select "record_id"
from "logged"))
      returning r.id
    ), requeued as (
      insert into unembedded (record_id, asked_at, due_at)
      select e.record_id, max(n.at), max(n.at)
      from embeddings as e
      join embedding_models as m on m.id = e.model_id
and m.embeds
      join logged as n on n.record_id = e.record_id
      where e.bits < 32
and "e"."record_id" = any(array(select "record_id"
from "logged"))
      group by e.record_id
      on conflict (record_id) do nothing
    )
    select id
from counted
order by id;

-- src/lifecycle/decay/budget-order.queries.ts computeKeepingAt
select ((r.importance + 3::float8 * r.base_importance) / 4::float8 + case when (r.access_count - r.served_count) > 0 then 0.4::float8
    * least(1, ln(1 + (r.access_count - r.served_count)::float8) / 1.791759469228055::float8) * least(1, greatest(salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $1::timestamptz), 1e-200::float8)) else 0 end) * power(salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $2::timestamptz), 0.03125::float8) as keeping
from records as r;

-- src/lifecycle/decay/budget-order.queries.ts isDueForPruning
select r.id
from records as r
where (r.prune_at is not null
and r.prune_at <= $1::timestamptz
    and (r.status in ('active', 'challenged')
or r.anchored_at <= $2::timestamptz));

-- src/lifecycle/decay/budget-order.queries.ts isEligible: after the grace period
select r.id
from records as r
where r.scope = $1
and r.forgotten_at is null
and not r.pinned
and r.deletion_policy = 'auto_prune'
and not (greatest(r.created_at, r.restored_at) > $2::timestamptz)
    and not (r.prune_at is not null
and r.prune_at <= $3::timestamptz
    and (r.status in ('active', 'challenged')
or r.anchored_at <= $4::timestamptz));

-- src/lifecycle/decay/budget-order.queries.ts isEligible: within it
select r.id
from records as r
where r.scope = $1
and r.forgotten_at is null
and not r.pinned
and r.deletion_policy = 'auto_prune'
and  (greatest(r.created_at, r.restored_at) > $2::timestamptz)
    and not (r.prune_at is not null
and r.prune_at <= $3::timestamptz
    and (r.status in ('active', 'challenged')
or r.anchored_at <= $4::timestamptz));

-- src/lifecycle/decay/budget-order.queries.ts listBudgetLanes
    with recursive lanes as (
      (
        select r.type, r.layer, case when r.decay_rank is null then 0 else r.half_life_seconds end as half_life
from records as r
        where r.scope = $1
and r.forgotten_at is null
and not r.pinned
and r.deletion_policy = 'auto_prune'
        order by r.type, r.layer, case when r.decay_rank is null then 0 else r.half_life_seconds end
        limit 1
      )
      union all
      select next.*
from lanes cross join lateral (
        select r.type, r.layer, case when r.decay_rank is null then 0 else r.half_life_seconds end as half_life
from records as r
        where r.scope = $2
and r.forgotten_at is null
and not r.pinned
and r.deletion_policy = 'auto_prune'
          and (r.type, r.layer, case when r.decay_rank is null then 0 else r.half_life_seconds end) > (lanes.type, lanes.layer, lanes.half_life)
        order by r.type, r.layer, case when r.decay_rank is null then 0 else r.half_life_seconds end
        limit 1
      ) as next
    )
    select type, layer, half_life
from lanes;

-- src/lifecycle/decay/budget-order.queries.ts readBudgetLanes: for a budget of records
    select (lanes.position - 1)::int4 as lane, next.id, next.rank, next.keeping, next.unused_keeping, next.size, next.is_in_grace
    from jsonb_to_recordset($1::jsonb)
      as lanes (position int4, type record_type, layer memory_layer, half_life int8, rank float8, id uuid)
    cross join lateral (
      select r.id, keeping_rank(r.importance, r.base_importance, r.decay_rank, r.salience) as rank, ((r.importance + 3::float8 * r.base_importance) / 4::float8 + case when (r.access_count - r.served_count) > 0 then 0.4::float8
    * least(1, ln(1 + (r.access_count - r.served_count)::float8) / 1.791759469228055::float8) * least(1, greatest(salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $2::timestamptz), 1e-200::float8)) else 0 end) * power(salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $3::timestamptz), 0.03125::float8) as keeping,
        (r.importance + 3::float8 * r.base_importance) / 4::float8 * power(salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $4::timestamptz), 0.03125::float8) as unused_keeping, 1::int8 as size,
        (greatest(r.created_at, r.restored_at) > $5::timestamptz) as is_in_grace
      from records as r
      where r.type = lanes.type
and r.layer = lanes.layer
and case when r.decay_rank is null then 0 else r.half_life_seconds end = lanes.half_life
        and (keeping_rank(r.importance, r.base_importance, r.decay_rank, r.salience), r.id) > (lanes.rank, lanes.id)
and r.scope = $6
and r.forgotten_at is null
and not r.pinned
and r.deletion_policy = 'auto_prune'
and not (greatest(r.created_at, r.restored_at) > $7::timestamptz)
    and not (r.prune_at is not null
and r.prune_at <= $8::timestamptz
    and (r.status in ('active', 'challenged')
or r.anchored_at <= $9::timestamptz))
      order by keeping_rank(r.importance, r.base_importance, r.decay_rank, r.salience), r.id
      limit $10
    ) as next
    order by lanes.position, next.rank, next.id;

-- src/lifecycle/decay/budget-order.queries.ts readBudgetLanes: for a budget of bytes
    select (lanes.position - 1)::int4 as lane, next.id, next.rank, next.keeping, next.unused_keeping, next.size, next.is_in_grace
    from jsonb_to_recordset($1::jsonb)
      as lanes (position int4, type record_type, layer memory_layer, half_life int8, rank float8, id uuid)
    cross join lateral (
      select r.id, keeping_rank(r.importance, r.base_importance, r.decay_rank, r.salience) as rank, ((r.importance + 3::float8 * r.base_importance) / 4::float8 + case when (r.access_count - r.served_count) > 0 then 0.4::float8
    * least(1, ln(1 + (r.access_count - r.served_count)::float8) / 1.791759469228055::float8) * least(1, greatest(salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $2::timestamptz), 1e-200::float8)) else 0 end) * power(salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $3::timestamptz), 0.03125::float8) as keeping,
        (r.importance + 3::float8 * r.base_importance) / 4::float8 * power(salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $4::timestamptz), 0.03125::float8) as unused_keeping, (select record_bytes(c.tags, c.payload, c.provenance, c.interpretation)
from contents as c
where c.record_id = r.id) as size,
        (greatest(r.created_at, r.restored_at) > $5::timestamptz) as is_in_grace
      from records as r
      where r.type = lanes.type
and r.layer = lanes.layer
and case when r.decay_rank is null then 0 else r.half_life_seconds end = lanes.half_life
        and (keeping_rank(r.importance, r.base_importance, r.decay_rank, r.salience), r.id) > (lanes.rank, lanes.id)
and r.scope = $6
and r.forgotten_at is null
and not r.pinned
and r.deletion_policy = 'auto_prune'
and not (greatest(r.created_at, r.restored_at) > $7::timestamptz)
    and not (r.prune_at is not null
and r.prune_at <= $8::timestamptz
    and (r.status in ('active', 'challenged')
or r.anchored_at <= $9::timestamptz))
      order by keeping_rank(r.importance, r.base_importance, r.decay_rank, r.salience), r.id
      limit $10
    ) as next
    order by lanes.position, next.rank, next.id;

-- src/lifecycle/decay/budget.queries.ts countForgottenByScope
    select r.scope, count(*)::int8 as forgotten
    from maintenance_changes as c join records as r on r.id = c.record_id
    where c.run_id = $1::uuid
and c.action = 'forget'
    group by r.scope;

-- src/lifecycle/decay/budget.queries.ts deleteEmptySizes
    with empty as materialized (
      select ctid
from scope_sizes
where backend = 0
and records = 0
and bytes = 0
      limit $1
      for update skip locked
    ), deleted as (
      delete
from scope_sizes as s using empty
where s.ctid = empty.ctid
returning 1
    )
    select count(*)::int4 as deleted
from deleted;

-- src/lifecycle/decay/budget.queries.ts findOverBudget: everywhere
    with sized as materialized (
      select s.scope, b.max_records, b.max_bytes, b.protect, b.mode,
        sum(s.records) as records, sum(s.bytes) as bytes,
        sum(s.records) filter (where not s.is_guarded
and s.type::text <> all(b.protect)
          and s.layer::text <> all(b.protect)) as unguarded
      from scope_sizes as s
      left join budgets as own on own.scope = s.scope
      join budgets as b on b.scope = coalesce(own.scope, $1)
      where true
      group by s.scope, b.scope
      having sum(s.records) > b.max_records
or sum(s.bytes) > b.max_bytes
    ), leaving as materialized (
    select r.id, r.scope
from records as r
    where r.forgotten_at is null
and r.status in ('active', 'challenged')
and (r.prune_at is not null
and r.prune_at <= $2::timestamptz
    and (r.status in ('active', 'challenged')
or r.anchored_at <= $3::timestamptz))
    union all
    select r.id, r.scope
from records as r
    where r.forgotten_at is null
and r.status in ('invalidated', 'merged', 'superseded')
and (r.prune_at is not null
and r.prune_at <= $4::timestamptz
    and (r.status in ('active', 'challenged')
or r.anchored_at <= $5::timestamptz))
  ), due as (
      select s.scope, count(*) as records, case when s.max_bytes is null then 0 else sum(
        record_bytes(c.tags, c.payload, c.provenance, c.interpretation)
      ) end as bytes
      from leaving join sized as s using (scope) join contents as c on c.record_id = leaving.id
      group by s.scope, s.max_bytes
    ), judged as (
      select s.*, s.max_bytes is not null as has_bytes,
        coalesce(s.records - s.max_records - coalesce(due.records, 0), s.bytes - s.max_bytes - coalesce(due.bytes, 0))
          as excess
      from sized as s
left join due using (scope)
    )
    select scope, protect, mode = 'hard' as is_hard, has_bytes, excess::int8 as excess,
      least(unguarded, case when has_bytes then ceil(excess * records / greatest(bytes, 1)) else excess end)::int8
        as records
    from judged
    where excess > 0
and unguarded > 0
    order by scope;

-- src/lifecycle/decay/budget.queries.ts findOverBudget: in a scope
    with sized as materialized (
      select s.scope, b.max_records, b.max_bytes, b.protect, b.mode,
        sum(s.records) as records, sum(s.bytes) as bytes,
        sum(s.records) filter (where not s.is_guarded
and s.type::text <> all(b.protect)
          and s.layer::text <> all(b.protect)) as unguarded
      from scope_sizes as s
      left join budgets as own on own.scope = s.scope
      join budgets as b on b.scope = coalesce(own.scope, $1)
      where s.scope = $2
      group by s.scope, b.scope
      having sum(s.records) > b.max_records
or sum(s.bytes) > b.max_bytes
    ), leaving as materialized (
    select r.id, r.scope
from records as r
    where r.forgotten_at is null
and r.status in ('active', 'challenged')
and (r.prune_at is not null
and r.prune_at <= $3::timestamptz
    and (r.status in ('active', 'challenged')
or r.anchored_at <= $4::timestamptz))
    union all
    select r.id, r.scope
from records as r
    where r.forgotten_at is null
and r.status in ('invalidated', 'merged', 'superseded')
and (r.prune_at is not null
and r.prune_at <= $5::timestamptz
    and (r.status in ('active', 'challenged')
or r.anchored_at <= $6::timestamptz))
  ), due as (
      select s.scope, count(*) as records, case when s.max_bytes is null then 0 else sum(
        record_bytes(c.tags, c.payload, c.provenance, c.interpretation)
      ) end as bytes
      from leaving join sized as s using (scope) join contents as c on c.record_id = leaving.id
      group by s.scope, s.max_bytes
    ), judged as (
      select s.*, s.max_bytes is not null as has_bytes,
        coalesce(s.records - s.max_records - coalesce(due.records, 0), s.bytes - s.max_bytes - coalesce(due.bytes, 0))
          as excess
      from sized as s
left join due using (scope)
    )
    select scope, protect, mode = 'hard' as is_hard, has_bytes, excess::int8 as excess,
      least(unguarded, case when has_bytes then ceil(excess * records / greatest(bytes, 1)) else excess end)::int8
        as records
    from judged
    where excess > 0
and unguarded > 0
    order by scope;

-- src/lifecycle/decay/budget.queries.ts foldScopeSizes
    with chosen as materialized (
      select scope, type, layer, is_guarded, backend
from scope_sizes
      where backend <> 0
      limit $1
      for update skip locked
    ), folded as (
      delete
from scope_sizes as s using chosen as c
      where (s.scope, s.type, s.layer, s.is_guarded, s.backend) = (c.scope, c.type, c.layer, c.is_guarded, c.backend)
      returning s.*
    ), added as (
      insert into scope_sizes as s (scope, type, layer, is_guarded, backend, records, bytes)
      select scope, type, layer, is_guarded, 0, sum(records), sum(bytes)
from folded group by 1, 2, 3, 4
      on conflict on constraint scope_sizes_pkey
      do update
set records = s.records + excluded.records, bytes = s.bytes + excluded.bytes
    )
    select count(*)::int4 as folded
from folded;

-- src/lifecycle/decay/budget.queries.ts forgetForBudget: of records
    with locked as materialized (
      select r.id, given.position, ((r.importance + 3::float8 * r.base_importance) / 4::float8 + case when (r.access_count - r.served_count) > 0 then 0.4::float8
    * least(1, ln(1 + (r.access_count - r.served_count)::float8) / 1.791759469228055::float8) * least(1, greatest(salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $1::timestamptz), 1e-200::float8)) else 0 end) * power(salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $2::timestamptz), 0.03125::float8) as keeping, r.importance, salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $3::timestamptz) as salience
      from unnest($4::uuid[]) with ordinality as given (id, position)
      join records as r on r.id = given.id
      where r.scope = $5
and r.forgotten_at is null
and not r.pinned
and r.deletion_policy = 'auto_prune'
and not (greatest(r.created_at, r.restored_at) > $6::timestamptz)
    and not (r.prune_at is not null
and r.prune_at <= $7::timestamptz
    and (r.status in ('active', 'challenged')
or r.anchored_at <= $8::timestamptz))
and r.type::text <> all($9::text[])
        and r.layer::text <> all($10::text[])
        and ((r.importance + 3::float8 * r.base_importance) / 4::float8 + case when (r.access_count - r.served_count) > 0 then 0.4::float8
    * least(1, ln(1 + (r.access_count - r.served_count)::float8) / 1.791759469228055::float8) * least(1, greatest(salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $11::timestamptz), 1e-200::float8)) else 0 end) * power(salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $12::timestamptz), 0.03125::float8) <= $13::float8 * (1 + 1e-9::float8)
      for no key update of r skip locked
    ), measured as (
      select l.*, 1::int8 as size
from locked as l
    ), summed as (
      select m.*, sum(size) over (order by position) - size as before
from measured as m
    ), chosen as (
      select s.*, $14::int8 + row_number() over (order by position) as rank
      from summed as s
where before < $15::int8
    ), forgotten as (
      update records as r
      set forgotten_at = $16::timestamptz, forgotten_reason = 'budget', forgotten_by = 'decay-service',
        forgotten_run_id = $17::uuid, purge_at = $18::timestamptz
      from chosen
where r.id = chosen.id
      returning chosen.*, r.version
    ), audited as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
      select id, $19::uuid, $20::timestamptz, 'delete', 'decay-service',
        'over the budget of its scope,
and among the least worth keeping', jsonb_build_object('forgotten', jsonb_build_array(null, jsonb_build_object(
    'at', $21::text, 'reason', 'budget', 'actor', 'decay-service', 'keeping', keeping
  )))
      from forgotten
    ), listed as (
      insert into maintenance_changes (run_id, record_id, action, before, after)
      select $22::uuid, id, 'forget',
        jsonb_build_object('salience', salience, 'importance', importance, 'keeping', keeping),
        $23::jsonb
          || jsonb_build_object('rank', rank, 'line', $24::float8)
      from forgotten
      on conflict (run_id, record_id, action) do nothing
    )
    select id, rank, keeping, importance, salience, size, version
from forgotten
order by rank;

-- src/lifecycle/decay/budget.queries.ts forgetForBudget: of bytes
    with locked as materialized (
      select r.id, given.position, ((r.importance + 3::float8 * r.base_importance) / 4::float8 + case when (r.access_count - r.served_count) > 0 then 0.4::float8
    * least(1, ln(1 + (r.access_count - r.served_count)::float8) / 1.791759469228055::float8) * least(1, greatest(salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $1::timestamptz), 1e-200::float8)) else 0 end) * power(salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $2::timestamptz), 0.03125::float8) as keeping, r.importance, salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $3::timestamptz) as salience
      from unnest($4::uuid[]) with ordinality as given (id, position)
      join records as r on r.id = given.id
      where r.scope = $5
and r.forgotten_at is null
and not r.pinned
and r.deletion_policy = 'auto_prune'
and not (greatest(r.created_at, r.restored_at) > $6::timestamptz)
    and not (r.prune_at is not null
and r.prune_at <= $7::timestamptz
    and (r.status in ('active', 'challenged')
or r.anchored_at <= $8::timestamptz))
and r.type::text <> all($9::text[])
        and r.layer::text <> all($10::text[])
        and ((r.importance + 3::float8 * r.base_importance) / 4::float8 + case when (r.access_count - r.served_count) > 0 then 0.4::float8
    * least(1, ln(1 + (r.access_count - r.served_count)::float8) / 1.791759469228055::float8) * least(1, greatest(salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $11::timestamptz), 1e-200::float8)) else 0 end) * power(salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $12::timestamptz), 0.03125::float8) <= $13::float8 * (1 + 1e-9::float8)
      for no key update of r skip locked
    ), measured as (
      select l.*, record_bytes(c.tags, c.payload, c.provenance, c.interpretation) as size
from locked as l join contents as c on c.record_id = l.id
    ), summed as (
      select m.*, sum(size) over (order by position) - size as before
from measured as m
    ), chosen as (
      select s.*, $14::int8 + row_number() over (order by position) as rank
      from summed as s
where before < $15::int8
    ), forgotten as (
      update records as r
      set forgotten_at = $16::timestamptz, forgotten_reason = 'budget', forgotten_by = 'decay-service',
        forgotten_run_id = $17::uuid, purge_at = $18::timestamptz
      from chosen
where r.id = chosen.id
      returning chosen.*, r.version
    ), audited as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
      select id, $19::uuid, $20::timestamptz, 'delete', 'decay-service',
        'over the budget of its scope,
and among the least worth keeping', jsonb_build_object('forgotten', jsonb_build_array(null, jsonb_build_object(
    'at', $21::text, 'reason', 'budget', 'actor', 'decay-service', 'keeping', keeping
  )))
      from forgotten
    ), listed as (
      insert into maintenance_changes (run_id, record_id, action, before, after)
      select $22::uuid, id, 'forget',
        jsonb_build_object('salience', salience, 'importance', importance, 'keeping', keeping),
        $23::jsonb
          || jsonb_build_object('rank', rank, 'line', $24::float8)
      from forgotten
      on conflict (run_id, record_id, action) do nothing
    )
    select id, rank, keeping, importance, salience, size, version
from forgotten
order by rank;

-- src/lifecycle/decay/budget.queries.ts lockScopeSize
select pg_advisory_xact_lock(7351 # lock_seed(), hashtext($1::text) & 63);
select
from budgets
where scope = any($1::text[]) for share;

-- src/lifecycle/decay/decay-sweep.queries.ts countDue: everywhere
    select (select count(*)
from records
where fades_at <= $1::float8 ) as fading,
      (select count(*)
from records
where prune_at <= $2::timestamptz
and forgotten_at is null
and status in ('active', 'challenged') )
      + (select count(*)
from records
where prune_at <= $3::timestamptz
and anchored_at <= $4::timestamptz
    and forgotten_at is null
and status in ('invalidated', 'merged', 'superseded') ) as faded;

-- src/lifecycle/decay/decay-sweep.queries.ts countDue: in a scope
    select (select count(*)
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
where prune_at <= $5::timestamptz
and anchored_at <= $6::timestamptz
    and forgotten_at is null
and status in ('invalidated', 'merged', 'superseded')
and scope = $7) as faded;

-- src/lifecycle/decay/decay-sweep.queries.ts findNextPosition: fading
    select fades_at::text as at, id
from records
where fades_at <= $1::float8
and (fades_at, id) > ($2::float8, $3::uuid)
and scope = $4
    order by fades_at, id
    limit 1
    for no key update skip locked;

-- src/lifecycle/decay/decay-sweep.queries.ts findNextPosition: faded
    select prune_at::text as at, id
from records
where prune_at <= $1::timestamptz
and forgotten_at is null
and status in ('active', 'challenged')
and (prune_at, id) > ($2::timestamptz, $3::uuid)
and scope = $4
    order by prune_at, id
    limit 1
    for no key update skip locked;

-- src/lifecycle/decay/decay-sweep.queries.ts findNextPosition: revised
    select anchored_at::text as at, id
from records
where prune_at <= $1::timestamptz
and anchored_at <= $2::timestamptz
    and forgotten_at is null
and status in ('invalidated', 'merged', 'superseded')
and (anchored_at, id) > ($3::timestamptz, $4::uuid)
and scope = $5
    order by anchored_at, id
    limit 1
    for no key update skip locked;

-- src/lifecycle/decay/decay-sweep.queries.ts materialiseNext
    with due as materialized (
      select id, fades_at
from records
      where fades_at <= $1::float8
        and (fades_at, id) > ($2::float8, $3::uuid)
order by fades_at, id
      limit $4
      for no key update skip locked
    ), written as (
      update records as r
set salience = salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $5::timestamptz)
      from due
where r.id = due.id
      returning r.id
    )
    select (select count(*)
from written) as written, fades_at::text as at, id
    from due
order by fades_at desc, id desc
limit 1;

-- src/lifecycle/decay/decay-sweep.queries.ts materialiseRange
    with due as materialized (
      select ctid
from records
      where ctid >= $1::tid
and ctid < $2::tid
        and fades_at <= $3::float8
      for no key update skip locked
    ), written as (
      update records as r
set salience = salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $4::timestamptz)
      from due
where r.ctid = due.ctid
      returning r.id
    )
    select count(*) as written
from written;

-- src/lifecycle/decay/decay-sweep.queries.ts pruneFaded
    with due as materialized (
      select id, prune_at as at
from records
      where prune_at <= $1::timestamptz
and forgotten_at is null
and status in ('active', 'challenged')
        and (prune_at, id) > ($2::timestamptz, $3::uuid)
      order by prune_at, id
      limit $4
      for no key update skip locked
    ), pruned as (
      update records as r
      set forgotten_at = $5::timestamptz, forgotten_reason = 'pruned', forgotten_by = 'decay-service',
        forgotten_run_id = $6::uuid, purge_at = $7::timestamptz
      from due
where r.id = due.id
      returning r.id, due.at, salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $8::timestamptz) as salience, r.version
    ), audited as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale)
      select id, $9::uuid, $10::timestamptz, 'delete', 'decay-service', 'auto-pruned: salience reached floor'
      from pruned
    ), listed as (
      insert into maintenance_changes (run_id, record_id, action, before, after)
      select $11::uuid, id, 'prune', jsonb_build_object('salience', salience),
        $12::jsonb
      from pruned
      on conflict (run_id, record_id, action) do nothing
    )
    select id, at::text as at, salience, version
from pruned
order by pruned.at, id;

-- src/lifecycle/decay/decay-sweep.queries.ts pruneRevised
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
      for no key update skip locked
    ), pruned as (
      update records as r
      set forgotten_at = $6::timestamptz, forgotten_reason = 'pruned', forgotten_by = 'decay-service',
        forgotten_run_id = $7::uuid, purge_at = $8::timestamptz
      from due
where r.id = due.id
      returning r.id, due.at, salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $9::timestamptz) as salience, r.version
    ), audited as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale)
      select id, $10::uuid, $11::timestamptz, 'delete', 'decay-service', 'auto-pruned: salience reached floor'
      from pruned
    ), listed as (
      insert into maintenance_changes (run_id, record_id, action, before, after)
      select $12::uuid, id, 'prune', jsonb_build_object('salience', salience),
        $13::jsonb
      from pruned
      on conflict (run_id, record_id, action) do nothing
    )
    select id, at::text as at, salience, version
from pruned
order by pruned.at, id;

-- src/lifecycle/explanation/explanation.queries.ts findArchivalValues
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

-- src/lifecycle/explanation/explanation.queries.ts findBudgetValues
    select (a.changes #>> '{forgotten,1,keeping}')::float8 as keeping
    from audit_entries as a
    where a.record_id = $1::uuid
and a.action = 'delete'
and a.changes #> '{forgotten,1}' ? 'keeping'
    order by a.id desc
    limit 1;

-- src/lifecycle/explanation/explanation.queries.ts findSurprise
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

-- src/lifecycle/history/history.queries.ts listImportanceMoves
select "id", "old", "new", "at", "run_id"
from "importance_history"
where "record_id" = $1
and "id" > $2
order by "id"
limit $3;

-- src/lifecycle/history/history.queries.ts listStatusChanges
    select s.id, s.old, s.new, s.step, s.at, s.run_id, case when s.is_shown then s.actor else $1 end as actor,
      case when s.is_shown then s.reason else '' end as reason, case when s.is_shown then s.via end as via
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
  )
    and not exists (select
from audit_entries as a
where a.record_id = $8::uuid
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
    where not ("h"."sensitivity" <= $9
and "h"."scope" = any($10::text[]))
  ))
  ) as is_shown
      from status_changes as s
      where s.record_id = $11::uuid
and s.id > $12
      order by s.id
      limit $13
    ) as s
    order by s.id;

-- src/lifecycle/importance/importance-refresh.queries.ts countRefreshable
    select count(*) as records,
      coalesce((
    select pg_relation_size(tableoid) / current_setting('block_size')::bigint
from "records"
limit 1
  ), 0) + 1 as blocks
    from records as r
    where r.forgotten_at is null
and not r.pinned;

-- src/lifecycle/importance/importance-refresh.queries.ts listRefreshable
    select r.id
from records as r
where r.ctid >= $1::tid
and r.ctid < $2::tid
and r.forgotten_at is null
and not r.pinned
and r.scope = $3
order by r.id;

-- src/lifecycle/importance/importance-refresh.queries.ts refreshScores
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
        select least(created.age, greatest(0::float8, date_part('epoch', $1::timestamptz - coalesce(r.last_accessed_at, r.created_at)) / 86400)) as since, created.age
        from (select greatest(0::float8, date_part('epoch', $2::timestamptz - r.created_at) / 86400) as age) as created
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
    ), logged as (
      insert into importance_history (record_id, old, new, at, run_id)
      select id, old, new, $8::timestamptz, $9::uuid
from moved
    )
    select (select count(*)
from scored) as seen, (select count(*)
from moved) as moved;

-- src/lifecycle/importance/importance.queries.ts computeImportance
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
        select least(created.age, greatest(0::float8, date_part('epoch', $1::timestamptz - coalesce(r.last_accessed_at, r.created_at)) / 86400)) as since, created.age
        from (select greatest(0::float8, date_part('epoch', $2::timestamptz - r.created_at) / 86400) as age) as created
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

-- src/lifecycle/importance/importance.queries.ts findLoggedAccesses
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

-- src/lifecycle/importance/importance.queries.ts rescore
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
        select least(created.age, greatest(0::float8, date_part('epoch', $1::timestamptz - coalesce(r.last_accessed_at, r.created_at)) / 86400)) as since, created.age
        from (select greatest(0::float8, date_part('epoch', $2::timestamptz - r.created_at) / 86400) as age) as created
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
      where r.id = $4::uuid
      order by r.id
      for no key update of r
    ), moved as (
      update records as r
set importance = s.new
      from scored as s
      where r.id = s.id
and abs(s.new - s.old) > 0.01::float8
      returning r.id, s.old, s.new
    ), logged as (
      insert into importance_history (record_id, old, new, at, run_id)
      select id, old, new, $5::timestamptz, $6::uuid
from moved
    )
    select id, new
from moved;

-- src/lifecycle/importance/rejudging.queries.ts claimUnjudged
    select r.created_at::text as at, r.id
    from records as r
left join surprises as s on s.record_id = r.id
    where r.worth is null
and r.forgotten_at is null
and not r.pinned
    and coalesce(s.base_before, 0.5) = 0.5
    and r.base_importance = case when coalesce(s.delta, 0) = 0 then 0.5::float8
    else least(1, greatest(0.05::float8, 0.5::float8 + s.delta)) end
    and r.scope = $1
and (r.created_at, r.id) > ($2::timestamptz, $3::uuid)
    order by r.created_at, r.id
    limit $4
    for no key update of r skip locked;

-- src/lifecycle/importance/rejudging.queries.ts countUnjudged
    select count(*)::int4 as count
    from records as r
left join surprises as s on s.record_id = r.id
    where r.worth is null
and r.forgotten_at is null
and not r.pinned
    and coalesce(s.base_before, 0.5) = 0.5
    and r.base_importance = case when coalesce(s.delta, 0) = 0 then 0.5::float8
    else least(1, greatest(0.05::float8, 0.5::float8 + s.delta)) end;

-- src/lifecycle/importance/rejudging.queries.ts listJudgeable
    select r.id, r.scope, r.sensitivity, c.payload, m.conversation, to_json(m.at) #>> '{}' as at, m.arrival
    from records as r
    join contents as c on c.record_id = r.id
    left join messages as m on m.record_id = r.id
    where r.id = any($1::uuid[])
    order by r.id;

-- src/lifecycle/importance/rejudging.queries.ts writeJudgements
    with judged as materialized (
      select g.id, g.value, decode(g.code, 'hex') as code, r.base_importance as old, s.delta
      from json_to_recordset($1::json) as g (id uuid, value float8, code text)
      join records as r on r.id = g.id
      left join surprises as s on s.record_id = g.id
    ), moved as (
      update records as r
set worth = s.code, base_importance = case when coalesce(s.delta, 0) = 0 then s.value
    else least(1, greatest(0.05::float8, s.value + s.delta)) end
      from judged as s
where r.id = s.id
      returning r.id, s.old, r.base_importance as new
    ), compared as (
      update surprises as s
set base_before = judged.value
from judged
where s.record_id = judged.id
    )
    insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
    select id, $2::uuid, $3::timestamptz, 'revise', $4, 'judged by its content',
      jsonb_build_object('base_importance', jsonb_build_array(old, new))
    from moved
order by id;

-- src/lifecycle/importance/retention.queries.ts computeRetentionAt: l2
select (
    case when r.layer = any($1::memory_layer[]) then 1::float8
    else least(1::float8,
      power(2::float8, -least(
    greatest(date_part('epoch', $2::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $3::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / $4::float8,
    $5::float8
  ))
      + least($6::float8, $7::float8 * ln(1 + r.access_count::float8))
    ) end
  ) as retention
from records as r;

-- src/lifecycle/importance/retention.queries.ts computeRetentionAt: huber
select (
    case when r.layer = any($1::memory_layer[]) then 1::float8
    else least(1::float8,
      case when least(
    greatest(date_part('epoch', $2::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $3::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / $4::float8,
    $5::float8
  ) <= $6::float8 then power(2::float8, -least(
    greatest(date_part('epoch', $7::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $8::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / $9::float8,
    $10::float8
  ))
    else greatest(0, power(2::float8, -$11::float8) * (1 - ln(2::float8) * (least(
    greatest(date_part('epoch', $12::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $13::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / $14::float8,
    $15::float8
  ) - $16::float8))) end
      + least($17::float8, $18::float8 * ln(1 + r.access_count::float8))
    ) end
  ) as retention
from records as r;

-- src/lifecycle/importance/retention.queries.ts computeRetentionAt: elastic
select (
    case when r.layer = any($1::memory_layer[]) then 1::float8
    else least(1::float8,
      $2::float8 * greatest(0, 1 - least(
    greatest(date_part('epoch', $3::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $4::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / $5::float8,
    $6::float8
  ) / $7::float8) + (1 - $8::float8) * power(2::float8, -least(
    greatest(date_part('epoch', $9::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $10::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / $11::float8,
    $12::float8
  ))
      + least($13::float8, $14::float8 * ln(1 + r.access_count::float8))
    ) end
  ) as retention
from records as r;

-- src/lifecycle/importance/worth.queries.ts findMessagesBefore
    select asked.place, said.role, said.name, said.text
    from json_to_recordset($1::json) as asked
        (place int4, scope text, conversation text, sensitivity sensitivity, at timestamptz, arrival int8)
      cross join lateral (
        select c.payload #>> '{conversation,role}' as role, c.payload #>> '{conversation,name}' as name,
          c.payload #>> '{timeline,0,summary}' as text, m.at, m.arrival
        from messages as m
        join records as r on r.id = m.record_id
        join contents as c on c.record_id = m.record_id
        where m.scope = asked.scope
and m.conversation = asked.conversation
          and (m.at, m.arrival) < (asked.at, coalesce(asked.arrival, 9223372036854775807))
          and r.forgotten_at is null
and r.sensitivity <= asked.sensitivity
        order by m.at desc, m.arrival desc
        limit 20
      ) as said
    order by asked.place, said.at, said.arrival;

-- src/lifecycle/importance/worth.queries.ts findWorth
select "worth"
from "records"
where "id" = $1;

-- src/lifecycle/promotion/promotion.queries.ts claimEpisodic
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

-- src/lifecycle/promotion/promotion.queries.ts claimWorking
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

-- src/lifecycle/promotion/promotion.queries.ts countEpisodic
    select count(*)::int4 as count
from records as r
where r.layer = 'episodic'
and r.forgotten_at is null
and not r.pinned
and r.status in ('active', 'challenged')
and
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) >= 5
and r.scope = $1;

-- src/lifecycle/promotion/promotion.queries.ts countWorking
    select count(*)::int4 as count
from records as r
where r.layer = 'working'
and r.forgotten_at is null
and not r.pinned
and r.status in ('active', 'challenged')
    and (greatest(r.created_at, r.demoted_at) <= $1::timestamptz
or
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) >= 2);

-- src/lifecycle/promotion/promotion.queries.ts promoteEpisodic
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
        select least(created.age, greatest(0::float8, date_part('epoch', $1::timestamptz - coalesce(r.last_accessed_at, r.created_at)) / 86400)) as since, created.age
        from (select greatest(0::float8, date_part('epoch', $2::timestamptz - r.created_at) / 86400) as age) as created
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
      where r.id = $4::uuid
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

-- src/lifecycle/promotion/promotion.queries.ts promoteWorking
    with due as materialized (
      select r.id
from records as r
      where r.id = $1::uuid
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

-- src/lifecycle/reinforcement/reinforcement.queries.ts updateLifecycles
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

-- src/lifecycle/status/status.queries.ts findLastStep
select "step"
from "status_changes"
where "record_id" = $1
order by "id" desc
limit $2;

-- src/lifecycle/status/status.queries.ts findSalienceBeforeRevision
    select (a.changes #>> '{salience,0}')::float8 as salience
    from audit_entries as a
    where a.record_id = $1::uuid
and a.action in ('revise', 'undo')
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
