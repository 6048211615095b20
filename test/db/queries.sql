-- src/decay/queries.ts updateLives
    with incoming as materialized (
      select *
from json_to_recordset($1::json) as incoming (
        id uuid, base_salience float8, anchored_at timestamptz, last_reinforced_at timestamptz, pinned bool,
        salience float8, expires_at timestamptz, prune_at timestamptz, action audit_action, changes jsonb
      )
    ), record as (
      update records as r
      set base_salience = i.base_salience, anchored_at = i.anchored_at, last_reinforced_at = i.last_reinforced_at,
        pinned = i.pinned, salience = i.salience, expires_at = i.expires_at, prune_at = i.prune_at,
        version = r.version + 1, updated_at = $2::timestamptz
      from incoming as i
      where r.id = i.id
    )
    insert into audit_entries (record_id, action, actor, at, rationale, changes)
    select id, action, $3::text, $4::timestamptz, $5::text, changes
    from incoming;

-- src/http/queries.ts tryLock
select pg_try_advisory_xact_lock($1) as "held";

-- src/http/queries.ts findAnswer
select "fingerprint", "status", "headers", "body"
from "idempotency_keys"
where "principal" = $1
and "key" = $2
and "expires_at" > $3;

-- src/http/queries.ts storeAnswer
insert into "idempotency_keys" ("principal", "key", "fingerprint", "status", "headers", "body", "created_at", "expires_at")
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict ("principal", "key") do update
set "fingerprint" = $9, "status" = $10, "headers" = $11, "body" = $12, "created_at" = $13, "expires_at" = $14;

-- src/http/queries.ts deleteExpiredAnswers
delete
from "idempotency_keys"
where ("principal", "key") in (select "principal", "key"
from "idempotency_keys"
where "expires_at" <= $1
order by "expires_at"
limit $2
for update skip locked);

-- src/jobs/queries.ts tryOwnSchedules
select pg_try_advisory_xact_lock($1) as "owned";

-- src/keys/queries.ts insertKey
insert into "api_keys" ("id", "name", "secret_hash", "permissions", "scopes", "max_sensitivity", "source_type", "created_at", "expires_at", "last_used_at", "revoked_at")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- src/keys/queries.ts findKey
select *
from "api_keys"
where "id" = $1
and "revoked_at" is null;

-- src/keys/queries.ts findKeyBySecret
select *
from "api_keys"
where "secret_hash" = $1
and "revoked_at" is null;

-- src/keys/queries.ts listKeys: the first page
select *
from "api_keys"
where "revoked_at" is null
order by "created_at" desc, "id" desc
limit $1;

-- src/keys/queries.ts listKeys: the second page
select *
from "api_keys"
where "revoked_at" is null
and ("created_at", "id") < ($1, $2)
order by "created_at" desc, "id" desc
limit $3;

-- src/keys/queries.ts revokeKey
update "api_keys"
set "revoked_at" = $1
where "id" = $2
and "revoked_at" is null;

-- src/keys/queries.ts noteUse
update "api_keys"
set "last_used_at" = $1
where "id" = $2
and ("last_used_at" is null
or "last_used_at" <= $3);

-- src/policies/queries.ts listPolicies
select "type", "curve", "half_life_seconds", "max_age_seconds", "min_salience", "reinforcement_gain", "max_salience", "deletion_policy"
from "lifecycle_policies"
order by "type";

-- src/policies/queries.ts findPolicy
select "type", "curve", "half_life_seconds", "max_age_seconds", "min_salience", "reinforcement_gain", "max_salience", "deletion_policy"
from "lifecycle_policies"
where "type" = $1;

-- src/policies/queries.ts upsertPolicy
insert into "lifecycle_policies" ("type", "curve", "half_life_seconds", "max_age_seconds", "min_salience", "reinforcement_gain", "max_salience", "deletion_policy")
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict ("type") do update
set "curve" = $9, "half_life_seconds" = $10, "max_age_seconds" = $11, "min_salience" = $12, "reinforcement_gain" = $13, "max_salience" = $14, "deletion_policy" = $15;

-- src/records/creation/queries.ts insertRecords
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
        "searchText" text, audit json
      )
    ), record as (
      insert into records (
        id, created_at, updated_at, salience, base_salience, anchored_at, last_reinforced_at, expires_at, prune_at,
        half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience, confidence, importance,
        base_importance, emotional_valence, last_accessed_at, access_count, confirmation_count, version, type,
        sensitivity, layer, memory_kind, status, source_type, curve, deletion_policy, pinned, scope
      )
      select id, created_at, updated_at, salience, base_salience, anchored_at, last_reinforced_at, expires_at, prune_at,
        half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience, confidence, importance,
        base_importance, emotional_valence, last_accessed_at, access_count, confirmation_count, version, type,
        sensitivity, layer, memory_kind, status, source_type, curve, deletion_policy, pinned, scope
      from incoming
      on conflict (id) do nothing
      returning id
    ), content as (
      insert into contents (record_id, tags, payload, provenance, interpretation, search)
      select id, tags, payload, provenance, interpretation,
        to_tsvector($2::text::regconfig, "searchText")
      from incoming join record using (id)
    ), edge as (
      insert into relations (source_id, predicate, target_id, weight, created_at)
      select source_id, predicate, target_id, weight, created_at
      from json_to_recordset($3::json) as edge
        (owner uuid, source_id uuid, predicate text, target_id uuid, weight float8, created_at timestamptz)
      where owner in (select id
from record)
      on conflict on constraint relations_pkey do nothing
    ), identifier as (
      insert into entity_identifiers (record_id, scope, namespace, value)
      select record_id, scope, namespace, value
      from json_to_recordset($4::json) as identifier
        (record_id uuid, scope text, namespace text, value text)
      where record_id in (select id
from record)
    ), entry as (
      insert into audit_entries (record_id, action, actor, at, rationale)
      select id, (audit ->> 'action')::audit_action, audit ->> 'actor', (audit ->> 'at')::timestamptz,
        audit ->> 'rationale'
      from incoming join record using (id)
    )
    select id
from record;

-- src/records/creation/queries.ts findTargets
select "r"."id", "r"."sensitivity"
from "records" as "r"
where "r"."id" = any($1::uuid[])
and "r"."forgotten_at" is null
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]));

-- src/records/creation/queries.ts findTakenIdentifiers
    select taken.record_id, taken.scope, taken.namespace, taken.value
    from json_to_recordset($1::json) as wanted (scope text, namespace text, value text)
    join entity_identifiers as taken
      on taken.scope = wanted.scope
and taken.namespace = wanted.namespace
and taken.value = wanted.value;

-- src/records/listing/queries.ts listRecords: by salience
select "r"."id", "r"."type", "r"."sensitivity", "r"."layer", "r"."memory_kind", "r"."status", "r"."source_type", "r"."confidence", "r"."created_at", "r"."scope", "c"."tags", "c"."payload", "c"."provenance", "c"."interpretation", "r"."salience", "r"."base_salience", "r"."anchored_at", "r"."last_reinforced_at", "r"."updated_at", "r"."expires_at", "r"."prune_at", "r"."half_life_seconds", "r"."max_age_seconds", "r"."min_salience", "r"."reinforcement_gain", "r"."max_salience", "r"."importance", "r"."base_importance", "r"."emotional_valence", "r"."last_accessed_at", "r"."access_count", "r"."confirmation_count", "r"."version", "r"."curve", "r"."deletion_policy", "r"."pinned", "r"."forgotten_at", "r"."purge_at", "r"."forgotten_run_id", "r"."forgotten_reason", "r"."forgotten_by", (select coalesce(json_agg(agg), '[]')
from (select "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "t" on "t"."id" = "e"."target_id"
where "e"."source_id" = "r"."id"
and "t"."forgotten_at" is null
and ("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
order by "e"."created_at", "e"."target_id", "e"."predicate") as agg) as "relations", (select coalesce(json_agg(agg), '[]')
from (select "newest"."action" as "action", "newest"."actor" as "actor", "newest"."at" as "at", "newest"."rationale" as "rationale", "newest"."run_id" as "run_id", "newest"."changes" as "changes"
from (select "a"."id", "a"."action", "a"."actor", "a"."at", "a"."rationale", "a"."run_id", "a"."changes"
from "audit_entries" as "a"
where "a"."record_id" = "r"."id"
order by "a"."id" desc
limit $3) as "newest"
order by "newest"."id") as agg) as "audit_log", "cut"."position"
from "records" as "r"
inner join "contents" as "c" on "c"."record_id" = "r"."id"
inner join (select "r"."id", salience_at(r, $4::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $5
and "r"."scope" = any($6::text[]))
and r.forgotten_at is null
order by salience_at(r, $7::timestamptz) desc, "r"."id" desc
limit $8) as "cut" on "cut"."id" = "r"."id"
where ("r"."sensitivity" <= $9
and "r"."scope" = any($10::text[]))
order by "cut"."position" desc, "r"."id" desc;

-- src/records/listing/queries.ts listRecords: by creation, every filter
select "r"."id", "r"."type", "r"."sensitivity", "r"."layer", "r"."memory_kind", "r"."status", "r"."source_type", "r"."confidence", "r"."created_at", "r"."scope", "c"."tags", "c"."payload", "c"."provenance", "c"."interpretation", "r"."salience", "r"."base_salience", "r"."anchored_at", "r"."last_reinforced_at", "r"."updated_at", "r"."expires_at", "r"."prune_at", "r"."half_life_seconds", "r"."max_age_seconds", "r"."min_salience", "r"."reinforcement_gain", "r"."max_salience", "r"."importance", "r"."base_importance", "r"."emotional_valence", "r"."last_accessed_at", "r"."access_count", "r"."confirmation_count", "r"."version", "r"."curve", "r"."deletion_policy", "r"."pinned", "r"."forgotten_at", "r"."purge_at", "r"."forgotten_run_id", "r"."forgotten_reason", "r"."forgotten_by", (select coalesce(json_agg(agg), '[]')
from (select "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "t" on "t"."id" = "e"."target_id"
where "e"."source_id" = "r"."id"
and "t"."forgotten_at" is null
and ("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
order by "e"."created_at", "e"."target_id", "e"."predicate") as agg) as "relations", (select coalesce(json_agg(agg), '[]')
from (select "newest"."action" as "action", "newest"."actor" as "actor", "newest"."at" as "at", "newest"."rationale" as "rationale", "newest"."run_id" as "run_id", "newest"."changes" as "changes"
from (select "a"."id", "a"."action", "a"."actor", "a"."at", "a"."rationale", "a"."run_id", "a"."changes"
from "audit_entries" as "a"
where "a"."record_id" = "r"."id"
order by "a"."id" desc
limit $3) as "newest"
order by "newest"."id") as agg) as "audit_log", "cut"."position"
from "records" as "r"
inner join "contents" as "c" on "c"."record_id" = "r"."id"
inner join (select "r"."id", "r"."created_at" as "position"
from "records" as "r"
inner join "contents" as "c" on "c"."record_id" = "r"."id"
where ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
and ("r"."type" = $6
and "r"."scope" = $7
and "r"."sensitivity" = $8
and "r"."layer" = $9
and "r"."memory_kind" = $10
and "r"."status" = $11
and c.tags @> $12::text[]
and r.created_at > $13::timestamptz
and r.created_at < $14::timestamptz
and c.search @@ websearch_to_tsquery($15::text::regconfig, $16)
and r.forgotten_at is null
and r.pinned = $17
and r.updated_at > $18::timestamptz
and r.salience >= $19
and salience_at(r, $20::timestamptz) >= $21
and salience_at(r, $22::timestamptz) <= $23)
and "r"."created_at" >= $24::timestamptz
and ("r"."created_at" > $25::timestamptz
or r.id > $26::uuid)
order by "r"."created_at" asc, "r"."id" asc
limit $27) as "cut" on "cut"."id" = "r"."id"
where ("r"."sensitivity" <= $28
and "r"."scope" = any($29::text[]))
order by "cut"."position" asc, "r"."id" asc;

-- src/records/listing/queries.ts listRecords: by importance, everything seen
select "r"."id", "r"."type", "r"."sensitivity", "r"."layer", "r"."memory_kind", "r"."status", "r"."source_type", "r"."confidence", "r"."created_at", "r"."scope", "c"."tags", "c"."payload", "c"."provenance", "c"."interpretation", "r"."salience", "r"."base_salience", "r"."anchored_at", "r"."last_reinforced_at", "r"."updated_at", "r"."expires_at", "r"."prune_at", "r"."half_life_seconds", "r"."max_age_seconds", "r"."min_salience", "r"."reinforcement_gain", "r"."max_salience", "r"."importance", "r"."base_importance", "r"."emotional_valence", "r"."last_accessed_at", "r"."access_count", "r"."confirmation_count", "r"."version", "r"."curve", "r"."deletion_policy", "r"."pinned", "r"."forgotten_at", "r"."purge_at", "r"."forgotten_run_id", "r"."forgotten_reason", "r"."forgotten_by", (select coalesce(json_agg(agg), '[]')
from (select "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "t" on "t"."id" = "e"."target_id"
where "e"."source_id" = "r"."id"
and "t"."forgotten_at" is null
and true
order by "e"."created_at", "e"."target_id", "e"."predicate") as agg) as "relations", (select coalesce(json_agg(agg), '[]')
from (select "newest"."action" as "action", "newest"."actor" as "actor", "newest"."at" as "at", "newest"."rationale" as "rationale", "newest"."run_id" as "run_id", "newest"."changes" as "changes"
from (select "a"."id", "a"."action", "a"."actor", "a"."at", "a"."rationale", "a"."run_id", "a"."changes"
from "audit_entries" as "a"
where "a"."record_id" = "r"."id"
order by "a"."id" desc
limit $1) as "newest"
order by "newest"."id") as agg) as "audit_log", "cut"."position"
from "records" as "r"
inner join "contents" as "c" on "c"."record_id" = "r"."id"
inner join (select "r"."id", "r"."importance" as "position"
from "records" as "r"
where true
and r.forgotten_at is null
order by "r"."importance" desc, "r"."id" desc
limit $2) as "cut" on "cut"."id" = "r"."id"
where true
order by "cut"."position" desc, "r"."id" desc;

-- src/records/listing/queries.ts listHalfLives
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
limit $1;

-- src/records/listing/queries.ts findSalienceFloor
select "position"
from (select "best"."id", "best"."position"
from unnest($1::bigint[], $2::text[]) as lane (half_life, scope)
inner join lateral (select "r"."id", salience_at(r, $3::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is not null
and r.half_life_seconds = lane.half_life
and 1 = 1
order by "r"."decay_rank" desc, "r"."id" desc
limit $6) as "best" on true union all (select "r"."id", salience_at(r, $7::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $8
and "r"."scope" = any($9::text[]))
and r.forgotten_at is null
and "r"."decay_rank" is null
order by "r"."salience" desc, "r"."id" desc
limit $10)) as "candidate"
order by "position" desc
limit $11 offset $12;

-- src/records/listing/queries.ts listBySalience
select "r"."id", "r"."type", "r"."sensitivity", "r"."layer", "r"."memory_kind", "r"."status", "r"."source_type", "r"."confidence", "r"."created_at", "r"."scope", "c"."tags", "c"."payload", "c"."provenance", "c"."interpretation", "r"."salience", "r"."base_salience", "r"."anchored_at", "r"."last_reinforced_at", "r"."updated_at", "r"."expires_at", "r"."prune_at", "r"."half_life_seconds", "r"."max_age_seconds", "r"."min_salience", "r"."reinforcement_gain", "r"."max_salience", "r"."importance", "r"."base_importance", "r"."emotional_valence", "r"."last_accessed_at", "r"."access_count", "r"."confirmation_count", "r"."version", "r"."curve", "r"."deletion_policy", "r"."pinned", "r"."forgotten_at", "r"."purge_at", "r"."forgotten_run_id", "r"."forgotten_reason", "r"."forgotten_by", (select coalesce(json_agg(agg), '[]')
from (select "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "t" on "t"."id" = "e"."target_id"
where "e"."source_id" = "r"."id"
and "t"."forgotten_at" is null
and ("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
order by "e"."created_at", "e"."target_id", "e"."predicate") as agg) as "relations", (select coalesce(json_agg(agg), '[]')
from (select "newest"."action" as "action", "newest"."actor" as "actor", "newest"."at" as "at", "newest"."rationale" as "rationale", "newest"."run_id" as "run_id", "newest"."changes" as "changes"
from (select "a"."id", "a"."action", "a"."actor", "a"."at", "a"."rationale", "a"."run_id", "a"."changes"
from "audit_entries" as "a"
where "a"."record_id" = "r"."id"
order by "a"."id" desc
limit $3) as "newest"
order by "newest"."id") as agg) as "audit_log", "cut"."position"
from "records" as "r"
inner join "contents" as "c" on "c"."record_id" = "r"."id"
inner join (select "id", "position"
from (select "best"."id", "best"."position"
from unnest($4::bigint[], $5::text[]) as lane (half_life, scope)
inner join lateral (select "r"."id", salience_at(r, $6::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $7
and "r"."scope" = any($8::text[]))
and r.forgotten_at is null
and salience_at(r, $9::timestamptz) <= $10::float8
and (salience_at(r, $11::timestamptz) < $12::float8
or r.id < $13::uuid)
and "r"."decay_rank" is not null
and r.half_life_seconds = lane.half_life
and r.scope = lane.scope
and r.decay_rank <= $14::float8 + $15::float8 / lane.half_life
order by "r"."decay_rank" desc, "r"."id" desc
limit $16) as "best" on true union all select "r"."id", salience_at(r, $17::timestamptz) as "position"
from "records" as "r"
where ("r"."sensitivity" <= $18
and "r"."scope" = any($19::text[]))
and r.forgotten_at is null
and salience_at(r, $20::timestamptz) <= $21::float8
and (salience_at(r, $22::timestamptz) < $23::float8
or r.id < $24::uuid)
and "r"."decay_rank" is null
and "r"."salience" >= $25) as "candidate"
order by "position" desc, "id" desc
limit $26) as "cut" on "cut"."id" = "r"."id"
where ("r"."sensitivity" <= $27
and "r"."scope" = any($28::text[]))
order by "cut"."position" desc, "r"."id" desc;

-- src/records/listing/queries.ts listAudit
select "id", "action", "actor", "at", "rationale", "run_id", "changes"
from "audit_entries"
where "record_id" = $1
and "id" > $2
order by "id"
limit $3;

-- src/records/queries.ts selectStored
select "r"."id", "r"."type", "r"."sensitivity", "r"."layer", "r"."memory_kind", "r"."status", "r"."source_type", "r"."confidence", "r"."created_at", "r"."scope", "c"."tags", "c"."payload", "c"."provenance", "c"."interpretation", "r"."salience", "r"."base_salience", "r"."anchored_at", "r"."last_reinforced_at", "r"."updated_at", "r"."expires_at", "r"."prune_at", "r"."half_life_seconds", "r"."max_age_seconds", "r"."min_salience", "r"."reinforcement_gain", "r"."max_salience", "r"."importance", "r"."base_importance", "r"."emotional_valence", "r"."last_accessed_at", "r"."access_count", "r"."confirmation_count", "r"."version", "r"."curve", "r"."deletion_policy", "r"."pinned", "r"."forgotten_at", "r"."purge_at", "r"."forgotten_run_id", "r"."forgotten_reason", "r"."forgotten_by", (select coalesce(json_agg(agg), '[]')
from (select "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "t" on "t"."id" = "e"."target_id"
where "e"."source_id" = "r"."id"
and "t"."forgotten_at" is null
and ("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
order by "e"."created_at", "e"."target_id", "e"."predicate") as agg) as "relations", (select coalesce(json_agg(agg), '[]')
from (select "newest"."action" as "action", "newest"."actor" as "actor", "newest"."at" as "at", "newest"."rationale" as "rationale", "newest"."run_id" as "run_id", "newest"."changes" as "changes"
from (select "a"."id", "a"."action", "a"."actor", "a"."at", "a"."rationale", "a"."run_id", "a"."changes"
from "audit_entries" as "a"
where "a"."record_id" = "r"."id"
order by "a"."id" desc
limit $3) as "newest"
order by "newest"."id") as agg) as "audit_log"
from "records" as "r"
inner join "contents" as "c" on "c"."record_id" = "r"."id"
where ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]));

-- src/records/queries.ts findRecords
select "r"."id", "r"."type", "r"."sensitivity", "r"."layer", "r"."memory_kind", "r"."status", "r"."source_type", "r"."confidence", "r"."created_at", "r"."scope", "c"."tags", "c"."payload", "c"."provenance", "c"."interpretation", "r"."salience", "r"."base_salience", "r"."anchored_at", "r"."last_reinforced_at", "r"."updated_at", "r"."expires_at", "r"."prune_at", "r"."half_life_seconds", "r"."max_age_seconds", "r"."min_salience", "r"."reinforcement_gain", "r"."max_salience", "r"."importance", "r"."base_importance", "r"."emotional_valence", "r"."last_accessed_at", "r"."access_count", "r"."confirmation_count", "r"."version", "r"."curve", "r"."deletion_policy", "r"."pinned", "r"."forgotten_at", "r"."purge_at", "r"."forgotten_run_id", "r"."forgotten_reason", "r"."forgotten_by", (select coalesce(json_agg(agg), '[]')
from (select "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "t" on "t"."id" = "e"."target_id"
where "e"."source_id" = "r"."id"
and "t"."forgotten_at" is null
and ("t"."sensitivity" <= $1
and "t"."scope" = any($2::text[]))
order by "e"."created_at", "e"."target_id", "e"."predicate") as agg) as "relations", (select coalesce(json_agg(agg), '[]')
from (select "newest"."action" as "action", "newest"."actor" as "actor", "newest"."at" as "at", "newest"."rationale" as "rationale", "newest"."run_id" as "run_id", "newest"."changes" as "changes"
from (select "a"."id", "a"."action", "a"."actor", "a"."at", "a"."rationale", "a"."run_id", "a"."changes"
from "audit_entries" as "a"
where "a"."record_id" = "r"."id"
order by "a"."id" desc
limit $3) as "newest"
order by "newest"."id") as agg) as "audit_log"
from "records" as "r"
inner join "contents" as "c" on "c"."record_id" = "r"."id"
where ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
and "r"."id" = any($6::uuid[]);

-- src/records/queries.ts lockRecords
select "id"
from "records"
where "id" = any($1::uuid[])
order by "id" for update;

-- src/records/queries.ts updateContent
update "contents"
set "tags" = $1, "payload" = $2, "search" = to_tsvector($3::text::regconfig, $4)
where "record_id" = $5;

-- src/records/queries.ts updateRecord
update "records"
set "version" = $1, "updated_at" = $2
where "id" = $3;

-- src/records/queries.ts appendAudit
insert into "audit_entries" ("action", "actor", "at", "rationale", "run_id", "changes", "record_id")
values ($1, $2, $3, $4, $5, $6, $7);

-- src/records/queries.ts deleteIdentifiers
delete
from "entity_identifiers"
where "record_id" = $1;

-- src/records/queries.ts insertIdentifiers
insert into "entity_identifiers" ("scope", "namespace", "value", "record_id")
values ($1, $2, $3, $4);

-- src/relations/queries.ts upsertEdges
insert into "relations" ("source_id", "predicate", "target_id", "weight", "created_at")
values ($1, $2, $3, $4, $5)
on conflict on constraint "relations_pkey" do update
set "weight" = "excluded"."weight"
returning "source_id", "predicate", "target_id", "weight", "created_at";

-- src/relations/queries.ts findEdge
select "source_id", "predicate", "target_id", "weight", "created_at"
from "relations"
where "source_id" = $1
and "predicate" = $2
and "target_id" = $3;

-- src/relations/queries.ts deleteEdges
delete
from "relations"
where ("source_id" = $1
and "predicate" = $2
and "target_id" = $3);

-- src/relations/queries.ts listEdges: outgoing
select "e"."source_id", "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "r" on "r"."id" = "e"."target_id"
where "e"."source_id" = $1
and "r"."forgotten_at" is null
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
order by "e"."predicate", "e"."target_id"
limit $4;

-- src/relations/queries.ts listEdges: incoming, the second page of one predicate
select "e"."source_id", "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "r" on "r"."id" = "e"."source_id"
where "e"."target_id" = $1
and "r"."forgotten_at" is null
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
and "e"."predicate" = $4
and (e.predicate, "e"."source_id") > ($5, $6::uuid)
order by "e"."predicate", "e"."source_id"
limit $7;
