import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Body, create, expectProblem, read } from '../support/record-requests.ts'
import { buildClaim, mergeRecords, readAuditLog, readLineage, revise } from '../support/revision-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { createWorkerFor, day } from '../support/worker-setup.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

async function sweep(): Promise<void> {
  await app.request('POST', '/v1/maintenance/runs', { body: { job: 'decay' } })
  await createWorkerFor(app).runJob('decay', new AbortController().signal)
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
  for (let n = 0; n < 100; n++) {
    app.clock.advance(0.89 * day)
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
}, 120_000)
