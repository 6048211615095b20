import { afterAll, describe, expect, it } from 'vitest'
import { range } from '../support/requests/capture-requests.ts'
import {
  captureEpisode,
  createScope,
  listFacts,
  listRunChanges,
} from '../support/requests/consolidation-requests.ts'
import { apply, listPlanChanges, perform, plan, readPlan } from '../support/requests/plan-requests.ts'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import { buildSimilarTexts, createSimilarRecords } from '../support/stores/similar-records.ts'
import { startTestApp } from '../support/test-app.ts'
import { createEmbeddingWorker } from '../support/workers/embedding-workers.ts'

const app = await startTestApp({
  variables: { MEMBRANE_FORGOTTEN_RETENTION: '1d', MEMBRANE_TOMBSTONE_KEY: 'a key of the tests' },
})
afterAll(() => app.close())

const reason = { actor: 'operator', rationale: 'needed' }
const day = 86_400_000

async function captureEpisodes(count: number) {
  const scope = createScope()
  const episodes = await Promise.all(
    range(count).map((n) => captureEpisode(app, `the build takes ${n} minutes`, {}, { scope })),
  )
  return { scope, episodes: episodes.map(({ id }) => id as string) }
}

/** The facts of the scope, without ids and times. */
async function describeFacts(scope: string) {
  const facts = await Promise.all(
    (await listFacts(app, scope)).map(
      async ({ id }) => (await app.request('GET', `/v1/records/${id}`)).body as Body,
    ),
  )
  return facts
    .map(({ payload, tags, status, layer, sensitivity, version, lifecycle, audit_log }) => ({
      subject: payload.subject,
      object: payload.object,
      evidence: payload.evidence?.length,
      tags,
      status,
      layer,
      sensitivity,
      version,
      salience: lifecycle?.salience,
      log: audit_log.map(({ action, actor }: Body) => [action, actor]),
    }))
    .sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)))
}

describe('a plan of consolidation', () => {
  it('creates exactly the facts that it listed, as the run would', async () => {
    const planned = await captureEpisodes(3)
    const ran = await captureEpisodes(3)
    const prepared = await plan(app, 'consolidate', { scope: planned.scope })
    expect(await listFacts(app, planned.scope)).toEqual([])
    const changes = await listPlanChanges(app, prepared)
    const created = changes.filter(({ action }) => action === 'create')
    expect(created).toHaveLength(3)
    expect(created[0]?.why).toMatch(/^A new record would be created from 1 record: .*minutes.*\.$/)
    expect(created[0]?.why).not.toContain('observed_in')
    app.clock.advance(60_000)
    const run = await apply(app, prepared)
    expect(run).toMatchObject({ status: 'succeeded', stats: { skipped: 0 } })
    const facts = await listFacts(app, planned.scope)
    expect(facts.map(({ id }) => id).sort()).toEqual(created.map(({ record_id }) => record_id).sort())
    expect(facts[0]?.created_at).toBe(run.started_at)
    await perform(app, 'consolidate', { job: 'consolidate', scope: ran.scope })
    expect(await describeFacts(planned.scope)).toEqual(await describeFacts(ran.scope))
    // The episodes are done: another run finds nothing.
    const again = await perform(app, 'consolidate', { job: 'consolidate', scope: planned.scope })
    expect(await listRunChanges(app, again)).toEqual([])
    expect((await readPlan(app, prepared)).status).toBe('applied')
  })

  it('can be undone after it was applied, and applied in part', async () => {
    const { scope } = await captureEpisodes(3)
    const prepared = await plan(app, 'consolidate', { scope })
    const [first] = (await listPlanChanges(app, prepared, '&action=create')) as [Body]
    const run = await apply(app, prepared, { only: [first.record_id] })
    expect(run.stats).toMatchObject({ applied: 1, skipped: 0 })
    expect((await listFacts(app, scope)).map(({ id }) => id)).toEqual([first.record_id])
    // What is left out is found by the next run.
    await perform(app, 'consolidate', { job: 'consolidate', scope })
    expect(await listFacts(app, scope)).toHaveLength(3)
    const undone = await perform(app, 'undo', reason, `/v1/maintenance/runs/${run.id}/undo`)
    expect(undone.stats).toMatchObject({ undone: 1, kept: 0 })
    const left = await listFacts(app, scope)
    expect(left.filter(({ status }) => status === 'active')).toHaveLength(2)
  })

  it('creates nothing from a source that is forgotten, and skips a fact that was stored since the plan', async () => {
    const { scope, episodes } = await captureEpisodes(2)
    const prepared = await plan(app, 'consolidate', { scope })
    await app.request('DELETE', `/v1/records/${episodes[0]}?actor=operator&rationale=wrong`)
    const run = await apply(app, prepared)
    expect(run.stats.skipped).toBeGreaterThan(0)
    expect(await listFacts(app, scope)).toHaveLength(1)
    const other = await captureEpisodes(1)
    const late = await plan(app, 'consolidate', { scope: other.scope })
    await perform(app, 'consolidate', { job: 'consolidate', scope: other.scope })
    expect((await apply(app, late)).stats).toMatchObject({ applied: 0 })
    expect(await listFacts(app, other.scope)).toHaveLength(1)
  })

  it('loses the content of erased records and of what was made from them', async () => {
    const { scope, episodes } = await captureEpisodes(1)
    const prepared = await plan(app, 'consolidate', { scope })
    const [planned] = (await listPlanChanges(app, prepared, '&action=create')) as [Body]
    await app.request('POST', `/v1/records/${episodes[0]}/erase`, { body: reason })
    expect((await readPlan(app, prepared)).status).toBe('stale')
    const kept = await app.db
      .selectFrom('run_effects')
      .where('run_id', '=', prepared.id)
      .selectAll()
      .execute()
    expect(JSON.stringify(kept)).not.toContain('minutes')
    const [after] = (await listPlanChanges(app, prepared, '&action=create')) as [Body]
    expect(after).toMatchObject({
      record_id: planned.record_id,
      why: expect.stringContaining('It was erased.'),
    })
    expect(JSON.stringify(after)).not.toContain('minutes')
    expect((await apply(app, prepared)).stats).toMatchObject({ applied: 0 })
    expect(await listFacts(app, scope)).toEqual([])
  })

  it('creates what it lists after another record of the scope was erased, but nothing that was erased', async () => {
    const { scope } = await captureEpisodes(2)
    const prepared = await plan(app, 'consolidate', { scope })
    const [planned] = (await listPlanChanges(app, prepared, '&action=create')) as [Body]
    const other = await create(app, fact({ scope }))
    await app.request('POST', `/v1/records/${other.id}/erase`, { body: reason })
    await apply(app, prepared, { only: [planned.record_id] })
    const { payload } = (await app.request('GET', `/v1/records/${planned.record_id}`)).body as Body
    const twin = await captureEpisodes(2)
    const late = await plan(app, 'consolidate', { scope: twin.scope })
    const { id } = await create(app, fact({ scope: twin.scope, payload }))
    await app.request('POST', `/v1/records/${id}/erase`, { body: reason })
    const applied = await apply(app, late)
    expect(applied.stats).toMatchObject({ applied: 1, skipped: 1 })
    expect(await listRunChanges(app, applied)).toContainEqual(
      expect.objectContaining({ action: 'skipped', note: 'the same content was erased from its scope' }),
    )
  })
})

describe('a plan of a dream', () => {
  it('does the same as the run', async () => {
    const planned = await captureEpisodes(3)
    const ran = await captureEpisodes(3)
    for (const { scope } of [planned, ran]) await perform(app, 'consolidate', { job: 'consolidate', scope })
    app.clock.advance(40 * day)
    const run = await apply(app, await plan(app, 'dream', { scope: planned.scope }))
    expect(run).toMatchObject({ status: 'succeeded', stats: { skipped: 0 } })
    await perform(app, 'dream', { job: 'dream', scope: ran.scope })
    expect(await describeFacts(planned.scope)).toEqual(await describeFacts(ran.scope))
  })
})

describe('a plan of a dream that is applied after the importance of a record has moved', () => {
  it('skips the record, although the plan also names it as a candidate', async () => {
    const scope = createScope()
    const ids = await createSimilarRecords(app, buildSimilarTexts('Orion'), { scope })
    await createEmbeddingWorker(app).run()
    const setImportance = (some: string[], importance: number) =>
      app.db.updateTable('records').set({ importance }).where('id', 'in', some).execute()
    await setImportance(ids, 0.9)
    const prepared = await plan(app, 'dream', { scope })
    const [candidate] = await listPlanChanges(app, prepared, '&action=candidate')
    await setImportance([candidate?.record_id], 0.8)
    const applied = await apply(app, prepared)
    expect(applied.stats).toMatchObject({ applied: ids.length - 1, skipped: 1 })
    expect(await listRunChanges(app, applied)).toContainEqual({
      record_id: candidate?.record_id,
      action: 'skipped',
      note: 'its importance changed since',
    })
  })
})

describe('a plan of new importance', () => {
  it('lists each move, and makes it', async () => {
    const scope = createScope()
    const { id } = await create(app, fact({ scope, base_importance: 0.9 }))
    app.clock.advance(90 * day)
    const prepared = await plan(app, 'refresh_importance', { scope })
    const changes = await listPlanChanges(app, prepared)
    expect(changes).toMatchObject([
      {
        record_id: id,
        action: 'rescore',
        why: expect.stringMatching(/^The importance would change from .* to /),
      },
    ])
    await apply(app, prepared)
    const { body } = await app.request('GET', `/v1/records/${id}`)
    expect((body as Body).importance ?? (body as Body).lifecycle.importance).toBeCloseTo(
      changes[0]?.after.importance,
      9,
    )
  })
})

describe('a plan of new importance that is applied after its records were used', () => {
  it('leaves them the importance of their uses, with a history that an import accepts', async () => {
    const scope = createScope()
    const { id } = await create(app, fact({ scope, layer: 'episodic' }))
    app.clock.advance(20 * day)
    const prepared = await plan(app, 'refresh_importance', { scope })
    for (const _ of range(4)) await app.request('POST', `/v1/records/${id}/access`, { body: {} })
    const applied = await apply(app, prepared)
    expect(applied.stats).toMatchObject({ applied: 0, skipped: 1 })
    expect(await listRunChanges(app, applied)).toEqual([
      { record_id: id, action: 'skipped', note: 'its importance changed since' },
    ])
    const { body: why } = await app.request('GET', `/v1/records/${id}/explain`)
    const { body } = await app.request('GET', `/v1/records/${id}`)
    expect((body as Body).importance).toBeCloseTo((why as Body).importance.value, 1)
    const { body: history } = await app.request('GET', `/v1/records/${id}/importance-history`)
    const moves = (history as Body).items as Body[]
    expect(moves.map((move) => move.old).slice(1)).toEqual(moves.map((move) => move.new).slice(0, -1))
    expect(moves.at(-1)?.new).toBe((body as Body).importance)
  })
})

describe('a plan of the purge', () => {
  it('lists what would be deleted, and deletes what is selected and still forgotten', async () => {
    const ids: string[] = []
    for (const _ of range(3)) ids.push((await create(app, fact({ scope: createScope() }))).id)
    for (const id of ids) await app.request('DELETE', `/v1/records/${id}?actor=operator&rationale=wrong`)
    app.clock.advance(2 * day)
    const prepared = await plan(app, 'purge')
    const listed = (await listPlanChanges(app, prepared)).map(({ record_id }) => record_id)
    expect(listed).toEqual(expect.arrayContaining(ids))
    const run = await apply(app, prepared, { only: [ids[0]] })
    expect(run.stats).toMatchObject({ applied: 1, skipped: 0 })
    expect((await app.request('GET', `/v1/records/${ids[0]}`)).status).toBe(410)
    const left = await app.db.selectFrom('records').where('id', 'in', ids).select('id').execute()
    expect(left.map(({ id }) => id).sort()).toEqual(ids.slice(1).sort())
  })
})
