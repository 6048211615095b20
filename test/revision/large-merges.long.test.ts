import { afterAll, expect, it } from 'vitest'
import { entity } from '../support/requests/entity-requests.ts'
import {
  type Body,
  create,
  expectProblem,
  fact,
  payloads,
  read,
} from '../support/requests/record-requests.ts'
import { buildTexts } from '../support/stores/long-records.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const reason = { actor: 'a', rationale: 'r' }

it('facts of more than 32 MiB together are not merged, and stay as they are', async () => {
  const ids: string[] = []
  for (const subject of ['one', 'two', 'three', 'four']) {
    const payload = { ...payloads.semantic, subject, object: buildTexts('x') }
    ids.push((await create(app, fact({ payload }))).id)
  }
  const record = fact({ provenance: { sources: [{ kind: 'event', ref: 'review' }] } })
  const merge = (some: string[]) =>
    app.request('POST', '/v1/records/merge', { body: { ids: some, record, ...reason } })
  expectProblem(await merge(ids), 413, 'merge_too_large')
  expect((await read(app, ids[3] ?? '')).status).toBe('active')
  expect((await merge(ids.slice(0, 2))).status).toBe(201)
})

it('entities of more than 16 MiB together are not merged into one that no answer can hold', async () => {
  const ids: string[] = []
  for (const name of ['Orion', 'Orion One', 'O']) {
    const aliases =
      name === 'O' ? [] : Array.from({ length: 8_500 }, (_, i) => `${name} ${i}`.padEnd(1_000, 'x'))
    ids.push((await create(app, entity(name, { aliases }))).id)
  }
  const [orion, long, short] = ids
  const merge = (source_ids: unknown[]) =>
    app.request('POST', `/v1/entities/${orion}/merge`, { body: { source_ids, ...reason } })
  expectProblem(await merge([long, short]), 413, 'merge_too_large')
  expect((await read(app, short ?? '')).status).toBe('active')
  const { body } = await merge([short])
  expect((body as Body).payload.aliases).toHaveLength(8_501)
})
