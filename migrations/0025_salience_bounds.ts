import { type Kysely, sql } from 'kysely'

/**
 * Lowers values that an earlier version stored above 1,000, the new bound of salience, its cap and its gain: two
 * saliences of 1e308 overflow any sum. It reads `records` three times and locks only the rows it changes; a usual
 * store has none. There is no constraint: a running process of the earlier version would fail on such a write, and
 * every sum is safe without one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** The earlier values are not restored: values within the bound are valid for the earlier version too. */
export async function down(): Promise<void> {}

/** The half-lives from 1,000 to 0.001, at which a record has faded: one number for each curve. */
const halfLives = `case curve
    when 'linear' then ${1 - 1e-6}
    when 'huber' then ${0.5 + (1 - 1e-6 / 2 ** -0.5) / Math.LN2}
    when 'elastic' then ${-Math.log2(1e-6 / 0.7)}
    else ${-Math.log2(1e-6)} end`

const statements = [
  `update lifecycle_policies
   set max_salience = least(max_salience, 1000), reinforcement_gain = least(reinforcement_gain, 1000)
   where max_salience > 1000 or reinforcement_gain > 1000`,
  `update records
   set max_salience = least(max_salience, 1000), reinforcement_gain = least(reinforcement_gain, 1000)
   where max_salience > 1000 or reinforcement_gain > 1000`,
  `update records as r
   set base_salience = 1000, salience = least(salience, 1000), prune_at = lowered.prune_at
   from (
     select id, case when pinned or deletion_policy <> 'auto_prune' then null
       else least(expires_at, case when min_salience < 0.001 and faded_at <= '9999-12-31 00:00:00+00' then faded_at end)
       end as prune_at
     from (
       select *, anchored_at
         + make_interval(secs => ceil((${halfLives}) * half_life_seconds * 1000::float8) / 1000) as faded_at
       from records where base_salience > 1000
     ) as high
   ) as lowered
   where r.id = lowered.id`,
  `update records set salience = 1000 where salience > 1000`,
  // Ten years, the longest interval of a schedule: the next run of a longer one is outside of the calendar.
  `update job_schedules set interval_ms = 315360000000 where interval_ms > 315360000000`,
  `update job_schedules set next_at = timestamptz '1970-01-01 00:00:00+00'
   where not next_at between '1970-01-01 00:00:00+00' and '9999-12-31 00:00:00+00'`,
]
