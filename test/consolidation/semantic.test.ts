import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  changesOf,
  consolidate,
  experience,
  factsOf,
  figuresOf,
  newScope,
  nothing,
} from '../support/consolidating.ts'
import { startTestApp, type TestApp } from '../support/http.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

it('makes a fact of what was observed where things went well', async () => {
  const scope = newScope()
  const episode = await experience(app, 'the canary came first', {}, { scope, tags: ['release'] })
  const run = await consolidate(app)
  expect(run).toMatchObject({ status: 'succeeded' })
  expect(figuresOf(run)).toEqual({ ...nothing, semantic_extracted: 1 })
  const [fact, ...others] = await factsOf(app, scope)
  expect(others).toEqual([])
  expect(fact).toMatchObject({
    payload: {
      ...{ subject: 'deploy', predicate: 'observed_in', object: 'the canary came first' },
      evidence: [{ source_type: 'event', source_id: episode.id }],
    },
    provenance: { created_by: 'consolidation/semantic', sources: [{ kind: 'event', ref: episode.id }] },
    ...{ tags: ['consolidated', 'release'], sensitivity: 'low', source_type: 'auto_extracted' },
    lifecycle: { decay: { half_life_seconds: 2_592_000, reinforcement_gain: 0.1 } },
    audit_log: [{ action: 'create', actor: 'consolidation/semantic', run_id: run.id }],
  })
  expect(fact?.relations).toEqual(
    expect.arrayContaining([expect.objectContaining({ predicate: 'derived_from', target_id: episode.id })]),
  )
  expect(await changesOf(app, run)).toEqual([{ record_id: fact?.id, action: 'create' }])
})
