import { afterAll, describe, expect, it } from 'vitest'
import { createScope } from '../support/requests/consolidation-requests.ts'
import { apply, perform, plan } from '../support/requests/plan-requests.ts'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const reason = { actor: 'operator', rationale: 'too early' }
const runsPath = '/v1/maintenance/runs'
const brief = { lifecycle: { decay: { curve: 'linear', half_life_seconds: 3_600 } } }

/** A run that forgets two facts named by their ids, of which a key of the scope sees the first. */
async function forgetNamed() {
  const scope = createScope()
  const store = (sensitivity: string) => create(app, fact({ scope, sensitivity, ...brief }))
  const ids = { seen: (await store('low')).id as string, hidden: (await store('hyper')).id as string }
  app.clock.advance(86_400_000)
  const only = [ids.seen, ids.hidden.toUpperCase(), app.ids.next()]
  const run = await apply(app, await plan(app, 'decay', { scope }), { only })
  const key = await app.issueKey(['records:read', 'maintenance:run'], {
    scopes: [scope],
    max_sensitivity: 'low',
  })
  return { ...ids, run, key }
}

describe('the options of a run', () => {
  it('name only records that the key sees whole', async () => {
    const { seen, hidden, run, key } = await forgetNamed()
    expect(run.stats).toMatchObject({ applied: 2 })
    const undone = await perform(app, 'undo', { ...reason, only: [hidden] }, `${runsPath}/${run.id}/undo`)
    expect(undone.options).toMatchObject({ only: [hidden] })
    for (const path of [runsPath, `${runsPath}/${run.id}`, `${runsPath}/${undone.id}`]) {
      expect((await app.request('GET', path, { key })).text.toLowerCase()).not.toContain(hidden)
    }
    const shown = (await app.request('GET', `${runsPath}/${run.id}`, { key })).body as Body
    expect(shown.options).toEqual({ plan_id: run.options.plan_id, only: [seen] })
  })

  it('do not tell a hidden record from none in an undo', async () => {
    const { hidden, run, key } = await forgetNamed()
    const undone: Body[] = []
    for (const id of [hidden, app.ids.next()]) {
      const path = `${runsPath}/${run.id}/undo`
      const asked = await app.request('POST', path, { body: { ...reason, only: [id] }, key })
      // The worker makes the runs in the order of their requests.
      await perform(app, 'undo', { ...reason, dry_run: true }, path)
      const { body } = await app.request('GET', `${runsPath}/${(asked.body as Body).id}`, { key })
      undone.push(body as Body)
    }
    const [one, none] = undone
    expect([one?.options, one?.stats, one?.progress]).toEqual([none?.options, none?.stats, none?.progress])
    expect([one?.status, one?.stats]).toEqual(['succeeded', { undone: 0, kept: 0 }])
  })
})
