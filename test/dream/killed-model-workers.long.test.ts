import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import {
  answerBySchema,
  buildFiveNotes,
  createEntityWithFacts,
  type DreamApp,
  openDreamApp,
} from '../support/apps/dream-app.ts'
import { respondAfter } from '../support/models/chat-server.ts'
import { runUntilKilled } from '../support/processes/run-until-killed.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { insertEmbeddingModel, insertVectors } from '../support/stores/insert-vectors.ts'

const program = fileURLToPath(new URL('killed-dream-worker.ts', import.meta.url))
const steps = ['peer_cards', 'synthesis', 'probe']
const modelAnswers = answerBySchema({
  profile: ({ entity }: Body) => ({ profile: `all about ${entity.name}` }),
  synthesis: { connected: true, synthesis: 'a queue', insight: 'it fills' },
  judgement: { still_valid: false, confidence: 1, reason: 'it has passed' },
})

/** Creates two entities with enough facts and different contexts, and ten old beliefs. */
async function openStore() {
  const mind = await openDreamApp(respondAfter(20, modelAnswers))
  const { app } = mind
  const modelId = await insertEmbeddingModel(app.db, 2)
  for (const [name, vector] of [
    ['Orion', [1, 0]],
    ['Vega', [0.8, 0.6]],
  ] as const) {
    const { known } = await createEntityWithFacts(app, name, buildFiveNotes(name), { tags: [name] })
    const placed = known.map((id) => ({ id, vector: Float32Array.from(vector) }))
    await insertVectors(app.db, modelId, placed)
  }
  app.clock.advance(30 * 86_400_000)
  return { ...mind, id: await mind.requestRun(steps) }
}

async function readResult({ app, readRun }: DreamApp, id: string) {
  const { status, stats } = await readRun(id)
  const { rows } = await app.database.pool.query(
    `select c.payload ->> 'object' as object, c.payload ->> 'canonical_name' as name, c.tags, r.status, r.version,
       r.base_importance, (select count(*)::int from relations where source_id = r.id) as edges,
       (select array_agg(action order by a.id) from audit_entries as a where a.record_id = r.id) as log
     from records as r join contents as c on c.record_id = r.id order by r.type, 1, 2`,
  )
  const { cards_created, pairs_asked, pairs_connected, beliefs_probed, beliefs_challenged } = stats
  return {
    status,
    stats: { cards_created, pairs_asked, pairs_connected, beliefs_probed, beliefs_challenged },
    rows,
  }
}

let result: ReturnType<typeof readResult> | undefined

/** Returns the result of a run without a kill. */
function readUndisturbedResult() {
  result ??= openStore().then(async (store) => {
    await store.attend()
    return readResult(store, store.id)
  })
  return result
}

it('a run without a kill writes profiles, a connection and challenges', async () => {
  expect(await readUndisturbedResult()).toMatchObject({
    status: 'succeeded',
    stats: { cards_created: 2, pairs_asked: 1, pairs_connected: 1, beliefs_probed: 5, beliefs_challenged: 5 },
  })
})

it.each([
  ['before batch', 2],
  ['in batch', 2],
  ['after batch', 3],
  ['in batch', 6],
  ['after batch', 6],
  ['before batch', 9],
  ['in batch', 12],
  ['concluding', 1],
])('a run whose worker is killed %s %i has the same result', async (step, nth) => {
  const store = await openStore()
  const { app, id, model } = store
  await runUntilKilled(program, app.database, app.clock, { step, nth, endpoint: model.url })
  await store.attend()
  expect(await readResult(store, id)).toEqual(await readUndisturbedResult())
})
