import type { Database } from '../../db/connection.ts'
import { dayMs, subtractMilliseconds } from '../../kernel/units.ts'

export const runsKeptForMs = 90 * dayMs

/**
 * Deletes runs that ended long ago and whose changes were dropped with their month, except those of plans that have not expired.
 * Returns how many; at most `limit`.
 */
export async function deleteOldRuns(db: Database, now: Date, limit: number): Promise<number> {
  const before = subtractMilliseconds(now, runsKeptForMs)
  const { deleted } = await db
    .with('old', (cte) =>
      cte
        .deleteFrom('maintenance_runs')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('maintenance_runs')
            .where('finished_at', '<=', before)
            .where(({ exists, not, selectFrom }) =>
              not(
                exists(
                  selectFrom('maintenance_changes as c').whereRef('c.run_id', '=', 'maintenance_runs.id'),
                ),
              ),
            )
            .where(({ exists, not, or, selectFrom }) =>
              not(
                or([
                  exists(
                    selectFrom('plans as p')
                      .whereRef('p.id', '=', 'maintenance_runs.id')
                      .where('p.expires_at', '>', now),
                  ),
                  exists(
                    selectFrom('plan_applications as a')
                      .innerJoin('plans as p', 'p.id', 'a.plan_id')
                      .whereRef('a.run_id', '=', 'maintenance_runs.id')
                      .where('p.expires_at', '>', now),
                  ),
                ]),
              ),
            )
            .select('id')
            .limit(limit)
            .forUpdate()
            .skipLocked(),
        )
        .returning('id'),
    )
    .with('effects', (cte) =>
      cte.deleteFrom('run_effects').where('run_id', 'in', (eb) => eb.selectFrom('old').select('old.id')),
    )
    .selectFrom('old')
    .select((eb) => eb.fn.countAll<number>().as('deleted'))
    .executeTakeFirstOrThrow()
  return deleted
}
