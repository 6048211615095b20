import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { wholeStore } from '../support/capture-requests.ts'
import {
  changesOf,
  consolidate,
  experience,
  factsOf,
  figuresOf,
  newScope,
  nothing,
} from '../support/consolidation-requests.ts'
import { expectProblem, pointersOf } from '../support/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const day = 86_400_000

let scope: string
beforeEach(async () => {
  app.clock.advance(day)
  await consolidate(app)
  scope = newScope()
  for (const summary of ['one', 'two', 'one']) await experience(app, summary, {}, { scope })
  app.clock.advance(day)
})

describe('a run', () => {
  it('changes nothing when it is repeated, three times over', async () => {
    const first = await consolidate(app)
    expect(figuresOf(first)).toMatchObject({
      ...nothing,
      episodic_compressed: 3,
      semantic_extracted: 2,
      duplicates_resolved: 1,
    })
    const after = await wholeStore(app)
    for (let nth = 0; nth < 3; nth++) {
      app.clock.advance(day)
      const { status, stats, progress } = await consolidate(app)
      expect({ status, progress }).toEqual({ status: 'succeeded', progress: { done: 0, total: 0 } })
      expect(new Set(Object.values(stats))).toEqual(new Set([0]))
    }
    expect(await wholeStore(app)).toEqual(after)
  })

  it('tells how far it has come and how long each stage took', async () => {
    const { progress, stats } = await consolidate(app)
    expect(progress.total).toBeGreaterThanOrEqual(6)
    expect(progress.done).toBe(progress.total)
    expect(Object.keys(stats)).toEqual(expect.arrayContaining(['episodic_ms', 'semantic_ms']))
  })

  it('of one scope leaves the others for later', async () => {
    const other = newScope()
    await experience(app, 'elsewhere', {}, { scope: other })
    expect(figuresOf(await consolidate(app, { scope: other }))).toEqual({ ...nothing, semantic_extracted: 1 })
    expect(await factsOf(app, scope)).toEqual([])
    expect(figuresOf(await consolidate(app))).toMatchObject({ semantic_extracted: 2 })
  })

  it('of one stage leaves the others for later', async () => {
    const run = await consolidate(app, { options: { stages: ['semantic'] } })
    expect(figuresOf(run)).toEqual({ ...nothing, semantic_extracted: 2, duplicates_resolved: 1 })
    expect(run.options).toEqual({ stages: ['semantic'] })
    expect(figuresOf(await consolidate(app))).toMatchObject({ episodic_compressed: 3, semantic_extracted: 0 })
  })

  it('of no stage, of one there is not, or of another job with stages is refused', async () => {
    const ask = (body: object) => app.request('POST', '/v1/maintenance/runs', { body })
    for (const stages of [[], ['dreaming'], ['semantic', 'semantic'], 'semantic']) {
      expectProblem(await ask({ job: 'consolidate', options: { stages } }), 422, 'validation_failed')
    }
    const refused = await ask({ job: 'decay', options: { stages: ['semantic'] } })
    expectProblem(refused, 422, 'validation_failed')
    expect(pointersOf(refused)).toEqual(['/options/stages'])
  })
})

describe('a dry run', () => {
  it('writes nothing, and tells what a run then does', async () => {
    const before = await wholeStore(app)
    const dry = await consolidate(app, { dry_run: true })
    expect(await wholeStore(app)).toEqual(before)
    const would = await changesOf(app, dry)
    const run = await consolidate(app)
    expect(figuresOf(dry)).toEqual(figuresOf(run))
    expect(dry.progress).toEqual(run.progress)
    const actions = (changes: typeof would) => changes.map(({ action }) => action).sort()
    expect(actions(would)).toEqual(actions(await changesOf(app, run)))
    const compressed = (changes: typeof would) => changes.filter(({ action }) => action === 'compress')
    expect(compressed(would)).toEqual(compressed(await changesOf(app, run)))
  })
})
