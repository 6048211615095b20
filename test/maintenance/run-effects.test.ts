import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { type Effect, type SavedEffect, unpack } from '../../src/effects/effect.ts'
import { range } from '../support/requests/capture-requests.ts'
import {
  captureEpisode,
  consolidate,
  createScope,
  listFacts,
} from '../support/requests/consolidation-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

type KeptRow = Effect & { run_id: string }

async function listEffects(): Promise<KeptRow[]> {
  const { rows } = await sql<SavedEffect & { run_id: string }>`
    select run_id, record_id as owner, relation, before, after, others from run_effects order by id
  `.execute(app.db)
  return rows.flatMap(({ run_id, ...saved }) => unpack(saved).map((effect) => ({ run_id, ...effect })))
}

it('keeps the rows that a run writes, each with its record, and those of no other writer', async () => {
  const scope = createScope()
  await Promise.all(range(3).map((n) => captureEpisode(app, `the build takes ${n} minutes`, {}, { scope })))
  expect(await listEffects()).toEqual([])
  await consolidate(app)
  const [fact] = await listFacts(app, scope)
  const effects = await listEffects()
  const ofFact = effects.filter(({ owner }) => owner === fact?.id)
  expect(ofFact.map(({ relation }) => relation)).toEqual(
    expect.arrayContaining(['records', 'contents', 'relations', 'descents']),
  )
  expect(ofFact.find(({ relation }) => relation === 'records')).toMatchObject({
    before: null,
    after: { id: fact?.id, status: 'active', version: 1 },
  })
  // What is logged is kept by the log itself.
  expect(effects.map(({ relation }) => relation)).not.toContain('audit_entries')
  const done = effects.filter(({ relation }) => relation === 'unconsolidated')
  expect(done.length).toBeGreaterThan(0)
  await captureEpisode(app, 'one more thing', {}, { scope })
  expect(await listEffects()).toHaveLength(effects.length)
})

it('keeps of a compressed episode what it was, and that it was on the list', async () => {
  const scope = createScope()
  const { id } = await captureEpisode(app, 'the build is slow', {}, { scope })
  app.clock.advance(25 * 3_600_000)
  const { id: run } = await consolidate(app)
  const kept = (await listEffects()).filter((each) => each.run_id === run && each.owner === id)
  expect(kept.filter(({ relation }) => relation === 'records')).toEqual([
    {
      run_id: run,
      owner: id,
      relation: 'records',
      before: expect.objectContaining({ id, scope, version: 1, base_salience: 1, forgotten_at: null }),
      after: expect.objectContaining({ id, scope, version: 2, base_salience: 0.5, forgotten_at: null }),
    },
  ])
  expect(kept).toContainEqual({
    run_id: run,
    owner: id,
    relation: 'unconsolidated',
    before: expect.objectContaining({ record_id: id, stage: 'episodic' }),
    after: null,
  })
})
