-- src/policies/queries.ts listPolicies
select *
from "lifecycle_policies"
order by "type";

-- src/policies/queries.ts findPolicy
select *
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
        id uuid, type record_type, sensitivity sensitivity, layer memory_layer, memory_kind memory_kind,
        status record_status, source_type source_type, confidence float8, created_at timestamptz, scope text,
        tags text[], payload jsonb, provenance jsonb, interpretation jsonb, "searchText" text,
        salience float8, base_salience float8, anchored_at timestamptz, last_reinforced_at timestamptz,
        updated_at timestamptz, expires_at timestamptz, prune_at timestamptz, half_life_seconds int8,
        max_age_seconds int8, min_salience float8, reinforcement_gain float8, max_salience float8,
        importance float8, base_importance float8, emotional_valence float8, last_accessed_at timestamptz,
        access_count int4, confirmation_count int4, version int4, curve decay_curve,
        deletion_policy deletion_policy, pinned bool, audit json
      )
    ), record as (
      insert into records (
        id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at, scope, tags,
        payload, provenance, interpretation, search
      )
      select id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at, scope, tags,
        payload, provenance, interpretation, to_tsvector($2::text::regconfig, "searchText")
      from incoming
      on conflict (id) do nothing
      returning id
    ), lifecycle as (
      insert into lifecycles (
        record_id, salience, base_salience, anchored_at, last_reinforced_at, updated_at, expires_at, prune_at,
        half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience, importance,
        base_importance, emotional_valence, last_accessed_at, access_count, confirmation_count, version, curve,
        deletion_policy, pinned
      )
      select id, salience, base_salience, anchored_at, last_reinforced_at, updated_at, expires_at, prune_at,
        half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience, importance,
        base_importance, emotional_valence, last_accessed_at, access_count, confirmation_count, version, curve,
        deletion_policy, pinned
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
inner join "lifecycles" as "l" on "l"."record_id" = "r"."id"
where "r"."id" = any($1::uuid[])
and "l"."forgotten_at" is null
and ("r"."sensitivity" <= $2
and ("r"."scope" is null
or "r"."scope" = any($3::text[])));

-- src/records/creation/queries.ts findTakenIdentifiers
    select taken.record_id, taken.scope, taken.namespace, taken.value
    from json_to_recordset($1::json) as wanted (scope text, namespace text, value text)
    join entity_identifiers as taken
      on taken.namespace = wanted.namespace
and taken.value = wanted.value
      and taken.scope is not distinct
from wanted.scope;

-- src/records/listing/queries.ts findSalienceFloor
select min("exact") as "floor", count(*) as "count"
from (select salience_at(l, $1::timestamptz) as "exact"
from "records" as "r"
inner join "lifecycles" as "l" on "l"."record_id" = "r"."id"
where ("r"."sensitivity" <= $2
and ("r"."scope" is null
or "r"."scope" = any($3::text[])))
and l.forgotten_at is null
order by "l"."salience" desc, "r"."id" desc
limit $4) as "highest";

-- src/records/listing/queries.ts listRecords: by salience, the second page
select "r"."id", "r"."type", "r"."sensitivity", "r"."layer", "r"."memory_kind", "r"."status", "r"."source_type", "r"."confidence", "r"."created_at", "r"."scope", "r"."tags", "r"."payload", "r"."provenance", "r"."interpretation", "l"."salience", "l"."base_salience", "l"."anchored_at", "l"."last_reinforced_at", "l"."updated_at", "l"."expires_at", "l"."prune_at", "l"."half_life_seconds", "l"."max_age_seconds", "l"."min_salience", "l"."reinforcement_gain", "l"."max_salience", "l"."importance", "l"."base_importance", "l"."emotional_valence", "l"."last_accessed_at", "l"."access_count", "l"."confirmation_count", "l"."version", "l"."curve", "l"."deletion_policy", "l"."pinned", "l"."forgotten_at", "l"."purge_at", "l"."forgotten_run_id", "l"."forgotten_reason", "l"."forgotten_by", (select coalesce(json_agg(agg), '[]')
from (select "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "t" on "t"."id" = "e"."target_id"
inner join "lifecycles" as "tl" on "tl"."record_id" = "t"."id"
where "e"."source_id" = "r"."id"
and "tl"."forgotten_at" is null
and ("t"."sensitivity" <= $1
and ("t"."scope" is null
or "t"."scope" = any($2::text[])))
order by "e"."created_at", "e"."target_id", "e"."predicate") as agg) as "relations", (select coalesce(json_agg(agg), '[]')
from (select "newest"."action" as "action", "newest"."actor" as "actor", "newest"."at" as "at", "newest"."rationale" as "rationale", "newest"."run_id" as "run_id", "newest"."changes" as "changes"
from (select "a"."id", "a"."action", "a"."actor", "a"."at", "a"."rationale", "a"."run_id", "a"."changes"
from "audit_entries" as "a"
where "a"."record_id" = "r"."id"
order by "a"."id" desc
limit $3) as "newest"
order by "newest"."id") as agg) as "audit_log", "cut"."position"
from "records" as "r"
inner join "lifecycles" as "l" on "l"."record_id" = "r"."id"
inner join (select "r"."id", salience_at(l, $4::timestamptz) as "position"
from "records" as "r"
inner join "lifecycles" as "l" on "l"."record_id" = "r"."id"
where ("r"."sensitivity" <= $5
and ("r"."scope" is null
or "r"."scope" = any($6::text[])))
and l.forgotten_at is null
and salience_at(l, $7::timestamptz) <= $8::float8
and (salience_at(l, $9::timestamptz) < $10::float8
or r.id < $11::uuid)
and "l"."salience" >= $12
order by salience_at(l, $13::timestamptz) desc, "r"."id" desc
limit $14) as "cut" on "cut"."id" = "r"."id"
where ("r"."sensitivity" <= $15
and ("r"."scope" is null
or "r"."scope" = any($16::text[])))
order by "cut"."position" desc, "r"."id" desc;

-- src/records/listing/queries.ts listRecords: by creation, every filter
select "r"."id", "r"."type", "r"."sensitivity", "r"."layer", "r"."memory_kind", "r"."status", "r"."source_type", "r"."confidence", "r"."created_at", "r"."scope", "r"."tags", "r"."payload", "r"."provenance", "r"."interpretation", "l"."salience", "l"."base_salience", "l"."anchored_at", "l"."last_reinforced_at", "l"."updated_at", "l"."expires_at", "l"."prune_at", "l"."half_life_seconds", "l"."max_age_seconds", "l"."min_salience", "l"."reinforcement_gain", "l"."max_salience", "l"."importance", "l"."base_importance", "l"."emotional_valence", "l"."last_accessed_at", "l"."access_count", "l"."confirmation_count", "l"."version", "l"."curve", "l"."deletion_policy", "l"."pinned", "l"."forgotten_at", "l"."purge_at", "l"."forgotten_run_id", "l"."forgotten_reason", "l"."forgotten_by", (select coalesce(json_agg(agg), '[]')
from (select "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "t" on "t"."id" = "e"."target_id"
inner join "lifecycles" as "tl" on "tl"."record_id" = "t"."id"
where "e"."source_id" = "r"."id"
and "tl"."forgotten_at" is null
and ("t"."sensitivity" <= $1
and ("t"."scope" is null
or "t"."scope" = any($2::text[])))
order by "e"."created_at", "e"."target_id", "e"."predicate") as agg) as "relations", (select coalesce(json_agg(agg), '[]')
from (select "newest"."action" as "action", "newest"."actor" as "actor", "newest"."at" as "at", "newest"."rationale" as "rationale", "newest"."run_id" as "run_id", "newest"."changes" as "changes"
from (select "a"."id", "a"."action", "a"."actor", "a"."at", "a"."rationale", "a"."run_id", "a"."changes"
from "audit_entries" as "a"
where "a"."record_id" = "r"."id"
order by "a"."id" desc
limit $3) as "newest"
order by "newest"."id") as agg) as "audit_log", "cut"."position"
from "records" as "r"
inner join "lifecycles" as "l" on "l"."record_id" = "r"."id"
inner join (select "r"."id", r.created_at as "position"
from "records" as "r"
inner join "lifecycles" as "l" on "l"."record_id" = "r"."id"
where ("r"."sensitivity" <= $4
and ("r"."scope" is null
or "r"."scope" = any($5::text[])))
and ("r"."type" = $6
and "r"."scope" = $7
and "r"."sensitivity" = $8
and "r"."layer" = $9
and "r"."memory_kind" = $10
and "r"."status" = $11
and r.tags @> $12::text[]
and r.created_at > $13::timestamptz
and r.created_at < $14::timestamptz
and r.search @@ websearch_to_tsquery($15::text::regconfig, $16)
and l.forgotten_at is null
and l.pinned = $17
and l.updated_at > $18::timestamptz
and l.salience >= $19
and salience_at(l, $20::timestamptz) >= $21
and salience_at(l, $22::timestamptz) <= $23)
and r.created_at >= $24::timestamptz
and (r.created_at > $25::timestamptz
or r.id > $26::uuid)
order by r.created_at asc, "r"."id" asc
limit $27) as "cut" on "cut"."id" = "r"."id"
where ("r"."sensitivity" <= $28
and ("r"."scope" is null
or "r"."scope" = any($29::text[])))
order by "cut"."position" asc, "r"."id" asc;

-- src/records/listing/queries.ts listRecords: by importance, everything seen
select "r"."id", "r"."type", "r"."sensitivity", "r"."layer", "r"."memory_kind", "r"."status", "r"."source_type", "r"."confidence", "r"."created_at", "r"."scope", "r"."tags", "r"."payload", "r"."provenance", "r"."interpretation", "l"."salience", "l"."base_salience", "l"."anchored_at", "l"."last_reinforced_at", "l"."updated_at", "l"."expires_at", "l"."prune_at", "l"."half_life_seconds", "l"."max_age_seconds", "l"."min_salience", "l"."reinforcement_gain", "l"."max_salience", "l"."importance", "l"."base_importance", "l"."emotional_valence", "l"."last_accessed_at", "l"."access_count", "l"."confirmation_count", "l"."version", "l"."curve", "l"."deletion_policy", "l"."pinned", "l"."forgotten_at", "l"."purge_at", "l"."forgotten_run_id", "l"."forgotten_reason", "l"."forgotten_by", (select coalesce(json_agg(agg), '[]')
from (select "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "t" on "t"."id" = "e"."target_id"
inner join "lifecycles" as "tl" on "tl"."record_id" = "t"."id"
where "e"."source_id" = "r"."id"
and "tl"."forgotten_at" is null
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
inner join "lifecycles" as "l" on "l"."record_id" = "r"."id"
inner join (select "r"."id", "l"."importance" as "position"
from "records" as "r"
inner join "lifecycles" as "l" on "l"."record_id" = "r"."id"
where true
and l.forgotten_at is null
order by "l"."importance" desc, "r"."id" desc
limit $2) as "cut" on "cut"."id" = "r"."id"
where true
order by "cut"."position" desc, "r"."id" desc;

-- src/records/listing/queries.ts listAudit
select "id", "action", "actor", "at", "rationale", "run_id", "changes"
from "audit_entries"
where "record_id" = $1
and "id" > $2
order by "id"
limit $3;

-- src/records/queries.ts selectStored
select "r"."id", "r"."type", "r"."sensitivity", "r"."layer", "r"."memory_kind", "r"."status", "r"."source_type", "r"."confidence", "r"."created_at", "r"."scope", "r"."tags", "r"."payload", "r"."provenance", "r"."interpretation", "l"."salience", "l"."base_salience", "l"."anchored_at", "l"."last_reinforced_at", "l"."updated_at", "l"."expires_at", "l"."prune_at", "l"."half_life_seconds", "l"."max_age_seconds", "l"."min_salience", "l"."reinforcement_gain", "l"."max_salience", "l"."importance", "l"."base_importance", "l"."emotional_valence", "l"."last_accessed_at", "l"."access_count", "l"."confirmation_count", "l"."version", "l"."curve", "l"."deletion_policy", "l"."pinned", "l"."forgotten_at", "l"."purge_at", "l"."forgotten_run_id", "l"."forgotten_reason", "l"."forgotten_by", (select coalesce(json_agg(agg), '[]')
from (select "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "t" on "t"."id" = "e"."target_id"
inner join "lifecycles" as "tl" on "tl"."record_id" = "t"."id"
where "e"."source_id" = "r"."id"
and "tl"."forgotten_at" is null
and ("t"."sensitivity" <= $1
and ("t"."scope" is null
or "t"."scope" = any($2::text[])))
order by "e"."created_at", "e"."target_id", "e"."predicate") as agg) as "relations", (select coalesce(json_agg(agg), '[]')
from (select "newest"."action" as "action", "newest"."actor" as "actor", "newest"."at" as "at", "newest"."rationale" as "rationale", "newest"."run_id" as "run_id", "newest"."changes" as "changes"
from (select "a"."id", "a"."action", "a"."actor", "a"."at", "a"."rationale", "a"."run_id", "a"."changes"
from "audit_entries" as "a"
where "a"."record_id" = "r"."id"
order by "a"."id" desc
limit $3) as "newest"
order by "newest"."id") as agg) as "audit_log"
from "records" as "r"
inner join "lifecycles" as "l" on "l"."record_id" = "r"."id"
where ("r"."sensitivity" <= $4
and ("r"."scope" is null
or "r"."scope" = any($5::text[])));

-- src/records/queries.ts findRecord
select "r"."id", "r"."type", "r"."sensitivity", "r"."layer", "r"."memory_kind", "r"."status", "r"."source_type", "r"."confidence", "r"."created_at", "r"."scope", "r"."tags", "r"."payload", "r"."provenance", "r"."interpretation", "l"."salience", "l"."base_salience", "l"."anchored_at", "l"."last_reinforced_at", "l"."updated_at", "l"."expires_at", "l"."prune_at", "l"."half_life_seconds", "l"."max_age_seconds", "l"."min_salience", "l"."reinforcement_gain", "l"."max_salience", "l"."importance", "l"."base_importance", "l"."emotional_valence", "l"."last_accessed_at", "l"."access_count", "l"."confirmation_count", "l"."version", "l"."curve", "l"."deletion_policy", "l"."pinned", "l"."forgotten_at", "l"."purge_at", "l"."forgotten_run_id", "l"."forgotten_reason", "l"."forgotten_by", (select coalesce(json_agg(agg), '[]')
from (select "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "t" on "t"."id" = "e"."target_id"
inner join "lifecycles" as "tl" on "tl"."record_id" = "t"."id"
where "e"."source_id" = "r"."id"
and "tl"."forgotten_at" is null
and ("t"."sensitivity" <= $1
and ("t"."scope" is null
or "t"."scope" = any($2::text[])))
order by "e"."created_at", "e"."target_id", "e"."predicate") as agg) as "relations", (select coalesce(json_agg(agg), '[]')
from (select "newest"."action" as "action", "newest"."actor" as "actor", "newest"."at" as "at", "newest"."rationale" as "rationale", "newest"."run_id" as "run_id", "newest"."changes" as "changes"
from (select "a"."id", "a"."action", "a"."actor", "a"."at", "a"."rationale", "a"."run_id", "a"."changes"
from "audit_entries" as "a"
where "a"."record_id" = "r"."id"
order by "a"."id" desc
limit $3) as "newest"
order by "newest"."id") as agg) as "audit_log"
from "records" as "r"
inner join "lifecycles" as "l" on "l"."record_id" = "r"."id"
where ("r"."sensitivity" <= $4
and ("r"."scope" is null
or "r"."scope" = any($5::text[])))
and "r"."id" = $6;

-- src/records/queries.ts lockRecord
select "record_id"
from "lifecycles"
where "record_id" = $1 for update;

-- src/records/queries.ts updateContent
update "records"
set "tags" = $1, "payload" = $2, "search" = to_tsvector($3::text::regconfig, $4)
where "id" = $5;

-- src/records/queries.ts updateLifecycle
update "lifecycles"
set "version" = $1, "updated_at" = $2
where "record_id" = $3;

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
inner join "lifecycles" as "l" on "l"."record_id" = "r"."id"
where "e"."source_id" = $1
and "l"."forgotten_at" is null
and ("r"."sensitivity" <= $2
and ("r"."scope" is null
or "r"."scope" = any($3::text[])))
order by "e"."predicate", "e"."target_id"
limit $4;

-- src/relations/queries.ts listEdges: incoming, the second page of one predicate
select "e"."source_id", "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "r" on "r"."id" = "e"."source_id"
inner join "lifecycles" as "l" on "l"."record_id" = "r"."id"
where "e"."target_id" = $1
and "l"."forgotten_at" is null
and ("r"."sensitivity" <= $2
and ("r"."scope" is null
or "r"."scope" = any($3::text[])))
and "e"."predicate" = $4
and (e.predicate, "e"."source_id") > ($5, $6::uuid)
order by "e"."predicate", "e"."source_id"
limit $7;
