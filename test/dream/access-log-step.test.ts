import { beforeEach, expect, it } from 'vitest'
import { shareTestApp } from '../support/apps/shared-store.ts'
import { type Body, create, payloads } from '../support/requests/record-requests.ts'
import type { TestApp } from '../support/test-app.ts'
import { createWorkerFor } from '../support/workers/worker-setup.ts'

const day = 86_400_000

const openApp = shareTestApp()
let app: TestApp
beforeEach(async () => {
  app = await openApp()
})

async function dream(more: object = {}): Promise<Body> {
  const { body } = await app.request('POST', '/v1/maintenance/runs', { body: { job: 'dream', ...more } })
  // No schedule: only the requested run takes place.
  await createWorkerFor(app, { ...app.config.jobs.intervals, dream: 0 }).runJob(
    'dream',
    new AbortController().signal,
  )
  return (await app.request('GET', `/v1/maintenance/runs/${(body as Body).id}`)).body as Body
}

async function countLogged(): Promise<number> {
  return (await app.db.selectFrom('access_log').select('record_id').execute()).length
}

/** Creates a record with forty uses within ten days. */
async function useMuch(): Promise<string> {
  const { id } = await create(app, { type: 'semantic', payload: payloads.semantic, layer: 'semantic' })
  for (let nth = 0; nth < 40; nth++) {
    app.clock.advance(day / 4)
    await app.request('POST', `/v1/records/${id}/access`)
  }
  return id
}

const explain = async (id: string): Promise<Body> =>
  (await app.request('GET', `/v1/records/${id}/explain`)).body

it('the step prune_logs folds accesses older than ninety days and leaves importance unchanged', async () => {
  const id = await useMuch()
  app.clock.advance(81.2 * day)
  expect((await dream({ options: { steps: ['prune_logs'] } })).stats).toMatchObject({ accesses_folded: 3 })
  app.clock.advance(20 * day)
  const before = await explain(id)
  const run = await dream()
  expect(run).toMatchObject({ status: 'succeeded', stats: { accesses_folded: 5 } })
  expect(await countLogged()).toBe(32)
  expect((await explain(id)).importance).toEqual(before.importance)
  const { access_count } = (await app.request('GET', `/v1/records/${id}`)).body as Body
  expect(access_count).toBe(40)
  expect((await dream()).stats).toMatchObject({ accesses_folded: 0 })
})

it('the step prune_logs changes nothing in a dry run or in a run of one scope', async () => {
  await useMuch()
  app.clock.advance(120 * day)
  expect((await dream({ dry_run: true })).stats).toMatchObject({ accesses_folded: 8 })
  expect((await dream({ scope: 'here' })).stats).toMatchObject({ accesses_folded: 0 })
  expect(await countLogged()).toBe(40)
})
