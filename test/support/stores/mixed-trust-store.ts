import { capture, captureFact, erase, forget } from '../requests/capture-requests.ts'
import { type Body, create } from '../requests/record-requests.ts'
import { buildClaim, mergeRecords, revise } from '../requests/revision-requests.ts'
import type { TestApp } from '../test-app.ts'
import { createEmbeddingWorker } from '../workers/embedding-workers.ts'
import { noIntervals } from '../workers/idle-jobs.ts'
import { createWorkerFor } from '../workers/worker-setup.ts'
import { buildSimilarTexts } from './similar-records.ts'

/**
 * A store of mixed sensitivities and scopes, filled through the API and the jobs only. Only hidden records, and the
 * actors and rationales of changes to them, contain the word `cryptic`.
 */

/** The trust of the key that must not see hidden records. */
export const reader = { scopes: ['mine'], max_sensitivity: 'low' } as const
/** The word that only hidden records, and their changes, contain. */
export const secretWord = 'cryptic'

/** The places that the reader sees completely, one level above it, and hidden from it. */
const open = [
  { scope: 'mine', sensitivity: 'low' },
  { scope: 'mine', sensitivity: 'public' },
  { sensitivity: 'low' },
]
const above = [{ scope: 'mine', sensitivity: 'medium' }]
const hidden = [
  { scope: 'mine', sensitivity: 'hyper' },
  { scope: 'theirs', sensitivity: 'low' },
  { sensitivity: 'high' },
]
type Place = { scope?: string; sensitivity: string }
const [mine] = open as [Place]
const closed: readonly Place[] = [...above, ...hidden]
const secret = { actor: 'cryptic-actor', rationale: 'a cryptic reason' }
const agent = { source: 'cryptic-agent' }

/**
 * Fills a store with records inside and outside the trust of the reader, linked in every way that clients and jobs
 * link records; returns the ids of the runs.
 */
export async function fillMixedTrustStore(app: TestApp): Promise<string[]> {
  await reviseFacts(app)
  await tieRecords(app)
  await foldEntities(app)
  await captureAgain(app)
  await tellExperiences(app)
  const runs = await runJobs(app)
  await moveAway(app, runs)
  return [...runs, ...(await runJobs(app))]
}

let created = 0
const nextTopic = () => ({ subject: `topic ${++created}`, predicate: 'is', object: 'plain' })

const evidence = [{ source_type: 'event', source_id: 'meeting', timestamp: '2026-01-01T00:00:00.000Z' }]
const buildFact = (triple: object, place: Place) => ({
  type: 'semantic',
  ...place,
  payload: { kind: 'semantic', ...triple, evidence },
})

async function send(app: TestApp, method: string, path: string, body?: object): Promise<Body> {
  app.clock.advance(1_000)
  const answer = await app.request(method, path, body ? { body } : {})
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text.slice(0, 500)}`)
  return answer.body
}

/** Revises visible facts in every way, with a record of each place. */
async function reviseFacts(app: TestApp): Promise<void> {
  for (const place of closed) {
    const within = { ...mine, scope: place.scope ?? '' }
    const home = place.scope === undefined ? { sensitivity: 'low' } : within
    const rival = await create(app, buildClaim(`a cryptic rival ${++created}`, place))
    const contested = await create(app, buildFact(nextTopic(), home))
    const by = { contesting_ref: rival.id, ...secret }
    await revise(app, 'contest', contested.id, by)
    const uncontested = await create(app, buildFact(nextTopic(), home))
    await revise(app, 'contest', uncontested.id, by)
    await revise(app, 'uncontest', uncontested.id, { ...secret, rationale: `not by cryptic ${rival.id}` })
    const old = await create(app, buildFact(nextTopic(), home))
    const record = buildClaim(`a cryptic successor ${++created}`, place)
    await send(app, 'POST', `/v1/records/${old.id}/supersede`, { ...secret, record })
    const origin = await create(app, buildFact(nextTopic(), home))
    await send(app, 'POST', `/v1/records/${origin.id}/fork`, { ...secret, record })
    const folded = await create(app, buildFact(nextTopic(), home))
    const joined = buildClaim(`a cryptic sum ${++created}`, place)
    await mergeRecords(app, [folded.id, rival.id], joined, {})
  }
}

/** Adds edges in both directions, and changes whose rationale names a hidden record. */
async function tieRecords(app: TestApp): Promise<void> {
  for (const place of closed) {
    const far = await create(app, buildClaim(`a cryptic neighbour ${++created}`, place))
    for (const home of open) {
      const near = await create(app, buildFact(nextTopic(), home))
      const path = (id: string) => `/v1/records/${id}/relations`
      await send(app, 'POST', path(near.id), { predicate: 'supports', target_id: far.id, ...secret })
      await send(app, 'POST', path(far.id), { predicate: 'contradicts', target_id: near.id, ...secret })
      await send(app, 'DELETE', `${path(near.id)}/supports/${far.id}`)
      const words = { actor: 'desk', rationale: `as cryptic ${far.id} says` }
      await send(app, 'POST', `/v1/records/${near.id}/pin`, words)
      const status = { actor: 'desk', reason: `cryptic: see ${far.id}` }
      await send(app, 'POST', `/v1/records/${near.id}/status`, { ...status, status: 'challenged' })
      await send(app, 'POST', `/v1/records/${near.id}/unpin`, words)
      await send(app, 'POST', `/v1/records/${near.id}/reinforce`, { actor: 'desk', rationale: 'useful' })
    }
    await send(app, 'PATCH', `/v1/records/${far.id}`, { tags: ['changed'] })
  }
}

const entity = (name: string, place: Place) => ({
  type: 'entity',
  ...place,
  payload: { kind: 'entity', canonical_name: name, primary_type: 'Service' },
})

/** Creates entities of one name in each place, records that mention them, and merges into more sensitive ones. */
async function foldEntities(app: TestApp): Promise<void> {
  for (const place of [...open, ...closed]) await create(app, entity('Orion', place))
  for (const sensitivity of ['medium', 'hyper']) {
    const place = { scope: 'mine', sensitivity }
    const target = await create(app, entity(`cryptic Vega ${++created}`, place))
    const source = await create(app, entity(`Vega ${created}`, mine))
    const about = [{ predicate: 'subject_entity', target_id: source.id }]
    await create(app, { ...buildFact(nextTopic(), mine), relations: about })
    await create(app, { ...buildClaim(`cryptic ${++created}`, place), relations: about })
    await send(app, 'POST', `/v1/entities/${target.id}/merge`, { source_ids: [source.id], ...secret })
  }
}

/** Captures in each place what repeats, contradicts or completes a capture of a lower place. */
async function captureAgain(app: TestApp): Promise<void> {
  const scopeOf = ({ scope }: Place) => (scope === undefined ? {} : { scope })
  for (const place of closed) {
    for (const home of open) {
      const triple = { ...nextTopic(), subject: 'Orion', predicate: `has ${created}` }
      const at = (where: Place) => ({ ...scopeOf(where), sensitivity: where.sensitivity })
      await captureFact(app, { ...triple }, at(home))
      await captureFact(app, { ...triple }, { ...at(place), ...agent })
      await captureFact(app, { ...triple, object: `cryptic ${created}` }, { ...at(place), ...agent })
      const text = `the deploy of Orion ${created} is done`
      await capture(app, { ref: `turn-${created}`, text, outcome: 'success' }, { ...at(home), summary: text })
      const options = { ...at(place), ...agent, summary: `cryptic ${text}` }
      await capture(app, { ref: `turn-${created}`, text, outcome: 'success' }, options)
    }
    const thread = { thread_id: `thread ${++created}`, state: 'executing', next_actions: ['go on'] }
    const working = { source_kind: 'working_state', scope: 'mine' }
    await capture(app, thread, { ...working, sensitivity: 'low' })
    await capture(
      app,
      { ...thread, next_actions: ['cryptic step'] },
      { ...working, ...agent, sensitivity: 'hyper' },
    )
  }
}

/** Captures enough episodes in each place for a fact, a skill, a plan and a group of nearly equal records. */
async function tellExperiences(app: TestApp): Promise<void> {
  for (const place of [...open, ...closed]) {
    const isOpen = open.includes(place)
    const where = { ...place, ...(isOpen ? {} : agent) }
    const tools = [
      { id: 'one', tool: 'lint', args: {}, depends_on: [] },
      { id: 'two', tool: 'deploy', args: {}, depends_on: ['one'] },
    ]
    for (const n of [1, 2, 3]) {
      app.clock.advance(1_000)
      const summary = n === 3 && !isOpen ? 'the canary was cryptic' : 'the canary came first'
      const content = { event_kind: 'deploy', text: summary, outcome: 'success', tool_graph: tools }
      await capture(app, content, { ...where, summary })
    }
    for (const object of buildSimilarTexts(isOpen ? 'Orion' : 'cryptic Orion')) {
      app.clock.advance(1_000)
      await create(app, { ...buildFact({ subject: 'release', predicate: 'noted', object }, place) })
    }
  }
}

/** Runs the jobs without a model: first as dry runs, in the scope of the reader and in the whole store. */
async function runJobs(app: TestApp): Promise<string[]> {
  const runs: string[] = []
  await createEmbeddingWorker(app, undefined, 'hyper').run()
  for (const job of ['consolidate', 'dream', 'decay', 'refresh_importance']) {
    for (const options of [{ dry_run: true, scope: 'mine' }, { scope: 'mine' }, {}]) {
      app.clock.advance(86_400_000)
      const { id } = await send(app, 'POST', '/v1/maintenance/runs', { job, ...options })
      await createWorkerFor(app, noIntervals).runJob(job as 'dream', new AbortController().signal)
      const { status, error } = await send(app, 'GET', `/v1/maintenance/runs/${id}`)
      if (status !== 'succeeded') throw new Error(`${job}: ${status}, ${error}`)
      runs.push(id)
    }
  }
  return runs
}

/** Hides the last record that each change names beside its own. */
async function moveAway(app: TestApp, runs: readonly string[]): Promise<void> {
  const moves: ((id: string) => Promise<unknown>)[] = [
    (id) => send(app, 'PATCH', `/v1/records/${id}`, { sensitivity: 'hyper', tags: ['cryptic'] }),
    (id) => send(app, 'PATCH', `/v1/records/${id}`, { scope: 'theirs', tags: ['cryptic'] }),
    (id) => send(app, 'PATCH', `/v1/records/${id}`, { sensitivity: 'medium', tags: ['raised'] }),
    async (id) => {
      await send(app, 'PATCH', `/v1/records/${id}`, { sensitivity: 'high' })
      await forget(app, id)
    },
  ]
  const named = new Set<string>()
  for (const run of runs) {
    const { items } = await send(app, 'GET', `/v1/maintenance/runs/${run}/changes?limit=500`)
    for (const { after } of items as Body[]) {
      const ids: string[] = after?.members ?? after?.derived_from ?? []
      named.add(ids.at(-1) ?? run)
    }
  }
  let next = 0
  for (const id of named) {
    const { status, body } = await app.request('GET', `/v1/records/${id}`)
    if (status === 200 && (body as Body).sensitivity === 'low') await moves[next++ % moves.length]?.(id)
  }
  const { items } = await send(app, 'GET', '/v1/records?scope=mine&sensitivity=low&type=semantic&limit=3')
  for (const { id } of items as Body[]) await erase(app, id)
}
