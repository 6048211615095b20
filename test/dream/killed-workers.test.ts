import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { logAccesses } from '../../src/lifecycle/access.queries.ts'
import { rescoreAndPromote } from '../../src/lifecycle/index.ts'
import { comesTo, openDream, populate, readChanges, readFates } from '../support/dream-workers.ts'
import type { Workshop } from '../support/job-workers.ts'
import { runToDeath } from '../support/run-until-killed.ts'

const program = fileURLToPath(new URL('killed-dream-worker.ts', import.meta.url))

describe('many at once', () => {
  it('raise and put away each record once', async () => {
    const shop = await openDream()
    const ids = await populate(shop, 120)
    await shop.ask('dream')
    await shop.ask('dream')
    await shop.ask('decay')
    const attend = (job: 'dream' | 'decay') =>
      shop.hire(`w${Math.random()}`).attend(job, new AbortController().signal)
    const risingByUse = ids.filter((_, n) => n % 6 === 0)
    const weighing = shop.db.transaction().execute(async (tx) => {
      const at = shop.clock.now()
      await logAccesses(
        tx,
        risingByUse.map((record_id) => ({ record_id, at, kind: 'used', actor: 'test' })),
      )
      await rescoreAndPromote(tx, { ids: risingByUse, now: at })
    })
    await Promise.all([attend('dream'), attend('dream'), attend('decay'), attend('decay'), weighing])
    await shop.run('dream')
    for (const [n, fate] of (await readFates(shop, ids)).entries()) {
      expect(fate).toMatchObject(comesTo[n % 6] ?? {})
      const actions = fate.audit.map(String)
      expect(new Set(actions).size).toBe(actions.length)
      expect(fate.version).toBe(1 + fate.audit.filter(([action]: string[]) => action === 'promote').length)
    }
  })
})

describe('a worker that dies in a dream', () => {
  async function killAt(shop: Workshop, step: string, nth: number): Promise<void> {
    await runToDeath(shop.pool, [program, shop.url, shop.clock.now().toISOString(), step, String(nth)])
    shop.clock.advance(31_000)
  }

  it.each([
    { step: 'before batch', nth: 2 },
    { step: 'in batch', nth: 1 },
    { step: 'after batch', nth: 3 },
    { step: 'in batch', nth: 6 },
    { step: 'concluding', nth: 1 },
  ])('$step $nth leaves nothing that the next does not finish', async ({ step, nth }) => {
    const shop = await openDream()
    const ids = await populate(shop, 120)
    const id = await shop.ask('dream')
    await killAt(shop, step, nth)
    await shop.hire('successor').attend('dream', new AbortController().signal)
    const { status, attempts, stats } = await shop.readRun(id)
    expect({ status, attempts }).toEqual({ status: 'succeeded', attempts: 2 })
    expect(stats).toMatchObject({ promoted_episodic: 40, promoted_semantic: 20, archived: 40 })
    const fates = await readFates(shop, ids)
    for (const [n, fate] of fates.entries()) {
      expect(fate).toMatchObject(comesTo[n % 6] ?? {})
      expect(new Set(fate.audit.map(String)).size).toBe(fate.audit.length)
    }
    expect((await readChanges(shop, id)).filter(({ action }) => action === 'archive')).toHaveLength(40)
  })
})
