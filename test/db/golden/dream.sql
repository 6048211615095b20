-- src/dream/archival.queries.ts archiveRecords
    with judged as materialized (
      select r.id, (
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
        salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $20::timestamptz) as salience
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
        select least(created.age, greatest(0::float8, date_part('epoch', $21::timestamptz - coalesce(r.last_accessed_at, r.created_at)) / 86400)) as since, created.age
        from (select greatest(0::float8, date_part('epoch', $22::timestamptz - r.created_at) / 86400) as age) as created
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
and r.anchored_at < $26::timestamptz
    and r.forgotten_at is null
and not r.pinned
    and r.status in ('active', 'challenged')
and r.deletion_policy = 'auto_prune'
    and r.layer not in ('semantic', 'procedural', 'codebase')
    and not exists (select
from budgets as b
where b.scope in (r.scope, ''))
    and
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) < 3
    ), archived as (
      update records as r
      set forgotten_at = $27::timestamptz, forgotten_reason = 'archived', forgotten_by = $28,
        forgotten_run_id = $29::uuid, purge_at = $30::timestamptz
      from judged as j
      where r.id = j.id
and j.retention < $31::float8
        and j.importance < $32::float8
      returning j.*
    ), audited as (
      insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
      select id, $33::uuid, $34::timestamptz, 'archive', $35,
        'archived: old, hardly kept, of little importance
and rarely used',
        jsonb_build_object('forgotten', jsonb_build_array(null, $36::jsonb
          || jsonb_build_object(
            'retention', retention, 'importance', importance, 'accesses', accesses, 'age_days', age_days
          )))
      from archived
    )
    select id, retention, importance, accesses, age_days, salience
from archived
order by id;

-- src/dream/archival.queries.ts claimArchivable
    select r.created_at::text as at, r.id
from records as r
    where r.created_at < $1::timestamptz
and r.anchored_at < $2::timestamptz
    and r.forgotten_at is null
and not r.pinned
    and r.status in ('active', 'challenged')
and r.deletion_policy = 'auto_prune'
    and r.layer not in ('semantic', 'procedural', 'codebase')
    and not exists (select
from budgets as b
where b.scope in (r.scope, ''))
    and
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) < 3
and r.scope = $3
and (r.created_at, r.id) > ($4::timestamptz, $5::uuid)
    order by r.created_at, r.id
    limit $6
    for no key update skip locked;

-- src/dream/archival.queries.ts countArchivable
    select count(*)::int4 as count
from records as r
where r.created_at < $1::timestamptz
and r.anchored_at < $2::timestamptz
    and r.forgotten_at is null
and not r.pinned
    and r.status in ('active', 'challenged')
and r.deletion_policy = 'auto_prune'
    and r.layer not in ('semantic', 'procedural', 'codebase')
    and not exists (select
from budgets as b
where b.scope in (r.scope, ''))
    and
  (r.access_count - r.served_count + 0.25::float8 * r.served_count) < 3;

-- src/dream/clustering/clustering.queries.ts copyCounts
    update records as summary
    set access_count = least(parts.accesses, 1000000000)::int4, served_count = least(parts.served, 1000000000)::int4,
      confirmation_count = least(parts.confirmations, 1000000000)::int4, last_accessed_at = parts.last_accessed_at,
      base_importance = greatest(summary.base_importance, parts.base_importance), confidence = parts.confidence
    from (
      select sum(access_count) as accesses, sum(served_count) as served, sum(confirmation_count) as confirmations,
        max(last_accessed_at) as last_accessed_at, max(base_importance) as base_importance,
        min(confidence) as confidence
      from records
where id = any($1::uuid[])
    ) as parts
    where summary.id = $2::uuid;

-- src/dream/clustering/clustering.queries.ts findListedCandidates
    select record_id as id
from maintenance_changes
    where run_id = $1::uuid
and action = 'candidate'
and record_id = any($2::uuid[]);

-- src/dream/clustering/clustering.queries.ts findMembers
    select r.id, r.version, r.created_at, c.tags,
      case when (coalesce(case when pg_column_compression("c"."payload") is null then pg_column_size("c"."payload")
    else octet_length("c"."payload"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."provenance") is null then pg_column_size("c"."provenance")
    else octet_length("c"."provenance"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."interpretation") is null then pg_column_size("c"."interpretation")
    else octet_length("c"."interpretation"::text) end, 0)::int8) <= 262144 then c.payload end as payload
    from unnest($1::uuid[]) with ordinality as requested (id, place)
    join records as r on r.id = requested.id
    join contents as c on c.record_id = r.id
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
    order by requested.place;

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
      from (
  select *
from records
where forgotten_at is null
and decay_rank is not null
  union all
  select *
from records
where forgotten_at is null
and decay_rank is null
) as r join signatures as s on s.record_id = r.id
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

-- src/dream/drift/drift.queries.ts claimUnchanged
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

-- src/dream/drift/drift.queries.ts countChecked
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

-- src/dream/drift/drift.queries.ts deleteMiss
delete
from "drift_misses"
where "record_id" = $1;

-- src/dream/drift/drift.queries.ts findPosition
select "after_id"
from "drift_positions"
where "run_id" = $1;

-- src/dream/drift/drift.queries.ts listChecked
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
    when case when pg_column_size(c.payload) > 262144 then pg_column_size(c.payload) else coalesce(case when pg_column_compression(c.payload) is null then pg_column_size(c.payload)
    else octet_length(c.payload::text) end, 0)::int8 end <= 262144
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

-- src/dream/drift/drift.queries.ts listReadable
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
    when case when pg_column_size(c.payload) > 262144 then pg_column_size(c.payload) else coalesce(case when pg_column_compression(c.payload) is null then pg_column_size(c.payload)
    else octet_length(c.payload::text) end, 0)::int8 end <= 262144
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

-- src/dream/drift/drift.queries.ts upsertMiss
insert into "drift_misses" ("record_id", "run_id", "missed_at", "reference")
values ($1, $2, $3, $4)
on conflict ("record_id") do update
set "run_id" = $5, "missed_at" = $6, "reference" = $7;

-- src/dream/drift/drift.queries.ts upsertPosition
insert into "drift_positions" ("run_id", "after_id")
values ($1, $2)
on conflict ("run_id") do update
set "after_id" = $3;

-- src/dream/entity-facts.queries.ts findEntity
    select r.id, r.scope, r.sensitivity, c.payload
    from records as r join contents as c on c.record_id = r.id
    where r.id = $1::uuid
and r.type = 'entity'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
    and not r.pinned
and r.sensitivity <= $2;

-- src/dream/entity-facts.queries.ts findEntityFacts
    select known.id, known.created_at, known.sensitivity,
      case when case when pg_column_size(c.payload) > 262144 then pg_column_size(c.payload) else coalesce(case when pg_column_compression(c.payload) is null then pg_column_size(c.payload)
    else octet_length(c.payload::text) end, 0)::int8 end <= 262144 then c.payload end as payload
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

-- src/dream/entity-facts.queries.ts findEntityFacts: of some
    select known.id, known.created_at, known.sensitivity,
      case when case when pg_column_size(c.payload) > 262144 then pg_column_size(c.payload) else coalesce(case when pg_column_compression(c.payload) is null then pg_column_size(c.payload)
    else octet_length(c.payload::text) end, 0)::int8 end <= 262144 then c.payload end as payload
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

-- src/dream/entity-facts.queries.ts isWritableEntity
select r.id
from records as r
where r.type = 'entity'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
    and not r.pinned
and r.sensitivity <= $1;

-- src/dream/probing/probing.queries.ts findBelief
    select r.id, r.version, r.created_at, coalesce(r.last_accessed_at, r.created_at) as used_at,
      case when case when pg_column_size(c.payload) > 262144 then pg_column_size(c.payload) else coalesce(case when pg_column_compression(c.payload) is null then pg_column_size(c.payload)
    else octet_length(c.payload::text) end, 0)::int8 end <= 262144 then c.payload end as payload
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

-- src/dream/probing/probing.queries.ts findRelatedRecords
    select it.id, it.created_at, case when case when pg_column_size(c.payload) > 262144 then pg_column_size(c.payload) else coalesce(case when pg_column_compression(c.payload) is null then pg_column_size(c.payload)
    else octet_length(c.payload::text) end, 0)::int8 end <= 262144 then c.payload end as payload
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
and far.id = any($2::uuid[])
      group by far.id, far.created_at
      order by far.created_at desc, far.id desc
      limit 10
    ) as it
    join contents as c on c.record_id = it.id
    order by it.created_at desc, it.id desc;

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

-- src/dream/probing/probing.queries.ts upsertProbe
insert into "belief_probes" ("record_id", "probed_at")
values ($1, $2)
on conflict ("record_id") do update
set "probed_at" = $3;

-- src/dream/profiles/profiles.queries.ts findLastProfiledEntity
select "entity_id"
from "peer_cards"
order by "written_at" desc, "entity_id" desc
limit $1;

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

-- src/dream/profiles/profiles.queries.ts findWrittenProfile
select "card_id", "digest"
from "peer_cards"
where "entity_id" = $1;

-- src/dream/profiles/profiles.queries.ts listStaleProfiles
    select card.id
    from peer_cards as p
    join records as r on r.id = p.entity_id
    join records as card on card.id = p.card_id
    where not r.pinned
and r.scope = $1
and card.id = $2::uuid
      and card.forgotten_at is null
and card.status in ('active', 'challenged')
and not card.pinned
      and (r.status in ('merged', 'superseded', 'invalidated')
or exists (
        select
from descents as d
        cross join lateral (select s.status, s.scope
from records as s
where s.id = d.source_id offset 0) as s
        where d.derived_id = card.id
and d.kind = 'dream'
          and (s.status in ('challenged', 'superseded', 'invalidated')
or s.scope <> card.scope)
          and d.source_id <> p.entity_id
      )
and not (r.type = 'entity'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
    and not r.pinned
and r.sensitivity <= $3
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
) >= 5))
    order by card.id;

-- src/dream/profiles/profiles.queries.ts listWellKnownEntities
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

-- src/dream/profiles/profiles.queries.ts upsertProfileRow
insert into "peer_cards" ("entity_id", "card_id", "digest", "written_at")
values ($1, $2, $3, $4)
on conflict ("entity_id") do update
set "card_id" = $5, "digest" = $6, "written_at" = $7;

-- src/dream/synthesis/synthesis.queries.ts findEntityVectors
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

-- src/dream/synthesis/synthesis.queries.ts findRememberedDigests
    select encode(digest, 'hex') as digest
from dream_verdicts
    where step = 'synthesis'
and digest = any($1::bytea[]);

-- src/dream/synthesis/synthesis.queries.ts findUnrelatedPairs
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

-- src/dream/synthesis/synthesis.queries.ts listMostReferencedEntities
    select r.id
    from (
  select *
from records
where forgotten_at is null
and decay_rank is not null
  union all
  select *
from records
where forgotten_at is null
and decay_rank is null
) as r cross join lateral (
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

-- src/dream/verdicts.queries.ts hasVerdict
select "step"
from "dream_verdicts"
where "step" = $1
and "digest" = $2;

-- src/dream/verdicts.queries.ts upsertVerdict
insert into "dream_verdicts" ("step", "digest", "decided_at")
values ($1, $2, $3)
on conflict ("step", "digest") do update
set "decided_at" = $4;
