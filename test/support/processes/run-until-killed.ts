import type { Pool } from 'pg'
import { expect } from 'vitest'
import type { Clock } from '../../../src/kernel/clock.ts'
import { launch, until } from './processes.ts'

type Store = { pool: Pool; url: string }
type Kill = { step: string; nth: number; endpoint?: string }

/** Runs a worker that kills itself, and waits until the server has ended its sessions and released their locks. */
export async function runUntilKilled(
  program: string,
  { pool, url }: Store,
  clock: Clock,
  { step, nth, endpoint = '' }: Kill,
): Promise<void> {
  const worker = launch([program, url, clock.now().toISOString(), step, String(nth), endpoint])
  expect(await worker.ended, worker.output()).toEqual({ code: null, signal: 'SIGKILL' })
  await until('its sessions to end', async () => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'killed-worker'`,
    )
    return rowCount === 0
  })
  // Ends the lease without letting time pass, so that nothing decays.
  await pool.query(`update job_leases set expires_at = $1`, [clock.now()])
}
