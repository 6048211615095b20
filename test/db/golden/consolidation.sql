-- src/consolidation/compression/episode-compression.queries.ts claimCompressionCandidates
    with held as materialized (
      select r.id, r.curve, r.half_life_seconds, r.min_salience, r.base_salience, r.anchored_at, r.expires_at, r.pinned,
        r.deletion_policy,
        r.type = 'episodic'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
and not r.pinned
          as is_live
      from records as r
      where r.id = $1::uuid
      order by r.id
      for no key update skip locked
    )
    select held.id, held.curve, held.half_life_seconds, held.min_salience, held.base_salience, held.anchored_at,
      held.expires_at, held.pinned, held.deletion_policy,
      held.is_live
and not exists (
        select
from audit_entries as a
        where a.record_id = held.id
and a.action = 'decay'
and a.actor = $2
        offset 0
      ) as is_due
    from held;

-- src/consolidation/compression/episode-compression.queries.ts findExistingIds
    select r.id
from records as r
where r.id = $1::uuid;

-- src/consolidation/compression/episode-compression.queries.ts writeCompressed
    with incoming as materialized (
      select *
from unnest(
        $1::uuid[],
        $2::float8[],
        $3::float8[],
        $4::float8[],
        $5::float8[],
        $6::timestamptz[]
      ) as incoming (id, base_before, base_after, before, after, prune_at)
    ), earlier as materialized (
      select r.id, jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at, 'forgotten_at', r.forgotten_at, 'salience', r.salience, 'prune_at', r.prune_at, 'updated_at', r.updated_at) as row
from records as r
      where $7::bool
and "r"."id" = any(array(select "id"
from "incoming"))
    ), record as (
      update records as r
      set base_salience = i.base_after, salience = i.after, prune_at = i.prune_at, version = r.version + 1,
        updated_at = greatest(r.updated_at, $8::timestamptz)
      from incoming as i
      where r.id = i.id
and "r"."id" = any(array(select "id"
from "incoming"))
      returning r.id, r.updated_at, case when $9::bool then jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at, 'forgotten_at', r.forgotten_at, 'salience', r.salience, 'prune_at', r.prune_at, 'updated_at', r.updated_at) end as row
    ), unlisted as (
      delete
from unconsolidated as u
      where stage = 'episodic'
and "record_id" = any((select $10::uuid[])::uuid[])
      returning u.record_id, case when $11::bool then to_jsonb(u) end as row
    ), effect as (
      insert into run_effects (run_id, record_id, relation, before, after, others)
      select $12::uuid, id, 'records', earlier.row, record.row,
        case when unlisted.row is not null
          then jsonb_build_array(jsonb_build_object('relation', 'unconsolidated', 'before', unlisted.row)) end
      from earlier join record using (id)
left join unlisted on unlisted.record_id = id
      union all
      select $13::uuid, record_id, 'unconsolidated', row, null, null
from unlisted
      where $14::bool
and record_id not in (select id
from record)
    )
    insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
    select id, $15::uuid, updated_at, 'decay', $16, 'compressed: what it taught is kept apart',
      jsonb_build_object(
        'base_salience', jsonb_build_array(base_before, base_after), 'salience', jsonb_build_array(before, after)
      )
    from incoming join record using (id);

-- src/consolidation/episode-batches.queries.ts claimEpisodes: everywhere
    select due_at::text as at, record_id as id
from (
    select u.record_id, u.due_at
    from unconsolidated as u
    where u.stage = $1
and u.due_at <= $2::timestamptz
    and (u.claimed_until is null
or u.claimed_until <= $3::timestamptz)
and (u.due_at, u.record_id) > ($4::timestamptz, $5::uuid)
    order by u.due_at, u.record_id
    limit $6
    for update skip locked
  ) as claimed
order by due_at, record_id;

-- src/consolidation/episode-batches.queries.ts claimEpisodes: in a scope
    select due_at::text as at, record_id as id
from (
    select u.record_id, u.due_at
    from unconsolidated as u
    where u.stage = $1
and u.due_at <= $2::timestamptz
    and (u.claimed_until is null
or u.claimed_until <= $3::timestamptz)
and exists (select
from records as r
where r.id = u.record_id
and r.scope = $4 offset 0)
and (u.due_at, u.record_id) > ($5::timestamptz, $6::uuid)
    order by u.due_at, u.record_id
    limit $7
    for update skip locked
  ) as claimed
order by due_at, record_id;

-- src/consolidation/episode-batches.queries.ts claimReadableEpisodes: everywhere
    with claimed as materialized (
    select u.record_id, u.due_at
    from unconsolidated as u
    where u.stage = $1
and u.due_at <= $2::timestamptz
    and (u.claimed_until is null
or u.claimed_until <= $3::timestamptz)
and (u.due_at, u.record_id) > ($4::timestamptz, $5::uuid)
    order by u.due_at, u.record_id
    limit $6
    for update skip locked
  ), sized as (
      select record_id, due_at, row_number() over by_age as place,
        sum(coalesce(pg_column_size(c.payload), 0)) over by_age as bytes
      from claimed
      left join lateral (select payload
from contents
where record_id = claimed.record_id offset 0) as c on true
      window by_age as (order by due_at, record_id)
    )
    select due_at::text as at, record_id as id
from sized
    where bytes <= $7
or place = 1
    order by due_at, record_id;

-- src/consolidation/episode-batches.queries.ts claimReadableEpisodes: of half of the scopes
    with claimed as materialized (
    select u.record_id, u.due_at
    from unconsolidated as u
    where u.stage = $1
and u.due_at <= $2::timestamptz
    and (u.claimed_until is null
or u.claimed_until <= $3::timestamptz)
and exists (
    select
from records as r
where r.id = u.record_id
and hashtextextended(r.scope, 0) & 1 = $4 offset 0
  )
and (u.due_at, u.record_id) > ($5::timestamptz, $6::uuid)
    order by u.due_at, u.record_id
    limit $7
    for update skip locked
  ), sized as (
      select record_id, due_at, row_number() over by_age as place,
        sum(coalesce(pg_column_size(c.payload), 0)) over by_age as bytes
      from claimed
      left join lateral (select payload
from contents
where record_id = claimed.record_id offset 0) as c on true
      window by_age as (order by due_at, record_id)
    )
    select due_at::text as at, record_id as id
from sized
    where bytes <= $8
or place = 1
    order by due_at, record_id;

-- src/consolidation/episode-batches.queries.ts countDue: everywhere
select $1::text as stage, (select count(*)
from unconsolidated as u
where u.stage = $2
and u.due_at <= $3::timestamptz
    and (u.claimed_until is null
or u.claimed_until <= $4::timestamptz) ) as count union all select $5::text as stage, (select count(*)
from unconsolidated as u
where u.stage = $6
and u.due_at <= $7::timestamptz
    and (u.claimed_until is null
or u.claimed_until <= $8::timestamptz) ) as count;

-- src/consolidation/episode-batches.queries.ts countDue: in a scope
select $1::text as stage, (select count(*)
from unconsolidated as u
where u.stage = $2
and u.due_at <= $3::timestamptz
    and (u.claimed_until is null
or u.claimed_until <= $4::timestamptz)
and exists (select
from records as r
where r.id = u.record_id
and r.scope = $5 offset 0)) as count;

-- src/consolidation/episode-batches.queries.ts deleteUnconsolidated
    delete
from unconsolidated
    where stage = $1
and "record_id" = any((select $2::uuid[])::uuid[]);

-- src/consolidation/episode-batches.queries.ts findEpisodes
    select r.id, r.scope, r.sensitivity, r.confidence, r.created_at, c.tags,
      c.payload - 'environment' as payload
    from records as r
    cross join lateral (select *
from contents as c
where c.record_id = r.id offset 0) as c
    where r.id = $1::uuid
and r.type = 'episodic'
and r.forgotten_at is null
      and r.status in ('active', 'challenged', 'merged')
    order by r.created_at, r.id;

-- src/consolidation/episode-batches.queries.ts postponeNext
    with failed as materialized (
      select u.record_id, u.due_at
      from unconsolidated as u
      where u.stage = $1
and u.due_at <= $2::timestamptz
    and (u.claimed_until is null
or u.claimed_until <= $3::timestamptz)
and (u.due_at, u.record_id) > ($4::timestamptz, $5::uuid)
      order by u.due_at, u.record_id
      limit 1
      for update skip locked
    )
    update unconsolidated as u
    set attempts = u.attempts + 1, error = $6, claimed_until = null,
      due_at = case when u.attempts + 1 >= $7 then 'infinity'
        else $8::timestamptz + $9::interval * power(4, u.attempts) end
    from failed
    where u.record_id = failed.record_id
and u.stage = $10
    returning failed.due_at::text as at, u.record_id as id, u.attempts, u.due_at = 'infinity' as is_given_up;

-- src/consolidation/episode-batches.queries.ts setPostponed
update unconsolidated as u
set attempts = u.attempts + 1, error = $1, claimed_until = null,
      due_at = case when u.attempts + 1 >= $2 then 'infinity'
        else $3::timestamptz + $4::interval * power(4, u.attempts) end;

-- src/consolidation/episode-links.queries.ts insertEpisodeLinks: of no run that keeps rows
    with link as materialized (
      select *
from unnest(
        $1::uuid[], $2::uuid[]
      ) as link (derived, episode)
    ), descent as (
      insert into descents (derived_id, source_id, kind, is_ground)
      select l.derived, l.episode, 'consolidation', exists (
        select
from descents as d
where d.derived_id = l.derived
and d.is_ground offset 0
      )
      from link as l
      on conflict on constraint descents_pkey do nothing
    ), edge as (
      insert into relations (source_id, predicate, target_id, weight, created_at)
      select derived, 'derived_from', episode, 1, $3::timestamptz
from link
      union all
      select episode, 'derives', derived, 1, $4::timestamptz
from link
      order by 1, 2, 3
      on conflict on constraint relations_pkey do nothing
      returning source_id, predicate, target_id
    )
    select source_id as derived, target_id as episode
from edge
    where predicate = 'derived_from'
and not exists (
      select
from descents as d
      where d.derived_id = edge.source_id
and d.source_id = edge.target_id
and d.kind = 'consolidation'
      offset 0
    );

-- src/consolidation/episode-links.queries.ts insertEpisodeLinks: of a run that keeps rows
    with link as materialized (
      select *
from unnest(
        $1::uuid[], $2::uuid[]
      ) as link (derived, episode)
    ), descent as (
      insert into descents (derived_id, source_id, kind, is_ground)
      select l.derived, l.episode, 'consolidation', exists (
        select
from descents as d
where d.derived_id = l.derived
and d.is_ground offset 0
      )
      from link as l
      on conflict on constraint descents_pkey do nothing
      returning derived_id as owner, to_jsonb(descents) as row
    ), edge as (
      insert into relations (source_id, predicate, target_id, weight, created_at)
      select derived, 'derived_from', episode, 1, $3::timestamptz
from link
      union all
      select episode, 'derives', derived, 1, $4::timestamptz
from link
      order by 1, 2, 3
      on conflict on constraint relations_pkey do nothing
      returning source_id, predicate, target_id , case predicate when 'derived_from' then source_id else target_id end as owner, to_jsonb(relations) as row
    ) , effect as (
        insert into run_effects (run_id, record_id, relation, after, others)
        select $5::uuid, owner, max(numbered.relation) filter (where nth = 1),
          (array_agg(numbered.row) filter (where nth = 1))[1], jsonb_agg(other
order by nth) filter (where nth > 1)
        from (
          select *, row_number() over (partition by owner
order by place) as nth
          from (select owner, 0 as place, $6::text as relation, row
from "edge" union all select owner, 1 as place, $7::text as relation, row
from "descent") as written
        ) as numbered
        cross join lateral (select numbered.relation, numbered.row as after) as other
        group by owner
      )
    select source_id as derived, target_id as episode
from edge
    where predicate = 'derived_from'
and not exists (
      select
from descents as d
      where d.derived_id = edge.source_id
and d.source_id = edge.target_id
and d.kind = 'consolidation'
      offset 0
    );

-- src/consolidation/extraction/extraction.queries.ts claimUntil
    update unconsolidated
set claimed_until = $1::timestamptz
    where stage = 'extraction'
and record_id = any($2::uuid[]);

-- src/consolidation/extraction/extraction.queries.ts lockClaimed
    select record_id as id
from unconsolidated
    where stage = 'extraction'
and record_id = any($1::uuid[])
    order by record_id
    for update;

-- src/consolidation/extraction/extraction.queries.ts postponeClaimed
    update unconsolidated
    set attempts = attempts + 1, error = $1, claimed_until = null,
      due_at = case when attempts + 1 >= $2 then 'infinity'
        else $3::timestamptz + $4::interval * power(4, attempts) end
    where stage = 'extraction'
and record_id = $5::uuid
    returning record_id as id, attempts, due_at = 'infinity' as is_given_up;

-- src/consolidation/extraction/extraction.queries.ts releaseAllClaims
    update unconsolidated
set claimed_until = null
where stage = 'extraction'
and claimed_until is not null;

-- src/consolidation/extraction/extraction.queries.ts releaseClaims
    update unconsolidated
set claimed_until = null
    where stage = 'extraction'
and record_id = any($1::uuid[]);

-- src/consolidation/facts/facts.queries.ts claimFacts
    select r.id, r.scope, r.sensitivity,
      r.curve, r.half_life_seconds, r.min_salience, r.base_salience, r.anchored_at, r.expires_at, r.pinned,
      r.deletion_policy, r.salience, r.created_at, r.max_age_seconds, r.reinforcement_gain, r.max_salience,
      r.last_reinforced_at, r.prune_at
    from records as r
    where r.id = $1::uuid
and r.forgotten_at is null
and not r.pinned
      and r.status in ('active', 'challenged')
    order by r.id
    for no key update;

-- src/consolidation/facts/facts.queries.ts findEntities
    with named as materialized (
      select requested.place::int - 1 as place, requested.sensitivity, h.record_id as id, h.scope
      from unnest(
        $1::bytea[], $2::text[],
        $3::sensitivity[]
      ) with ordinality as requested (digest, scope, sensitivity, place)
      cross join lateral (select h.record_id, h.scope
from handles as h
where h.digest = requested.digest
and h.detail is null
and h.scope = requested.scope
        union all select h.record_id, h.scope
from handles as h
where h.digest = requested.digest
and h.detail is null
and h.scope = $4
and requested.scope <> $5
      ) as h
    )
    select named.place, r.id, r.scope, r.status, r.created_at, c.payload
    from named
    join records as r on r.id = named.id
and r.scope = named.scope
and r.sensitivity <= named.sensitivity
    cross join lateral (select c.payload
from contents as c
where c.record_id = r.id offset 0) as c
    where "r"."id" = any(array(select "id"
from "named"))
      and r.type = 'entity'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
    order by r.id
    for key share of r;

-- src/consolidation/facts/facts.queries.ts findFacts
    select requested.place::int - 1 as place, r.id, r.status, r.pinned, r.forgotten_at is not null as is_forgotten,
      coalesce(c.payload #>> '{revision,status}' = 'retracted', false) as is_retracted,
      c.payload -> 'validity' as validity
    from unnest(
      $1::bytea[], $2::bytea[],
      $3::text[], $4::sensitivity[]
    ) with ordinality as requested (digest, detail, scope, sensitivity, place)
    cross join lateral (
      select h.record_id
from handles as h
      where h.digest = requested.digest
and h.detail = requested.detail
and h.scope = requested.scope
      offset 0
    ) as h
    cross join lateral (
      select *
from records as r
where r.id = h.record_id
      offset 0
    ) as r
    cross join lateral (
      select c.payload
from contents as c
where c.record_id = r.id
      offset 0
    ) as c
    where r.type = 'semantic'
and r.scope = requested.scope
and r.sensitivity = requested.sensitivity
    order by r.created_at, r.id;

-- src/consolidation/facts/facts.queries.ts findObservations
    select source_id as fact, target_id as episode
    from relations
    where "source_id" = any((select $1::uuid[])::uuid[])
and predicate = 'derived_from'
      and "target_id" = any((select $2::uuid[])::uuid[]);

-- src/consolidation/facts/facts.queries.ts findStatedFacts
    select e.source_id as episode, c.payload ->> 'subject' as subject, c.payload ->> 'predicate' as predicate,
      c.payload -> 'object' as object
    from relations as e
    cross join lateral (
      select *
from records as r
where r.id = e.target_id
and r.type = 'semantic'
      offset 0
    ) as r
    cross join lateral (
      select c.payload
from contents as c
where c.record_id = r.id
      offset 0
    ) as c
    where "e"."source_id" = any((select $1::uuid[])::uuid[])
and e.predicate = 'derives'
    order by e.source_id, e.target_id;

-- src/consolidation/facts/facts.queries.ts lockSources
    select
from records as r
where r.id = $1::uuid
order by r.id for key share;

-- src/consolidation/facts/facts.queries.ts writeReinforced
    with incoming as materialized (
      select *
from unnest(
        $1::uuid[],
        $2::float8[],
        $3::timestamptz[],
        $4::timestamptz[],
        $5::float8[],
        $6::timestamptz[],
        $7::timestamptz[],
        $8::int4[]
      ) as incoming (id, base_salience, anchored_at, last_reinforced_at, salience, expires_at, prune_at, times)
    ), each as materialized (
      select *
from unnest(
        $9::uuid[], $10::text[],
        $11::text[], $12::float8[],
        $13::float8[], $14::int4[]
      ) with ordinality as each (id, episode, observed_at, before, after, nth, place)
    ), observation as (
      select id,
        jsonb_agg(
          jsonb_build_object('source_type', 'event', 'source_id', episode, 'timestamp', observed_at)
order by place
        ) as evidence,
        jsonb_agg(jsonb_build_object('kind', 'event', 'ref', episode, 'timestamp', observed_at)
order by place) as sources
      from each
      where nth < $15
      group by id
    ), earlier_record as materialized (
      select r.id, jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at, 'forgotten_at', r.forgotten_at, 'salience', r.salience, 'prune_at', r.prune_at, 'updated_at', r.updated_at, 'last_reinforced_at', r.last_reinforced_at, 'expires_at', r.expires_at) as row
from records as r
      where $16::bool
and "r"."id" = any(array(select "id"
from "incoming"))
    ), earlier_content as materialized (
      select c.record_id, jsonb_build_object(
  'record_id', c.record_id, 'payload', c.payload, 'provenance', c.provenance, 'changed', c.changed) as row
from contents as c
      where $17::bool
and "c"."record_id" = any(array(select "id"
from "observation"))
and jsonb_array_length(c.payload -> 'evidence') < $18
    ), record as (
      update records as r
      set
      base_salience = i.base_salience, anchored_at = i.anchored_at, last_reinforced_at = i.last_reinforced_at,
        salience = i.salience, expires_at = i.expires_at, prune_at = i.prune_at, version = r.version + i.times,
        updated_at = greatest(r.updated_at, $19::timestamptz)
      from incoming as i
      where r.id = i.id
and "r"."id" = any(array(select "id"
from "incoming"))
      returning r.id, r.updated_at, case when $20::bool then jsonb_build_object(
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at, 'forgotten_at', r.forgotten_at, 'salience', r.salience, 'prune_at', r.prune_at, 'updated_at', r.updated_at, 'last_reinforced_at', r.last_reinforced_at, 'expires_at', r.expires_at) end as row
    ), content as (
      update contents as c
      set payload = jsonb_set(c.payload, '{evidence}', (c.payload -> 'evidence') || w.evidence),
        provenance = jsonb_set(c.provenance, '{sources}', (c.provenance -> 'sources') || w.sources)
      from observation as w
      where c.record_id = w.id
and "c"."record_id" = any(array(select "id"
from "incoming"))
        and jsonb_array_length(c.payload -> 'evidence') < $21
      returning c.record_id, case when $22::bool then jsonb_build_object(
  'record_id', c.record_id, 'payload', c.payload, 'provenance', c.provenance, 'changed', c.changed) end as row
    ), effect as (
      insert into run_effects (run_id, record_id, relation, before, after)
      select $23::uuid, id, 'records', e.row, record.row
from earlier_record as e join record using (id)
      union all
      select $24::uuid, record_id, 'contents', e.row, content.row
      from earlier_content as e join content using (record_id)
    )
    insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
    select id, $25::uuid, updated_at, 'reinforce', $26, 'observed again',
      jsonb_build_object(
        'evidence', jsonb_build_array(null, episode), 'salience', jsonb_build_array(before, after)
      )
    from each join record using (id)
    order by place;

-- src/consolidation/handle-locks.queries.ts lockHandles
    select pg_advisory_xact_lock(
      ('x' || encode(substring(digest
from 1 for 8), 'hex'))::bit(64)::bigint # hashtextextended(scope, lock_seed())
    )
    from (
      select distinct digest, scope
      from unnest(
        $1::bytea[], $2::text[]
      ) as handle (digest, scope)
      order by digest, scope
    ) as ordered;

-- src/consolidation/practices/practices.queries.ts claimPractices
    with claimed as materialized (
      select r.id,
      r.curve, r.half_life_seconds, r.min_salience, r.base_salience, r.anchored_at, r.expires_at, r.pinned,
      r.deletion_policy, r.salience, r.created_at, r.max_age_seconds, r.reinforcement_gain, r.max_salience,
      r.last_reinforced_at, r.prune_at
      from records as r
      where r.id = $1::uuid
and r.forgotten_at is null
and not r.pinned
        and r.status in ('active', 'challenged')
      order by r.id
      for no key update
    )
    select claimed.*, c.payload -> $2::text as stored_counts
    from claimed
    cross join lateral (select c.payload
from contents as c
where c.record_id = claimed.id offset 0) as c;

-- src/consolidation/practices/practices.queries.ts countPending
    with requested as materialized (
      select *
from unnest(
        $1::bytea[], $2::text[],
        $3::sensitivity[]
      ) with ordinality as requested (digest, scope, sensitivity, place)
    ), each as materialized (
      select w.place, t.episode_id, t.outcome, coalesce(
        r.forgotten_at is null
and r.status in ('active', 'challenged', 'merged')
and r.scope = w.scope
          and r.sensitivity = w.sensitivity, false) as is_there
      from requested as w
      cross join lateral (
        select t.episode_id, t.outcome
from episode_tallies as t
        where t.digest = w.digest
and t.scope = w.scope
and t.stage = $4
        offset 0
      ) as t
      cross join lateral (
        select *
from records as r
where r.id = t.episode_id
        offset 0
      ) as r
    ), gone as (
      delete
from episode_tallies
      where stage = $5
and episode_id = any(array(select episode_id
from each
where not is_there))
    )
    select place::int - 1 as place, (count(*) filter (where outcome = 'success'))::int as successes,
      (count(*) filter (where outcome = 'failure'))::int as failures,
      (array_agg(episode_id::text
order by episode_id desc))[1:100] as episodes
    from each
    where is_there
and outcome in ('success', 'failure')
    group by place;

-- src/consolidation/practices/practices.queries.ts findCounted
    select episode_id as episode, outcome, digest, scope
    from episode_tallies
    where stage = $1
and "episode_id" = any((select $2::uuid[])::uuid[]);

-- src/consolidation/practices/practices.queries.ts findPractices
    select requested.place::int - 1 as place, r.id, r.status, r.pinned, r.forgotten_at is not null as is_forgotten,
      coalesce(c.provenance ->> 'created_by' = $1, false) as is_ours
    from unnest(
      $2::bytea[], $3::text[],
      $4::sensitivity[]
    ) with ordinality as requested (digest, scope, sensitivity, place)
    cross join lateral (
      select h.record_id
from handles as h
where h.digest = requested.digest
and h.scope = requested.scope
      offset 0
    ) as h
    cross join lateral (
      select *
from records as r
where r.id = h.record_id
      offset 0
    ) as r
    cross join lateral (
      select c.provenance
from contents as c
where c.record_id = r.id
      offset 0
    ) as c
    where r.type = $5::record_type
and r.scope = requested.scope
and r.sensitivity = requested.sensitivity
    order by r.created_at, r.id;

-- src/consolidation/practices/practices.queries.ts writeCounted
    insert into episode_tallies (episode_id, stage, outcome, digest, scope)
    select id, $1::consolidation_stage, outcome, digest, scope
    from unnest(
      $2::uuid[], $3::text[],
      $4::bytea[], $5::text[]
    ) as counted (id, outcome, digest, scope)
    on conflict (episode_id, stage) do update
set outcome = excluded.outcome;

-- src/consolidation/practices/practices.queries.ts writeUpdatedPractices
    with incoming as materialized (
      select *
from unnest(
        $1::uuid[],
        $2::float8[],
        $3::timestamptz[],
        $4::timestamptz[],
        $5::float8[],
        $6::timestamptz[],
        $7::timestamptz[],
        $8::text[],
        $9::int4[]
      ) as incoming (id, base_salience, anchored_at, last_reinforced_at, salience, expires_at, prune_at, counts, times)
    ), each as materialized (
      select *
from unnest(
        $10::uuid[], $11::audit_action[],
        $12::text[], $13::text[],
        $14::text[]
      ) with ordinality as each (id, action, episode, observed_at, changes, place)
    ), source as (
      select id,
        jsonb_agg(jsonb_build_object('kind', 'event', 'ref', episode, 'timestamp', observed_at)
order by place) as sources
      from each
      group by id
    ), record as (
      update records as r
      set
      base_salience = i.base_salience, anchored_at = i.anchored_at, last_reinforced_at = i.last_reinforced_at,
        salience = i.salience, expires_at = i.expires_at, prune_at = i.prune_at, version = r.version + i.times,
        updated_at = greatest(r.updated_at, $15::timestamptz)
      from incoming as i
      where r.id = i.id
and "r"."id" = any(array(select "id"
from "incoming"))
      returning r.id, r.updated_at
    ), content as (
      update contents as c
      set payload = jsonb_set(c.payload, array[$16::text], i.counts::jsonb),
        provenance = case when jsonb_array_length(c.provenance -> 'sources') < $17
          then jsonb_set(c.provenance, '{sources}', (c.provenance -> 'sources') || s.sources)
          else c.provenance end
      from incoming as i
      join source as s using (id)
      where c.record_id = i.id
and "c"."record_id" = any(array(select "id"
from "incoming"))
    )
    insert into audit_entries (record_id, run_id, at, action, actor, rationale, changes)
    select id, $18::uuid, updated_at, action, $19,
      case when action = 'reinforce' then 'done again' else 'counted' end, changes::jsonb
    from each join record using (id)
    order by place;
