import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { answerBySchema, type DreamApp, openDreamApp } from '../support/apps/dream-app.ts'
import { respondAfter } from '../support/models/chat-server.ts'
import { runUntilKilled } from '../support/processes/run-until-killed.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { buildSimilarTexts, createSimilarRecords } from '../support/stores/similar-records.ts'

const program = fileURLToPath(new URL('killed-dream-worker.ts', import.meta.url))
/** The summary is true for all groups but Vega. */
const modelAnswers = answerBySchema({
  summary: ({ memories: [{ says }] }: Body) => ({ summary: says.includes('Vega') ? `${says} by Eve` : says }),
})

async function openStore() {
  const mind = await openDreamApp(respondAfter(20, modelAnswers))
  for (const name of ['Orion', 'Vega', 'Lyra', 'Ceres'])
    await createSimilarRecords(mind.app, buildSimilarTexts(name), { scope: name })
  return { ...mind, id: await mind.requestRun(['cluster']) }
}

async function readResult({ app, readRun }: DreamApp, id: string) {
  const { status, stats } = await readRun(id)
  const { clusters_merged, records_merged, clusters_rejected, cluster_candidates } = stats
  const { rows } = await app.database.pool.query(
    `select r.scope, c.payload ->> 'object' as object, c.payload ->> 'predicate' as predicate, r.status, r.version,
       (select count(*)::int from relations where source_id = r.id) as edges,
       (select array_agg(action order by a.id) from audit_entries as a where a.record_id = r.id) as log
     from records as r join contents as c on c.record_id = r.id order by 1, 2, 3`,
  )
  const { rows: changes } = await app.database.pool.query(
    'select action, count(*)::int from maintenance_changes where run_id = $1 group by action order by action',
    [id],
  )
  const figures = { clusters_merged, records_merged, clusters_rejected, cluster_candidates }
  return { status, figures, rows, changes }
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

it('a run without a kill merges every true group', async () => {
  expect(await readUndisturbedResult()).toMatchObject({
    status: 'succeeded',
    figures: { clusters_merged: 3, records_merged: 18, clusters_rejected: 1, cluster_candidates: 1 },
  })
})

it.each([
  ['after batch', 1],
  ['before batch', 3],
  ['in batch', 3],
  ['after batch', 3],
  ['in batch', 5],
  ['after batch', 8],
  ['concluding', 1],
])('a run whose worker is killed %s %i has the same result', async (step, nth) => {
  const store = await openStore()
  const { app, id, model } = store
  await runUntilKilled(program, app.database, app.clock, { step, nth, endpoint: model.url })
  await store.attend()
  expect(await readResult(store, id)).toEqual(await readUndisturbedResult())
})
