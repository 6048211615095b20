import { sql } from 'kysely'
import type { Database } from '../../../src/db/connection.ts'
import { createHistoryKeeping, deleteOldRuns } from '../../../src/maintenance/index.ts'
import { perform } from '../requests/plan-requests.ts'
import type { Body } from '../requests/record-requests.ts'
import type { TestApp } from '../test-app.ts'
import { noIntervals } from '../workers/idle-jobs.ts'
import { createTestPurge } from '../workers/test-purge.ts'
import { createWorkerFor } from '../workers/worker-setup.ts'

/** The partitions of a history without the name of its table, each with its rows. */
export async function listMonths(db: Database, history: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ month: string; rows: number }>`
    select substr(c.relname, length(${history}::text) + 2) as month, (
      select count(*)::int4 from ${sql.table(history)} as h where h.tableoid = c.oid
    ) as rows
    from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
    where i.inhparent = ${history}::regclass order by 1
  `.execute(db)
  return Object.fromEntries(rows.map(({ month, rows: count }) => [month, count]))
}

/** Runs the job `purge` with a worker that keeps the histories for so long, and returns the run. */
export function purgeHistories(
  app: TestApp,
  { historyRetentionMs, minBytes }: Parameters<typeof createHistoryKeeping>[0],
): Promise<Body> {
  const { keep } = createHistoryKeeping({
    historyRetentionMs,
    pauseMs: 10,
    ...(minBytes === undefined ? {} : { minBytes }),
  })
  const purge = createTestPurge({ expired: { maintenance_runs: deleteOldRuns }, keepHistories: keep })
  return perform(app, 'purge', { job: 'purge' }, undefined, (of, job) =>
    createWorkerFor(of, noIntervals, { jobWorks: { purge } })
      .runJob(job as 'purge', new AbortController().signal)
      .then(() => {}),
  )
}

/** Moves the clock to the first moment of a day. */
export function goTo({ clock }: TestApp, date: string): void {
  clock.advance(Date.parse(`${date}T09:00:00.000Z`) - clock.now().getTime())
}
