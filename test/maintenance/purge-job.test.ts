import { beforeEach, expect, it } from 'vitest'
import { deleteExpiredAnswers } from '../../src/http/idempotency/idempotency.queries.ts'
import { shareWorkerSetup } from '../support/apps/shared-store.ts'
import { createTestPurge } from '../support/workers/test-purge.ts'
import type { WorkerSetup } from '../support/workers/worker-setup.ts'

const openSetup = shareWorkerSetup()
let setup: WorkerSetup
beforeEach(async () => {
  setup = await openSetup()
})

/** Inserts answers that expire at `expiresAt`. */
async function storeAnswers(count: number, expiresAt: Date): Promise<void> {
  await setup.pool.query(
    `insert into idempotency_keys (principal, key, fingerprint, status, headers, body, created_at, expires_at)
     select 'root', $2::text || n, 'f', 200, '{}', null, $1, $1 from generate_series(1, $3::int) n`,
    [expiresAt, expiresAt.toISOString(), count],
  )
}

async function countAnswers(): Promise<number> {
  const { rows } = await setup.pool.query('select count(*)::int as count from idempotency_keys')
  return rows[0].count
}

it('the job purge deletes exactly the expired answers', async () => {
  await storeAnswers(2_500, setup.clock.now())
  await storeAnswers(3, new Date(setup.clock.now().getTime() + 1))
  expect(await setup.run('purge')).toMatchObject({ status: 'succeeded', stats: { idempotency_keys: 2_500 } })
  expect(await countAnswers()).toBe(3)
})

it('the job purge deletes nothing in a second run', async () => {
  await storeAnswers(5, setup.clock.now())
  await setup.run('purge')
  expect(await setup.run('purge')).toMatchObject({ status: 'succeeded', progress: { done: 0 } })
})

it('the job purge skips a locked row', async () => {
  await storeAnswers(3, setup.clock.now())
  const holder = await setup.pool.connect()
  await holder.query('begin')
  await holder.query('select from idempotency_keys limit 1 for update')
  expect(await setup.run('purge')).toMatchObject({ stats: { idempotency_keys: 2 } })
  await holder.query('rollback')
  holder.release()
})

it('the job purge reports in a dry run what it would delete', async () => {
  await storeAnswers(7, setup.clock.now())
  expect(await setup.run('purge', { dryRun: true })).toMatchObject({ stats: { idempotency_keys: 7 } })
  expect(await countAnswers()).toBe(7)
})

it('the job purge ends after the current batch when its worker stops, and returns the run to the queue', async () => {
  await storeAnswers(3_000, setup.clock.now())
  const stopping = new AbortController()
  const purge = createTestPurge({
    expired: {
      idempotency_keys: async (db, at, limit) => {
        stopping.abort()
        return deleteExpiredAnswers(db, at, limit)
      },
    },
  })
  const id = await setup.requestRun('purge')
  await setup.createWorker('one', { jobWorks: { purge } }).runJob('purge', stopping.signal)
  expect(await setup.readRun(id)).toMatchObject({
    status: 'queued',
    attempts: 0,
    stats: { idempotency_keys: 1_000 },
  })
  expect(await countAnswers()).toBe(2_000)
  await setup.createWorker('another').runJob('purge', new AbortController().signal)
  expect(await setup.readRun(id)).toMatchObject({ status: 'succeeded', stats: { idempotency_keys: 3_000 } })
})
