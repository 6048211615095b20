import type { Pool } from 'pg'
import { expect } from 'vitest'
import { launch, until } from './processes.ts'

/** Runs a worker that kills itself, and waits until the server has ended its sessions and released their locks. */
export async function runUntilKilled(pool: Pool, args: readonly string[]): Promise<void> {
  const worker = launch(args)
  expect(await worker.ended, worker.output()).toEqual({ code: null, signal: 'SIGKILL' })
  await until('its sessions to end', async () => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'killed-worker'`,
    )
    return rowCount === 0
  })
}
