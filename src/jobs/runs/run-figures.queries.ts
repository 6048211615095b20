import type { Database } from '../../db/connection.ts'

export type RunFigures = Readonly<Record<string, number>>

/** Returns what a run has counted so far, by name. A run that another worker continues has counts already. */
export async function findRunFigures(db: Database, runId: string): Promise<RunFigures> {
  const found = await db
    .selectFrom('maintenance_runs')
    .where('id', '=', runId)
    .select('stats')
    .executeTakeFirst()
  // A job adds only numbers to its counts.
  return (found?.stats ?? {}) as RunFigures
}
