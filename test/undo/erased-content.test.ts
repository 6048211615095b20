import { afterAll, describe, expect, it } from 'vitest'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { range } from '../support/requests/capture-requests.ts'
import {
  captureEpisode,
  createScope,
  listFacts,
  listRunChanges,
} from '../support/requests/consolidation-requests.ts'
import { exportLines, importLines } from '../support/requests/export-and-import.ts'
import { apply, listPlanChanges, perform, plan } from '../support/requests/plan-requests.ts'
import {
  type Body,
  create,
  expectProblem,
  fact,
  payloads,
  read,
} from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests' } })
afterAll(async () => {
  const broken = await listBrokenLaws(app)
  await app.close()
  expect(broken).toEqual([])
})

const reason = { actor: 'operator', rationale: 'a person asked for it' }
const note = 'the same content was erased from its scope'
const post = (path: string, body: object) => app.request('POST', `/v1/records/${path}`, { body })
const undo = ({ id }: Body, more: object = {}) =>
  perform(app, 'undo', { ...reason, ...more }, `/v1/maintenance/runs/${id}/undo`)
const listKept = async (undone: Body) =>
  (await listRunChanges(app, undone)).filter(({ action }) => action === 'kept')

const evidence = [{ source_type: 'observation', source_id: 'call', timestamp: '2026-01-01T00:00:00.000Z' }]
const successor = (scope: string) => ({
  ...reason,
  record: fact({ scope, payload: { ...payloads.semantic, object: 'moved away', evidence } }),
})

const secret = (scope: string, more: object = {}) =>
  fact({ scope, payload: { ...payloads.semantic, object: 'lives in Elm Street' }, ...more })

/** Erases the content of `secret`, or another, with another record that says the same. */
async function eraseTwin(scope: string, said = secret(scope)): Promise<void> {
  const twin = await create(app, said)
  const answer = await post(`${twin.id}/erase`, reason)
  if (answer.status !== 200) throw new Error(answer.text)
}

/** Forgets a record that says the secret, and one that does not, by a run of the decay. */
async function forgetByRun(scope: string) {
  const life = {
    created_at: '2020-01-01T00:00:00Z',
    lifecycle: { decay: { curve: 'linear', half_life_seconds: 3_600, min_salience: 0 } },
  }
  const ids = [await create(app, secret(scope, life)), await create(app, fact({ scope, ...life }))].map(
    ({ id }) => id as string,
  )
  app.clock.advance(86_400_000)
  return { ids, swept: await perform(app, 'decay', { job: 'decay', scope }) }
}

describe('content that was erased with another record', () => {
  it('stays forgotten when the run that forgot it is undone', async () => {
    const scope = createScope()
    const { ids, swept } = await forgetByRun(scope)
    await eraseTwin(scope)
    const tried = await undo(swept, { dry_run: true })
    expect(tried.stats).toMatchObject({ undone: 1, kept: 1 })
    const undone = await undo(swept)
    expect(undone).toMatchObject({ status: 'succeeded', stats: { undone: 1, kept: 1 } })
    expect(await listKept(undone)).toEqual([{ record_id: ids[0], action: 'kept', note }])
    expect((await app.request('GET', `/v1/records/${ids[0]}`)).status).toBe(410)
    expect((await app.request('GET', `/v1/records/${ids[1]}`)).status).toBe(200)
    // The undo is taken back, and this again: the record is forgotten at the end of each.
    await undo(await undo(undone))
    expect((await app.request('GET', `/v1/records/${ids[0]}`)).status).toBe(410)
    expectProblem(await post(`${ids[0]}/restore`, reason), 409, 'erased_content')
  })

  it('comes back once its tombstone is lifted', async () => {
    const scope = createScope()
    const { ids, swept } = await forgetByRun(scope)
    await eraseTwin(scope)
    const { items } = (await app.request('GET', '/v1/tombstones')).body as Body
    const { id } = items.find((each: Body) => each.scope === scope)
    await app.request('DELETE', `/v1/tombstones/${id}`)
    expect((await undo(swept)).stats).toMatchObject({ undone: 2, kept: 0 })
    expect((await read(app, ids[0] ?? '')).payload.object).toBe('lives in Elm Street')
  })

  it('stays retracted when the undo of a consolidation is undone', async () => {
    const scope = createScope()
    await Promise.all(range(2).map((n) => captureEpisode(app, `the build takes ${n} minutes`, {}, { scope })))
    const learnt = await perform(app, 'consolidate', { job: 'consolidate', scope })
    const [one, other] = await listFacts(app, scope)
    const undone = await undo(learnt)
    const { payload } = await read(app, one?.id)
    const { revision: _, ...content } = payload
    const twin = await create(app, fact({ scope, payload: { ...content, evidence: [] } }))
    expect((await post(`${twin.id}/erase`, { ...reason, cascade: false })).status).toBe(200)
    const again = await undo(undone)
    expect(again.stats).toMatchObject({ undone: 1, kept: 1 })
    expect(await listKept(again)).toEqual([{ record_id: one?.id, action: 'kept', note }])
    expect((await read(app, one?.id)).status).toBe('invalidated')
    expect((await read(app, other?.id)).status).toBe('active')
  })

  it.each([['supersede'], ['retract']])('stays history when its %s is reverted', async (revision) => {
    const scope = createScope()
    const old = await create(app, secret(scope))
    const revised = await post(`${old.id}/${revision}`, revision === 'retract' ? reason : successor(scope))
    expect(revised.status).toBeLessThan(300)
    await eraseTwin(scope)
    const before = await read(app, old.id)
    expectProblem(await post(`${old.id}/revert`, { ...reason, to_version: 1 }), 409, 'erased_content')
    expect(await read(app, old.id)).toEqual(before)
    expect(
      (await app.request('GET', `/v1/records?scope=${encodeURIComponent(scope)}&status=active`)).text,
    ).not.toContain('Elm')
  })

  it('stays history when a merge of its record is reverted', async () => {
    const scope = createScope()
    const sources = [await create(app, secret(scope)), await create(app, fact({ scope }))]
    const merged = await post('merge', { ...successor(scope), ids: sources.map(({ id }) => id) })
    expect(merged.status).toBe(201)
    await eraseTwin(scope)
    const answer = await post(`${sources[1]?.id}/revert`, { ...reason, to_version: 1 })
    expectProblem(answer, 409, 'erased_content')
    for (const { id } of sources) expect((await read(app, id)).status).toBe('merged')
  })

  it('cannot be set active again', async () => {
    const scope = createScope()
    const { id } = await create(app, secret(scope))
    await post(`${id}/status`, { actor: 'operator', reason: 'wrong', status: 'invalidated' })
    expect((await read(app, id)).status).toBe('invalidated')
    await eraseTwin(scope)
    const answer = await post(`${id}/status`, { actor: 'operator', reason: 'right', status: 'active' })
    expectProblem(answer, 409, 'erased_content')
  })

  it('is not created by a plan that was prepared before', async () => {
    const scope = createScope()
    await Promise.all(range(2).map((n) => captureEpisode(app, `the build takes ${n} minutes`, {}, { scope })))
    const prepared = await plan(app, 'consolidate', { scope })
    expect(await listPlanChanges(app, prepared, '&action=create')).toHaveLength(2)
    for (const n of range(2)) {
      const said = { subject: 'deploy', predicate: 'observed_in', object: `the build takes ${n} minutes` }
      await eraseTwin(scope, fact({ scope, payload: { ...payloads.semantic, ...said } }))
    }
    expect((await apply(app, prepared)).stats).toMatchObject({ applied: 0 })
    expect(await listFacts(app, scope)).toEqual([])
  })

  it('is refused by an import, also as the history of a record', async () => {
    const scope = createScope()
    const old = await create(app, secret(scope))
    await post(`${old.id}/retract`, reason)
    const { text } = await exportLines(app, `?scope=${encodeURIComponent(scope)}`)
    const copy = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'another key of the tests' } })
    copy.clock.advance(app.clock.now().getTime() - copy.clock.now().getTime())
    const twin = await create(copy, secret(scope))
    await copy.request('POST', `/v1/records/${twin.id}/erase`, { body: reason })
    expect((await importLines(copy, text)).summary).toMatchObject({ created: 0, conflict: 1 })
    await copy.close()
  })
})

describe('content that was erased with its record', () => {
  it('comes back by no undo, not as words of records that were derived from it either', async () => {
    const scope = createScope()
    const episodes = await Promise.all(
      range(3).map((n) => captureEpisode(app, `Zanzibar team: the build takes ${n} minutes`, {}, { scope })),
    )
    const learnt = await perform(app, 'consolidate', { job: 'consolidate', scope })
    const undone = await undo(learnt)
    for (const { id } of episodes) expect((await post(`${id}/erase`, reason)).status).toBe(200)
    for (const run of [undone, learnt, undone]) await undo(run)
    const lists = [
      `/v1/records?scope=${encodeURIComponent(scope)}&include_forgotten=true`,
      `/v1/export?scope=${encodeURIComponent(scope)}`,
    ]
    for (const path of lists) expect((await app.request('GET', path)).text).not.toContain('Zanzibar')
    for (const run of [learnt, undone]) {
      expect(JSON.stringify(await listRunChanges(app, run))).not.toContain('Zanzibar')
    }
    const kept = await app.db.selectFrom('run_effects').selectAll().execute()
    expect(JSON.stringify(kept)).not.toContain('Zanzibar')
  })

  it('is in nothing that a run keeps of a record with another source', async () => {
    const scope = createScope()
    const text = 'Quirimbas team: the build takes 4 minutes'
    const first = await captureEpisode(app, text, {}, { scope })
    app.clock.advance(1_000)
    await captureEpisode(app, text, {}, { scope })
    await perform(app, 'consolidate', { job: 'consolidate', scope })
    const [learnt] = await listFacts(app, scope)
    expect((await post(`${first.id}/erase`, reason)).body).toMatchObject({ kept: [learnt?.id] })
    const kept = await app.db
      .selectFrom('run_effects')
      .selectAll()
      .where('record_id', '=', learnt?.id ?? '')
      .execute()
    expect(kept.map(({ relation }) => relation)).toContain('records')
    expect(JSON.stringify(kept)).not.toContain('Quirimbas')
  })
})
