-- src/effects/effects.queries.ts deleteRows
    delete
from "relations" as t
    using jsonb_populate_recordset(null::"relations", $1::jsonb) as k
    where t."source_id" = k."source_id"
and t."predicate" = k."predicate"
and t."target_id" = k."target_id";

-- src/effects/effects.queries.ts findContentsNearErased
    select r.id, r.scope, c.payload
    from unnest($1::uuid[]) as requested (id)
    join records as r on r.id = requested.id
    join contents as c on c.record_id = r.id
    where r.scope in (select scope
from tombstones);

-- src/effects/effects.queries.ts findTakenHandles
    select pg_advisory_xact_lock(
      ('x' || encode(substring(digest
from 1 for 8), 'hex'))::bit(64)::bigint # hashtextextended(scope, lock_seed())
    )
    from (select distinct digest, scope
from jsonb_to_recordset($1::jsonb)
    as requested (digest bytea, detail bytea, scope text, record_id uuid, sensitivity sensitivity)
order by digest, scope) as ordered;
    select distinct requested.record_id as id
    from jsonb_to_recordset($1::jsonb)
    as requested (digest bytea, detail bytea, scope text, record_id uuid, sensitivity sensitivity)
    join handles as h on h.digest = requested.digest
and h.scope = requested.scope
      and h.detail is not distinct
from requested.detail
and h.record_id <> requested.record_id
    join records as r on r.id = h.record_id
    where r.forgotten_at is null
and r.status in ('active', 'challenged')
and r.sensitivity = requested.sensitivity
      and r.id not in (select record_id
from jsonb_to_recordset($2::jsonb)
    as requested (digest bytea, detail bytea, scope text, record_id uuid, sensitivity sensitivity));

-- src/effects/effects.queries.ts insertEntries
    with entry as materialized (
      select *
from jsonb_to_recordset($1::jsonb)
        as entry (record_id uuid, old_status record_status, new_status record_status, changes jsonb)
    ), logged as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes, via)
      select record_id, $2::uuid, $3::timestamptz, $4::audit_action, $5, $6, changes, $7::jsonb
      from entry
    )
    insert into status_changes (record_id, run_id, at, old, new, actor, reason, step, via)
    select record_id, $8::uuid, $9::timestamptz, old_status, new_status, $10, $11,
      case $12::text when 'undo' then 'undo' else 'revert' end, $13::jsonb
    from entry
where old_status <> new_status;

-- src/effects/effects.queries.ts insertImportanceMoves
    insert into importance_history (record_id, run_id, at, old, new)
    select record_id, $1::uuid, $2::timestamptz, old, new
    from jsonb_to_recordset($3::jsonb) as move (record_id uuid, old float8, new float8);

-- src/effects/effects.queries.ts insertRows
    insert into "relations" ("source_id", "predicate", "target_id", "weight", "created_at")
    select "source_id", "predicate", "target_id", "weight", "created_at"
from jsonb_populate_recordset(null::"relations", $1::jsonb)
    on conflict do nothing
    returning jsonb_build_object('source_id', "source_id", 'predicate', "predicate", 'target_id', "target_id") as key;

-- src/effects/effects.queries.ts listBatches
    select batch::text as batch
from run_effects
where run_id = $1::uuid group by batch
order by min(id);

-- src/effects/effects.queries.ts listColumns
    select attname as name
from pg_attribute
    where attrelid = $1::regclass
and attnum > 0
and not attisdropped
and attgenerated = ''
and attidentity <> 'a'
      and attname <> all($2)
    order by attnum;

-- src/effects/effects.queries.ts listEffects
    select record_id as owner, relation, before, after, others
from run_effects
    where run_id = $1::uuid
and batch = $2::xid8
    order by id;

-- src/effects/effects.queries.ts listWrittenVersions
    select requested.id, written.version
    from unnest($1::uuid[]) as requested (id)
    cross join lateral (
      select (e.after ->> 'version')::int4 as version
      from (select *
from run_effects
where record_id = requested.id offset 0) as e
      where e.run_id = $2::uuid
and e.relation = 'records'
and e.after ? 'version'
      order by e.id desc
      limit 1
    ) as written;

-- src/effects/effects.queries.ts lockReferred
    select id
from records
where id = any($1::uuid[])
order by id for key share;

-- src/effects/effects.queries.ts lockRows
    select to_jsonb(t) as row
    from jsonb_populate_recordset(null::"relations", $1::jsonb) as k
    join "relations" as t on t."source_id" = k."source_id"
and t."predicate" = k."predicate"
and t."target_id" = k."target_id"
    order by t."source_id", t."predicate", t."target_id"
    for update of t;

-- src/effects/effects.queries.ts markBatch
insert into "maintenance_ranges" ("run_id", "first_block", "end_block", "done")
values ($1, $2, $3, $4)
on conflict do nothing;

-- src/effects/effects.queries.ts updateRows: of other columns each
    update "relations" as t
set "source_id" = k."source_id", "predicate" = k."predicate", "target_id" = k."target_id", "weight" = k."weight", "created_at" = k."created_at"
    from (
      select k.*
from jsonb_array_elements($1::jsonb) as given (row)
      cross join lateral jsonb_populate_record(null::"relations", given.row) as named
      join "relations" as t on t."source_id" = named."source_id"
and t."predicate" = named."predicate"
and t."target_id" = named."target_id"
      cross join lateral jsonb_populate_record(t, given.row) as k
    ) as k
    where t."source_id" = k."source_id"
and t."predicate" = k."predicate"
and t."target_id" = k."target_id";

-- src/effects/effects.queries.ts updateRows: of the same columns
      update "relations" as t
set "source_id" = k."source_id", "predicate" = k."predicate", "target_id" = k."target_id"
      from jsonb_populate_recordset(null::"relations", $1::jsonb) as k
      where t."source_id" = k."source_id"
and t."predicate" = k."predicate"
and t."target_id" = k."target_id";

-- src/effects/revision-effects.queries.ts deleteRevisionEffects
    with recursive kept as (
      (select run_id
from run_effects
order by run_id
limit 1)
      union all
      select (select e.run_id
from run_effects as e
where e.run_id > kept.run_id
order by e.run_id
limit 1)
      from kept
where kept.run_id is not null
    ), old as (
      select run_id
from kept
      where run_id < (
        lpad(to_hex((extract(epoch
from $1::timestamptz) * 1000)::bigint), 12, '0') || repeat('0', 20)
      )::uuid
and not exists (select
from maintenance_runs as m
where m.id = kept.run_id)
      limit $2
    ), deleted as (
      delete
from run_effects
where run_id in (select run_id
from old)
    )
    select count(*) as deleted
from old;
