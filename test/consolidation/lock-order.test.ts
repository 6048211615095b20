import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createConsolidation } from '../../src/consolidation/index.ts'
import { createSeal } from '../../src/domain/identity/tombstone-seal.ts'
import { createPoliciesService } from '../../src/policies/index.ts'
import { shareTestApp } from '../support/apps/shared-store.ts'
import { capture, range } from '../support/requests/capture-requests.ts'
import {
  captureEpisode,
  consolidate,
  createScope,
  listRecords,
  omitDurations,
} from '../support/requests/consolidation-requests.ts'
import { perform } from '../support/requests/plan-requests.ts'
import { countLockWaits } from '../support/statements/lock-waits.ts'
import type { TestApp } from '../support/test-app.ts'
import { noIntervals } from '../support/workers/idle-jobs.ts'
import { createWorkerFor } from '../support/workers/worker-setup.ts'

/** A transaction that locks the same rows in another order waits a second until PostgreSQL finds the deadlock, and begins again. */

const openApp = shareTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests' } })
let app: TestApp
let client: pg.PoolClient
beforeEach(async () => {
  app = await openApp()
  client = await app.database.pool.connect()
})
afterEach(() => client.release())

const day = 86_400_000

/** Runs `work` beside a transaction that has locks, and `meanwhile` in this transaction when the work waits for one. */
async function runBeside(locking: string, work: () => Promise<unknown>, meanwhile: string) {
  await client.query('begin')
  await client.query(locking)
  const working = work()
  await expect.poll(() => countLockWaits(app.db)).toBeGreaterThan(0)
  const outcome = await client.query(meanwhile).then(
    () => 'locked',
    (error: Error) => error.message,
  )
  await client.query('rollback')
  await working
  return outcome
}

it('a dry run locks no record before the tombstones, as an erasure does not', async () => {
  const scope = createScope()
  const { id } = await captureEpisode(app, 'deployed on Friday', {}, { scope })
  app.clock.advance(2 * day)
  const outcome = await runBeside(
    'select pg_advisory_xact_lock(7350 # lock_seed(), 3)',
    () => consolidate(app, { dry_run: true }),
    `select from records where id = '${id}' for update nowait`,
  )
  expect(outcome).toBe('locked')
})

it('an undo locks what it puts back on the list of open work before records, as a consolidation does', async () => {
  const scope = createScope()
  const tool_graph = [{ id: 'a', tool: 'grep', args: {} }]
  for (const text of ['one', 'two']) await capture(app, { text, tool_graph, outcome: 'success' }, { scope })
  const run = await consolidate(app)
  const [skill] = await listRecords(app, `type=competence&scope=${encodeURIComponent(scope)}`)
  const [episode] = await listRecords(app, `type=episodic&scope=${encodeURIComponent(scope)}`)
  await capture(app, { text: 'three', tool_graph, outcome: 'success' }, { scope })
  await app.database.pool.query(
    `insert into unconsolidated (record_id, stage, due_at) values ('${episode?.['id']}', 'competence', now())`,
  )
  const outcome = await runBeside(
    `select from unconsolidated where record_id = '${episode?.['id']}' for update`,
    () => perform(app, 'undo', { actor: 'a', rationale: 'b' }, `/v1/maintenance/runs/${run['id']}/undo`),
    `select from records where id = '${skill?.['id']}' for no key update nowait`,
  )
  expect(outcome).toBe('locked')
})

it('an erasure does not wait for the end of a dry run, which counts what a run then does', async () => {
  const scope = createScope()
  for (const n of range(8)) await captureEpisode(app, `the build takes ${n % 7} minutes`, {}, { scope })
  const [erased] = await listRecords(app, `type=episodic&scope=${encodeURIComponent(scope)}`)
  const { db, clock, ids, config } = app
  const isWritten = Promise.withResolvers<void>()
  const isErased = Promise.withResolvers<void>()
  let batches = 0
  const policies = createPoliciesService({ db, clock })
  const consolidate = createConsolidation({
    db,
    clock,
    ids,
    ...config.consolidation,
    textLanguage: 'english',
    size: 2,
    policies: {
      async getAll(tx) {
        batches += 1
        if (batches === 2) isWritten.resolve()
        // The erasure waits for the transaction that began before it, which ends after two seconds, and for no other.
        if (batches === 2) await expect.poll(() => countLockWaits(app.db)).toBeGreaterThan(0)
        if (batches === 2) await sleep(2_000)
        if (batches === 3) await isErased.promise
        return policies.getAll(tx)
      },
    },
    seal: createSeal(config.records.tombstoneKey),
  })
  const request = { job: 'consolidate', scope, options: { stages: ['semantic'] } }
  const attend = async () => {
    const worker = createWorkerFor(app, noIntervals, { jobWorks: { consolidate } })
    await worker.runJob('consolidate', new AbortController().signal)
  }
  const running = perform(app, 'consolidate', { ...request, dry_run: true }, undefined, attend)
  await isWritten.promise
  const body = { actor: 'ada', rationale: 'asked' }
  const { status } = await app.request('POST', `/v1/records/${erased?.['id']}/erase`, { body })
  isErased.resolve()
  const dry = await running
  expect(status).toBe(200)
  expect(await app.db.selectFrom('run_effects').selectAll().execute()).toEqual([])
  const run = await perform(app, 'consolidate', request, undefined, attend)
  expect(omitDurations(dry)).toEqual(omitDurations(run))
})
