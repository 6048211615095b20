import type { Pool } from 'pg'
import { expect } from 'vitest'
import { launch, until } from './processes.ts'

/**
 * Runs a worker that kills itself on its way; the server takes a moment to find that its sessions are over, and to give
 * up their locks.
 */
export async function runToDeath(pool: Pool, args: readonly string[]): Promise<void> {
  const worker = launch(args)
  expect(await worker.ended, worker.output()).toEqual({ code: null, signal: 'SIGKILL' })
  await until('its sessions to end', async () => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'killed-worker'`,
    )
    return rowCount === 0
  })
}
