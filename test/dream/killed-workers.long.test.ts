import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { logAccesses } from '../../src/lifecycle/access/access.queries.ts'
import { rescoreAndPromote } from '../../src/lifecycle/promotion/promotion.service.ts'
import { runUntilKilled } from '../support/processes/run-until-killed.ts'
import {
  expectedOutcomes,
  insertDreamRecords,
  openDreamSetup,
  readOutcomes,
  readRunChanges,
} from '../support/workers/dream-workers.ts'

const program = fileURLToPath(new URL('killed-dream-worker.ts', import.meta.url))

describe('concurrent dreams and decay runs', () => {
  it('promote and archive each record once', async () => {
    const setup = await openDreamSetup()
    const ids = await insertDreamRecords(setup, 120)
    await setup.requestRun('dream')
    await setup.requestRun('dream')
    await setup.requestRun('decay')
    const attend = (job: 'dream' | 'decay') =>
      setup.createWorker(`w${Math.random()}`).runJob(job, new AbortController().signal)
    const risingByUse = ids.filter((_, n) => n % 6 === 0)
    const weighing = setup.db.transaction().execute(async (tx) => {
      const at = setup.clock.now()
      await logAccesses(
        tx,
        risingByUse.map((record_id) => ({ record_id, at, kind: 'used', actor: 'test' })),
      )
      await rescoreAndPromote(tx, { ids: risingByUse, now: at })
    })
    await Promise.all([attend('dream'), attend('dream'), attend('decay'), attend('decay'), weighing])
    await setup.run('dream')
    for (const [n, outcome] of (await readOutcomes(setup, ids)).entries()) {
      expect(outcome).toMatchObject(expectedOutcomes[n % 6] ?? {})
      const actions = outcome.audit.map(String)
      expect(new Set(actions).size).toBe(actions.length)
      expect(outcome.version).toBe(
        1 + outcome.audit.filter(([action]: string[]) => action === 'promote').length,
      )
    }
  })
})

describe('a dream worker that is killed', () => {
  it.each([
    { step: 'before batch', nth: 2 },
    { step: 'in batch', nth: 1 },
    { step: 'after batch', nth: 3 },
    { step: 'in batch', nth: 6 },
    { step: 'concluding', nth: 1 },
  ])('$step $nth leaves work that the next worker finishes', async ({ step, nth }) => {
    const setup = await openDreamSetup()
    const ids = await insertDreamRecords(setup, 120)
    const id = await setup.requestRun('dream')
    await runUntilKilled(program, setup, setup.clock, { step, nth })
    await setup.createWorker('successor').runJob('dream', new AbortController().signal)
    const { status, attempts, stats } = await setup.readRun(id)
    expect({ status, attempts }).toEqual({ status: 'succeeded', attempts: 2 })
    expect(stats).toMatchObject({ promoted_episodic: 40, promoted_semantic: 20, archived: 40 })
    const outcomes = await readOutcomes(setup, ids)
    for (const [n, outcome] of outcomes.entries()) {
      expect(outcome).toMatchObject(expectedOutcomes[n % 6] ?? {})
      expect(new Set(outcome.audit.map(String)).size).toBe(outcome.audit.length)
    }
    expect((await readRunChanges(setup, id)).filter(({ action }) => action === 'archive')).toHaveLength(40)
  })
})
