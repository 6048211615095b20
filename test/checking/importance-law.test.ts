import { expect, it } from 'vitest'
import { shareTestApp } from '../support/apps/shared-store.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { range } from '../support/requests/capture-requests.ts'
import { exportLines, importLines } from '../support/requests/export-and-import.ts'
import { perform } from '../support/requests/plan-requests.ts'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import type { TestApp } from '../support/test-app.ts'

/** Stored importance that time has moved away from the exact one, where no refresh was to correct it. */

const day = 86_400_000
const reason = { actor: 'operator', rationale: 'needed' }

/** Nothing fades faster than the importance of a record that was used a lot and is trusted least. */
async function createUsed(app: TestApp): Promise<string> {
  const { id } = await create(app, fact({ layer: 'episodic', source_type: 'auto_extracted' }))
  for (const _ of range(10)) await app.request('POST', `/v1/records/${id}/access`, { body: {} })
  return id
}

async function send(app: TestApp, method: string, path: string, body: object): Promise<void> {
  const answer = await app.request(method, path, { body })
  if (answer.status >= 300) throw new Error(answer.text)
}

const undo = (app: TestApp, { id }: Body) => perform(app, 'undo', reason, `/v1/maintenance/runs/${id}/undo`)

const open = shareTestApp()
const openOther = shareTestApp()

it.each<[string, (app: TestApp) => Promise<TestApp>]>([
  [
    'a dream without the step that refreshes it',
    async (app) => {
      await createUsed(app)
      app.clock.advance(20 * day)
      await perform(app, 'dream', { job: 'dream', options: { steps: ['prune_logs'] } })
      return app
    },
  ],
  [
    'the undo of a refresh',
    async (app) => {
      await createUsed(app)
      app.clock.advance(20 * day)
      await undo(app, await perform(app, 'refresh_importance'))
      return app
    },
  ],
  [
    'the undo of a budget',
    async (app) => {
      await createUsed(app)
      for (const n of range(2))
        await create(app, fact({ base_importance: 1, payload: { ...fact().payload, object: `${n}` } }))
      app.clock.advance(2 * day)
      await send(app, 'PUT', '/v1/policies/budgets', { max_records: 2, mode: 'hard' })
      const forgetting = await perform(app, 'decay')
      app.clock.advance(27 * day)
      await perform(app, 'refresh_importance')
      expect((await undo(app, forgetting)).stats).toMatchObject({ undone: 1 })
      return app
    },
  ],
  [
    'an import of an old export',
    async (app) => {
      await createUsed(app)
      const { text } = await exportLines(app)
      const other = await openOther()
      other.clock.advance(app.clock.now().getTime() - other.clock.now().getTime() + 60 * day)
      await perform(other, 'refresh_importance')
      expect((await importLines(other, text)).summary).toMatchObject({ created: 1 })
      return other
    },
  ],
  [
    'the end of a pin',
    async (app) => {
      const id = await createUsed(app)
      await send(app, 'POST', `/v1/records/${id}/pin`, reason)
      app.clock.advance(60 * day)
      await perform(app, 'refresh_importance')
      await send(app, 'POST', `/v1/records/${id}/unpin`, reason)
      return app
    },
  ],
])('the laws hold after %s', async (_, act) => {
  const app = await act(await open())
  expect(await listBrokenLaws(app)).toEqual([])
})

it('the importance of an unpinned record is that of its uses so far', async () => {
  const app = await open()
  const id = await createUsed(app)
  await send(app, 'POST', `/v1/records/${id}/pin`, reason)
  app.clock.advance(60 * day)
  const { body } = await app.request('POST', `/v1/records/${id}/unpin`, { body: reason })
  const { body: why } = await app.request('GET', `/v1/records/${id}/explain`)
  expect((body as Body).importance).toBeCloseTo((why as Body).importance.value, 6)
})
