-- src/db/configuration-checks.ts knowsCapitals
select lower('Ä') = 'ä' as knows;

-- src/db/configuration-checks.ts isTextLanguage
    select exists (
      select
from pg_ts_config
where cfgname = $1
and pg_ts_config_is_visible(oid)
    ) as known;

-- src/db/configuration-checks.ts computeLead
select clock_timestamp() as database_time;

-- src/db/configuration-checks.ts hasForeignTombstones
    select exists (select
from tombstones
where key_id < $1::bytea)
      or exists (select
from tombstones
where key_id > $2::bytea) as "foreign";

-- src/db/memory/seen-changes.ts readView
    select (
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
) as origin;

-- src/db/poll-horizon.ts findVisibleHorizon
    select coalesce(max(extract(epoch
from clock_timestamp() - xact_start)), 0)::float8 * 1000 as age_ms
    from pg_stat_activity
    where datname = current_database()
and backend_type = 'client backend'
and pid <> pg_backend_pid();
select min("started_at") as "started_at"
from "maintenance_runs"
where "status" in ($1, $2)
and "started_at" is not null
and "dry_run" = $3;

-- src/db/run-effects.ts saveEffects
    select set_config('membrane.effects', $1, true), set_config('membrane.rehearsal', $2, true);

-- src/db/run-effects.ts stopSavingEffects
select set_config('membrane.effects', '', true), set_config('membrane.rehearsal', '', true);

-- src/db/run-effects.ts beginOperation
    select set_config('membrane.operation', $1, true),
      set_config('membrane.effects', coalesce(nullif(current_setting('membrane.effects', true), ''), $2), true);

-- src/db/run-effects.ts endOperation
    select set_config('membrane.operation', '', true),
      set_config('membrane.effects', coalesce(nullif(current_setting('membrane.effects', true), $1), ''), true);

-- src/db/savepoint.ts createSavepoint
savepoint part;

-- src/db/savepoint.ts releaseSavepoint
savepoint part;
release savepoint part;

-- src/db/savepoint.ts rollbackToSavepoint
savepoint part;
rollback to savepoint part;

-- src/db/store-secret.queries.ts readStoreSecret
    select secret::text || more_secret::text as secret
from import_secret;

-- src/db/tallies.ts addTallies
    insert into tallies (name, backend, value)
    select name, pg_backend_pid(), value
from unnest($1::text[], $2::float8[]) as counted (name, value)
    on conflict (name, backend) do update
set value = tallies.value + excluded.value;

-- src/db/tallies.ts foldTallies
    with chosen as materialized (
      select name, backend
from tallies
where backend <> 0
limit $1
for update skip locked
    ), folded as (
      delete
from tallies as t using chosen as c
where (t.name, t.backend) = (c.name, c.backend)
returning t.*
    ), added as (
      insert into tallies (name, backend, value) select name, 0, sum(value)
from folded group by 1
      on conflict (name, backend) do update
set value = tallies.value + excluded.value
    )
    select count(*)::int4 as folded
from folded;
