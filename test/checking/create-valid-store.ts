import { captureEpisode, consolidate } from '../support/requests/consolidation-requests.ts'
import { apply, perform, plan } from '../support/requests/plan-requests.ts'
import { create, fact, payloads } from '../support/requests/record-requests.ts'
import { auditFields, buildClaim, revise } from '../support/requests/revision-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { createEmbeddingWorker } from '../support/workers/embedding-workers.ts'

const tool = (id: string) => ({ id, tool: `tool ${id}`, depends_on: [] })

/** Starts an API with a store that has rows for every law to check. */
export async function createValidStore(): Promise<TestApp> {
  const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests of the laws' } })
  await liveThrough(app)
  await moveOn(app)
  await createEmbeddingWorker(app).run()
  await planAndUndo(app)
  await captureEpisode(app, 'a note that is not read yet')
  return app
}

async function liveThrough(app: TestApp): Promise<void> {
  const more = { tool_graph: [tool('a'), tool('b'), tool('c')] }
  const episode = await captureEpisode(app, 'the deploy went well', more, { tags: ['deploy'] })
  await captureEpisode(app, 'the deploy went well again', more)
  await app.request('POST', `/v1/records/${episode.id}/outcome`, {
    body: { outcome: 'partial', actor: 'ada' },
  })
  await create(app, { type: 'working', payload: payloads.working })
  app.clock.advance(2 * 86_400_000)
  await consolidate(app)
}

async function moveOn(app: TestApp): Promise<void> {
  const one = await create(app, buildClaim('one'))
  const other = await create(app, buildClaim('other'))
  await act(app, one.id, 'relations', { predicate: 'supports', target_id: other.id, weight: 0.5 })
  await revise(app, 'supersede', one.id, { record: buildClaim('the next') }, keyed('supersede'))
  await act(app, other.id, 'reinforce', auditFields)
  await act(app, other.id, 'status', { status: 'challenged', reason: 'doubtful', actor: 'ada' })
  const named = ['Orion', 'The Hunter'].map(async (name) => (await create(app, entity(name))).id)
  const [target, merged] = await Promise.all(named)
  await act(app, String(target), 'merge', { ...auditFields, source_ids: [merged] }, 'entities')
  await create(app, fact({ lifecycle: { pinned: true } }))
  await create(app, fact({ lifecycle: { decay: { max_age_seconds: 1_000_000 } } }))
  const forgotten = await create(app, buildClaim('forgotten'))
  await app.request('DELETE', `/v1/records/${forgotten.id}?actor=ada&rationale=old`, keyed('delete'))
  const erased = await create(app, buildClaim('a secret'))
  await act(app, erased.id, 'erase', auditFields)
}

/** A plan that waits, one that was applied, and a run that was undone. */
async function planAndUndo(app: TestApp): Promise<void> {
  const decay = { curve: 'linear', half_life_seconds: 3_600 }
  for (const subject of ['one', 'two']) {
    await create(app, fact({ payload: { ...payloads.semantic, subject }, lifecycle: { decay } }))
  }
  await captureEpisode(app, 'the deploy went well at last')
  app.clock.advance(86_400_000)
  const applied = await apply(app, await plan(app, 'decay'))
  await plan(app, 'consolidate')
  await perform(app, 'undo', auditFields, `/v1/maintenance/runs/${applied.id}/undo`)
}

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })

const entity = (name: string) => ({
  type: 'entity',
  payload: { ...payloads.entity, canonical_name: name, identifiers: [{ namespace: 'stars', value: name }] },
})

async function act(app: TestApp, id: string, call: string, body: object, room = 'records'): Promise<void> {
  const answer = await app.request('POST', `/v1/${room}/${id}/${call}`, { body })
  if (answer.status >= 300) throw new Error(`${call}: ${answer.text}`)
}
