-- src/undo/forgetting.queries.ts findForgottenContents
    with due as materialized (
      select c.record_id as id, bool_or(true) as is_selected
      from maintenance_changes as c
      where c.run_id = $1::uuid
and c.record_id > $2::uuid
      group by c.record_id
order by c.record_id
limit $3
    )
    select r.id, r.scope, content.payload, exists (
      select
from maintenance_changes as d
where d.run_id = $4::uuid
and d.record_id = r.id offset 0
    ) as is_listed
    from due join records as r on r.id = due.id join contents as content on content.record_id = r.id
    where due.is_selected
and r.forgotten_run_id = $5::uuid
and r.scope in (select scope
from tombstones);

-- src/undo/forgetting.queries.ts restoreForgotten: all
    with due as materialized (
      select c.record_id as id, bool_or(true) as is_selected
      from maintenance_changes as c
      where c.run_id = $1::uuid
and c.record_id > $2::uuid
      group by c.record_id
order by c.record_id
limit $3
    ), locked as materialized (
      select r.id, jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at,
  'forgotten_at', r.forgotten_at, 'forgotten_reason', r.forgotten_reason, 'forgotten_by', r.forgotten_by,
  'forgotten_run_id', r.forgotten_run_id, 'purge_at', r.purge_at) as old, jsonb_build_object(
  'forgotten_at', to_char(r.forgotten_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'forgotten_reason', r.forgotten_reason) as was, '{}'::jsonb as requested
      from due join records as r on r.id = due.id
      where due.is_selected
and r.id <> all($4::uuid[])
        and r.forgotten_run_id = $5::uuid
and not exists (
        select
from run_effects as e
        where e.record_id = r.id
and e.run_id = $6::uuid
and e.relation = 'records'
          and e.after ->> 'forgotten_at' is not null
        offset 0
      )
      order by r.id
      for update of r
    ), rewritten as (
      update records as r
      set forgotten_at = (requested ->> 'forgotten_at')::timestamptz, forgotten_reason = requested ->> 'forgotten_reason',
        forgotten_by = requested ->> 'forgotten_by', forgotten_run_id = (requested ->> 'forgotten_run_id')::uuid,
        purge_at = (requested ->> 'purge_at')::timestamptz, version = r.version + 1,
        updated_at = greatest(r.updated_at, $7::timestamptz),
        restored_at = case when requested ->> 'forgotten_at' is null then $8::timestamptz else r.restored_at end
      from locked
where r.id = locked.id
      returning r.id, locked.old, locked.was, jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at,
  'forgotten_at', r.forgotten_at, 'forgotten_reason', r.forgotten_reason, 'forgotten_by', r.forgotten_by,
  'forgotten_run_id', r.forgotten_run_id, 'purge_at', r.purge_at) as new, jsonb_build_object(
  'forgotten_at', to_char(r.forgotten_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'forgotten_reason', r.forgotten_reason) as "is"
    ), effect as (
      insert into run_effects (run_id, record_id, relation, before, after)
      select $9::uuid, id, 'records', old, new
from rewritten
    ), entry as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, via, changes)
      select id, $10::uuid, $11::timestamptz, 'undo', $12, $13,
        $14::jsonb, jsonb_build_object(
        'forgotten_at', jsonb_build_array(was -> 'forgotten_at', "is" -> 'forgotten_at'),
        'forgotten_reason', jsonb_build_array(was -> 'forgotten_reason', "is" -> 'forgotten_reason')
      )
      from rewritten
    ), listed as (
      insert into maintenance_changes (run_id, record_id, action, before, after)
      select $15::uuid, id, 'undo', was, "is"
from rewritten
      on conflict (run_id, record_id, action) do nothing
    )
    select (select id
from due
order by id desc
limit 1) as last, (
  select coalesce(jsonb_agg(jsonb_build_object('record_id', id, 'before', was, 'after', "is")
order by id), '[]')
  from rewritten
) as rewritten;

-- src/undo/forgetting.queries.ts restoreForgotten: some
    with due as materialized (
      select c.record_id as id, bool_or((c.action = any($1::text[])
or c.record_id::text = any($2::text[]))) as is_selected
      from maintenance_changes as c
      where c.run_id = $3::uuid
and c.record_id > $4::uuid
      group by c.record_id
order by c.record_id
limit $5
    ), locked as materialized (
      select r.id, jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at,
  'forgotten_at', r.forgotten_at, 'forgotten_reason', r.forgotten_reason, 'forgotten_by', r.forgotten_by,
  'forgotten_run_id', r.forgotten_run_id, 'purge_at', r.purge_at) as old, jsonb_build_object(
  'forgotten_at', to_char(r.forgotten_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'forgotten_reason', r.forgotten_reason) as was, '{}'::jsonb as requested
      from due join records as r on r.id = due.id
      where due.is_selected
and r.id <> all($6::uuid[])
        and r.forgotten_run_id = $7::uuid
and not exists (
        select
from run_effects as e
        where e.record_id = r.id
and e.run_id = $8::uuid
and e.relation = 'records'
          and e.after ->> 'forgotten_at' is not null
        offset 0
      )
      order by r.id
      for update of r
    ), rewritten as (
      update records as r
      set forgotten_at = (requested ->> 'forgotten_at')::timestamptz, forgotten_reason = requested ->> 'forgotten_reason',
        forgotten_by = requested ->> 'forgotten_by', forgotten_run_id = (requested ->> 'forgotten_run_id')::uuid,
        purge_at = (requested ->> 'purge_at')::timestamptz, version = r.version + 1,
        updated_at = greatest(r.updated_at, $9::timestamptz),
        restored_at = case when requested ->> 'forgotten_at' is null then $10::timestamptz else r.restored_at end
      from locked
where r.id = locked.id
      returning r.id, locked.old, locked.was, jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at,
  'forgotten_at', r.forgotten_at, 'forgotten_reason', r.forgotten_reason, 'forgotten_by', r.forgotten_by,
  'forgotten_run_id', r.forgotten_run_id, 'purge_at', r.purge_at) as new, jsonb_build_object(
  'forgotten_at', to_char(r.forgotten_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'forgotten_reason', r.forgotten_reason) as "is"
    ), effect as (
      insert into run_effects (run_id, record_id, relation, before, after)
      select $11::uuid, id, 'records', old, new
from rewritten
    ), entry as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, via, changes)
      select id, $12::uuid, $13::timestamptz, 'undo', $14, $15,
        $16::jsonb, jsonb_build_object(
        'forgotten_at', jsonb_build_array(was -> 'forgotten_at', "is" -> 'forgotten_at'),
        'forgotten_reason', jsonb_build_array(was -> 'forgotten_reason', "is" -> 'forgotten_reason')
      )
      from rewritten
    ), listed as (
      insert into maintenance_changes (run_id, record_id, action, before, after)
      select $17::uuid, id, 'undo', was, "is"
from rewritten
      on conflict (run_id, record_id, action) do nothing
    )
    select (select id
from due
order by id desc
limit 1) as last, (
  select coalesce(jsonb_agg(jsonb_build_object('record_id', id, 'before', was, 'after', "is")
order by id), '[]')
  from rewritten
) as rewritten;

-- src/undo/forgetting.queries.ts takeBackForgetting: all
    with noted as materialized (
      select e.record_id as id, e.before, e.after, coalesce(
        e.relation = 'records'
and e.others is null
and e.before ?& $1::text[]
and e.after ?& $2::text[]
          and e.before - $3::text[] = e.after - $4::text[], false) as only_forgets
      from run_effects as e
      where e.run_id = $5::uuid
and e.batch = $6::xid8
    ), locked as materialized (
      select r.id, jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at,
  'forgotten_at', r.forgotten_at, 'forgotten_reason', r.forgotten_reason, 'forgotten_by', r.forgotten_by,
  'forgotten_run_id', r.forgotten_run_id, 'purge_at', r.purge_at) as old, jsonb_build_object(
  'forgotten_at', to_char(r.forgotten_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'forgotten_reason', r.forgotten_reason) as was, noted.before as requested
      from noted join records as r on r.id = noted.id
      where (select bool_and(only_forgets)
and count(distinct id) = count(*)
from noted)
        and jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at,
  'forgotten_at', r.forgotten_at, 'forgotten_reason', r.forgotten_reason, 'forgotten_by', r.forgotten_by,
  'forgotten_run_id', r.forgotten_run_id, 'purge_at', r.purge_at) @> noted.after - $7::text[]
        and (noted.before ->> 'forgotten_at' is not null
or not exists (
          select
from tombstones as t
where t.scope = r.scope offset 0
        ))
        and exists (
          select
from maintenance_changes as c
          where c.run_id = $8::uuid
and c.record_id = r.id
and c.action <> 'failed'
and true
          offset 0
        )
and not exists (
          select
from maintenance_changes as d
where d.run_id = $9::uuid
and d.record_id = r.id offset 0
        )
      order by r.id
      for update of r
    ), rewritten as (
      update records as r
      set forgotten_at = (requested ->> 'forgotten_at')::timestamptz, forgotten_reason = requested ->> 'forgotten_reason',
        forgotten_by = requested ->> 'forgotten_by', forgotten_run_id = (requested ->> 'forgotten_run_id')::uuid,
        purge_at = (requested ->> 'purge_at')::timestamptz, version = r.version + 1,
        updated_at = greatest(r.updated_at, $10::timestamptz),
        restored_at = case when requested ->> 'forgotten_at' is null then $11::timestamptz else r.restored_at end
      from locked
where r.id = locked.id
      returning r.id, locked.old, locked.was, jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at,
  'forgotten_at', r.forgotten_at, 'forgotten_reason', r.forgotten_reason, 'forgotten_by', r.forgotten_by,
  'forgotten_run_id', r.forgotten_run_id, 'purge_at', r.purge_at) as new, jsonb_build_object(
  'forgotten_at', to_char(r.forgotten_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'forgotten_reason', r.forgotten_reason) as "is"
    ), effect as (
      insert into run_effects (run_id, record_id, relation, before, after)
      select $12::uuid, id, 'records', old, new
from rewritten
    ), entry as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, via, changes)
      select id, $13::uuid, $14::timestamptz, 'undo', $15, $16,
        $17::jsonb, jsonb_build_object(
        'forgotten_at', jsonb_build_array(was -> 'forgotten_at', "is" -> 'forgotten_at'),
        'forgotten_reason', jsonb_build_array(was -> 'forgotten_reason', "is" -> 'forgotten_reason')
      )
      from rewritten
    ), listed as (
      insert into maintenance_changes (run_id, record_id, action, before, after)
      select $18::uuid, id, 'undo', was, "is"
from rewritten
      on conflict (run_id, record_id, action) do nothing
    )
    select (select count(*)
from noted) - (select count(*)
from rewritten) as left, (
  select coalesce(jsonb_agg(jsonb_build_object('record_id', id, 'before', was, 'after', "is")
order by id), '[]')
  from rewritten
) as rewritten;

-- src/undo/forgetting.queries.ts takeBackForgetting: some
    with noted as materialized (
      select e.record_id as id, e.before, e.after, coalesce(
        e.relation = 'records'
and e.others is null
and e.before ?& $1::text[]
and e.after ?& $2::text[]
          and e.before - $3::text[] = e.after - $4::text[], false) as only_forgets
      from run_effects as e
      where e.run_id = $5::uuid
and e.batch = $6::xid8
    ), locked as materialized (
      select r.id, jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at,
  'forgotten_at', r.forgotten_at, 'forgotten_reason', r.forgotten_reason, 'forgotten_by', r.forgotten_by,
  'forgotten_run_id', r.forgotten_run_id, 'purge_at', r.purge_at) as old, jsonb_build_object(
  'forgotten_at', to_char(r.forgotten_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'forgotten_reason', r.forgotten_reason) as was, noted.before as requested
      from noted join records as r on r.id = noted.id
      where (select bool_and(only_forgets)
and count(distinct id) = count(*)
from noted)
        and jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at,
  'forgotten_at', r.forgotten_at, 'forgotten_reason', r.forgotten_reason, 'forgotten_by', r.forgotten_by,
  'forgotten_run_id', r.forgotten_run_id, 'purge_at', r.purge_at) @> noted.after - $7::text[]
        and (noted.before ->> 'forgotten_at' is not null
or not exists (
          select
from tombstones as t
where t.scope = r.scope offset 0
        ))
        and exists (
          select
from maintenance_changes as c
          where c.run_id = $8::uuid
and c.record_id = r.id
and c.action <> 'failed'
and (c.action = any($9::text[])
or c.record_id::text = any($10::text[]))
          offset 0
        )
and not exists (
          select
from maintenance_changes as d
where d.run_id = $11::uuid
and d.record_id = r.id offset 0
        )
      order by r.id
      for update of r
    ), rewritten as (
      update records as r
      set forgotten_at = (requested ->> 'forgotten_at')::timestamptz, forgotten_reason = requested ->> 'forgotten_reason',
        forgotten_by = requested ->> 'forgotten_by', forgotten_run_id = (requested ->> 'forgotten_run_id')::uuid,
        purge_at = (requested ->> 'purge_at')::timestamptz, version = r.version + 1,
        updated_at = greatest(r.updated_at, $12::timestamptz),
        restored_at = case when requested ->> 'forgotten_at' is null then $13::timestamptz else r.restored_at end
      from locked
where r.id = locked.id
      returning r.id, locked.old, locked.was, jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at,
  'forgotten_at', r.forgotten_at, 'forgotten_reason', r.forgotten_reason, 'forgotten_by', r.forgotten_by,
  'forgotten_run_id', r.forgotten_run_id, 'purge_at', r.purge_at) as new, jsonb_build_object(
  'forgotten_at', to_char(r.forgotten_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'forgotten_reason', r.forgotten_reason) as "is"
    ), effect as (
      insert into run_effects (run_id, record_id, relation, before, after)
      select $14::uuid, id, 'records', old, new
from rewritten
    ), entry as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, via, changes)
      select id, $15::uuid, $16::timestamptz, 'undo', $17, $18,
        $19::jsonb, jsonb_build_object(
        'forgotten_at', jsonb_build_array(was -> 'forgotten_at', "is" -> 'forgotten_at'),
        'forgotten_reason', jsonb_build_array(was -> 'forgotten_reason', "is" -> 'forgotten_reason')
      )
      from rewritten
    ), listed as (
      insert into maintenance_changes (run_id, record_id, action, before, after)
      select $20::uuid, id, 'undo', was, "is"
from rewritten
      on conflict (run_id, record_id, action) do nothing
    )
    select (select count(*)
from noted) - (select count(*)
from rewritten) as left, (
  select coalesce(jsonb_agg(jsonb_build_object('record_id', id, 'before', was, 'after', "is")
order by id), '[]')
  from rewritten
) as rewritten;

-- src/undo/undo.queries.ts countChanged
    select count(*) as changed
from (
      select distinct c.record_id
from maintenance_changes as c
      where c.run_id = $1::uuid
and not c.action in ('failed', 'kept', 'skipped')
and true
    ) as record;

-- src/undo/undo.queries.ts findNextChanged
    select record_id
from maintenance_changes
where run_id = $1::uuid
and record_id > $2::uuid
    order by record_id
limit 1;

-- src/undo/undo.queries.ts hasChanges
    select
from maintenance_changes as c
    where c.run_id = $1::uuid
and not c.action in ('failed', 'kept', 'skipped')
      and c.action not in ('candidate', 'prune', 'forget', 'archive', 'rescore')
      and exists (select
from records as r
where r.id = c.record_id offset 0)
    limit 1;

-- src/undo/undo.queries.ts hasEffects
select
from run_effects
where run_id = $1::uuid
limit 1;

-- src/undo/undo.queries.ts listChangesOf
    select c.record_id, c.action, (
      select max(d.action)
from maintenance_changes as d
      where d.run_id = $1::uuid
and d.record_id = c.record_id
and d.action in ('kept', 'undo')
    ) as listed, exists (
      select
from run_effects as e
      where e.record_id = c.record_id
and e.run_id = c.run_id
and e.relation = 'records'
      offset 0
    ) as is_changed
    from maintenance_changes as c
    where c.run_id = $2::uuid
and c.record_id = any($3::uuid[])
and c.action <> 'failed';

-- src/undo/undo.queries.ts listImportanceMoves
    select r.id as owner, jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at, 'forgotten_at', r.forgotten_at, 'importance', h.old) as before,
      jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at, 'forgotten_at', r.forgotten_at, 'importance', h.new) as after
    from importance_history as h join records as r on r.id = h.record_id
    where h.run_id = $1::uuid
and h.record_id > $2::uuid
and r.importance = h.new
      and h.at >= (select m.created_at - interval '1 day'
from maintenance_runs as m
where m.id = $3::uuid)
      and not exists (
        select
from run_effects as e
        where e.record_id = r.id
and e.run_id = $4::uuid
and e.relation = 'records'
and e.after ? 'importance'
        offset 0
      )
    order by h.record_id
    limit $5;

-- src/undo/undo.queries.ts listKept: all
    with due as materialized (
      select distinct c.record_id as id
from maintenance_changes as c
      where c.run_id = $1::uuid
and c.record_id > $2::uuid
and not c.action in ('failed', 'kept', 'skipped')
and true
      order by c.record_id
limit $3
    ), kept as (
      insert into maintenance_changes (run_id, record_id, action, note)
      select $4::uuid, due.id, 'kept', case
        when gone.kind = 'erased' then 'it was erased'
        when gone.kind is not null then 'it was purged'
        when exists (
  select
from maintenance_runs as earlier join maintenance_changes as d on d.run_id = earlier.id
  where earlier.job = 'undo'
and not earlier.dry_run
and earlier.options ->> 'run_id' = $5
    and d.record_id = due.id
and d.action = 'undo'
) then $6
        else 'it was changed, restored
or deleted since'
      end
      from due
left join departures as gone on gone.id = due.id
      where not exists (
        select
from maintenance_changes as d
where d.run_id = $7::uuid
and d.record_id = due.id offset 0
      )
      on conflict do nothing
      returning record_id as id, note
    )
    select (select id
from due
order by id desc
limit 1) as last,
      (select coalesce(jsonb_agg(to_jsonb(kept)), '[]')
from kept) as kept;

-- src/undo/undo.queries.ts listKept: some
    with due as materialized (
      select distinct c.record_id as id
from maintenance_changes as c
      where c.run_id = $1::uuid
and c.record_id > $2::uuid
and not c.action in ('failed', 'kept', 'skipped')
and (c.action = any($3::text[])
or c.record_id::text = any($4::text[]))
      order by c.record_id
limit $5
    ), kept as (
      insert into maintenance_changes (run_id, record_id, action, note)
      select $6::uuid, due.id, 'kept', case
        when gone.kind = 'erased' then 'it was erased'
        when gone.kind is not null then 'it was purged'
        when exists (
  select
from maintenance_runs as earlier join maintenance_changes as d on d.run_id = earlier.id
  where earlier.job = 'undo'
and not earlier.dry_run
and earlier.options ->> 'run_id' = $7
    and d.record_id = due.id
and d.action = 'undo'
) then $8
        else 'it was changed, restored
or deleted since'
      end
      from due
left join departures as gone on gone.id = due.id
      where not exists (
        select
from maintenance_changes as d
where d.run_id = $9::uuid
and d.record_id = due.id offset 0
      )
      on conflict do nothing
      returning record_id as id, note
    )
    select (select id
from due
order by id desc
limit 1) as last,
      (select coalesce(jsonb_agg(to_jsonb(kept)), '[]')
from kept) as kept;

-- src/undo/undo.queries.ts listTakenBack
    select id
from unnest($1::uuid[]) as requested (id)
where exists (
  select
from maintenance_runs as earlier join maintenance_changes as d on d.run_id = earlier.id
  where earlier.job = 'undo'
and not earlier.dry_run
and earlier.options ->> 'run_id' = $2
    and d.record_id = requested.id
and d.action = 'undo'
);
