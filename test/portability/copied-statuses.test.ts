import { expect, it, onTestFinished } from 'vitest'
import { answerBySchema, openDreamApp } from '../support/apps/dream-app.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { exportLines, importLines } from '../support/requests/export-and-import.ts'
import { perform } from '../support/requests/plan-requests.ts'
import { type Body, create, fact, payloads, read } from '../support/requests/record-requests.ts'
import {
  buildSimilarTexts,
  createSimilarRecords,
  summarizeByFirst,
} from '../support/stores/similar-records.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

const reason = { actor: 'operator', rationale: 'it was a mistake' }

const variables = { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests of copies' }

/** Exports all records, imports them into another store, and expects the laws to hold in both. */
async function copyStore(app: TestApp): Promise<TestApp> {
  const copy = await startTestApp({ variables })
  onTestFinished(() => copy.close())
  copy.clock.advance(app.clock.now().getTime() - copy.clock.now().getTime())
  const { text, records } = await exportLines(app)
  const imported = await importLines(copy, text)
  expect(imported.summary, imported.text).toMatchObject({ created: records.length, invalid: 0 })
  expect(await listBrokenLaws(app)).toEqual([])
  expect(await listBrokenLaws(copy)).toEqual([])
  return copy
}

const evidence = [{ source_type: 'observation', source_id: 'meeting', timestamp: '2026-03-28T09:30:00.000Z' }]
const successor = fact({ payload: { ...payloads.semantic, object: 'other', evidence } })

it.each([
  ['retract', {}],
  ['supersede', { record: successor }],
])(
  'a challenged record is challenged again after the revert of a %s, and can be copied',
  async (name, more) => {
    const app = await startTestApp()
    onTestFinished(() => app.close())
    const { id } = await create(app, fact())
    const post = async (path: string, body: object) => {
      const { status, text } = await app.request('POST', `/v1/records/${id}/${path}`, { body })
      expect(status, text).toBeLessThan(300)
    }
    await post('status', { status: 'challenged', actor: 'operator', reason: 'it is doubted' })
    await post(name, { ...reason, ...more })
    const { operation_id } = (await read(app, id)).audit_log.at(-1)
    await post('revert', { ...reason, operation_id })
    expect((await read(app, id)).status).toBe('challenged')
    expect((await read(await copyStore(app), id)).status).toBe('challenged')
  },
)

it('a record whose merge was undone can be copied', async () => {
  const { app, dream } = await openDreamApp(answerBySchema(summarizeByFirst))
  const ids = await createSimilarRecords(app, buildSimilarTexts('Orion'))
  const { id } = (await dream(['cluster'])) as Body
  await perform(app, 'undo', reason, `/v1/maintenance/runs/${id}/undo`)
  const copy = await copyStore(app)
  for (const id of ids) expect((await read(copy, id)).status).toBe('active')
})

it('a superseded record whose successor was erased can be copied', async () => {
  const app = await startTestApp({ variables })
  onTestFinished(() => app.close())
  const { id } = await create(app, fact())
  const post = (path: string, body: object) => app.request('POST', `/v1/records/${path}`, { body })
  const { body } = await post(`${id}/supersede`, { ...reason, record: successor })
  expect((await post(`${(body as Body).record.id}/erase`, reason)).status).toBe(200)
  expect((await read(await copyStore(app), id)).status).toBe('superseded')
})
