-- src/relations/relations.queries.ts deleteEdges
delete
from "relations"
where ("source_id" = $1
and "predicate" = $2
and "target_id" = $3);

-- src/relations/relations.queries.ts findEdge
select "source_id", "predicate", "target_id", "weight", "created_at"
from "relations"
where "source_id" = $1
and "predicate" = $2
and "target_id" = $3;

-- src/relations/relations.queries.ts isContestPair
    select
from descents as d
    where d.kind = 'contest'
and (
      d.derived_id = $1::uuid
and d.source_id = $2::uuid
      or d.derived_id = $3::uuid
and d.source_id = $4::uuid
    )
    limit 1;

-- src/relations/relations.queries.ts listEdges: outgoing
select "e"."source_id", "e"."predicate", "e"."target_id", "e"."weight", "e"."created_at"
from "relations" as "e"
inner join "records" as "r" on "r"."id" = "e"."target_id"
where "e"."source_id" = $1
and "r"."forgotten_at" is null
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
order by "e"."predicate", "e"."target_id"
limit $4;

-- src/relations/relations.queries.ts listEdges: incoming, the second page of one predicate
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

-- src/relations/relations.queries.ts upsertEdges
insert into "relations" ("source_id", "predicate", "target_id", "weight", "created_at")
values ($1, $2, $3, $4, $5)
on conflict on constraint "relations_pkey" do update
set "weight" = "excluded"."weight";
