-- src/jobs/runs/ranges.queries.ts finishRange
update "maintenance_ranges"
set "done" = $1
where "run_id" = $2
and "first_block" = $3;

-- src/jobs/runs/ranges.queries.ts hasOpenRanges
select "run_id"
from "maintenance_ranges"
where "run_id" = $1
and "done" = $2
limit $3;

-- src/jobs/runs/ranges.queries.ts insertRanges
    insert into maintenance_ranges (run_id, first_block, end_block, done)
    select $1::uuid, first, first + $2::bigint, false
    from generate_series(
      0, coalesce((
    select pg_relation_size(tableoid) / current_setting('block_size')::bigint
from "records"
limit 1
  ), 0), $3::bigint
    ) as first
    where not exists (select
from maintenance_ranges
where run_id = $4::uuid);

-- src/jobs/runs/ranges.queries.ts takeRange
select "first_block", "end_block"
from "maintenance_ranges"
where "run_id" = $1
and "done" = $2
order by "first_block" desc
limit $3
for update skip locked;

-- src/jobs/runs/run-figures.queries.ts findRunFigures
select "stats"
from "maintenance_runs"
where "id" = $1;
