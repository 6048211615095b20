-- src/embeddings/cells/cells.queries.ts claimUnassigned
    select s.record_id, e.bits, e.code
    from signatures as s join embeddings as e on e.record_id = s.record_id
and e.model_id = s.model_id
    where s.record_id > $1::uuid
and s.record_id <= $2::uuid
and s.model_id = $3
      and s.cell < $4
    order by s.record_id
    for no key update of s skip locked for share of e skip locked;

-- src/embeddings/cells/cells.queries.ts countSignatures
    select count(*)::int as count
from signatures
where model_id = $1;

-- src/embeddings/cells/cells.queries.ts deleteEmptySets
    delete
from vector_cells as c
    where c.model_id = $1
and c.id < $2
and not exists (
      select
from signatures as s
      where s.model_id = $3
and s.cell >= c.id * 16384
        and s.cell < (c.id + 1) * 16384
    );

-- src/embeddings/cells/cells.queries.ts deleteRetiredSets
    delete
from vector_cells as c using embedding_models as m
    where m.id = c.model_id
and not m.serves
and not m.embeds
      and not exists (select
from signatures as s
where s.model_id = m.id);

-- src/embeddings/cells/cells.queries.ts findCellSets
    select c.id, c.members, c.centroids, m.dimensions
    from vector_cells as c join embedding_models as m on m.id = c.model_id
    where c.id = any($1::int4[])
    order by c.id;

-- src/embeddings/cells/cells.queries.ts findCelledModels
    select m.id, m.dimensions, c.id as set_id, c.vectors,
      (select count(*)
from vector_cells as v
where v.model_id = m.id)::int as sets,
      exists (
        select
from signatures as s
where s.model_id = m.id
and s.cell < c.id * 16384
          and s.record_id <> all($1::uuid[])
      ) as is_unassigned
    from embedding_models as m
    left join lateral (
      select v.id, v.vectors
from vector_cells as v
where v.model_id = m.id
order by v.id desc
limit 1
    ) as c on true
    where m.serves
or m.embeds
    order by m.id;

-- src/embeddings/cells/cells.queries.ts findWalkEnd
    select record_id
from (
      select record_id
from signatures
where record_id > $1::uuid
and model_id = $2
      order by record_id
limit $3
    ) as next
    order by record_id desc
limit 1;

-- src/embeddings/cells/cells.queries.ts insertCellSet
    insert into vector_cells (model_id, vectors, members, centroids)
    values ($1, $2, $3::int4[], $4);

-- src/embeddings/cells/cells.queries.ts listCellSets
select "id"
from "vector_cells"
where "model_id" = $1
order by "id";

-- src/embeddings/cells/cells.queries.ts lockCellSets
select pg_advisory_xact_lock(7350 # lock_seed(), 13);
    select max(id) as id
from vector_cells
where model_id = $1;

-- src/embeddings/cells/cells.queries.ts lockOlderSets
    select
from vector_cells
where model_id = $1
and id < $2
order by id
for update;

-- src/embeddings/cells/cells.queries.ts sampleVectors
    select bits, code
from embeddings tablesample system ($1::float4)
    where model_id = $2
    limit $3;

-- src/embeddings/cells/cells.queries.ts writeCells
    update signatures as s
set cell = assigned.cell
    from unnest(
      $1::uuid[], $2::int4[]
    ) as assigned (record_id, cell)
    where s.record_id = assigned.record_id
and s.model_id = $3;

-- src/embeddings/compression/compression.queries.ts chooseBits
select case when 0.5 > $1::float8 then 32 when 0.5 > $2::float8 then 8 when 0.5 > $3::float8 then 4 else 2 end as bits;

-- src/embeddings/compression/compression.queries.ts claimCompressible: everywhere
    select e.record_id, e.model_id, e.bits, e.code, m.dimensions, worth.bits as target
    from embeddings as e
    join embedding_models as m on m.id = e.model_id
    join records as r on r.id = e.record_id
    cross join lateral (select (select case when kept.retention > $1::float8 then 32 when kept.retention > $2::float8 then 8 when kept.retention > $3::float8 then 4 else 2 end
    from (select (
    case when r.layer = any($4::memory_layer[]) then 1::float8
    else least(1::float8,
      case when least(
    greatest(date_part('epoch', $5::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $6::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / $7::float8,
    $8::float8
  ) <= $9::float8 then power(2::float8, -least(
    greatest(date_part('epoch', $10::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $11::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / $12::float8,
    $13::float8
  ))
    else greatest(0, power(2::float8, -$14::float8) * (1 - ln(2::float8) * (least(
    greatest(date_part('epoch', $15::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $16::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / $17::float8,
    $18::float8
  ) - $19::float8))) end
      + least($20::float8, $21::float8 * ln(1 + r.access_count::float8))
    ) end
  ) as retention) as kept) as bits) as worth
    where (e.record_id, e.model_id) > ($22::uuid, $23::smallint)
    and (e.record_id, e.model_id) <= ($24::uuid, $25::smallint)
    and not r.pinned
and r.forgotten_at is null
and worth.bits < e.bits
    order by e.record_id, e.model_id
    for update of e skip locked;

-- src/embeddings/compression/compression.queries.ts claimCompressible: in a scope, by another curve
    select e.record_id, e.model_id, e.bits, e.code, m.dimensions, worth.bits as target
    from embeddings as e
    join embedding_models as m on m.id = e.model_id
    join records as r on r.id = e.record_id
    cross join lateral (select (select case when kept.retention > $1::float8 then 32 when kept.retention > $2::float8 then 8 when kept.retention > $3::float8 then 4 else 2 end
    from (select (
    case when r.layer = any($4::memory_layer[]) then 1::float8
    else least(1::float8,
      $5::float8 * greatest(0, 1 - least(
    greatest(date_part('epoch', $6::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $7::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / $8::float8,
    $9::float8
  ) / $10::float8) + (1 - $11::float8) * power(2::float8, -least(
    greatest(date_part('epoch', $12::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $13::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / $14::float8,
    $15::float8
  ))
      + least($16::float8, $17::float8 * ln(1 + r.access_count::float8))
    ) end
  ) as retention) as kept) as bits) as worth
    where (e.record_id, e.model_id) > ($18::uuid, $19::smallint)
    and (e.record_id, e.model_id) <= ($20::uuid, $21::smallint)
    and not r.pinned
and r.forgotten_at is null
and r.scope = $22
and worth.bits < e.bits
    order by e.record_id, e.model_id
    for update of e skip locked;

-- src/embeddings/compression/compression.queries.ts countVectors
select count(*)::int as count
from embeddings;

-- src/embeddings/compression/compression.queries.ts findRangeEnd
    select record_id, model_id, (row_number() over (order by record_id, model_id))::int as count
    from (
      select record_id, model_id
from embeddings
      where (record_id, model_id) > ($1::uuid, $2::smallint)
      order by record_id, model_id
      limit $3
    ) as next
    order by count desc
    limit 1;

-- src/embeddings/compression/compression.queries.ts queueTooCoarse
    insert into unembedded (record_id, asked_at, due_at)
    select distinct e.record_id, $1::timestamptz, $2::timestamptz
    from embeddings as e
    join embedding_models as m on m.id = e.model_id
and m.embeds
    join records as r on r.id = e.record_id
    where (e.record_id, e.model_id) > ($3::uuid, $4::smallint)
    and (e.record_id, e.model_id) <= ($5::uuid, $6::smallint)
    and not r.pinned
and r.forgotten_at is null
and e.bits < 32
and (select case when kept.retention > $7::float8 then 32 when kept.retention > $8::float8 then 8 when kept.retention > $9::float8 then 4 else 2 end
    from (select (
    case when r.layer = any($10::memory_layer[]) then 1::float8
    else least(1::float8,
      case when least(
    greatest(date_part('epoch', $11::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $12::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / $13::float8,
    $14::float8
  ) <= $15::float8 then power(2::float8, -least(
    greatest(date_part('epoch', $16::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $17::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / $18::float8,
    $19::float8
  ))
    else greatest(0, power(2::float8, -$20::float8) * (1 - ln(2::float8) * (least(
    greatest(date_part('epoch', $21::timestamptz - coalesce(r.last_accessed_at, r.created_at)), 0) / 86400
      * (1 + $22::float8 * (1 - case r.source_type when 'human' then 1::float8 when 'ai' then 0.7::float8 when 'interaction' then 0.6::float8 when 'ingest' then 0.5::float8 when 'code_scan' then 0.5::float8 when 'dream' then 0.4::float8 when 'auto_extracted' then 0::float8 end)) / $23::float8,
    $24::float8
  ) - $25::float8))) end
      + least($26::float8, $27::float8 * ln(1 + r.access_count::float8))
    ) end
  ) as retention) as kept) > e.bits
    order by 1
    on conflict (record_id) do nothing
    returning record_id;

-- src/embeddings/compression/compression.queries.ts writeCompressed
    update embeddings as e
set bits = compressed_vectors.bits, code = compressed_vectors.code
    from unnest(
      $1::uuid[], $2::smallint[],
      $3::smallint[], $4::bytea[]
    ) as compressed_vectors (record_id, model_id, bits, code)
    where e.record_id = compressed_vectors.record_id
and e.model_id = compressed_vectors.model_id;

-- src/embeddings/embedding-models.queries.ts deleteRetiredVectors
    with model as materialized (
      select id, walked_to
from embedding_models
      where not embeds
and not serves
and walked_to is not null
      order by id
limit 1
      for no key update skip locked
    ), portion as materialized (
      select e.record_id, e.model_id
from embeddings as e
      where e.record_id > (select walked_to
from model)
and e.model_id = (select id
from model)
      order by e.record_id
      limit $1
      for update of e skip locked
    ), deleted as (
      delete
from embeddings using portion
      where embeddings.record_id = portion.record_id
and embeddings.model_id = portion.model_id
    )
    update embedding_models
    set walked_to = (select record_id
from portion
order by record_id desc
limit 1)
    from model
where embedding_models.id = model.id
    returning embedding_models.id;

-- src/embeddings/embedding-models.queries.ts deleteWorker
delete
from "embedding_workers"
where "worker" = $1
returning "model_id";

-- src/embeddings/embedding-models.queries.ts findEmbeddingModel
select *
from "embedding_models"
where "embeds" = $1;

-- src/embeddings/embedding-models.queries.ts findServingModel
select *
from "embedding_models"
where "serves" = $1;

-- src/embeddings/embedding-models.queries.ts lockModels
lock table embedding_models in share row exclusive mode;

-- src/embeddings/embedding-models.queries.ts lockReadyModel
    select
from embedding_models as m
    where id = $1
and embeds
and not serves
and walked_to is null
      and not exists (
        select
from unembedded
where asked_at <= m.registered_at
and due_at < 'infinity'
      )
    for no key update;

-- src/embeddings/embedding-models.queries.ts lockUnfilledModel
select "id"
from "embedding_models"
where "id" = $1
and "embeds" = $2
and "walked_to" is not null for no key update;

-- src/embeddings/embedding-models.queries.ts queueUnembedded
    with model as materialized (
      select id, walked_to, registered_at, max_sensitivity
from embedding_models
      where id = $1
and embeds
and walked_to is not null
    ), portion as materialized (
      select id, sensitivity
from records
where id > (select walked_to
from model)
order by id
limit $2
    ), listed as (
      insert into unembedded (record_id, asked_at, due_at)
      select p.id, m.registered_at, m.registered_at
      from portion as p, model as m
      where p.sensitivity <= m.max_sensitivity
        and not exists (select
from embeddings as e
where e.record_id = p.id
and e.model_id = m.id)
      on conflict (record_id) do nothing
    )
    update embedding_models
    set walked_to = (select id
from portion
order by id desc
limit 1)
    from model
where embedding_models.id = model.id
    returning embedding_models.walked_to;

-- src/embeddings/embedding-models.queries.ts registerModel
insert into "embedding_models" ("provider", "model", "dimensions", "max_sensitivity", "registered_at", "seen_at", "embeds", "walked_to", "serves")
values ($1, $2, $3, $4, $5, $6, $7, $8, not exists (select
from embedding_models
where serves))
on conflict on constraint "embedding_models_name" do update
set "registered_at" = $9, "seen_at" = $10, "embeds" = $11, "walked_to" = $12, "max_sensitivity" = $13, "serves" = embedding_models.serves
or excluded.serves
returning *;

-- src/embeddings/embedding-models.queries.ts releaseModel
    update embedding_models as m
    set seen_at = coalesce((select max(w.seen_at)
from embedding_workers as w
where w.model_id = m.id), 'epoch')
    where m.id = $1
and m.embeds;

-- src/embeddings/embedding-models.queries.ts retireModel
update "embedding_models"
set "embeds" = $1, "walked_to" = case when not serves then $2::uuid end
where "embeds" = $3;

-- src/embeddings/embedding-models.queries.ts startServing
update "embedding_models"
set "serves" = $1
where "id" = $2;

-- src/embeddings/embedding-models.queries.ts stopServing
update "embedding_models"
set "serves" = $1, "walked_to" = $2
where "serves" = $3;

-- src/embeddings/embedding-models.queries.ts touchModel
    with touched as (
      update embedding_models
set seen_at = $1::timestamptz
      where embeds
and provider = $2
and model = $3
and dimensions = $4::int
        and max_sensitivity = $5::sensitivity
      returning *
    ), noted as (
      insert into embedding_workers (worker, model_id, seen_at)
      select $6::uuid, touched.id, $7::timestamptz
from touched
      on conflict (worker) do update
set model_id = excluded.model_id, seen_at = excluded.seen_at
    ), gone as (
      delete
from embedding_workers as w using touched
      where w.worker <> $8::uuid
        and w.seen_at < $9::timestamptz - $10::int * interval '1 millisecond'
    )
    select *
from touched;

-- src/embeddings/memory/vector-memory.queries.ts checkVectors: with states
    with near as materialized (
      select asked.place, found.*, exists (
        select
from embeddings as e
where e.record_id = asked.id
and e.model_id = $1
      ) as is_kept
      from unnest($2::uuid[]) with ordinality as asked (id, place)
      left join lateral (
    select r.forgotten_at is not null as is_forgotten, met.answers, met.is_context, case when met.answers then salience_at(r.pinned, r.base_salience, r.expires_at, r.curve, r.anchored_at, r.half_life_seconds, r.min_salience, $3::timestamptz) end as salience, r.importance as importance
    from records as r cross join lateral (
      select coalesce(true
and ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
and r.forgotten_at is null
and (r.status in ('active')
and case when r.type = 'semantic' then coalesce((
    select coalesce(regexp_replace(v.payload #>> '{validity,start}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz <= $6::timestamptz, true)
      and coalesce(regexp_replace(v.payload #>> '{validity,end}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz > $7::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end), false) as answers, coalesce(true, false) as is_context offset 0
    ) as met
    where r.id = asked.id
    offset 0
  ) as found on true
    ), unseen as materialized (select record_id
from (
    select "t"."record_id" as record_id
from "embeddings" as t
    where t.model_id = $8
and "t"."changed" >= pg_snapshot_xmax((select $9::pg_snapshot))
and "t"."changed" < pg_snapshot_xmax(pg_current_snapshot())
    order by "t"."changed"
limit 2001) as later union all select their.record_id
from pg_snapshot_xip((select $10::pg_snapshot)) as running (id)
        cross join lateral (
    select "t"."record_id" as record_id
from "embeddings" as t
    where t.model_id = $11
and "t"."changed" >= running.id
and "t"."changed" <= running.id
    order by "t"."changed"
limit 2001) as their), counted as materialized (select count(*) as unseen
from unseen)
    select '[' || string_agg(concat_ws(',', place, salience, importance), ',') filter (where answers
and is_kept) || ']' as met,
      string_agg(place::text, ',') filter (where not is_kept) as gone,
      (
        select string_agg(
  uuid_send(e.record_id) || int8send(case when e.changed < pg_snapshot_xmax(pg_current_snapshot()) then e.changed::text::int8 else 0 end) || int4send(e.cell) || int2send(e.bits)
    || int4send(octet_length(e.code)) || e.code,
  ''::bytea
order by e.record_id
)
from (
          select each.*
from unseen as change cross join lateral (
            select e.*, s.cell
            from embeddings as e join signatures as s on s.record_id = e.record_id
and s.model_id = e.model_id
            where e.record_id = change.record_id
and e.model_id = $12
            offset 0
          ) as each
          where (select unseen
from counted) <= 2000
        ) as e
      ) as changed,
      (select unseen
from counted) as unseen, (
  select case when pg_is_in_recovery() then concat(pg_snapshot_xmin(now_seen), ':', pg_snapshot_xmin(now_seen), ':')
    else now_seen::text end
  from pg_current_snapshot() as now_seen
) as snapshot, pg_snapshot_xmax(pg_current_snapshot())::text::int8 as reached, concat_ws(
  '/', (select system_identifier::text
from pg_control_system()), (select oid::text
from pg_database
where datname = current_database()), (
  case when pg_is_in_recovery() then greatest(
    (select timeline_id
from pg_control_checkpoint()), (select received_tli
from pg_stat_wal_receiver)
  ) else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int end
), (select xmin
from import_secret)
) as origin
    from near;

-- src/embeddings/memory/vector-memory.queries.ts checkVectors: without states
    with near as materialized (
      select asked.place, found.*, exists (
        select
from embeddings as e
where e.record_id = asked.id
and e.model_id = $1
      ) as is_kept
      from unnest($2::uuid[]) with ordinality as asked (id, place)
      left join lateral (
    select r.forgotten_at is not null as is_forgotten, met.answers, met.is_context, null::float8 as salience, null::float8 as importance
    from records as r cross join lateral (
      select coalesce(true
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
and r.forgotten_at is null
and (r.status in ('active')
and case when r.type = 'semantic' then coalesce((
    select coalesce(regexp_replace(v.payload #>> '{validity,start}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz <= $5::timestamptz, true)
      and coalesce(regexp_replace(v.payload #>> '{validity,end}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz > $6::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end), false) as answers, coalesce(true, false) as is_context offset 0
    ) as met
    where r.id = asked.id
    offset 0
  ) as found on true
    ), unseen as materialized (select record_id
from (
    select "t"."record_id" as record_id
from "embeddings" as t
    where t.model_id = $7
and "t"."changed" >= pg_snapshot_xmax((select $8::pg_snapshot))
and "t"."changed" < pg_snapshot_xmax(pg_current_snapshot())
    order by "t"."changed"
limit 2001) as later union all select their.record_id
from pg_snapshot_xip((select $9::pg_snapshot)) as running (id)
        cross join lateral (
    select "t"."record_id" as record_id
from "embeddings" as t
    where t.model_id = $10
and "t"."changed" >= running.id
and "t"."changed" <= running.id
    order by "t"."changed"
limit 2001) as their), counted as materialized (select count(*) as unseen
from unseen)
    select '[' || string_agg(concat_ws(',', place, salience, importance), ',') filter (where answers
and is_kept) || ']' as met,
      string_agg(place::text, ',') filter (where not is_kept) as gone,
      (
        select string_agg(
  uuid_send(e.record_id) || int8send(case when e.changed < pg_snapshot_xmax(pg_current_snapshot()) then e.changed::text::int8 else 0 end) || int4send(e.cell) || int2send(e.bits)
    || int4send(octet_length(e.code)) || e.code,
  ''::bytea
order by e.record_id
)
from (
          select each.*
from unseen as change cross join lateral (
            select e.*, s.cell
            from embeddings as e join signatures as s on s.record_id = e.record_id
and s.model_id = e.model_id
            where e.record_id = change.record_id
and e.model_id = $11
            offset 0
          ) as each
          where (select unseen
from counted) <= 2000
        ) as e
      ) as changed,
      (select unseen
from counted) as unseen, (
  select case when pg_is_in_recovery() then concat(pg_snapshot_xmin(now_seen), ':', pg_snapshot_xmin(now_seen), ':')
    else now_seen::text end
  from pg_current_snapshot() as now_seen
) as snapshot, pg_snapshot_xmax(pg_current_snapshot())::text::int8 as reached, concat_ws(
  '/', (select system_identifier::text
from pg_control_system()), (select oid::text
from pg_database
where datname = current_database()), (
  case when pg_is_in_recovery() then greatest(
    (select timeline_id
from pg_control_checkpoint()), (select received_tli
from pg_stat_wal_receiver)
  ) else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int end
), (select xmin
from import_secret)
) as origin
    from near;

-- src/embeddings/memory/vector-memory.queries.ts readVectorIds
    select string_agg(uuid_send(record_id), ''::bytea
order by record_id) as ids
from (
      select record_id
from embeddings
where record_id > $1::uuid
and model_id = $2
      order by record_id
limit $3
    ) as e;

-- src/embeddings/memory/vector-memory.queries.ts readVectors
    select string_agg(
  uuid_send(e.record_id) || int8send(case when e.changed < pg_snapshot_xmax(pg_current_snapshot()) then e.changed::text::int8 else 0 end) || int4send(e.cell) || int2send(e.bits)
    || int4send(octet_length(e.code)) || e.code,
  ''::bytea
order by e.record_id
) as vectors
from (
      select e.*, s.cell
      from (
        select *
from embeddings
where record_id > $1::uuid
and model_id = $2
        order by record_id
limit $3
      ) as e join signatures as s using (record_id, model_id)
    ) as e;

-- src/embeddings/queue/embedding-queue.queries.ts claimDue: everywhere
    with due as materialized (
      select u.record_id
from unembedded as u
      where u.due_at <= $1::timestamptz
and true
        and exists (select
from embedding_models
where id = $2
and embeds)
      order by u.due_at
      limit $3
      for update of u skip locked
    )
    update unembedded
set due_at = $4::timestamptz
    from due
where unembedded.record_id = due.record_id
    returning unembedded.record_id;

-- src/embeddings/queue/embedding-queue.queries.ts claimDue: in a scope
    with due as materialized (
      select u.record_id
from unembedded as u
      where u.due_at <= $1::timestamptz
and exists (select
from records as r
where r.id = u.record_id
and r.scope = $2)
        and exists (select
from embedding_models
where id = $3
and embeds)
      order by u.due_at
      limit $4
      for update of u skip locked
    )
    update unembedded
set due_at = $5::timestamptz
    from due
where unembedded.record_id = due.record_id
    returning unembedded.record_id;

-- src/embeddings/queue/embedding-queue.queries.ts countWaiting: everywhere
    select count(*) filter (where due_at <= $1::timestamptz)::int as due,
      count(*) filter (where due_at > $2::timestamptz
and due_at < 'infinity')::int as waiting,
      count(*) filter (where due_at = 'infinity')::int as given_up
    from unembedded as u
where true;

-- src/embeddings/queue/embedding-queue.queries.ts countWaiting: in a scope
    select count(*) filter (where due_at <= $1::timestamptz)::int as due,
      count(*) filter (where due_at > $2::timestamptz
and due_at < 'infinity')::int as waiting,
      count(*) filter (where due_at = 'infinity')::int as given_up
    from unembedded as u
where exists (select
from records as r
where r.id = u.record_id
and r.scope = $3);

-- src/embeddings/queue/embedding-queue.queries.ts findQueuedTexts
    select r.id as record_id, r.sensitivity, c.payload, c.tags, u.attempts
    from records as r join contents as c on c.record_id = r.id join unembedded as u on u.record_id = r.id
    where r.id = any($1::uuid[]);

-- src/embeddings/queue/embedding-queue.queries.ts findWork
    select exists (select
from unembedded
where due_at <= $1::timestamptz) as is_due,
      exists (select
from embedding_models
where walked_to is not null
or (embeds
and not serves)) as is_changing;

-- src/embeddings/queue/embedding-queue.queries.ts lockClaims
select pg_advisory_xact_lock(7350 # lock_seed(), 11);

-- src/embeddings/queue/embedding-queue.queries.ts recordFailures
    with mine as materialized (
    select record_id
from unembedded
    where record_id = any($1::uuid[])
and due_at = $2::timestamptz
    for update skip locked
  ), failed as (
      update unembedded as u
      set attempts = u.attempts + 1,
        due_at = case when u.attempts + 1 >= $3 then 'infinity' else $4::timestamptz
          + $5::int * interval '1 millisecond' * (2 ^ u.attempts) end
      from mine
where u.record_id = mine.record_id
      returning u.record_id, u.due_at
    ), given_up as materialized (
      select record_id
from failed
where due_at = 'infinity'
    ), outdated as materialized (
      select e.record_id, e.model_id
from embeddings as e join given_up using (record_id)
for update of e skip locked
    ), deleted as (
      delete
from embeddings as e using outdated as o
where e.record_id = o.record_id
and e.model_id = o.model_id
    )
    select record_id
from given_up;

-- src/embeddings/queue/embedding-queue.queries.ts releaseClaim
    with mine as materialized (
    select record_id
from unembedded
    where record_id = any($1::uuid[])
and due_at = $2::timestamptz
    for update skip locked
  )
    update unembedded
set due_at = $3::timestamptz
    from mine
where unembedded.record_id = mine.record_id;

-- src/embeddings/queue/embedding-queue.queries.ts retryGivenUp: everywhere
    with given_up as materialized (
      select u.record_id
from unembedded as u
where u.due_at > $1::timestamptz + '1 hour'::interval
        and true
for update of u skip locked
    )
    update unembedded
set due_at = $2::timestamptz, attempts = 0
    from given_up
where unembedded.record_id = given_up.record_id
    returning unembedded.record_id;

-- src/embeddings/queue/embedding-queue.queries.ts retryGivenUp: in a scope
    with given_up as materialized (
      select u.record_id
from unembedded as u
where u.due_at > $1::timestamptz + '1 hour'::interval
        and exists (select
from records as r
where r.id = u.record_id
and r.scope = $2)
for update of u skip locked
    )
    update unembedded
set due_at = $3::timestamptz, attempts = 0
    from given_up
where unembedded.record_id = given_up.record_id
    returning unembedded.record_id;

-- src/embeddings/queue/embedding-queue.queries.ts storeVectors
    with model as materialized (
      select id, registered_at
from embedding_models
where id = $1
and embeds for share
    ), mine as materialized (
      select u.record_id, u.asked_at, u.asked_at <> m.registered_at as is_new
from unembedded as u, model as m
      where u.record_id = any($2::uuid[])
and u.due_at = $3::timestamptz
      for update of u skip locked
    ), kept as materialized (
      select r.id
from records as r
where r.id in (select record_id
from mine) for key share skip locked
    ), sets as materialized (
      select id
from vector_cells
where model_id = $4 for key share
    ), finished as materialized (
      select mine.record_id, mine.asked_at, mine.is_new, given.code, given.signature,
        case when given.cell / 16384 in (select id
from sets) then given.cell else 0 end
          as cell
      from unnest(
        $5::uuid[],
        $6::bytea[],
        $7::text[],
        $8::int4[]
      ) as given (record_id, code, signature, cell)
      join mine using (record_id)
      where exists (select
from kept
where kept.id = mine.record_id)
        or (given.code is null
and not exists (select
from records as r
where r.id = mine.record_id))
    ), stored as (
      insert into embeddings (record_id, model_id, bits, embedded_at, code)
      select record_id, $9, 32, $10::timestamptz, code
from finished
where code is not null
      on conflict (record_id, model_id) do update
        set bits = excluded.bits, embedded_at = excluded.embedded_at, code = excluded.code
    ), signed as (
      insert into signatures (record_id, model_id, bits, cell)
      select record_id, $11, ('x' || signature)::bit(1024), cell
from finished
where code is not null
      on conflict (record_id, model_id) do update
set bits = excluded.bits, cell = excluded.cell
    ), outdated as (
      delete
from embeddings as e using finished as s
      where e.record_id = s.record_id
and (s.code is null
or (s.is_new
and e.model_id <> $12))
    ), unlisted as (
      delete
from unembedded as u using finished as s
where u.record_id = s.record_id
    ), first as (
      insert into unsurprised (record_id, created_at, asked_at)
      select s.record_id, r.created_at, s.asked_at
from finished as s join records as r on r.id = s.record_id
      where s.code is not null
        and not exists (select
from embeddings as e
where e.record_id = s.record_id)
        and not exists (select
from surprises as p
where p.record_id = s.record_id)
      on conflict (record_id) do nothing
    )
    select record_id,
      case when is_new
and code is not null
and not exists (
        select
from embeddings as e
        where e.record_id = finished.record_id
and e.model_id = $13
and e.bits < 32
      ) then extract(epoch
from $14::timestamptz - asked_at)::float8 end as lag_seconds
    from finished;

-- src/embeddings/search/vector-index.queries.ts createExtension
create extension if not exists vector;

-- src/embeddings/search/vector-index.queries.ts createNearestFunction
    create
or replace function nearest_signatures(model smallint, sought bit)
    returns table (record_id uuid, distance bigint) language sql stable
    set hnsw.ef_search = 1000
set hnsw.iterative_scan = strict_order
    as '
      select s.record_id, bit_count(s.bits # sought)
from signatures as s
      where s.model_id = model
      order by s.bits <~> sought
      limit 1000
    ';

-- src/embeddings/search/vector-index.queries.ts createNearestIndex
    create index concurrently if not exists signatures_nearest on signatures using hnsw (bits bit_hamming_ops);

-- src/embeddings/search/vector-index.queries.ts dropNearestIndex
drop index concurrently signatures_nearest;

-- src/embeddings/search/vector-index.queries.ts findExtension
    select default_version as available, installed_version as installed, exists (
      select
from pg_index as i join pg_class as c on c.oid = i.indexrelid
      where i.indrelid = 'signatures'::regclass
and c.relname = 'signatures_nearest'
and not i.indisvalid
    ) as "hasBrokenIndex"
    from pg_available_extensions
where name = 'vector';

-- src/embeddings/search/vector-index.queries.ts tryLockIndexing
    select pg_try_advisory_lock($1) as taken,
      set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false);

-- src/embeddings/search/vector-index.queries.ts unlockIndexing
select pg_advisory_unlock($1);

-- src/embeddings/search/vector-search.queries.ts countInScopes
    select count(*) as inside
from (
    select id
from records
    where scope = any($1::text[])
and forgotten_at is null
and decay_rank is not null union all
    select id
from records
    where scope = any($2::text[])
and forgotten_at is null
and decay_rank is null
limit 501) as inside;

-- src/embeddings/search/vector-search.queries.ts findAmongIndexed
    with near as materialized (
      select record_id, distance
from nearest_signatures($1::smallint, $2::bit(1024))
    ), met as (
      select near.record_id, near.distance
from near cross join lateral (
        select
from records as r
where r.id = near.record_id
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
and r.forgotten_at is null
and (r.status in ('active')
and case when r.type = 'semantic' then coalesce((
    select coalesce(regexp_replace(v.payload #>> '{validity,start}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz <= $5::timestamptz, true)
      and coalesce(regexp_replace(v.payload #>> '{validity,end}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz > $6::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end) offset 0
      ) as r
      order by near.distance, near.record_id
      limit 500
    )
    select string_agg(
  uuid_send(e.record_id) || int2send(e.bits) || int4send(octet_length(e.code)) || e.code, ''::bytea
  order by met.distance, e.record_id
) as vectors
    from met join embeddings as e on e.record_id = met.record_id
and e.model_id = $7;

-- src/embeddings/search/vector-search.queries.ts findCode
    select record_id as id, bits, code
from embeddings
where record_id = $1::uuid
and model_id = $2;

-- src/embeddings/search/vector-search.queries.ts findCodes
    select e.record_id as id, e.bits, e.code
from embeddings as e
    where e.record_id = any($1::uuid[])
and e.model_id = $2;

-- src/embeddings/search/vector-search.queries.ts findInCells
    with met as materialized (
      select near.record_id, near.distance
from (
        select s.record_id, bit_count(s.bits # $1::bit(1024)) as distance
        from signatures as s
        where s.model_id = $2
and s.cell = any(array(select unnest($3::int4[])))
        order by distance, s.record_id
        limit 1000
      ) as near cross join lateral (
        select
from records as r
where r.id = near.record_id
and ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
and r.forgotten_at is null
and (r.status in ('active')
and case when r.type = 'semantic' then coalesce((
    select coalesce(regexp_replace(v.payload #>> '{validity,start}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz <= $6::timestamptz, true)
      and coalesce(regexp_replace(v.payload #>> '{validity,end}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz > $7::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end) offset 0
      ) as r
      order by near.distance, near.record_id
      limit 500
    )
    select string_agg(
  uuid_send(e.record_id) || int2send(e.bits) || int4send(octet_length(e.code)) || e.code, ''::bytea
  order by met.distance, e.record_id
) as vectors,
      array(select c.id
from vector_cells as c
where c.model_id = $8
order by c.id) as sets
    from met join embeddings as e on e.record_id = met.record_id
and e.model_id = $9;

-- src/embeddings/search/vector-search.queries.ts findNearestFiltered
    with met as materialized (
      select record_id, distance
from (
        select s.record_id, bit_count(s.bits # $1::bit(1024)) as distance
        from records as r join signatures as s on s.record_id = r.id
and s.model_id = $2
        where ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
and r.forgotten_at is null
and (r.status in ('active')
and case when r.type = 'semantic' then coalesce((
    select coalesce(regexp_replace(v.payload #>> '{validity,start}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz <= $5::timestamptz, true)
      and coalesce(regexp_replace(v.payload #>> '{validity,end}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz > $6::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end) offset 0
      ) as met
      order by distance, record_id
      limit 500
    )
    select string_agg(
  uuid_send(e.record_id) || int2send(e.bits) || int4send(octet_length(e.code)) || e.code, ''::bytea
  order by met.distance, e.record_id
) as vectors
    from met join embeddings as e on e.record_id = met.record_id
and e.model_id = $7;

-- src/embeddings/search/vector-search.queries.ts findNearestInScopes
    with inside as materialized (
    select id
from records
    where scope = any($1::text[])
and forgotten_at is null
and decay_rank is not null union all
    select id
from records
    where scope = any($2::text[])
and forgotten_at is null
and decay_rank is null), met as materialized (
      select inside.id, bit_count(s.bits # $3::bit(1024)) as distance
      from inside cross join lateral (
        select bits
from signatures
where record_id = inside.id
and model_id = $4 offset 0
      ) as s cross join lateral (
        select
from records as r
where r.id = inside.id
and ("r"."sensitivity" <= $5
and "r"."scope" = any($6::text[]))
and r.forgotten_at is null
and (r.status in ('active')
and case when r.type = 'semantic' then coalesce((
    select coalesce(regexp_replace(v.payload #>> '{validity,start}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz <= $7::timestamptz, true)
      and coalesce(regexp_replace(v.payload #>> '{validity,end}', '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz > $8::timestamptz, true)
    from contents as v
where v.record_id = r.id
and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end) offset 0
      ) as r
      order by distance, inside.id
      limit 500
    )
    select string_agg(
  uuid_send(e.record_id) || int2send(e.bits) || int4send(octet_length(e.code)) || e.code, ''::bytea
  order by met.distance, e.record_id
) as vectors
    from met join embeddings as e on e.record_id = met.id
and e.model_id = $9;

-- src/embeddings/search/vector-search.queries.ts measureSignatures
    select (coalesce((
    select pg_relation_size(tableoid) / current_setting('block_size')::bigint
from "signatures"
limit 1
  ), 0) * current_setting('block_size')::bigint / 188)::int as signatures, exists (
      select
from pg_index as i join pg_class as c on c.oid = i.indexrelid
      where i.indrelid = 'signatures'::regclass
and c.relname = 'signatures_nearest'
and i.indisvalid
    )
and to_regproc('nearest_signatures') is not null as "isIndexed";

-- src/embeddings/search/vector-search.queries.ts prepareLargeScan
    select set_config('work_mem', '32MB', true), set_config('plan_cache_mode', 'force_custom_plan', true);

-- src/embeddings/search/vector-search.queries.ts readSignatures
    with inside as materialized (
    select id
from records
    where scope = any($1::text[])
and forgotten_at is null
and decay_rank is not null union all
    select id
from records
    where scope = any($2::text[])
and forgotten_at is null
and decay_rank is null)
    select string_agg(uuid_send(r.id) || bit_send(s.bits), ''::bytea) as packed
    from inside
    join records as r on r.id = inside.id
    join signatures as s on s.record_id = r.id
and s.model_id = $3
    where r.forgotten_at is null;

-- src/embeddings/surprise/surprise-comparison.queries.ts countUncompared: everywhere
    select count(*)::int as count
from unsurprised as u
where true;

-- src/embeddings/surprise/surprise-comparison.queries.ts countUncompared: in a scope
    select count(*)::int as count
from unsurprised as u
where exists (
        select
from records as o
where o.id = "u"."record_id"
and o.scope = $1
      );

-- src/embeddings/surprise/surprise-comparison.queries.ts dropUncompared
delete
from unsurprised
where record_id = any($1::uuid[]);

-- src/embeddings/surprise/surprise-comparison.queries.ts findComparedRecords
    select r.id, c.provenance, r.source_type, r.sensitivity,
      case when pg_column_size(c.payload) <= 16384 then c.payload end as payload
    from records as r join contents as c on c.record_id = r.id
    where r.id = any($1::uuid[]);

-- src/embeddings/surprise/surprise-comparison.queries.ts findStableModel
    select id, provider, dimensions
from embedding_models
where serves
and embeds for share;

-- src/embeddings/surprise/surprise-comparison.queries.ts findUncompared: everywhere
    select r.id, r.scope, r.sensitivity, (r.forgotten_at is null
and r.status in ('active', 'challenged')) as is_live, v.bits, v.code, v.signature
    from unsurprised as u
    join records as r on r.id = u.record_id
    left join lateral (
      select e.bits, e.code, substr(bit_send(s.bits), 5) as signature
      from embeddings as e join signatures as s using (record_id, model_id)
      where record_id = u.record_id
and model_id = $1
      offset 0
    ) as v on true
    where true
and u.asked_at < coalesce((
      select min(w.asked_at)
from unembedded as w
      where w.attempts = 0
and w.due_at < 'infinity'
and true
    ), 'infinity')
    order by u.created_at, u.record_id
    limit $2;

-- src/embeddings/surprise/surprise-comparison.queries.ts findUncompared: in a scope
    select r.id, r.scope, r.sensitivity, (r.forgotten_at is null
and r.status in ('active', 'challenged')) as is_live, v.bits, v.code, v.signature
    from unsurprised as u
    join records as r on r.id = u.record_id
    left join lateral (
      select e.bits, e.code, substr(bit_send(s.bits), 5) as signature
      from embeddings as e join signatures as s using (record_id, model_id)
      where record_id = u.record_id
and model_id = $1
      offset 0
    ) as v on true
    where exists (
        select
from records as o
where o.id = "u"."record_id"
and o.scope = $2
      )
and u.asked_at < coalesce((
      select min(w.asked_at)
from unembedded as w
      where w.attempts = 0
and w.due_at < 'infinity'
and exists (
        select
from records as o
where o.id = "w"."record_id"
and o.scope = $3
      )
    ), 'infinity')
    order by u.created_at, u.record_id
    limit $4;

-- src/embeddings/surprise/surprise-comparison.queries.ts hasUncompared
select
from unsurprised
limit 1;

-- src/embeddings/surprise/surprise-comparison.queries.ts isCompared
select r.id
from records as r
where not exists (select
from unsurprised as waiting
where waiting.record_id = r.id);

-- src/embeddings/surprise/surprise-comparison.queries.ts listComparableConditions
select r.id
from records as r
where r.scope = $1
and r.forgotten_at is null
and r.status in ('active', 'challenged')
and r.sensitivity <= $2;

-- src/embeddings/surprise/surprise-comparison.queries.ts tryLockComparison
    select pg_try_advisory_xact_lock(7350 # lock_seed(), 12) as is_mine;

-- src/embeddings/surprise/surprise-comparison.queries.ts writeSurprises
    with compared as materialized (
      select *
from json_to_recordset($1::json) as compared (
        id uuid, score float8, delta float8, duplicate_of uuid, confirms bool, neighbours jsonb
      )
    ), locked as materialized (
      select r.id, r.base_importance, r.pinned, (r.forgotten_at is null
and r.status in ('active', 'challenged')) as is_live
from records as r
      where r.id in (select id
from compared union select duplicate_of
from compared
where confirms)
      order by r.id
      for no key update
    ), stored as (
      insert into surprises (record_id, at, score, delta, base_before, duplicate_of, neighbours)
      select c.id, $2::timestamptz, c.score, case when l.pinned then 0 else c.delta end, l.base_importance,
        c.duplicate_of, c.neighbours
      from compared as c join locked as l using (id)
      on conflict (record_id) do nothing
      returning record_id, delta
    ), confirmed as (
      select l.id, count(*)::integer as times
      from stored join compared as c on c.id = stored.record_id
and c.confirms join locked as l on l.id = c.duplicate_of
      where l.is_live
and not l.pinned
and not exists (
        select
from relations as e
        where e.predicate = 'derived_from'
          and ((e.source_id = c.id
and e.target_id = l.id)
or (e.source_id = l.id
and e.target_id = c.id))
      )
      group by l.id
    ), moved as (
      update records as r
      set base_importance = case when stored.delta <> 0
          then least(1, greatest(0.05::float8, l.base_importance + stored.delta))
          else l.base_importance end,
        confirmation_count = r.confirmation_count + coalesce(confirmed.times, 0)
      from locked as l
      left join stored on stored.record_id = l.id
      left join confirmed on confirmed.id = l.id
      where r.id = l.id
and (stored.delta <> 0
or confirmed.times > 0)
      returning r.id
    ), unlisted as (
      delete
from unsurprised as u using compared as c
where u.record_id = c.id
    )
    select id
from moved
order by id;
