-- src/records/answers/hidden-ids.queries.ts addHiddenIds
    select n.id
from records as n
where n.id = any($1::uuid[])
and not ("n"."sensitivity" <= $2
and "n"."scope" = any($3::text[]))
    union
    select n.id
from departures as n
where n.id = any($4::uuid[])
and not ("n"."sensitivity" <= $5
and "n"."scope" = any($6::text[]));

-- src/records/answers/hidden-ids.queries.ts findHiddenIds
    select n.id
from records as n
where n.id = any($1::uuid[])
and not ("n"."sensitivity" <= $2
and "n"."scope" = any($3::text[]))
    union
    select n.id
from departures as n
where n.id = any($4::uuid[])
and not ("n"."sensitivity" <= $5
and "n"."scope" = any($6::text[]));

-- src/records/audit-log/audit-log.queries.ts listAuditEntries
select "id", "action", "actor", "at", "rationale", "run_id", "operation_id", "changes", "via", "selected"
from (select *, (count(*) over ())::int4 as "selected", coalesce(sum(coalesce(case when pg_column_compression(a.changes) is null then pg_column_size(a.changes)
    else octet_length(a.changes::text) end, 0)::int8) over (order by a.id rows between unbounded preceding
and 1 preceding), 0) as "bytes_before"
from (select "id", "action", "actor", "at", "rationale", "run_id", "operation_id", "changes", "via"
from "audit_entries" as "a"
where "record_id" = $1
and "id" > $2
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
      where e.source_id = a.record_id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $6
and "h"."scope" = any($7::text[]))
  ))
  )
order by "id"
limit $8) as "a") as "a"
where "bytes_before" <= $9
order by "id";

-- src/records/change/record-change.queries.ts appendStatusChange
insert into "status_changes" ("at", "old", "new", "actor", "reason", "step", "run_id", "via", "record_id")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- src/records/change/record-change.queries.ts applyChange: of a record alone
with "changed" as (update "records"
set "version" = $1, "updated_at" = $2
where "id" = $3) insert into "audit_entries" ("action", "actor", "at", "rationale", "run_id", "changes", "via", "record_id")
values ($4, $5, $6, $7, $8, $9, $10, $11);

-- src/records/change/record-change.queries.ts applyChange: of what it says too
with "changed" as (update "records"
set "version" = $1, "updated_at" = $2
where "id" = $3), "rewritten" as (update "contents"
set "tags" = $4, "payload" = $5, "words" = $6, "search" = to_tsvector($7::text::regconfig, $8)
      || array_to_tsvector(array['scope ' || $9::text, 'type ' || $10::text, 'text 1'])
where "record_id" = $11), "queued" as (insert into "unembedded" ("record_id", "asked_at", "due_at", "attempts")
values ($12, $13, $14, $15)
on conflict ("record_id") do update
set "asked_at" = $16, "due_at" = $17, "attempts" = $18) insert into "audit_entries" ("action", "actor", "at", "rationale", "run_id", "changes", "via", "record_id")
values ($19, $20, $21, $22, $23, $24, $25, $26);

-- src/records/change/record-change.queries.ts applyChange: of what it says, with the same text
with "changed" as (update "records"
set "version" = $1
where "id" = $2), "rewritten" as (update "contents"
set "tags" = $3
where "record_id" = $4) insert into "audit_entries" ("action", "actor", "at", "rationale", "run_id", "changes", "via", "record_id")
values ($5, $6, $7, $8, $9, $10, $11, $12);

-- src/records/change/successors.queries.ts findLastSuccessors
    with recursive old as (
      select r.id as replaced, 0 as step, r.id, r.type, r.status
      from records as r
      where r.id = any($1::uuid[])
      union all
      select old.replaced, old.step + 1, next.id, next.type, next.status
      from old cross join lateral (
  select r.id, r.type, r.status
  from status_changes as moved
  join relations as e on e.source_id = old.id
and e.created_at = moved.at
    and (e.predicate = 'superseded_by'
or old.status = 'merged'
and e.predicate = 'derives')
  join records as r on r.id = e.target_id
  where moved.record_id = old.id
and moved.new = old.status
and old.status in ('superseded', 'merged')
    and r.forgotten_at is null
and r.type = old.type
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
  order by moved.id desc, r.id desc
  limit 1
) as next
      where old.step < 1000
    )
    select distinct on (replaced) replaced as id, id as successor
    from old
    where step > 0
    order by replaced, step desc;

-- src/records/change/successors.queries.ts findSuccessor
    select next.id
    from records as old cross join lateral (
  select r.id, r.type, r.status
  from status_changes as moved
  join relations as e on e.source_id = old.id
and e.created_at = moved.at
    and (e.predicate = 'superseded_by'
or old.status = 'merged'
and e.predicate = 'derives')
  join records as r on r.id = e.target_id
  where moved.record_id = old.id
and moved.new = old.status
and old.status in ('superseded', 'merged')
    and r.forgotten_at is null
and r.type = old.type
and ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
  order by moved.id desc, r.id desc
  limit 1
) as next
    where old.id = $3::uuid;

-- src/records/creation/record-creation.queries.ts findTakenIdentifiers
    select taken.record_id, taken.scope, taken.sensitivity, taken.namespace, taken.value
    from json_to_recordset($1::json)
      as requested (scope text, sensitivity sensitivity, namespace text, value text)
    join entity_identifiers as taken
      on taken.scope = requested.scope
and taken.sensitivity = requested.sensitivity
and taken.namespace = requested.namespace
and taken.value = requested.value;

-- src/records/creation/record-creation.queries.ts findUsedIds
select "id"
from "records"
where id = any($1::uuid[]) union all select "id"
from "departures"
where id = any($2::uuid[]);

-- src/records/creation/record-creation.queries.ts findVisibleTargets
select "r"."id", "r"."sensitivity"
from "records" as "r"
where "r"."id" = any($1::uuid[])
and "r"."forgotten_at" is null
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]));

-- src/records/creation/record-creation.queries.ts insertRecords: of no run that keeps rows
    with incoming as materialized (
      select *
from json_to_recordset($1::json) as incoming (
        id uuid, created_at timestamptz, updated_at timestamptz, salience float8, base_salience float8,
        anchored_at timestamptz, last_reinforced_at timestamptz, expires_at timestamptz, prune_at timestamptz,
        half_life_seconds int8, max_age_seconds int8, min_salience float8, reinforcement_gain float8,
        max_salience float8, confidence float8, importance float8, base_importance float8,
        emotional_valence float8, last_accessed_at timestamptz, access_count int4, confirmation_count int4,
        version int4, type record_type, sensitivity sensitivity, layer memory_layer, memory_kind memory_kind,
        status record_status, source_type source_type, curve decay_curve, deletion_policy deletion_policy,
        pinned bool, scope text, tags text[], payload jsonb, provenance jsonb, interpretation jsonb,
        "searchText" text, words int4, ordinal int4, audit jsonb, "hasClientId" bool, digest bytea,
        "earlierDigest" bytea, worth bytea
      )
    ), descended as materialized (
      select *
from json_to_recordset($2::json) as descended
        (owner uuid, derived_id uuid, source_id uuid, kind text, is_ground bool)
    ), locked_source as materialized (
      select r.id
from records as r
      where r.id = any((select array_agg(source_id)
from descended)::uuid[])
      order by r.id
      for key share
    ), grounded as materialized (
      select derived_id, descent_count
      from unnest((
        select array_agg(distinct derived_id)
from descended
where is_ground is null
or kind = 'mention'
      )::uuid[]) as derived (derived_id)
      cross join lateral (
        select
from descents as d
where d.derived_id = derived.derived_id
and d.is_ground
limit 1
      ) as ground
      cross join lateral (
        select count(*) as descent_count
from (
          select
from descents as d
where d.derived_id = derived.derived_id
limit 100
        ) as first_descents
      ) as counted
    ), erased as materialized (
      select erased_scope as scope, erased_digest as digest
      from (
        select array_agg(i.scope) as scopes, array_agg(form.digest) as digests
        from incoming as i cross join lateral (values (i.digest), (i."earlierDigest")) as form (digest)
        where form.digest is not null
      ) as said,
        erased_among($3::bytea, said.scopes, said.digests)
    ), record as (
      insert into records as r (
        id, created_at, updated_at, salience, base_salience, anchored_at, last_reinforced_at, expires_at, prune_at,
        half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience, confidence, importance,
        base_importance, emotional_valence, last_accessed_at, access_count, confirmation_count, version, type,
        sensitivity, layer, memory_kind, status, source_type, curve, deletion_policy, pinned, scope, worth
      )
      select id, created_at, updated_at, salience, base_salience, anchored_at, last_reinforced_at, expires_at, prune_at,
        half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience, confidence, importance,
        base_importance, emotional_valence, last_accessed_at, access_count, confirmation_count, version, type,
        sensitivity, layer, memory_kind, status, source_type, curve, deletion_policy, pinned, scope, worth
      from incoming as i
      where not exists (select
from erased as e
where e.scope = i.scope
and e.digest in (i.digest, i."earlierDigest"))
        and (not "hasClientId"
or not exists (select
from departures as d
where d.id = i.id offset 0))
      order by id
      on conflict (id) do nothing
      returning id
    ), content as (
      insert into contents (record_id, tags, payload, provenance, interpretation, words, search)
      select id, tags, payload, provenance, interpretation, words,
        to_tsvector($4::text::regconfig, "searchText")
          || array_to_tsvector(array['scope ' || scope, 'type ' || type, 'text 1'])
      from incoming join record using (id)
    ), edge as (
      insert into relations (source_id, predicate, target_id, weight, created_at)
      select source_id, predicate, target_id, weight, created_at
      from json_to_recordset($5::json) as edge
        (owner uuid, source_id uuid, predicate text, target_id uuid, weight float8, created_at timestamptz)
      where owner in (select id
from record)
        and (source_id in (select id
from record)
or source_id not in (select id
from incoming))
        and (target_id in (select id
from record)
or target_id not in (select id
from incoming))
      order by source_id, predicate, target_id
      on conflict on constraint relations_pkey do nothing
    ), descent as (
      insert into descents (derived_id, source_id, kind, is_ground)
      select g.derived_id, g.source_id, g.kind, coalesce(g.is_ground, has.derived_id is not null)
      from descended as g
      left join grounded as has on has.derived_id = g.derived_id
      where (g.owner is null
or g.owner in (select id
from record))
        and (g.derived_id in (select id
from record)
or g.derived_id not in (select id
from incoming))
        and (g.source_id in (select id
from record)
or g.source_id in (select id
from locked_source))
        and (g.kind <> 'mention'
or has.descent_count < 100)
      on conflict on constraint descents_pkey do nothing
    ), identifier as (
      insert into entity_identifiers (record_id, scope, sensitivity, namespace, value)
      select record_id, scope, sensitivity, namespace, value
      from json_to_recordset($6::json) as identifier
        (record_id uuid, scope text, sensitivity sensitivity, namespace text, value text)
      where record_id in (select id
from record)
      order by scope, namespace, value
    ), handle as (
      insert into handles (digest, detail, record_id, place, scope)
      select digest, detail, record_id, place, scope
      from json_to_recordset($7::json) as handle
        (digest bytea, detail bytea, record_id uuid, place int4, scope text)
      where record_id in (select id
from record)
      order by digest, scope, place
    ), message as (
      insert into messages (record_id, scope, conversation, at)
      select id, scope, payload #>> '{conversation,id}', (payload #>> '{conversation,at}')::timestamptz
      from incoming join record using (id)
      where type = 'episodic'
and payload ? 'conversation'
      order by ordinal
    ), queued as (
      insert into unembedded (record_id, asked_at, due_at)
      select id, updated_at, updated_at
from incoming join record using (id)
      on conflict (record_id) do update
      set asked_at = excluded.asked_at, due_at = excluded.due_at, attempts = excluded.attempts
    ), entry as (
      insert into audit_entries (record_id, run_id, action, actor, at, rationale, via)
      select id, (audit ->> 'run_id')::uuid, (audit ->> 'action')::audit_action, audit ->> 'actor', (audit ->> 'at')::timestamptz,
        audit ->> 'rationale', nullif(audit -> 'via', 'null')
      from incoming join record using (id)
      where audit is not null
    )
    select id, false as is_erased
from record
    union all
    select i.id, true
from incoming as i join erased as e on e.scope = i.scope
and e.digest in (i.digest, i."earlierDigest");

-- src/records/creation/record-creation.queries.ts insertRecords: of a run that keeps rows
    with incoming as materialized (
      select *
from json_to_recordset($1::json) as incoming (
        id uuid, created_at timestamptz, updated_at timestamptz, salience float8, base_salience float8,
        anchored_at timestamptz, last_reinforced_at timestamptz, expires_at timestamptz, prune_at timestamptz,
        half_life_seconds int8, max_age_seconds int8, min_salience float8, reinforcement_gain float8,
        max_salience float8, confidence float8, importance float8, base_importance float8,
        emotional_valence float8, last_accessed_at timestamptz, access_count int4, confirmation_count int4,
        version int4, type record_type, sensitivity sensitivity, layer memory_layer, memory_kind memory_kind,
        status record_status, source_type source_type, curve decay_curve, deletion_policy deletion_policy,
        pinned bool, scope text, tags text[], payload jsonb, provenance jsonb, interpretation jsonb,
        "searchText" text, words int4, ordinal int4, audit jsonb, "hasClientId" bool, digest bytea,
        "earlierDigest" bytea, worth bytea
      )
    ), descended as materialized (
      select *
from json_to_recordset($2::json) as descended
        (owner uuid, derived_id uuid, source_id uuid, kind text, is_ground bool)
    ), locked_source as materialized (
      select r.id
from records as r
      where r.id = any((select array_agg(source_id)
from descended)::uuid[])
      order by r.id
      for key share
    ), grounded as materialized (
      select derived_id, descent_count
      from unnest((
        select array_agg(distinct derived_id)
from descended
where is_ground is null
or kind = 'mention'
      )::uuid[]) as derived (derived_id)
      cross join lateral (
        select
from descents as d
where d.derived_id = derived.derived_id
and d.is_ground
limit 1
      ) as ground
      cross join lateral (
        select count(*) as descent_count
from (
          select
from descents as d
where d.derived_id = derived.derived_id
limit 100
        ) as first_descents
      ) as counted
    ), erased as materialized (
      select erased_scope as scope, erased_digest as digest
      from (
        select array_agg(i.scope) as scopes, array_agg(form.digest) as digests
        from incoming as i cross join lateral (values (i.digest), (i."earlierDigest")) as form (digest)
        where form.digest is not null
      ) as said,
        erased_among($3::bytea, said.scopes, said.digests)
    ), record as (
      insert into records as r (
        id, created_at, updated_at, salience, base_salience, anchored_at, last_reinforced_at, expires_at, prune_at,
        half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience, confidence, importance,
        base_importance, emotional_valence, last_accessed_at, access_count, confirmation_count, version, type,
        sensitivity, layer, memory_kind, status, source_type, curve, deletion_policy, pinned, scope, worth
      )
      select id, created_at, updated_at, salience, base_salience, anchored_at, last_reinforced_at, expires_at, prune_at,
        half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience, confidence, importance,
        base_importance, emotional_valence, last_accessed_at, access_count, confirmation_count, version, type,
        sensitivity, layer, memory_kind, status, source_type, curve, deletion_policy, pinned, scope, worth
      from incoming as i
      where not exists (select
from erased as e
where e.scope = i.scope
and e.digest in (i.digest, i."earlierDigest"))
        and (not "hasClientId"
or not exists (select
from departures as d
where d.id = i.id offset 0))
      order by id
      on conflict (id) do nothing
      returning id , id as owner, jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at,
    'forgotten_at', r.forgotten_at, 'expires_at', r.expires_at, 'curve', r.curve, 'half_life_seconds', r.half_life_seconds,
    'min_salience', r.min_salience, 'deletion_policy', r.deletion_policy) as row
    ), content as (
      insert into contents (record_id, tags, payload, provenance, interpretation, words, search)
      select id, tags, payload, provenance, interpretation, words,
        to_tsvector($4::text::regconfig, "searchText")
          || array_to_tsvector(array['scope ' || scope, 'type ' || type, 'text 1'])
      from incoming join record using (id)
      returning record_id as owner, jsonb_build_object('record_id', record_id, 'payload', payload) as row
    ), edge as (
      insert into relations (source_id, predicate, target_id, weight, created_at)
      select source_id, predicate, target_id, weight, created_at
      from json_to_recordset($5::json) as edge
        (owner uuid, source_id uuid, predicate text, target_id uuid, weight float8, created_at timestamptz)
      where owner in (select id
from record)
        and (source_id in (select id
from record)
or source_id not in (select id
from incoming))
        and (target_id in (select id
from record)
or target_id not in (select id
from incoming))
      order by source_id, predicate, target_id
      on conflict on constraint relations_pkey do nothing
      returning case when source_id in (select id
from record) then source_id else target_id end as owner, jsonb_build_object('source_id', source_id, 'predicate', predicate, 'target_id', target_id) as row
    ), descent as (
      insert into descents (derived_id, source_id, kind, is_ground)
      select g.derived_id, g.source_id, g.kind, coalesce(g.is_ground, has.derived_id is not null)
      from descended as g
      left join grounded as has on has.derived_id = g.derived_id
      where (g.owner is null
or g.owner in (select id
from record))
        and (g.derived_id in (select id
from record)
or g.derived_id not in (select id
from incoming))
        and (g.source_id in (select id
from record)
or g.source_id in (select id
from locked_source))
        and (g.kind <> 'mention'
or has.descent_count < 100)
      on conflict on constraint descents_pkey do nothing
      returning derived_id as owner, jsonb_build_object('derived_id', derived_id, 'source_id', source_id) as row
    ), identifier as (
      insert into entity_identifiers (record_id, scope, sensitivity, namespace, value)
      select record_id, scope, sensitivity, namespace, value
      from json_to_recordset($6::json) as identifier
        (record_id uuid, scope text, sensitivity sensitivity, namespace text, value text)
      where record_id in (select id
from record)
      order by scope, namespace, value
      returning record_id as owner, to_jsonb(entity_identifiers) as row
    ), handle as (
      insert into handles (digest, detail, record_id, place, scope)
      select digest, detail, record_id, place, scope
      from json_to_recordset($7::json) as handle
        (digest bytea, detail bytea, record_id uuid, place int4, scope text)
      where record_id in (select id
from record)
      order by digest, scope, place
    ), message as (
      insert into messages (record_id, scope, conversation, at)
      select id, scope, payload #>> '{conversation,id}', (payload #>> '{conversation,at}')::timestamptz
      from incoming join record using (id)
      where type = 'episodic'
and payload ? 'conversation'
      order by ordinal
    ), queued as (
      insert into unembedded (record_id, asked_at, due_at)
      select id, updated_at, updated_at
from incoming join record using (id)
      on conflict (record_id) do update
      set asked_at = excluded.asked_at, due_at = excluded.due_at, attempts = excluded.attempts
    ), entry as (
      insert into audit_entries (record_id, run_id, action, actor, at, rationale, via)
      select id, (audit ->> 'run_id')::uuid, (audit ->> 'action')::audit_action, audit ->> 'actor', (audit ->> 'at')::timestamptz,
        audit ->> 'rationale', nullif(audit -> 'via', 'null')
      from incoming join record using (id)
      where audit is not null
    ) , effect as (
        insert into run_effects (run_id, record_id, relation, after, others)
        select $8::uuid, owner, max(numbered.relation) filter (where nth = 1),
          (array_agg(numbered.row) filter (where nth = 1))[1], jsonb_agg(other
order by nth) filter (where nth > 1)
        from (
          select *, row_number() over (partition by owner
order by place) as nth
          from (select owner, 0 as place, $9::text as relation, row
from "record" union all select owner, 1 as place, $10::text as relation, row
from "content" union all select owner, 2 as place, $11::text as relation, row
from "edge" union all select owner, 3 as place, $12::text as relation, row
from "descent" union all select owner, 4 as place, $13::text as relation, row
from "identifier") as written
        ) as numbered
        cross join lateral (select numbered.relation, numbered.row as after) as other
        group by owner
      )
    select id, false as is_erased
from record
    union all
    select i.id, true
from incoming as i join erased as e on e.scope = i.scope
and e.digest in (i.digest, i."earlierDigest");

-- src/records/deletion/departures.queries.ts deleteErased
    with deleted as materialized (select *
from records
where id = any($1::uuid[])),
    place as materialized (
      select m.record_id, m.scope, m.conversation, m.at, m.arrival
      from deleted cross join lateral (
        select *
from messages
where record_id = deleted.id
and deleted.type = 'episodic' offset 0
      ) as m
    ), affected_conversation as materialized (
      select named.scope, named.conversation, exists (
        select
from messages as other
        where other.scope = named.scope
and other.conversation = named.conversation
          and other.record_id not in (select id
from deleted)
      ) as has_messages
      from (select distinct scope, conversation
from place) as named
    ), kept_place as (
      select place.*
from place join affected_conversation using (scope, conversation)
      where affected_conversation.has_messages
and $2::departure_kind = 'purged'
    ), cleared_place as (
      update departures
set conversation = null, message_at = null, message_arrival = null
      where id = any(array(
        select d.id
from affected_conversation cross join lateral (
          select id
from departures
where scope = affected_conversation.scope
and conversation = affected_conversation.conversation offset 0
        ) as d
        where not affected_conversation.has_messages
      ))
    ), departure as (
      insert into departures
        (id, created_at, departed_at, scope, run_id, type, sensitivity, kind, reason, actor, numbers,
          conversation, message_at, message_arrival)
      select r.id, r.created_at, $3::timestamptz, r.scope, r.forgotten_run_id, r.type, r.sensitivity,
        $4::departure_kind, 'erased', $5::text, jsonb_build_object('anchored_at', "r"."anchored_at", 'expires_at', "r"."expires_at", 'last_accessed_at', "r"."last_accessed_at", 'forgotten_at', "r"."forgotten_at", 'prune_at', "r"."prune_at", 'base_salience', "r"."base_salience", 'half_life_seconds', "r"."half_life_seconds", 'min_salience', "r"."min_salience", 'max_salience', "r"."max_salience", 'curve', "r"."curve", 'deletion_policy', "r"."deletion_policy", 'pinned', "r"."pinned", 'status', "r"."status", 'layer', "r"."layer", 'source_type', "r"."source_type", 'base_importance', "r"."base_importance", 'emotional_valence', "r"."emotional_valence", 'access_count', "r"."access_count", 'served_count', "r"."served_count", 'confirmation_count', "r"."confirmation_count"), p.conversation, p.at, p.arrival
      from deleted as r
left join kept_place as p on p.record_id = r.id
    ), unlisted as (
      delete
from unembedded
where record_id in (select id
from deleted)
    ), effect as (
      delete
from run_effects
where record_id in (select id
from deleted)
    )
    delete
from records
where id in (select id
from deleted)
returning id;

-- src/records/deletion/departures.queries.ts findDepartures
select "d"."id", "d"."type", "d"."sensitivity", "d"."scope", "d"."created_at", "d"."departed_at", "d"."kind", "d"."reason", "d"."actor", "d"."run_id", "d"."numbers"
from "departures" as "d"
where "d"."id" = any($1::uuid[])
and ("d"."sensitivity" <= $2
and "d"."scope" = any($3::text[]));

-- src/records/deletion/departures.queries.ts findNextPurgeable
    select id
from records
where purge_at <= $1::timestamptz
order by purge_at
limit 1
    for update skip locked;

-- src/records/deletion/departures.queries.ts listPurgeable
    select id, coalesce(forgotten_reason, '') as reason, coalesce(forgotten_at, purge_at) as forgotten_at
from records
    where purge_at <= $1::timestamptz
and id > $2::uuid
    order by id
limit $3;

-- src/records/deletion/departures.queries.ts purgeForgotten
    with deleted as materialized (
    select *
from records
where purge_at <= $1::timestamptz
order by purge_at
limit $2
    for update skip locked
  ),
    place as materialized (
      select m.record_id, m.scope, m.conversation, m.at, m.arrival
      from deleted cross join lateral (
        select *
from messages
where record_id = deleted.id
and deleted.type = 'episodic' offset 0
      ) as m
    ), affected_conversation as materialized (
      select named.scope, named.conversation, exists (
        select
from messages as other
        where other.scope = named.scope
and other.conversation = named.conversation
          and other.record_id not in (select id
from deleted)
      ) as has_messages
      from (select distinct scope, conversation
from place) as named
    ), kept_place as (
      select place.*
from place join affected_conversation using (scope, conversation)
      where affected_conversation.has_messages
and $3::departure_kind = 'purged'
    ), cleared_place as (
      update departures
set conversation = null, message_at = null, message_arrival = null
      where id = any(array(
        select d.id
from affected_conversation cross join lateral (
          select id
from departures
where scope = affected_conversation.scope
and conversation = affected_conversation.conversation offset 0
        ) as d
        where not affected_conversation.has_messages
      ))
    ), departure as (
      insert into departures
        (id, created_at, departed_at, scope, run_id, type, sensitivity, kind, reason, actor, numbers,
          conversation, message_at, message_arrival)
      select r.id, r.created_at, $4::timestamptz, r.scope, r.forgotten_run_id, r.type, r.sensitivity,
        $5::departure_kind, r.forgotten_reason, r.forgotten_by, jsonb_build_object('anchored_at', "r"."anchored_at", 'expires_at', "r"."expires_at", 'last_accessed_at', "r"."last_accessed_at", 'forgotten_at', "r"."forgotten_at", 'prune_at', "r"."prune_at", 'base_salience', "r"."base_salience", 'half_life_seconds', "r"."half_life_seconds", 'min_salience', "r"."min_salience", 'max_salience', "r"."max_salience", 'curve', "r"."curve", 'deletion_policy', "r"."deletion_policy", 'pinned', "r"."pinned", 'status', "r"."status", 'layer', "r"."layer", 'source_type', "r"."source_type", 'base_importance', "r"."base_importance", 'emotional_valence', "r"."emotional_valence", 'access_count', "r"."access_count", 'served_count', "r"."served_count", 'confirmation_count', "r"."confirmation_count"), p.conversation, p.at, p.arrival
      from deleted as r
left join kept_place as p on p.record_id = r.id
    ), unlisted as (
      delete
from unembedded
where record_id in (select id
from deleted)
    ), effect as (
      delete
from run_effects
where record_id in (select id
from deleted)
    )
    delete
from records
where id in (select id
from deleted)
returning id;

-- src/records/deletion/departures.queries.ts purgeRecords
    with deleted as materialized (
    select *
from records
where id = any($1::uuid[])
and purge_at <= $2::timestamptz
    order by id
for update
  ),
    place as materialized (
      select m.record_id, m.scope, m.conversation, m.at, m.arrival
      from deleted cross join lateral (
        select *
from messages
where record_id = deleted.id
and deleted.type = 'episodic' offset 0
      ) as m
    ), affected_conversation as materialized (
      select named.scope, named.conversation, exists (
        select
from messages as other
        where other.scope = named.scope
and other.conversation = named.conversation
          and other.record_id not in (select id
from deleted)
      ) as has_messages
      from (select distinct scope, conversation
from place) as named
    ), kept_place as (
      select place.*
from place join affected_conversation using (scope, conversation)
      where affected_conversation.has_messages
and $3::departure_kind = 'purged'
    ), cleared_place as (
      update departures
set conversation = null, message_at = null, message_arrival = null
      where id = any(array(
        select d.id
from affected_conversation cross join lateral (
          select id
from departures
where scope = affected_conversation.scope
and conversation = affected_conversation.conversation offset 0
        ) as d
        where not affected_conversation.has_messages
      ))
    ), departure as (
      insert into departures
        (id, created_at, departed_at, scope, run_id, type, sensitivity, kind, reason, actor, numbers,
          conversation, message_at, message_arrival)
      select r.id, r.created_at, $4::timestamptz, r.scope, r.forgotten_run_id, r.type, r.sensitivity,
        $5::departure_kind, r.forgotten_reason, r.forgotten_by, jsonb_build_object('anchored_at', "r"."anchored_at", 'expires_at', "r"."expires_at", 'last_accessed_at', "r"."last_accessed_at", 'forgotten_at', "r"."forgotten_at", 'prune_at', "r"."prune_at", 'base_salience', "r"."base_salience", 'half_life_seconds', "r"."half_life_seconds", 'min_salience', "r"."min_salience", 'max_salience', "r"."max_salience", 'curve', "r"."curve", 'deletion_policy', "r"."deletion_policy", 'pinned', "r"."pinned", 'status', "r"."status", 'layer', "r"."layer", 'source_type', "r"."source_type", 'base_importance', "r"."base_importance", 'emotional_valence', "r"."emotional_valence", 'access_count', "r"."access_count", 'served_count', "r"."served_count", 'confirmation_count', "r"."confirmation_count"), p.conversation, p.at, p.arrival
      from deleted as r
left join kept_place as p on p.record_id = r.id
    ), unlisted as (
      delete
from unembedded
where record_id in (select id
from deleted)
    ), effect as (
      delete
from run_effects
where record_id in (select id
from deleted)
    )
    delete
from records
where id in (select id
from deleted)
returning id;

-- src/records/descent/derived-scope.queries.ts deleteDescentsBetween
    delete
from descents as d
    where d.source_id = any($1::uuid[])
and d.derived_id = any($2::uuid[])
      and d.kind <> 'contest';

-- src/records/descent/derived-scope.queries.ts findInScope
    select r.id
from records as r
where r.id = any($1::uuid[])
and r.scope = $2;

-- src/records/descent/derived-sensitivity.queries.ts findLessSensitive
    with touched as materialized (
      select distinct d.derived_id as id
from descents as d
where d.source_id = any($1::uuid[])
and d.kind <> 'contest'
    )
    select r.id, required.sensitivity
    from touched cross join lateral (
      select r.id, r.type, r.sensitivity
from records as r
where r.id = touched.id offset 0
    ) as r cross join lateral (
      select greatest((
        select max(s.sensitivity)
from descents as d join records as s on s.id = d.source_id
        where d.derived_id = r.id
and d.source_id = any($2::uuid[])
and r.type <> 'entity'
          and (d.kind in ('dream', 'merge')
or r.type in ('competence', 'plan_graph')
and d.kind = 'consolidation')
      ), case when not exists (
        select
from descents as d
        cross join lateral (select s.sensitivity
from records as s
where s.id = d.source_id offset 0) as s
        where d.derived_id = r.id
and d.is_ground
and s.sensitivity <= r.sensitivity
      ) then (
        select min(s.sensitivity)
from descents as d join records as s on s.id = d.source_id
        where d.derived_id = r.id
and d.is_ground
      ) end) as sensitivity
    ) as required
    where r.sensitivity < required.sensitivity
    order by r.id;

-- src/records/descent/descents.queries.ts readDescents
with descended as materialized (
      select *
from json_to_recordset($1::json) as descended
        (owner uuid, derived_id uuid, source_id uuid, kind text, is_ground bool)
    ), locked_source as materialized (
      select r.id
from records as r
      where r.id = any((select array_agg(source_id)
from descended)::uuid[])
      order by r.id
      for key share
    ), grounded as materialized (
      select derived_id, descent_count
      from unnest((
        select array_agg(distinct derived_id)
from descended
where is_ground is null
or kind = 'mention'
      )::uuid[]) as derived (derived_id)
      cross join lateral (
        select
from descents as d
where d.derived_id = derived.derived_id
and d.is_ground
limit 1
      ) as ground
      cross join lateral (
        select count(*) as descent_count
from (
          select
from descents as d
where d.derived_id = derived.derived_id
limit 100
        ) as first_descents
      ) as counted
    ) select
from descended;

-- src/records/descent/descents.queries.ts storeDescents
    with record as (
      select null::uuid as id
where false
    ), incoming as (
      select id
from record
    ), descended as materialized (
      select *
from json_to_recordset($1::json) as descended
        (owner uuid, derived_id uuid, source_id uuid, kind text, is_ground bool)
    ), locked_source as materialized (
      select r.id
from records as r
      where r.id = any((select array_agg(source_id)
from descended)::uuid[])
      order by r.id
      for key share
    ), grounded as materialized (
      select derived_id, descent_count
      from unnest((
        select array_agg(distinct derived_id)
from descended
where is_ground is null
or kind = 'mention'
      )::uuid[]) as derived (derived_id)
      cross join lateral (
        select
from descents as d
where d.derived_id = derived.derived_id
and d.is_ground
limit 1
      ) as ground
      cross join lateral (
        select count(*) as descent_count
from (
          select
from descents as d
where d.derived_id = derived.derived_id
limit 100
        ) as first_descents
      ) as counted
    )
      insert into descents (derived_id, source_id, kind, is_ground)
      select g.derived_id, g.source_id, g.kind, coalesce(g.is_ground, has.derived_id is not null)
      from descended as g
      left join grounded as has on has.derived_id = g.derived_id
      where (g.owner is null
or g.owner in (select id
from record))
        and (g.derived_id in (select id
from record)
or g.derived_id not in (select id
from incoming))
        and (g.source_id in (select id
from record)
or g.source_id in (select id
from locked_source))
        and (g.kind <> 'mention'
or has.descent_count < 100)
      on conflict on constraint descents_pkey do nothing;

-- src/records/erasure/erasure.queries.ts clearAuditText
update "audit_entries"
set "rationale" = $1, "changes" = $2
where "record_id" = any($3::uuid[])
and ("rationale" <> $4
or "changes" is not null);

-- src/records/erasure/erasure.queries.ts clearInheritedAuditText
    update audit_entries as a
set rationale = '', changes = null
    where a.record_id = any($1::uuid[])
and a.changes is not null
and exists (
      select
from jsonb_object_keys(a.changes) as named (key)
      where key in ('tags', 'merged')
or key like 'provenance%'
        or key like 'payload%'
and key <> 'payload.revision.status'
    );

-- src/records/erasure/erasure.queries.ts clearStatusReasons
update "status_changes"
set "reason" = $1
where "record_id" = any($2::uuid[])
and "reason" <> $3;

-- src/records/erasure/erasure.queries.ts deleteDescentsOf
delete
from descents
where source_id = any($1::uuid[])
or derived_id = any($2::uuid[]);

-- src/records/erasure/erasure.queries.ts deleteEdgesOf
    with gone as (
      delete
from relations as e
where e.source_id = any($1::uuid[])
or e.target_id = any($2::uuid[])
      returning e.source_id, e.target_id
    )
    select count(*) as reported
from gone
    join records as s on s.id = gone.source_id join records as t on t.id = gone.target_id
    where ("s"."sensitivity" <= $3
and "s"."scope" = any($4::text[]))
and ("t"."sensitivity" <= $5
and "t"."scope" = any($6::text[]));

-- src/records/erasure/erasure.queries.ts deleteRowsOf: their vectors
    with gone as (
      delete
from "embeddings" as t
where t.record_id = any($1::uuid[])
returning t.record_id
    )
    select count(*) as reported
from gone
where gone.record_id = any($2::uuid[]);

-- src/records/erasure/erasure.queries.ts deleteRowsOf: their accesses
    with gone as (
      delete
from "access_log" as t
where t.record_id = any($1::uuid[])
returning t.record_id
    )
    select count(*) as reported
from gone
where gone.record_id = any($2::uuid[]);

-- src/records/erasure/erasure.queries.ts findContents
    select c.record_id as id, c.tags, c.payload, c.provenance, c.interpretation
    from contents as c
where c.record_id = any($1::uuid[]);

-- src/records/erasure/erasure.queries.ts findDerivations
    with recursive descendant as (
      select $1::uuid as id
      union
      select d.derived_id
from descendant
      join descents as d on d.source_id = descendant.id
and (d.is_ground
or d.kind = 'fold')
    ), touched as materialized (
      select distinct d.derived_id as id
      from descendant join descents as d on d.source_id = descendant.id
and d.kind <> 'contest'
      where d.derived_id <> $2::uuid
    )
    select d.derived_id as derived, d.source_id as source, d.kind, d.is_ground as "isGround",
      bool_or(d.kind = 'dream') over (partition by d.derived_id) as "quotesAllSources",
      d.kind in ('capture', 'fold')
and exists (
        select
from records as r
where r.id = d.derived_id
and r.type = 'entity' offset 0
      ) as "givesName"
    from touched join descents as d on d.derived_id = touched.id
    where d.kind <> 'contest';

-- src/records/erasure/erasure.queries.ts findReadableIds
select "r"."id"
from "records" as "r"
where "r"."id" = any($1::uuid[])
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
order by "r"."id";

-- src/records/erasure/erasure.queries.ts insertEraseEntries
    insert into audit_entries (record_id, action, actor, at, rationale, via)
    select id, 'erase', $1::text, $2::timestamptz, $3::text, $4::jsonb
    from unnest($5::uuid[]) as erased (id);

-- src/records/erasure/erasure.queries.ts lockForErasure
select r.id
from records as r
where r.id = any($1::uuid[])
order by r.id for update;

-- src/records/erasure/erasure.queries.ts updateKeptRecords
    with kept as materialized (
      select *
from json_to_recordset($1::json) as kept
        (id uuid, tags text[], payload jsonb, provenance jsonb, text text, words int4, scope text, type text)
    ), record as (
      update records as r
set version = r.version + 1, updated_at = greatest(r.updated_at, $2::timestamptz)
      from kept as k
where r.id = k.id
    ), content as (
      update contents as c
      set tags = k.tags, payload = k.payload, provenance = k.provenance, words = k.words,
        search = to_tsvector($3::text::regconfig, k.text)
          || array_to_tsvector(array['scope ' || k.scope, 'type ' || k.type, 'text 1'])
      from kept as k
where c.record_id = k.id
    ), handle as (
      delete
from handles as h
      using json_to_recordset($4::json) as n (id uuid, digest bytea)
      where h.record_id = n.id
and h.digest = n.digest
    ), identifier as (
      delete
from entity_identifiers as i
      using json_to_recordset($5::json) as m (id uuid, namespace text, value text)
      where i.record_id = m.id
and i.namespace = m.namespace
and i.value = m.value
    ), queued as (
      insert into unembedded (record_id, asked_at, due_at)
      select k.id, $6::timestamptz, $7::timestamptz
from kept as k
      on conflict (record_id) do update
      set asked_at = excluded.asked_at, due_at = excluded.due_at, attempts = excluded.attempts
    )
    insert into audit_entries (record_id, action, actor, at, rationale, via)
    select k.id, 'revise', $8::text, $9::timestamptz, $10::text,
      $11::jsonb
    from kept as k
order by k.id;

-- src/records/erasure/erasure.queries.ts updatePurgedToErased
update "departures"
set "kind" = $1, "reason" = $2, "actor" = $3, "departed_at" = $4, "conversation" = $5, "message_at" = $6, "message_arrival" = $7
where "id" = any($8::uuid[])
and "kind" = $9;

-- src/records/erasure/run-effects.queries.ts clearAppliedChanges
    update maintenance_changes as c
set before = null, after = null
    from plan_applications as a
    where c.run_id = a.run_id
and c.record_id = any($1::uuid[]);

-- src/records/erasure/run-effects.queries.ts deleteEffects
    with recursive planned as (
      select e.run_id, e.record_id
from run_effects as e join plans on plans.id = e.run_id
      where e.relation = 'descents'
and (e.after ->> 'source_id')::uuid = any($1::uuid[])
      union
      select planned.run_id, e.record_id
from planned
      cross join lateral (
        select e.record_id
from run_effects as e
        where (e.after ->> 'source_id')::uuid = planned.record_id
and e.relation = 'descents'
and e.run_id = planned.run_id
        offset 0
      ) as e
    ), listed as (
      update maintenance_changes as c
set before = null, after = null, note = 'it was erased'
      from plans
      where c.run_id = plans.id
and c.record_id = any($2::uuid[])
    ), derived as (
      update maintenance_changes as c
set before = null, after = null, note = 'it was erased'
      from planned
      where c.run_id = planned.run_id
and c.record_id = planned.record_id
        and c.record_id <> all($3::uuid[])
    ), planned_texts as (
      delete
from run_effects as e using planned
      where "e"."record_id" = any(array(select "record_id"
from "planned"))
and e.run_id = planned.run_id
        and e.record_id = planned.record_id
and e.record_id <> all($4::uuid[])
        and e.record_id <> all($5::uuid[])
and e.relation <> 'records'
    ), others_without_text as (
      update run_effects as e
      set others = (
        select jsonb_agg(other
order by place)
        from jsonb_array_elements(e.others) with ordinality as other (other, place)
        where other ->> 'relation' <> all($6::text[])
      )
      where record_id = any($7::uuid[])
and others is not null
and relation <> all($8::text[])
    )
    delete
from run_effects
    where record_id = any($9::uuid[])
      or record_id = any($10::uuid[])
and relation = any($11::text[]);

-- src/records/erasure/shared-reasons.queries.ts clearSharedReasons
    with erased as materialized (
      select unnest($1::uuid[]) as id
    ), edge as (
      select e.source_id as id, e.predicate, e.created_at
from erased join relations as e on e.target_id = erased.id
      union
      select e.target_id, e.predicate, e.created_at
from erased join relations as e on e.source_id = erased.id
      union
      select e.target_id, 'superseded_by', e.created_at
      from erased join relations as own on own.target_id = erased.id
and own.predicate = 'supersedes'
      join relations as e
        on e.source_id = own.source_id
and e.predicate = own.predicate
and e.created_at = own.created_at
    ), entry as materialized (
      select a.record_id, a.id, a.at, a.rationale, false as names_erased
from audit_entries as a
      where a.rationale <> ''
and a.operation_id in (
        select o.operation_id
from audit_entries as o
        where o.record_id in (select id
from erased)
and o.operation_id is not null
      )
      union
      select a.record_id, a.id, a.at, a.rationale, a.names_erased
      from edge join records as r on r.id = edge.id
and r.version > 1
      cross join lateral (
        select *, exists (
          select
from jsonb_object_keys(changes) as named (key)
where right(key, 36) in (select id::text
from erased)
        ) as names_erased
        from audit_entries
        where record_id = edge.id
and at >= edge.created_at
and action <> 'create'
and rationale <> ''
        offset 0
      ) as a
      where a.names_erased
        or edge.predicate in ('contested_by', 'superseded_by')
and a.at = edge.created_at
        or edge.predicate = 'contested_by'
          and a.changes -> 'payload.revision.status' = '["contested", "active"]'
    ), move as (
      update status_changes as s
set reason = ''
      from entry
where s.record_id = any(array(select record_id
from entry))
        and s.record_id = entry.record_id
and s.at = entry.at
and s.reason = entry.rationale
    ), cleared as (
      update audit_entries as a
      set rationale = '',
        changes = case when entry.names_erased then erase_predicates(a.changes) else a.changes end
      from entry
where a.record_id = any(array(select record_id
from entry))
        and a.record_id = entry.record_id
and a.id = entry.id
and a.at = entry.at
    )
    select distinct record_id as id
from entry
where record_id not in (select id
from erased)
order by id;

-- src/records/erasure/stored-answers.queries.ts deleteAnswersAbout
    delete
from idempotency_keys
    where body::jsonb ->> 'id' = any($1::text[])
or body::jsonb -> 'record' ->> 'id' = any($2::text[])
      or body::jsonb -> 'primary_record' ->> 'id' = any($3::text[])
      or (body::jsonb -> 'structuredContent') ->> 'id' = any($4::text[])
or (body::jsonb -> 'structuredContent') -> 'record' ->> 'id' = any($5::text[]);

-- src/records/erasure/stored-answers.queries.ts deleteConversationAnswers
    delete
from idempotency_keys
    where body::jsonb ? 'conversation'
and (
    exists (select
from jsonb_array_elements(case when jsonb_typeof(body::jsonb -> 'items') = 'array' then body::jsonb -> 'items' end) as item
where item ->> 'record_id' = any($1::text[]))
    or exists (
      select
from unnest($2::text[], $3::text[]) as erased (name, scope)
      where erased.name = (body::jsonb -> 'conversation') ->> 'id'
and erased.scope = coalesce((body::jsonb -> 'conversation') ->> 'scope', $4::text)
    )
  )
and not exists (
      select
from messages as m
where m.scope = coalesce((body::jsonb -> 'conversation') ->> 'scope', $5::text)
and m.conversation = (body::jsonb -> 'conversation') ->> 'id'
    );

-- src/records/erasure/stored-answers.queries.ts reduceAnswersAbout
    update idempotency_keys
    set body = (case
      when body::jsonb ? 'payload' then jsonb_build_object('id', body::jsonb -> 'id', 'version', body::jsonb -> 'version')
      when body::jsonb ? 'record' then jsonb_set(body::jsonb, '{record}', jsonb_build_object('id', (body::jsonb -> 'record') -> 'id', 'version', (body::jsonb -> 'record') -> 'version'))
      when body::jsonb ? 'primary_record' then jsonb_set(body::jsonb, '{primary_record}', jsonb_build_object('id', (body::jsonb -> 'primary_record') -> 'id', 'version', (body::jsonb -> 'primary_record') -> 'version'))
      else jsonb_build_object('structuredContent', jsonb_set((body::jsonb -> 'structuredContent'), '{record}', jsonb_build_object('id', ((body::jsonb -> 'structuredContent') -> 'record') -> 'id', 'version', ((body::jsonb -> 'structuredContent') -> 'record') -> 'version'))) end)::text
    where (body::jsonb ->> 'id' = any($1::text[])
and body::jsonb ? 'payload')
or body::jsonb -> 'record' ->> 'id' = any($2::text[])
      or body::jsonb -> 'primary_record' ->> 'id' = any($3::text[])
or (body::jsonb -> 'structuredContent') -> 'record' ->> 'id' = any($4::text[]);

-- src/records/erasure/stored-answers.queries.ts reduceConversationAnswers
    update idempotency_keys
    set body = jsonb_set(body::jsonb, '{conversation}', (body::jsonb -> 'conversation') - $1::text[])::text
    where (body::jsonb -> 'conversation') ? 'speakers'
and (
    exists (select
from jsonb_array_elements(case when jsonb_typeof(body::jsonb -> 'items') = 'array' then body::jsonb -> 'items' end) as item
where item ->> 'record_id' = any($2::text[]))
    or exists (
      select
from unnest($3::text[], $4::text[]) as erased (name, scope)
      where erased.name = (body::jsonb -> 'conversation') ->> 'id'
and erased.scope = coalesce((body::jsonb -> 'conversation') ->> 'scope', $5::text)
    )
  );

-- src/records/erasure/stored-answers.queries.ts reduceInBatchAnswers
    update idempotency_keys
    set body = jsonb_set(body::jsonb, '{results}', (
      select coalesce(jsonb_agg(kept
order by place) filter (where kept is not null), '[]')
      from jsonb_array_elements(case when jsonb_typeof(body::jsonb -> 'results') = 'array' then body::jsonb -> 'results' end) with ordinality as each (item, place)
      cross join lateral (select case when item -> 'record' ->> 'id' = any($1::text[]) then jsonb_set(item, '{record}', jsonb_build_object('id', (item -> 'record') -> 'id', 'version', (item -> 'record') -> 'version')) else item end as kept) as replaced
    ))::text
    where exists (select
from jsonb_array_elements(case when jsonb_typeof(body::jsonb -> 'results') = 'array' then body::jsonb -> 'results' end) as item
where item -> 'record' ->> 'id' = any($2::text[]));

-- src/records/erasure/stored-answers.queries.ts reduceInCaptureAnswers
    update idempotency_keys
    set body = jsonb_set(body::jsonb, '{created_records}', (
      select coalesce(jsonb_agg(kept
order by place) filter (where kept is not null), '[]')
      from jsonb_array_elements(case when jsonb_typeof(body::jsonb -> 'created_records') = 'array' then body::jsonb -> 'created_records' end) with ordinality as each (item, place)
      cross join lateral (select case when item ->> 'id' = any($1::text[]) then jsonb_build_object('id', item -> 'id', 'version', item -> 'version') else item end as kept) as replaced
    ))::text
    where exists (select
from jsonb_array_elements(case when jsonb_typeof(body::jsonb -> 'created_records') = 'array' then body::jsonb -> 'created_records' end) as item
where item ->> 'id' = any($2::text[]));

-- src/records/erasure/stored-answers.queries.ts removeFromBatchAnswers
    update idempotency_keys
    set body = jsonb_set(body::jsonb, '{results}', (
      select coalesce(jsonb_agg(kept
order by place) filter (where kept is not null), '[]')
      from jsonb_array_elements(case when jsonb_typeof(body::jsonb -> 'results') = 'array' then body::jsonb -> 'results' end) with ordinality as each (item, place)
      cross join lateral (select case when item -> 'record' ->> 'id' = any($1::text[]) then item - 'record' || '{"status": 410}' else item end as kept) as replaced
    ))::text
    where exists (select
from jsonb_array_elements(case when jsonb_typeof(body::jsonb -> 'results') = 'array' then body::jsonb -> 'results' end) as item
where item -> 'record' ->> 'id' = any($2::text[]));

-- src/records/erasure/stored-answers.queries.ts removeFromCaptureAnswers
    update idempotency_keys
    set body = jsonb_set(body::jsonb, '{created_records}', (
      select coalesce(jsonb_agg(kept
order by place) filter (where kept is not null), '[]')
      from jsonb_array_elements(case when jsonb_typeof(body::jsonb -> 'created_records') = 'array' then body::jsonb -> 'created_records' end) with ordinality as each (item, place)
      cross join lateral (select case when item ->> 'id' = any($1::text[]) then null else item end as kept) as replaced
    ))::text
    where exists (select
from jsonb_array_elements(case when jsonb_typeof(body::jsonb -> 'created_records') = 'array' then body::jsonb -> 'created_records' end) as item
where item ->> 'id' = any($2::text[]));

-- src/records/erasure/stored-answers.queries.ts removeMessageIds
    update idempotency_keys
    set body = jsonb_set(body::jsonb, '{items}', (
      select coalesce(jsonb_agg(kept
order by place) filter (where kept is not null), '[]')
      from jsonb_array_elements(case when jsonb_typeof(body::jsonb -> 'items') = 'array' then body::jsonb -> 'items' end) with ordinality as each (item, place)
      cross join lateral (select case when item ->> 'record_id' = any($1::text[])
and item ->> 'message_id' <> item ->> 'record_id' then item || jsonb_build_object('message_id', item -> 'record_id') else item end as kept) as replaced
    ))::text
    where exists (select
from jsonb_array_elements(case when jsonb_typeof(body::jsonb -> 'items') = 'array' then body::jsonb -> 'items' end) as item
where item ->> 'record_id' = any($2::text[])
and item ->> 'message_id' <> item ->> 'record_id');

-- src/records/erasure/tombstones.queries.ts deleteTombstone
delete
from "tombstones"
where "id" = $1
and (sensitivity <= $2::sensitivity
and scope = any($3::text[]))
returning "id";

-- src/records/erasure/tombstones.queries.ts findTombstonesOf
    select erased_scope as scope, erased_digest as digest
    from erased_among($1::bytea, $2::text[], $3::bytea[]);

-- src/records/erasure/tombstones.queries.ts insertTombstones
insert into "tombstones" ("scope", "digest", "id", "key_id", "created_at", "actor")
values ($1, $2, $3, $4, $5, $6)
on conflict on constraint "tombstones_content" do update
set "sensitivity" = greatest(tombstones.sensitivity, excluded.sensitivity)
returning "id", (sensitivity <= $7::sensitivity
and scope = any($8::text[])) as "is_open";

-- src/records/erasure/tombstones.queries.ts listTombstones: the first page
select "id", "scope", "created_at", "actor", "via"
from "tombstones"
where (sensitivity <= $1::sensitivity
and scope = any($2::text[]))
order by "created_at" desc, "id" desc
limit $3;

-- src/records/erasure/tombstones.queries.ts listTombstones: the second page
select "id", "scope", "created_at", "actor", "via"
from "tombstones"
where (sensitivity <= $1::sensitivity
and scope = any($2::text[]))
and (created_at, id) < ($3::timestamptz, $4::uuid)
order by "created_at" desc, "id" desc
limit $5;

-- src/records/erasure/tombstones.queries.ts lockTombstonesExclusive
select pg_advisory_xact_lock(7350 # lock_seed(), 3);

-- src/records/erasure/tombstones.queries.ts lockTombstonesShared
select pg_advisory_xact_lock_shared(7350 # lock_seed(), 3);

-- src/records/handles/handles.queries.ts deleteHandles
delete
from "handles"
where "record_id" = $1
and "digest" = any($2::bytea[]);

-- src/records/handles/handles.queries.ts insertHandles
    insert into handles (digest, detail, record_id, place, scope)
    select digest, detail, $1::uuid, place, $2
    from unnest(
      $3::bytea[], $4::bytea[],
      $5::integer[]
    ) as handle (digest, detail, place);

-- src/records/handles/handles.queries.ts lookUpHandles
    select wanted, next_place, is_same, id, scope, type, sensitivity, status, forgotten_at, created_at, may_be_erased,
      case when row_number() over (partition by id
order by wanted) = 1 then payload end as payload
    from seek_handles(
      $1::bytea[], $2::bytea[],
      $3::text[], $4::boolean[],
      $5::sensitivity
    )
    order by wanted, is_same desc, id desc;

-- src/records/handles/identifiers.queries.ts deleteIdentifiers
delete
from "entity_identifiers"
where "record_id" = $1;

-- src/records/handles/identifiers.queries.ts insertIdentifiers
    insert into entity_identifiers (record_id, scope, sensitivity, namespace, value)
    select $1::uuid, scope, sensitivity, namespace, value
    from unnest(
      $2::text[],
      $3::sensitivity[],
      $4::text[], $5::text[]
    ) as identifier (scope, sensitivity, namespace, value);

-- src/records/listing/list-matching.queries.ts readWords
    select websearch_to_tsquery($1::text::regconfig, $2)::text as words;

-- src/records/listing/list-matching.queries.ts selectMatching
select "r"."id"
from "records" as "r"
where ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
and r.forgotten_at is null;

-- src/records/listing/list-matching.queries.ts selectSortValue
select salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $1::timestamptz)
from records as r;

-- src/records/listing/list.queries.ts findMostSalientIds
    with used as materialized (
  with recursive used as (
    (
      select half_life_seconds as seconds
from records
      where decay_rank is not null
and forgotten_at is null
      order by half_life_seconds
      limit 1
    )
    union all
    select (
      select half_life_seconds
from records
      where decay_rank is not null
and forgotten_at is null
and half_life_seconds > used.seconds
      order by half_life_seconds
      limit 1
    )
    from used
    where used.seconds is not null
  )
  select seconds
from used
where seconds is not null
limit 501
), best as (
      select id, position
from ((select "best"."id", "best"."position"
from (select seconds as half_life, scope
from used cross join (values ('')) as named (scope)) as lane (half_life, scope)
inner join lateral (select "r"."id", salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $1::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is not null
and r.half_life_seconds = lane.half_life
and 1 = 1
order by "r"."decay_rank" desc, "r"."id" desc
limit 51) as "best" on true)) as candidate
order by position desc, id desc
limit 51
    )
    select best.id, best.position, (select count(*)
from used) * $4 as lanes,
      ((select "r"."salience"
from "records" as "r"
where ("r"."sensitivity" <= $5
and "r"."scope" = any($6::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is null
order by "r"."salience" desc, "r"."id" desc
limit 1)) as highest_unranked
    from (select) as always
left join best on true
    order by best.position desc, best.id desc;

-- src/records/listing/list.queries.ts findMostSalientIds: of some scopes
    with used as materialized (
  with recursive used as (
    (
      select half_life_seconds as seconds
from records
      where decay_rank is not null
and forgotten_at is null
      order by half_life_seconds
      limit 1
    )
    union all
    select (
      select half_life_seconds
from records
      where decay_rank is not null
and forgotten_at is null
and half_life_seconds > used.seconds
      order by half_life_seconds
      limit 1
    )
    from used
    where used.seconds is not null
  )
  select seconds
from used
where seconds is not null
limit 501
), best as (
      select id, position
from ((select "best"."id", "best"."position"
from (select seconds as half_life, scope
from used cross join unnest($1::text[]) as named (scope)) as lane (half_life, scope)
inner join lateral (select "r"."id", salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $2::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is not null
and r.half_life_seconds = lane.half_life
and r.scope = lane.scope
and 1 = 1
order by "r"."decay_rank" desc, "r"."id" desc
limit 51) as "best" on true)) as candidate
order by position desc, id desc
limit 51
    )
    select best.id, best.position, (select count(*)
from used) * $5 as lanes,
      ((select "r"."salience"
from "records" as "r"
where ("r"."sensitivity" <= $6
and "r"."scope" = any($7::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is null
order by "r"."salience" desc, "r"."id" desc
limit 1)) as highest_unranked
    from (select) as always
left join best on true
    order by best.position desc, best.id desc;

-- src/records/listing/list.queries.ts findSalienceFloor
select "position"
from (select "best"."id", "best"."position"
from unnest($1::bigint[], $2::text[]) as lane (half_life, scope)
inner join lateral (select "r"."id", salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $3::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is not null
and r.half_life_seconds = lane.half_life
and 1 = 1
order by "r"."decay_rank" desc, "r"."id" desc
limit 51) as "best" on true union all (select "r"."id", salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $6::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $7
and "r"."scope" = any($8::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is null
order by "r"."salience" desc, "r"."id" desc
limit $9)) as "candidate"
order by "position" desc
limit $10 offset $11;

-- src/records/listing/list.queries.ts listBySalience
    select *
from (
      select read.*, bytes_before + coalesce(sum(case when ("read"."sensitivity" <= $1
and "read"."scope" = any($2::text[])) then
    octet_length(read.relations::text) + octet_length(read.audit_log::text) else 0 end) over (order by read.position desc, read.id desc rows between unbounded preceding
and 1 preceding), 0) as all_bytes_before
from (
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
and ("t"."sensitivity" <= $3
and "t"."scope" = any($4::text[]))
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
    where not ("h"."sensitivity" <= $5
and "h"."scope" = any($6::text[]))
  )
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($7::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $8
and "h"."scope" = any($9::text[]))
  ))
  )
              order by a.id desc
limit $10
            ) as a
          ) as newest
          where newest.total <= 131072
          order by newest.id
        ) as entry
      ), '[]') as audit_log, cut.position, cut.selected, cut.bytes_before
    from (
    select cut.id, cut.position, (count(*) over ())::int4 as selected,
      coalesce(sum(case when ("r"."sensitivity" <= $11
and "r"."scope" = any($12::text[])) then (coalesce(case when pg_column_compression("c"."payload") is null then pg_column_size("c"."payload")
    else octet_length("c"."payload"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."provenance") is null then pg_column_size("c"."provenance")
    else octet_length("c"."provenance"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."interpretation") is null then pg_column_size("c"."interpretation")
    else octet_length("c"."interpretation"::text) end, 0)::int8) else 0 end) over (order by cut.position desc, cut.id desc rows between unbounded preceding
and 1 preceding), 0) as bytes_before
    from ((select "id", "position"
from (select "best"."id", "best"."position"
from unnest($13::bigint[], $14::text[]) as lane (half_life, scope)
inner join lateral (select "r"."id", salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $15::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $16
and "r"."scope" = any($17::text[]))
and r.forgotten_at is null
and salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $18::timestamptz) <= $19::float8
and (salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $20::timestamptz) < $21::float8
or r.id < $22::uuid)
and "r"."decay_rank" is not null
and r.half_life_seconds = lane.half_life
and r.scope = lane.scope
and r.decay_rank <= $23::float8 + $24::float8 / lane.half_life
order by "r"."decay_rank" desc, "r"."id" desc
limit 51) as "best" on true union all select "r"."id", salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $25::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $26
and "r"."scope" = any($27::text[]))
and r.forgotten_at is null
and salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $28::timestamptz) <= $29::float8
and (salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $30::timestamptz) < $31::float8
or r.id < $32::uuid)
and "r"."decay_rank" is null
and "r"."salience" >= $33) as "candidate"
order by "position" desc, "id" desc
limit $34)) as cut join records as r on r.id = cut.id join contents as c on c.record_id = cut.id
  ) as cut join records as r on r.id = cut.id
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $35
and "r"."scope" = any($36::text[]))
and cut.bytes_before <= 16777216
  ) as read
    ) as read
    where all_bytes_before <= 16777216
    order by read.position desc, read.id desc;

-- src/records/listing/list.queries.ts listHalfLives
  with recursive used as (
    (
      select half_life_seconds as seconds
from records
      where decay_rank is not null
and forgotten_at is null
      order by half_life_seconds
      limit 1
    )
    union all
    select (
      select half_life_seconds
from records
      where decay_rank is not null
and forgotten_at is null
and half_life_seconds > used.seconds
      order by half_life_seconds
      limit 1
    )
    from used
    where used.seconds is not null
  )
  select seconds
from used
where seconds is not null
limit 101;

-- src/records/listing/list.queries.ts listIdsBySalience
select "id", "position"
from (select "best"."id", "best"."position"
from unnest($1::bigint[], $2::text[]) as lane (half_life, scope)
inner join lateral (select "r"."id", salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $3::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is not null
and r.half_life_seconds = lane.half_life
and 1 = 1
order by "r"."decay_rank" desc, "r"."id" desc
limit 51) as "best" on true union all select "r"."id", salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $6::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $7
and "r"."scope" = any($8::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is null
and "r"."salience" >= $9) as "candidate"
order by "position" desc, "id" desc
limit $10;

-- src/records/listing/list.queries.ts listRecordIds
select "r"."id", salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $1::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
and (r.forgotten_at is null
and r.pinned)
order by salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $4::timestamptz) desc, "r"."id" desc
limit $5;

-- src/records/listing/list.queries.ts listRecords: by salience
    select *
from (
      select read.*, bytes_before + coalesce(sum(case when ("read"."sensitivity" <= $1
and "read"."scope" = any($2::text[])) then
    octet_length(read.relations::text) + octet_length(read.audit_log::text) else 0 end) over (order by read.position desc, read.id desc rows between unbounded preceding
and 1 preceding), 0) as all_bytes_before
from (
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
and ("t"."sensitivity" <= $3
and "t"."scope" = any($4::text[]))
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
    where not ("h"."sensitivity" <= $5
and "h"."scope" = any($6::text[]))
  )
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($7::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $8
and "h"."scope" = any($9::text[]))
  ))
  )
              order by a.id desc
limit $10
            ) as a
          ) as newest
          where newest.total <= 131072
          order by newest.id
        ) as entry
      ), '[]') as audit_log, cut.position, cut.selected, cut.bytes_before
    from (
    select cut.id, cut.position, (count(*) over ())::int4 as selected,
      coalesce(sum(case when ("r"."sensitivity" <= $11
and "r"."scope" = any($12::text[])) then (coalesce(case when pg_column_compression("c"."payload") is null then pg_column_size("c"."payload")
    else octet_length("c"."payload"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."provenance") is null then pg_column_size("c"."provenance")
    else octet_length("c"."provenance"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."interpretation") is null then pg_column_size("c"."interpretation")
    else octet_length("c"."interpretation"::text) end, 0)::int8) else 0 end) over (order by cut.position desc, cut.id desc rows between unbounded preceding
and 1 preceding), 0) as bytes_before
    from ((select "r"."id", salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $13::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $14
and "r"."scope" = any($15::text[]))
and r.forgotten_at is null
order by salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $16::timestamptz) desc, "r"."id" desc
limit $17)) as cut join records as r on r.id = cut.id join contents as c on c.record_id = cut.id
  ) as cut join records as r on r.id = cut.id
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $18
and "r"."scope" = any($19::text[]))
and cut.bytes_before <= 16777216
  ) as read
    ) as read
    where all_bytes_before <= 16777216
    order by read.position desc, read.id desc;

-- src/records/listing/list.queries.ts listRecords: by creation, every filter
    select *
from (
      select read.*, bytes_before + coalesce(sum(case when ("read"."sensitivity" <= $1
and "read"."scope" = any($2::text[])) then
    octet_length(read.relations::text) + octet_length(read.audit_log::text) else 0 end) over (order by read.position asc, read.id asc rows between unbounded preceding
and 1 preceding), 0) as all_bytes_before
from (
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
and ("t"."sensitivity" <= $3
and "t"."scope" = any($4::text[]))
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
    where not ("h"."sensitivity" <= $5
and "h"."scope" = any($6::text[]))
  )
and (a.action = 'create'
or a.at not in (
    select edge.created_at
    from unnest($7::text[]) as kind (predicate)
    cross join lateral (
      select e.target_id, e.created_at
from relations as e
      where e.source_id = r.id
and e.predicate = kind.predicate
      order by e.target_id desc
      limit 1000
    ) as edge
    join records as h on h.id = edge.target_id
    where not ("h"."sensitivity" <= $8
and "h"."scope" = any($9::text[]))
  ))
  )
              order by a.id desc
limit $10
            ) as a
          ) as newest
          where newest.total <= 131072
          order by newest.id
        ) as entry
      ), '[]') as audit_log, cut.position, cut.selected, cut.bytes_before
    from (
    select cut.id, cut.position, (count(*) over ())::int4 as selected,
      coalesce(sum(case when ("r"."sensitivity" <= $11
and "r"."scope" = any($12::text[])) then (coalesce(case when pg_column_compression("c"."payload") is null then pg_column_size("c"."payload")
    else octet_length("c"."payload"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."provenance") is null then pg_column_size("c"."provenance")
    else octet_length("c"."provenance"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."interpretation") is null then pg_column_size("c"."interpretation")
    else octet_length("c"."interpretation"::text) end, 0)::int8) else 0 end) over (order by cut.position asc, cut.id asc rows between unbounded preceding
and 1 preceding), 0) as bytes_before
    from ((select "r"."id", "r"."created_at" as "position"
from "records" as "r"
inner join "contents" as "c" on "c"."record_id" = "r"."id"
where ("r"."sensitivity" <= $13
and "r"."scope" = any($14::text[]))
and ("r"."type" = $15
and "r"."scope" = $16
and "r"."sensitivity" = $17
and "r"."layer" = $18
and "r"."memory_kind" = $19
and "r"."status" = $20
and c.tags @> $21::text[]
and r.created_at > $22::timestamptz
and r.created_at < $23::timestamptz
and c.search @@ $24::tsquery
and r.forgotten_at is null
and r.pinned = $25
and r.updated_at > $26::timestamptz
and r.salience >= $27
and salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $28::timestamptz) >= $29
and salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $30::timestamptz) <= $31)
and "r"."created_at" >= $32::timestamptz
and ("r"."created_at" > $33::timestamptz
or r.id > $34::uuid)
order by "r"."created_at" asc, "r"."id" asc
limit $35)) as cut join records as r on r.id = cut.id join contents as c on c.record_id = cut.id
  ) as cut join records as r on r.id = cut.id
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $36
and "r"."scope" = any($37::text[]))
and cut.bytes_before <= 16777216
  ) as read
    ) as read
    where all_bytes_before <= 16777216
    order by read.position asc, read.id asc;

-- src/records/listing/list.queries.ts listRecords: by importance, everything seen
    select *
from (
      select read.*, bytes_before + coalesce(sum(case when true then
    octet_length(read.relations::text) + octet_length(read.audit_log::text) else 0 end) over (order by read.position desc, read.id desc rows between unbounded preceding
and 1 preceding), 0) as all_bytes_before
from (
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
and true
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
                and true
              order by a.id desc
limit $1
            ) as a
          ) as newest
          where newest.total <= 131072
          order by newest.id
        ) as entry
      ), '[]') as audit_log, cut.position, cut.selected, cut.bytes_before
    from (
    select cut.id, cut.position, (count(*) over ())::int4 as selected,
      coalesce(sum(case when true then (coalesce(case when pg_column_compression("c"."payload") is null then pg_column_size("c"."payload")
    else octet_length("c"."payload"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."provenance") is null then pg_column_size("c"."provenance")
    else octet_length("c"."provenance"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."interpretation") is null then pg_column_size("c"."interpretation")
    else octet_length("c"."interpretation"::text) end, 0)::int8) else 0 end) over (order by cut.position desc, cut.id desc rows between unbounded preceding
and 1 preceding), 0) as bytes_before
    from ((select "r"."id", "r"."importance" as "position"
from "records" as "r"
where true
and r.forgotten_at is null
order by "r"."importance" desc, "r"."id" desc
limit $2)) as cut join records as r on r.id = cut.id join contents as c on c.record_id = cut.id
  ) as cut join records as r on r.id = cut.id
    join contents as c on c.record_id = r.id
    where true
and cut.bytes_before <= 16777216
  ) as read
    ) as read
    where all_bytes_before <= 16777216
    order by read.position desc, read.id desc;

-- src/records/reading/first-records.queries.ts measureContents
    select r.id, case when ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[])) then (coalesce(case when pg_column_compression("c"."payload") is null then pg_column_size("c"."payload")
    else octet_length("c"."payload"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."provenance") is null then pg_column_size("c"."provenance")
    else octet_length("c"."provenance"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."interpretation") is null then pg_column_size("c"."interpretation")
    else octet_length("c"."interpretation"::text) end, 0)::int8) else 0 end as bytes
    from records as r join contents as c on c.record_id = r.id
    where "r"."id" = any((select $3::uuid[])::uuid[])
and ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]));

-- src/records/reading/first-records.queries.ts readFirst
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
      ), '[]') as audit_log
    from records as r
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $9
and "r"."scope" = any($10::text[]))
and "r"."id" = any((select $11::uuid[])::uuid[])
and (coalesce(case when pg_column_compression("c"."payload") is null then pg_column_size("c"."payload")
    else octet_length("c"."payload"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."provenance") is null then pg_column_size("c"."provenance")
    else octet_length("c"."provenance"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."interpretation") is null then pg_column_size("c"."interpretation")
    else octet_length("c"."interpretation"::text) end, 0)::int8) <= 32768;
    select *
from (
      select read.*, bytes_before + coalesce(sum(case when ("read"."sensitivity" <= $1
and "read"."scope" = any($2::text[])) then
    octet_length(read.relations::text) + octet_length(read.audit_log::text) else 0 end) over (order by array_position($3::uuid[], read.id) rows between unbounded preceding
and 1 preceding), 0) as all_bytes_before
from (
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
and ("t"."sensitivity" <= $4
and "t"."scope" = any($5::text[]))
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
  )
              order by a.id desc
limit $11
            ) as a
          ) as newest
          where newest.total <= 131072
          order by newest.id
        ) as entry
      ), '[]') as audit_log, coalesce(sum(case when ("r"."sensitivity" <= $12
and "r"."scope" = any($13::text[])) then (coalesce(case when pg_column_compression("c"."payload") is null then pg_column_size("c"."payload")
    else octet_length("c"."payload"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."provenance") is null then pg_column_size("c"."provenance")
    else octet_length("c"."provenance"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."interpretation") is null then pg_column_size("c"."interpretation")
    else octet_length("c"."interpretation"::text) end, 0)::int8) else 0 end) over (order by array_position($14::uuid[], r.id) rows between unbounded preceding
and 1 preceding), 0) as bytes_before
    from records as r
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $15
and "r"."scope" = any($16::text[]))
and "r"."id" = any((select $17::uuid[])::uuid[])
  ) as read
    ) as read
    where all_bytes_before <= 16777216
    order by array_position($18::uuid[], read.id);

-- src/records/reading/first-records.queries.ts readFirstWhole
    select *
from (
      select read.*, bytes_before + coalesce(sum(case when ("read"."sensitivity" <= $1
and "read"."scope" = any($2::text[])) then
    octet_length(read.relations::text) + octet_length(read.audit_log::text) else 0 end) over (order by array_position($3::uuid[], read.id) rows between unbounded preceding
and 1 preceding), 0) as all_bytes_before
from (
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
and ("t"."sensitivity" <= $4
and "t"."scope" = any($5::text[]))
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
  )
              order by a.id desc
limit $11
            ) as a
          ) as newest
          where newest.total <= 131072
          order by newest.id
        ) as entry
      ), '[]') as audit_log, coalesce(sum(case when ("r"."sensitivity" <= $12
and "r"."scope" = any($13::text[])) then (coalesce(case when pg_column_compression("c"."payload") is null then pg_column_size("c"."payload")
    else octet_length("c"."payload"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."provenance") is null then pg_column_size("c"."provenance")
    else octet_length("c"."provenance"::text) end, 0)::int8 + coalesce(case when pg_column_compression("c"."interpretation") is null then pg_column_size("c"."interpretation")
    else octet_length("c"."interpretation"::text) end, 0)::int8) else 0 end) over (order by array_position($14::uuid[], r.id) rows between unbounded preceding
and 1 preceding), 0) as bytes_before
    from records as r
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $15
and "r"."scope" = any($16::text[]))
and "r"."id" = any((select $17::uuid[])::uuid[])
  ) as read
    ) as read
    where all_bytes_before <= 16777216
    order by array_position($18::uuid[], read.id);

-- src/records/records.queries.ts findRecords: one
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
      ), '[]') as audit_log
    from records as r
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $9
and "r"."scope" = any($10::text[]))
and r.id = $11::uuid;

-- src/records/records.queries.ts findRecords: several
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
      ), '[]') as audit_log
    from records as r
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $9
and "r"."scope" = any($10::text[]))
and "r"."id" = any((select $11::uuid[])::uuid[]);

-- src/records/records.queries.ts lockRecords
select r.id
from records as r
where r.id = $1::uuid
order by r.id for no key update;

-- src/records/records.queries.ts lockVisibleRecords
    select r.id
from records as r
where r.id = $1::uuid
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
order by r.id for no key update;

-- src/records/records.queries.ts readStored
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
      ), '[]') as audit_log
    from records as r
    join contents as c on c.record_id = r.id
    where ("r"."sensitivity" <= $9
and "r"."scope" = any($10::text[]));

-- src/records/search-texts/outdated-texts.queries.ts findOutdated
    select record_id, payload, tags
from contents
    where record_id = any($1::uuid[]);

-- src/records/search-texts/outdated-texts.queries.ts hasOutdatedTexts
    select exists (select
from outdated_texts) as is_listed;

-- src/records/search-texts/outdated-texts.queries.ts listOutdatedIds
    select record_id
from outdated_texts
    where $1::uuid is null
or record_id > $2::uuid
    order by record_id
    limit $3;

-- src/records/search-texts/outdated-texts.queries.ts lockOutdated
    with mine as materialized (
      select record_id
from outdated_texts
where record_id = any($1::uuid[])
      order by record_id
      for update skip locked
    ), deleted as (
      delete
from outdated_texts as o using mine
      where o.record_id = mine.record_id
and not exists (select
from records as r
where r.id = mine.record_id)
    )
    select r.id
from records as r
where r.id in (select record_id
from mine)
    order by r.id
    for no key update skip locked;

-- src/records/search-texts/outdated-texts.queries.ts rewriteTexts
    with made as materialized (
      select r.id, given.words,
        to_tsvector($1::text::regconfig, given.text) || array_to_tsvector(array['scope ' || r.scope, 'type ' || r.type, 'text 1']) as search
      from unnest(
        $2::uuid[], $3::text[],
        $4::int4[]
      ) as given (id, text, words)
      join records as r on r.id = given.id
    ), rewritten as (
      update contents as c
set search = made.search, words = made.words
      from made
      where c.record_id = made.id
and made.search <> c.search || array_to_tsvector(array['text 1'])
      returning c.record_id
    ), queued as (
      insert into unembedded (record_id, asked_at, due_at)
      select record_id, $5::timestamptz, $6::timestamptz
from rewritten
      order by record_id
      on conflict (record_id) do update
      set asked_at = excluded.asked_at, due_at = excluded.due_at, attempts = excluded.attempts
    ), unlisted as (
      delete
from outdated_texts as o using made
where o.record_id = made.id
    )
    select count(*)::int4 as count
from rewritten;

-- src/records/search-texts/unembedded.queries.ts queueForEmbedding
    insert into unembedded (record_id, asked_at, due_at)
    select id, $1::timestamptz, $2::timestamptz
from unnest($3::uuid[]) as written (id)
    on conflict (record_id) do update
      set asked_at = excluded.asked_at, due_at = excluded.due_at, attempts = excluded.attempts;
