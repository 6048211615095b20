import { afterAll, expect, it } from 'vitest'
import { listBacklog } from '../../src/metrics/store.queries.ts'
import { type Body, create, expectProblem, read } from '../support/requests/record-requests.ts'
import {
  buildClaim,
  mergeRecords,
  readAuditLog,
  readLineage,
  revise,
} from '../support/requests/revision-requests.ts'
import { startTestApp } from '../support/test-app.ts'
import { day } from '../support/workers/test-works.ts'
import { createWorkerFor } from '../support/workers/worker-setup.ts'

const app = await startTestApp()
afterAll(() => app.close())

async function sweep(): Promise<Body> {
  const { body } = await app.request('POST', '/v1/maintenance/runs', { body: { job: 'decay' } })
  await createWorkerFor(app).runJob('decay', new AbortController().signal)
  return (await app.request('GET', `/v1/maintenance/runs/${(body as Body).id}`)).body as Body
}

it('a record withdrawn by a revision is kept through all sweeps and forgotten after its 90 days', async () => {
  const decay = { half_life_seconds: 3_600 }
  const retracted = await create(app, buildClaim('retracted', { lifecycle: { decay } }))
  const superseded = await create(app, buildClaim('superseded', { lifecycle: { decay } }))
  const merged = [await create(app, buildClaim('one')), await create(app, buildClaim('two'))].map(
    ({ id }) => id,
  )
  const pinned = await create(app, buildClaim('pinned', { lifecycle: { pinned: true } }))
  const lasting = { lifecycle: { deletion_policy: 'never' } }
  await revise(app, 'retract', retracted.id)
  await revise(app, 'retract', pinned.id)
  const successor = await revise(app, 'supersede', superseded.id, {
    record: buildClaim('successor', lasting),
  })
  await mergeRecords(app, merged, buildClaim('both', lasting))
  const aside = [retracted.id, superseded.id, ...merged]
  const readStates = async () =>
    Promise.all(
      aside.map(async (id) => ({
        record: await read(app, id),
        log: await readAuditLog(app, id),
        lineage: (await readLineage(app, id)).nodes,
      })),
    )
  const before = await readStates()
  for (const days of [1, 30, 30, 28]) {
    app.clock.advance(days * day)
    await sweep()
  }
  const { record } = successor.body as Body
  expect(before[1]?.lineage.map(({ id }: Body) => id)).toContain(record.id)
  expect(await readStates()).toEqual(before)
  app.clock.advance(2 * day)
  await sweep()
  for (const id of aside) {
    const answer = await app.request('GET', `/v1/records/${id}`)
    expect(expectProblem(answer, 410, 'record_forgotten').reason).toBe('pruned')
    expect((await readAuditLog(app, id)).at(-1)?.slice(0, 2)).toEqual(['delete', 'decay-service'])
  }
  expect(await read(app, pinned.id)).toMatchObject({ status: 'invalidated', salience: 0 })
  expect((await readLineage(app, record.id)).nodes).toHaveLength(2)
})

it('a record that was invalidated without a revision fades on, and nothing says that it is due before', async () => {
  const decay = { half_life_seconds: (100 * day) / 1_000 }
  const { id } = await create(app, buildClaim('doubted', { lifecycle: { decay } }))
  const get = async (view: string) => (await app.request('GET', `/v1/records/${id}/${view}`)).body as Body
  app.clock.advance(100 * day)
  await sweep()
  const { prune_at: due, salience } = await get('explain')
  expect(salience).toMatchObject({ value: expect.closeTo(0.5), rule: 'curve' })
  const body = { status: 'invalidated', reason: 'nobody knows', actor: 'ada' }
  expect((await app.request('POST', `/v1/records/${id}/status`, { body })).status).toBe(200)
  expect(await get('explain')).toMatchObject({ prune_at: due, salience: { rule: 'curve' } })
  expect((await get('forecast')).crossings.pruned).toBe(due)
  const now = app.clock.now()
  const backlog = await listBacklog(app.db, now, new Date(now.getTime() - 90 * day))
  expect(backlog.find(({ work }) => work === 'forget_revised')).toMatchObject({ waiting: 0, oldest: null })
  expect((await sweep()).progress).toEqual({ done: 0, total: 0 })
  app.clock.advance(Date.parse(due) - now.getTime() + 1)
  await sweep()
  expectProblem(await app.request('GET', `/v1/records/${id}`), 410, 'record_forgotten')
  expect((await get('explain')).removal).toMatchObject({ reason: 'pruned', rule: 'curve' })
})
