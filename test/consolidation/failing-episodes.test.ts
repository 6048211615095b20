import { afterAll, beforeAll, expect, it } from 'vitest'
import { respond, respondWithJson, startChatServer } from '../support/models/chat-server.ts'
import { range } from '../support/requests/capture-requests.ts'
import {
  captureEpisode,
  consolidate,
  createScope,
  listFacts,
  listRunChanges,
} from '../support/requests/consolidation-requests.ts'
import { create } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
beforeAll(async () => {
  // Simulates a bug that affects one episode: its fact cannot be stored.
  await app.database.pool.query(`
    create function refuse_poison() returns trigger language plpgsql as $$
      begin
        if new.payload ->> 'object' like '%poison%' then raise exception 'secret words of %', new.payload; end if;
        return new;
      end
    $$;
    create trigger poisoned before insert on contents for each row
      when (new.payload ->> 'kind' = 'semantic') execute function refuse_poison()`)
})
afterAll(() => app.close())

const minute = 60_000

async function readPendingStages(id: string) {
  const { rows } = await app.database.pool.query(
    `select attempts, error, due_at = 'infinity' as is_given_up from unconsolidated
     where record_id = $1 and stage = 'semantic'`,
    [id],
  )
  return rows[0]
}

it('an episode that fails delays no other, is retried with growing pauses, and is given up', async () => {
  const scope = createScope()
  const say = (summary: string) => captureEpisode(app, summary, {}, { scope })
  const before = await Promise.all(range(4).map((n) => say(`before ${n}`)))
  const { id } = await say('poison')
  await Promise.all(range(4).map((n) => say(`after ${n}`)))
  const first = await consolidate(app)
  expect(first).toMatchObject({
    status: 'succeeded',
    error: 'semantic: database error P0001; attempt 1',
    stats: { semantic_extracted: before.length + 4, extraction_skipped: 1, failed: 1 },
  })
  expect(await listFacts(app, scope)).toHaveLength(8)
  expect(await listRunChanges(app, first)).toContainEqual({
    record_id: id,
    action: 'failed',
    note: 'database error P0001; attempt 1',
  })
  expect(await readPendingStages(id)).toEqual({
    attempts: 1,
    error: 'database error P0001',
    is_given_up: false,
  })
  expect(await consolidate(app)).toMatchObject({ stats: { extraction_skipped: 0 } })
  for (const [index, pause] of [5, 20, 80, 320].entries()) {
    app.clock.advance(pause * minute - 1)
    expect(await consolidate(app)).toMatchObject({ stats: { extraction_skipped: 0 } })
    app.clock.advance(1)
    const run = await consolidate(app)
    expect({ pause, skipped: run.stats.extraction_skipped }).toEqual({ pause, skipped: 1 })
    const note = `database error P0001; attempt ${index + 2}${index === 3 ? ', given up' : ''}`
    expect(await listRunChanges(app, run)).toContainEqual({ record_id: id, action: 'failed', note })
  }
  expect(await readPendingStages(id)).toMatchObject({ attempts: 5, is_given_up: true })
  app.clock.advance(1e9)
  expect(await consolidate(app)).toMatchObject({ stats: { extraction_skipped: 0 } })
})

it('a consolidation dry run counts a failing episode and does not postpone it', async () => {
  const scope = createScope()
  const [, { id }] = await Promise.all([
    captureEpisode(app, 'good', {}, { scope }),
    captureEpisode(app, 'more poison', {}, { scope }),
    captureEpisode(app, 'better', {}, { scope }),
  ])
  const dry = await consolidate(app, { dry_run: true, options: { stages: ['semantic'] } })
  expect(dry).toMatchObject({ status: 'succeeded', stats: { semantic_extracted: 2, extraction_skipped: 1 } })
  expect(await readPendingStages(id)).toMatchObject({ attempts: 0 })
  expect(await listFacts(app, scope)).toEqual([])
  const run = await consolidate(app, { options: { stages: ['semantic'] } })
  expect(run).toMatchObject({ stats: { semantic_extracted: 2, extraction_skipped: 1 } })
})

it('a fact that fails leaves no other fact of its batch, also if they are written by several statements', async () => {
  const scope = createScope()
  const t = app.clock.now().toISOString()
  const summaries = ['poison', ...range(1_100).map((n) => `something else ${n}`)]
  const timeline = summaries.map((summary, n) => ({ t, event_kind: 'deploy', ref: `job ${n}`, summary }))
  await create(app, { type: 'episodic', scope, payload: { kind: 'episodic', outcome: 'success', timeline } })
  expect(await consolidate(app)).toMatchObject({ stats: { semantic_extracted: 0, failed: 1 } })
  expect(await listFacts(app, scope)).toEqual([])
})

it('an episode that a filter of the server refuses does not keep the others from the model in every run', async () => {
  const server = await startChatServer((response, seen) =>
    seen.text.includes('attack')
      ? respond(403, {})(response, seen)
      : respondWithJson({ facts })(response, seen),
  )
  const facts = [{ subject: 'Ada', predicate: 'prefers', object: 'tea' }]
  const variables = {
    MEMBRANE_LLM_ENDPOINT: server.url,
    MEMBRANE_LLM_MODEL: 'm',
    MEMBRANE_LLM_CONCURRENCY: '1',
  }
  const other = await startTestApp({ variables })
  for (const summary of ['an attack', 'a talk', 'another talk']) await captureEpisode(other, summary)
  const run = await consolidate(other, { options: { stages: ['extraction'] } })
  await other.close()
  await server.close()
  expect(run).toMatchObject({
    status: 'succeeded',
    error: 'extraction: ModelFailure: the model did not answer: refused (403); attempt 1',
    stats: { semantic_triples_extracted: 1, duplicates_resolved: 1, extraction_skipped: 1, failed: 1 },
  })
})

it('an episode that cannot be claimed for the model does not keep the others from it', async () => {
  const server = await startChatServer(
    respondWithJson({ facts: [{ subject: 'Ada', predicate: 'prefers', object: 'tea' }] }),
  )
  const variables = { MEMBRANE_LLM_ENDPOINT: server.url, MEMBRANE_LLM_MODEL: 'm' }
  const other = await startTestApp({ variables })
  const episodes = await Promise.all(range(9).map((n) => captureEpisode(other, `a talk ${n}`)))
  const failing = episodes[2]?.id
  await other.database.pool.query(`
    create function refuse_claim() returns trigger language plpgsql as $$ begin raise exception 'a bug'; end $$;
    create trigger refused before update on unconsolidated for each row
      when (new.record_id = '${failing}' and new.claimed_until is not null) execute function refuse_claim()`)
  const run = await consolidate(other, { options: { stages: ['extraction'] } })
  await other.close()
  await server.close()
  expect(run).toMatchObject({
    status: 'succeeded',
    error: 'extraction: database error P0001; attempt 1',
    stats: { semantic_triples_extracted: 1, duplicates_resolved: 7, extraction_skipped: 1, failed: 1 },
  })
  expect(server.requests).toHaveLength(8)
})
