-- src/simulation/simulation.queries.ts countSimulated
    select count(*) as records
from records as r
where
  r.type = any($1::record_type[])
and r.created_at < $2::timestamptz
  and (r.forgotten_at is null
or r.forgotten_at > $3::timestamptz)
and true;

-- src/simulation/simulation.queries.ts findProgress
    select s.position, m.stats -> 'curve' as curve
    from simulations as s join maintenance_runs as m on m.id = s.run_id
    where s.run_id = $1::uuid
and m.stats ? 'curve';

-- src/simulation/simulation.queries.ts readLives
    select r.id,
    r.type, r.created_at, r.anchored_at, r.expires_at, r.forgotten_at, r.forgotten_reason, r.status,
      r.curve, r.half_life_seconds, r.min_salience, r.max_age_seconds, r.max_salience, r.base_salience, r.pinned,
      r.reinforcement_gain, r.deletion_policy, (900 + octet_length(c.tags::text) + octet_length(c.payload::text)
  + octet_length(c.provenance::text) + coalesce(octet_length(c.interpretation::text), 0))::int8 as bytes, greatest(
        (select max(l.at)
from access_log as l
where l.record_id = r.id),
        (select g.last_at
from regrets as g
where g.record_id = r.id)
      ) as last_requested_at, coalesce((
        select json_agg(json_build_array(
          date_part('epoch', a.at) * 1000, a.changes #> '{salience,0}', a.changes #> '{salience,1}'
        )
order by a.id)
        from audit_entries as a
        where a.record_id = r.id
and a.at > $1::timestamptz
          and jsonb_typeof(a.changes #> '{salience,0}') = 'number'
          and jsonb_typeof(a.changes #> '{salience,1}') = 'number'
      ), '[]') as moves
from records as r join contents as c on c.record_id = r.id
    where r.id > $2::uuid
and
  r.type = any($3::record_type[])
and r.created_at < $4::timestamptz
  and (r.forgotten_at is null
or r.forgotten_at > $5::timestamptz)
and ("r"."sensitivity" <= $6)
  and r.scope = $7
    order by r.id
    limit $8;

-- src/simulation/simulation.queries.ts readScoredLives
    select r.scope, r.layer, r.source_type, r.base_importance, r.emotional_valence, r.confirmation_count,
      r.access_count, r.served_count, coalesce((
        select json_agg(json_build_array(date_part('epoch', l.at) * 1000, l.kind)
order by l.at desc, l.kind)
        from (
          select l.at, l.kind
from access_log as l
          where l.record_id = r.id
and r.access_count > 0
          order by l.at desc, l.kind
          limit 64
        ) as l
      ), '[]') as accesses, r.id,
    r.type, r.created_at, r.anchored_at, r.expires_at, r.forgotten_at, r.forgotten_reason, r.status,
      r.curve, r.half_life_seconds, r.min_salience, r.max_age_seconds, r.max_salience, r.base_salience, r.pinned,
      r.reinforcement_gain, r.deletion_policy, (900 + octet_length(c.tags::text) + octet_length(c.payload::text)
  + octet_length(c.provenance::text) + coalesce(octet_length(c.interpretation::text), 0))::int8 as bytes, greatest(
        (select max(l.at)
from access_log as l
where l.record_id = r.id),
        (select g.last_at
from regrets as g
where g.record_id = r.id)
      ) as last_requested_at, coalesce((
        select json_agg(json_build_array(
          date_part('epoch', a.at) * 1000, a.changes #> '{salience,0}', a.changes #> '{salience,1}'
        )
order by a.id)
        from audit_entries as a
        where a.record_id = r.id
and a.at > $1::timestamptz
          and jsonb_typeof(a.changes #> '{salience,0}') = 'number'
          and jsonb_typeof(a.changes #> '{salience,1}') = 'number'
      ), '[]') as moves
from records as r join contents as c on c.record_id = r.id
    where r.id > $2::uuid
and
  r.type = any($3::record_type[])
and r.created_at < $4::timestamptz
  and (r.forgotten_at is null
or r.forgotten_at > $5::timestamptz)
and true
    order by r.id
    limit $6;

-- src/simulation/simulation.queries.ts saveProgress
    with at as (
      insert into simulations (run_id, position)
values ($1::uuid, $2)
      on conflict (run_id) do update
set position = excluded.position
    )
    update maintenance_runs
    set stats = stats || jsonb_build_object('curve', $3::jsonb)
    where id = $4::uuid;
