import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { readAllRows } from '../support/requests/capture-requests.ts'
import {
  captureEpisode,
  consolidate,
  createScope,
  listFacts,
  listRunChanges,
  omitDurations,
  zeroCounts,
} from '../support/requests/consolidation-requests.ts'
import { expectProblem, pointersOf } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const day = 86_400_000

let scope: string
beforeEach(async () => {
  app.clock.advance(day)
  await consolidate(app)
  scope = createScope()
  for (const summary of ['one', 'two', 'one']) await captureEpisode(app, summary, {}, { scope })
  app.clock.advance(day)
})

describe('a consolidation run', () => {
  it('changes nothing when it is repeated', async () => {
    const first = await consolidate(app)
    expect(omitDurations(first)).toMatchObject({
      ...zeroCounts,
      episodic_compressed: 3,
      semantic_extracted: 2,
      duplicates_resolved: 1,
    })
    const after = await readAllRows(app)
    for (let nth = 0; nth < 3; nth++) {
      app.clock.advance(day)
      const { status, stats, progress } = await consolidate(app)
      expect({ status, progress }).toEqual({ status: 'succeeded', progress: { done: 0, total: 0 } })
      expect(new Set(Object.values(stats))).toEqual(new Set([0]))
    }
    expect(await readAllRows(app)).toEqual(after)
  })

  it('reports its progress and the duration of each stage', async () => {
    const { progress, stats } = await consolidate(app)
    expect(progress.total).toBeGreaterThanOrEqual(6)
    expect(progress.done).toBe(progress.total)
    expect(Object.keys(stats)).toEqual(expect.arrayContaining(['episodic_ms', 'semantic_ms']))
  })

  it('of one scope leaves the others for later', async () => {
    const other = createScope()
    await captureEpisode(app, 'elsewhere', {}, { scope: other })
    expect(omitDurations(await consolidate(app, { scope: other }))).toEqual({
      ...zeroCounts,
      semantic_extracted: 1,
    })
    expect(await listFacts(app, scope)).toEqual([])
    expect(omitDurations(await consolidate(app))).toMatchObject({ semantic_extracted: 2 })
  })

  it('of one stage leaves the others for later', async () => {
    const run = await consolidate(app, { options: { stages: ['semantic'] } })
    expect(omitDurations(run)).toEqual({ ...zeroCounts, semantic_extracted: 2, duplicates_resolved: 1 })
    expect(run.options).toEqual({ stages: ['semantic'] })
    expect(omitDurations(await consolidate(app))).toMatchObject({
      episodic_compressed: 3,
      semantic_extracted: 0,
    })
  })

  it('is refused with no stage or an unknown one, as are stages for other jobs', async () => {
    const ask = (body: object) => app.request('POST', '/v1/maintenance/runs', { body })
    for (const stages of [[], ['dreaming'], ['semantic', 'semantic'], 'semantic']) {
      expectProblem(await ask({ job: 'consolidate', options: { stages } }), 422, 'validation_failed')
    }
    const refused = await ask({ job: 'decay', options: { stages: ['semantic'] } })
    expectProblem(refused, 422, 'validation_failed')
    expect(pointersOf(refused)).toEqual(['/options/stages'])
  })
})

describe('a consolidation dry run', () => {
  it('writes nothing and reports what a run then does', async () => {
    const before = await readAllRows(app)
    const dry = await consolidate(app, { dry_run: true })
    expect(await readAllRows(app)).toEqual(before)
    const would = await listRunChanges(app, dry)
    const run = await consolidate(app)
    expect(omitDurations(dry)).toEqual(omitDurations(run))
    expect(dry.progress).toEqual(run.progress)
    const actions = (changes: typeof would) => changes.map(({ action }) => action).sort()
    expect(actions(would)).toEqual(actions(await listRunChanges(app, run)))
    const compressed = (changes: typeof would) => changes.filter(({ action }) => action === 'compress')
    expect(compressed(would)).toEqual(compressed(await listRunChanges(app, run)))
  })
})
