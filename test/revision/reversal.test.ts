import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { exportLines, importLines } from '../support/requests/export-and-import.ts'
import {
  type Body,
  create,
  expectProblem,
  fact,
  payloads,
  read,
} from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'
import { createEmbeddingWorker } from '../support/workers/embedding-workers.ts'

const app = await startTestApp()
afterAll(async () => {
  const broken = await listBrokenLaws(app)
  await app.close()
  expect(broken).toEqual([])
})

const reason = { actor: 'planner', rationale: 'it was a mistake' }
const evidence = [{ source_type: 'observation', source_id: 'meeting', timestamp: '2026-03-28T09:30:00.000Z' }]
const successor = {
  ...reason,
  record: fact({ payload: { ...payloads.semantic, object: 'other', evidence } }),
}
const post = (path: string, body: object) => app.request('POST', `/v1/records/${path}`, { body })
const operationOf = ({ audit_log }: Body): string => audit_log.at(-1).operation_id

async function supersede() {
  const old = await create(app, fact())
  app.clock.advance(60_000)
  const { body } = await post(`${old.id}/supersede`, successor)
  return { old, next: (body as Body).record }
}

describe('the revert of a revision', () => {
  it('makes a superseded record active again, with its life, as a new version', async () => {
    const { old, next } = await supersede()
    const superseded = await read(app, old.id)
    const operation = operationOf(superseded)
    expect(operationOf(await read(app, next.id))).toBe(operation)
    const answer = await post(`${old.id}/revert`, { ...reason, to_version: 1 })
    expect(answer.status).toBe(200)
    const reverted = await read(app, old.id)
    expect(answer.headers.get('etag')).toBe(`"${reverted.version}"`)
    expect(reverted).toMatchObject({
      status: 'active',
      version: superseded.version + 1,
      payload: old.payload,
    })
    expect(reverted.salience).toBeGreaterThan(0.9)
    expect(reverted.audit_log.at(-1)).toMatchObject({ action: 'revise', ...reason })
    expect(operationOf(reverted)).not.toBe(operation)
    expect((await read(app, next.id)).status).toBe('invalidated')
  })

  it('is possible after the worker has judged how surprising the new record is', async () => {
    const { old, next } = await supersede()
    await createEmbeddingWorker(app).run()
    expect((await read(app, next.id)).base_importance).not.toBe(next.base_importance)
    expect((await post(`${old.id}/revert`, { ...reason, to_version: 1 })).status).toBe(200)
    expect((await read(app, next.id)).status).toBe('invalidated')
  })

  it('leaves a store that keeps every law, and whose export brings no edge back', async () => {
    const { old, next } = await supersede()
    await post(`${old.id}/revert`, { ...reason, to_version: 1 })
    const sources = [await create(app, fact()), await create(app, fact())]
    const { body } = await post('merge', { ids: sources.map(({ id }) => id), ...successor })
    const operation_id = operationOf(await read(app, sources[0].id))
    await post(`${(body as Body).record.id}/revert`, { ...reason, operation_id })
    expect(await listBrokenLaws(app)).toEqual([])
    const copy = await startTestApp()
    onTestFinished(() => copy.close())
    copy.clock.advance(app.clock.now().getTime() - copy.clock.now().getTime())
    expect((await importLines(copy, (await exportLines(app)).text)).summary).toMatchObject({ invalid: 0 })
    expect((await read(copy, next.id)).relations).toEqual([])
    expect(await listBrokenLaws(copy)).toEqual([])
  })

  it('takes the whole of a merge back, from any of its records', async () => {
    const sources = [await create(app, fact()), await create(app, fact())]
    const { body } = await post('merge', { ids: sources.map(({ id }) => id), ...successor })
    const { record } = body as Body
    const operation_id = operationOf(await read(app, sources[0].id))
    expect((await post(`${record.id}/revert`, { ...reason, operation_id })).status).toBe(200)
    for (const { id } of sources) {
      expect(await read(app, id)).toMatchObject({ status: 'active' })
      expect((await read(app, id)).salience).toBeGreaterThan(0.9)
    }
    expect((await read(app, record.id)).status).toBe('invalidated')
  })

  it('takes a retraction and a contest back', async () => {
    const { id } = await create(app, fact())
    await post(`${id}/retract`, reason)
    expect((await post(`${id}/revert`, { ...reason, to_version: 1 })).status).toBe(200)
    const { version } = await read(app, id)
    await post(`${id}/contest`, { ...reason, contesting_ref: 'meeting-14' })
    expect((await post(`${id}/revert`, { ...reason, to_version: version })).status).toBe(200)
    expect((await read(app, id)).payload).toEqual((await create(app, fact())).payload)
  })

  it('gives entities back the identifiers that their successor had', async () => {
    const build = (name: string, ...values: string[]) => ({
      type: 'entity',
      payload: {
        ...payloads.entity,
        canonical_name: name,
        identifiers: values.map((value) => ({ namespace: 'git', value })),
      },
    })
    const old = await create(app, build('Orion', 'orion', 'hunter'))
    const { body } = await post(`${old.id}/supersede`, { ...reason, record: build('Orion II', 'orion') })
    const { record } = body as Body
    expect((await post(`${old.id}/revert`, { ...reason, to_version: 1 })).status).toBe(200)
    const again = { status: 'active', reason: 'both', actor: 'ada' }
    expectProblem(await post(`${record.id}/status`, again), 409, 'identifier_taken')
    const operation_id = operationOf(await read(app, old.id))
    expect((await post(`${old.id}/revert`, { ...reason, operation_id })).status).toBe(200)
    expect((await read(app, record.id)).status).toBe('active')
    const ids = [(await create(app, build('Vega', 'vega'))).id, (await create(app, build('Lyra', 'lyra'))).id]
    await post('merge', { ...reason, ids, record: build('Vega', 'vega', 'lyra') })
    expect((await post(`${ids[0]}/revert`, { ...reason, to_version: 1 })).status).toBe(200)
    for (const id of ids) expect((await read(app, id)).status).toBe('active')
  })

  it('leaves the successor a salience to come back with', async () => {
    const { old, next } = await supersede()
    await post(`${old.id}/revert`, { ...reason, to_version: 1 })
    const again = { status: 'active', reason: 'both hold', actor: 'ada' }
    expect((await post(`${next.id}/status`, again)).status).toBe(200)
    expect((await read(app, next.id)).salience).toBeGreaterThan(0.9)
  })

  it('can be reverted itself', async () => {
    const { old, next } = await supersede()
    await post(`${old.id}/revert`, { ...reason, to_version: 1 })
    const operation_id = operationOf(await read(app, old.id))
    expect((await post(`${old.id}/revert`, { ...reason, operation_id })).status).toBe(200)
    expect((await read(app, old.id)).status).toBe('superseded')
    expect((await read(app, next.id)).status).toBe('active')
  })

  it('is refused where it is not the last revision, or a record was edited since', async () => {
    const { old, next } = await supersede()
    const revert = (body: object, id = old.id) => post(`${id}/revert`, { ...reason, ...body })
    expectProblem(await revert({ to_version: 7 }), 409, 'not_undoable')
    expectProblem(await revert({ operation_id: old.id }), 409, 'not_undoable')
    expectProblem(await revert({}), 422, 'validation_failed')
    expectProblem(await revert({ to_version: 1, operation_id: old.id }), 422, 'validation_failed')
    expectProblem(await revert({ to_version: 1 }, (await create(app, fact())).id), 409, 'not_undoable')
    await app.request('PATCH', `/v1/records/${next.id}`, { body: { tags: ['mine'] } })
    expectProblem(await revert({ to_version: 1 }), 409, 'not_undoable')
    expect((await read(app, old.id)).status).toBe('superseded')
  })
})
