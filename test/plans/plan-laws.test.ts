import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { isLongRun } from '../support/long-run.ts'
import { putBudget } from '../support/requests/budget-requests.ts'
import { listRunChanges } from '../support/requests/consolidation-requests.ts'
import { apply, listPlanChanges, perform, plan } from '../support/requests/plan-requests.ts'
import type { Body } from '../support/requests/record-requests.ts'
import {
  describeScope,
  type Life,
  liveOnce,
  lives,
  liveTwice,
  readLives,
  work,
} from '../support/stores/twin-scopes.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(async () => {
  const broken = await listBrokenLaws(app)
  await app.close()
  expect(broken).toEqual([])
})

const reason = { actor: 'operator', rationale: 'to compare' }
const run = (job: string, scope?: string) =>
  perform(app, job, { job, ...(scope ? { scope } : {}) }, undefined, work)
const undo = ({ id }: Body) => perform(app, 'undo', reason, `/v1/maintenance/runs/${id}/undo`, work)
const jobs = ['decay', 'consolidate', 'dream', 'refresh_importance'] as const

/** The days after which a job finds most to do, and whether the scopes have a budget. */
const circumstances = fc.record({ days: fc.integer({ min: 1, max: 120 }), hasBudget: fc.boolean() })

type Circumstances = { days: number; hasBudget: boolean }

async function prepare(all: readonly Life[], given: Circumstances) {
  const scopes = await liveTwice(app, all, given.days)
  for (const scope of scopes) await limit(scope, all, given)
  return scopes
}

async function prepareOne(all: readonly Life[], given: Circumstances) {
  const scope = await liveOnce(app, all, given.days)
  await limit(scope, all, given)
  return scope
}

async function limit(scope: string, all: readonly Life[], { hasBudget }: Circumstances) {
  const max_records = 1 + all.filter(({ isPinned }) => isPinned).length
  if (hasBudget) await putBudget(app, scope, { max_records, mode: 'hard' })
}

async function readStates(scope: string, isConsolidated: boolean): Promise<Map<string, Body>> {
  const states = await readLives(app, scope)
  // An episode that comes back is open work again, also when the work was done before.
  if (isConsolidated) for (const state of states.values()) delete state['due']
  return states
}

/** Runs the job, undoes the run, undoes this undo, and so on. */
async function expectUndone(job: string, scope: string, read: () => Promise<Map<string, Body>>) {
  const before = await read()
  const done = await run(job, scope)
  const first = await read()
  let last = await undo(done)
  expect(last.stats.kept).toBe(0)
  const after = await read()
  for (const [id, life] of before) expect(after.get(id)).toEqual(life)
  for (const [id, life] of after) if (!before.has(id)) expect(life['status']).toBe('invalidated')
  for (const expected of isLongRun ? [first, after, first, after] : [first, after]) {
    last = await undo(last)
    expect(last.stats.kept).toBe(0)
    expect(await read()).toEqual(expected)
  }
}

const settings = { numRuns: isLongRun ? 20 : 1, endOnFailure: true }

// Before the others, whose records it would compress too: it works on the whole store.
describe('the job compress', () => {
  it('does by a plan what it does by a run, and is undone', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(lives, fc.integer({ min: 20, max: 200 }), async (all, days) => {
        const scope = await liveOnce(app, all, 0)
        await perform(app, 'embed')
        app.clock.advance(days * 86_400_000)
        const before = await readLives(app, scope)
        const prepared = await plan(app, 'compress', {}, {}, work)
        expect(await readLives(app, scope)).toEqual(before)
        const done = await run('compress')
        const first = await readLives(app, scope)
        const undone = await undo(done)
        expect(await readLives(app, scope)).toEqual(before)
        const count = Object.values(prepared.counts as Record<string, number>).reduce((sum, n) => sum + n, 0)
        expect(undone.stats).toMatchObject({ undone: count, kept: 0 })
        const applied = await apply(app, await plan(app, 'compress', {}, {}, work), {}, work)
        expect(applied.stats).toMatchObject({ applied: count, skipped: 0 })
        expect(await readLives(app, scope)).toEqual(first)
      }),
      settings,
    )
  })
})

describe.each(jobs)('the job %s', (job) => {
  it('does by a plan what it does by a run', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(lives, circumstances, async (all, given) => {
        const [planned, ran] = await prepare(all, given)
        const before = await describeScope(app, planned)
        const prepared = await plan(app, job, { scope: planned }, {}, work)
        expect(prepared.status).toBe('ready')
        expect(await describeScope(app, planned)).toEqual(before)
        const applied = await apply(app, prepared, {}, work)
        expect(applied.stats.skipped).toBe(0)
        const done = await run(job, ran)
        expect(await describeScope(app, planned)).toEqual(await describeScope(app, ran))
        const describeChanges = async (one: Body) =>
          (await listRunChanges(app, one)).map(({ action }) => action).sort()
        // Only a plan lists these: a run writes them into the history of the record.
        const expected = (await describeChanges(applied)).filter((action) => action !== 'rescore')
        expect(expected).toEqual(await describeChanges(done))
      }),
      settings,
    )
  })

  it('returns to the former state when it is undone, and so does every undo', {
    timeout: 600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(lives, circumstances, fc.boolean(), async (all, given, isConsolidated) => {
        const scope = await prepareOne(all, given)
        if (isConsolidated) await run('consolidate', scope)
        await expectUndone(job, scope, () => readStates(scope, isConsolidated))
      }),
      settings,
    )
  })
})

describe.each(['decay', 'refresh_importance'] as const)('a plan of %s', (job) => {
  it('makes the same changes to records that were not changed since', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(lives, circumstances, fc.integer({ min: 0, max: 11 }), async (all, given, nth) => {
        const scope = await prepareOne(all, given)
        const prepared = await plan(app, job, { scope }, {}, work)
        const planned = await listPlanChanges(app, prepared)
        const touched = [...(await readLives(app, scope)).keys()][nth % all.length]
        await app.request('POST', `/v1/records/${touched}/pin`, { body: reason })
        await app.request('POST', `/v1/records/${touched}/unpin`, { body: reason })
        const applied = await apply(app, prepared, {}, work)
        const made = await listRunChanges(app, applied)
        const untouched = ({ record_id: id }: Body) => id !== touched
        const asMade = ({ record_id, action, before, after }: Body) => ({ record_id, action, before, after })
        expect(made.filter(untouched).map(asMade)).toEqual(planned.filter(untouched).map(asMade))
        const isListed = planned.some(({ record_id: id }) => id === touched)
        expect(made.filter((each) => !untouched(each)).map(({ action }) => action)).toEqual(
          isListed ? ['skipped'] : [],
        )
      }),
      settings,
    )
  })
})
