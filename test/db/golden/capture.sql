-- src/capture/capture.queries.ts findHandleOwners
    select h.digest, r.sensitivity
    from handles as h
    join records as r on r.id = h.record_id
    where h.digest = any($1::bytea[])
and h.scope = $2
      and r.forgotten_at is null
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]));

-- src/capture/capture.queries.ts findNamedEntities
    select r.id, h.digest, c.payload ->> 'canonical_name' as name, c.payload ->> 'primary_type' as kind
    from handles as h
    join records as r on r.id = h.record_id
    join contents as c on c.record_id = r.id
    where h.digest = any($1::bytea[])
and h.scope in ($2, $3)
      and r.type = 'entity'
and r.forgotten_at is null
and r.status in ('active', 'challenged')
      and ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
    order by r.scope desc, r.created_at, r.id
    limit $6;

-- src/capture/capture.queries.ts findReadableIds
select "r"."id"
from "records" as "r"
where "r"."id" = any($1::uuid[])
and "r"."scope" in ($2, $3)
and "r"."forgotten_at" is null
and ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]));

-- src/capture/capture.queries.ts findReferencedSummaries
    select r.id, left(c.interpretation ->> 'summary', 1000) as summary,
      case when pg_column_size(c.payload) <= 8192 then c.payload end as payload
    from records as r
    join contents as c on c.record_id = r.id
    where r.id = any($1::uuid[])
and r.scope in ($2, $3)
      and r.forgotten_at is null
and ("r"."sensitivity" <= $4
and "r"."scope" = any($5::text[]))
    order by r.id;
