import { beforeEach, describe, expect, it } from 'vitest'
import { shareTestApp } from '../support/apps/shared-store.ts'
import { type Body, create, fact, read } from '../support/requests/record-requests.ts'
import type { TestApp } from '../support/test-app.ts'
import { createWorkerFor } from '../support/workers/worker-setup.ts'

const hour = 3_600_000
const idle = new AbortController().signal

const openApp = shareTestApp()
let app: TestApp
beforeEach(async () => {
  app = await openApp()
})

describe('a decay sweep', () => {
  it('changes no answer: salience, version and update time stay the same after any number of sweeps', async () => {
    const curves = ['linear', 'huber', 'elastic', 'exponential']
    const created: string[] = []
    for (const curve of curves) {
      const decay = { curve, half_life_seconds: 36_000, min_salience: curve === 'exponential' ? 0.1 : 0 }
      created.push((await create(app, fact({ lifecycle: { decay } }))).id)
    }
    for (const hours of [1, 3, 5]) {
      app.clock.advance(hours * hour)
      const before = await Promise.all(created.map((id) => read(app, id)))
      for (let sweep = 0; sweep < hours; sweep++) {
        await app.request('POST', '/v1/maintenance/runs', { body: { job: 'decay' } })
        await createWorkerFor(app).runJob('decay', idle)
      }
      expect(await Promise.all(created.map((id) => read(app, id)))).toEqual(before)
    }
  })

  it('does not change the later pages of a list that began before it', async () => {
    for (let n = 0; n < 30; n++) {
      const decay = {
        curve: ['linear', 'huber', 'elastic'][n % 3],
        half_life_seconds: 36_000 * (1 + (n % 7)),
      }
      await create(app, fact({ salience: 0.3 + n / 50, lifecycle: { decay } }))
    }
    const list = async (sweepAfterFirst: boolean): Promise<Body[]> => {
      const items: Body[] = []
      let path = '/v1/records?limit=7'
      for (;;) {
        const page = (await app.request('GET', path)).body as Body
        items.push(...page.items)
        if (!page.next_cursor) return items
        path = `/v1/records?limit=7&cursor=${page.next_cursor}`
        if (!sweepAfterFirst) continue
        app.clock.advance(hour)
        await app.request('POST', '/v1/maintenance/runs', { body: { job: 'decay' } })
        await createWorkerFor(app).runJob('decay', idle)
      }
    }
    const undisturbed = await list(false)
    expect(undisturbed).toHaveLength(30)
    expect(await list(true)).toEqual(undisturbed)
  })
})
