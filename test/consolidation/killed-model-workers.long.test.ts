import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type ChatServer,
  respondAfter,
  respondWithJson,
  startChatServer,
} from '../support/models/chat-server.ts'
import { until } from '../support/processes/processes.ts'
import { runUntilKilled } from '../support/processes/run-until-killed.ts'
import { range } from '../support/requests/capture-requests.ts'
import { insertEpisodes } from '../support/stores/insert-episodes.ts'
import { buildExtractionOptions } from '../support/workers/extraction-options.ts'
import { createSmallConsolidation } from '../support/workers/small-consolidation.ts'
import { day } from '../support/workers/test-works.ts'
import { openWorkerSetup, type WorkerSetup } from '../support/workers/worker-setup.ts'

const program = fileURLToPath(new URL('killed-consolidation-worker.ts', import.meta.url))

let model: ChatServer
beforeAll(async () => {
  model = await startChatServer((response, seen) => {
    const [, topic] = /saying (\d+)/.exec(seen.text) ?? []
    const facts = [{ subject: 'the team', predicate: 'learnt', object: `lesson ${topic}` }]
    return respondAfter(20, respondWithJson({ facts }))(response, seen)
  })
})
afterAll(() => model.close())

function createWorker({ db, clock, ids, createWorker }: WorkerSetup, name: string) {
  const consolidate = createSmallConsolidation({
    db,
    clock,
    ids,
    extraction: buildExtractionOptions(model.url, clock),
  })
  return createWorker(name, { jobWorks: { consolidate } })
}

const idle = new AbortController().signal

/** Inserts eighteen episodes, from which the model extracts four facts. */
async function withEpisodes<T>(work: (setup: WorkerSetup, id: string) => Promise<T>): Promise<T> {
  const setup = await openWorkerSetup()
  try {
    const sayings = range(18).map((n) => `saying ${n % 4}`)
    await insertEpisodes(setup, 'here', sayings)
    setup.clock.advance(day)
    return await work(setup, await setup.requestRun('consolidate'))
  } finally {
    await setup.close()
  }
}

async function readResult(setup: WorkerSetup, id: string) {
  const { status, stats } = await setup.readRun(id)
  const { rows } = await setup.pool.query(
    `select c.payload ->> 'object' as object, c.provenance ->> 'created_by' as author, r.version,
       (select array_agg(action order by a.id) from audit_entries as a where a.record_id = r.id) as log,
       (select count(*)::int from relations where source_id = r.id) as edges
     from records as r join contents as c on c.record_id = r.id where r.type = 'semantic' order by 1`,
  )
  const { rowCount: left } = await setup.pool.query('select from unconsolidated')
  return { status, extracted: stats['semantic_triples_extracted'], rows, left }
}

let undisturbed: Awaited<ReturnType<typeof readResult>>
beforeAll(async () => {
  undisturbed = await withEpisodes(async (setup, id) => {
    await createWorker(setup, 'worker').runJob('consolidate', idle)
    return readResult(setup, id)
  })
  expect(undisturbed).toMatchObject({ status: 'succeeded', extracted: 4, left: 0 })
  expect(undisturbed.rows).toHaveLength(8)
})

it.each([
  ['in batch', 5],
  ['after batch', 9],
  ['before batch', 14],
  ['in batch', 20],
])(
  'a worker killed %s %i during extraction leaves nothing undone and nothing done twice',
  async (step, nth) => {
    await withEpisodes(async (setup, id) => {
      await runUntilKilled(program, setup, setup.clock, { step, nth, endpoint: model.url })
      await createWorker(setup, 'successor').runJob('consolidate', idle)
      expect(await readResult(setup, id)).toEqual(undisturbed)
    })
  },
)

it('two concurrent workers ask the model about each episode once', async () => {
  await withEpisodes(async (setup, id) => {
    model.requests.length = 0
    await Promise.all([1, 2].map((n) => createWorker(setup, `worker ${n}`).runJob('consolidate', idle)))
    expect(await readResult(setup, id)).toEqual(undisturbed)
    expect(model.requests).toHaveLength(18)
  })
})

it('a worker that stops during a model call leaves its episodes for another', async () => {
  await withEpisodes(async (setup, id) => {
    model.requests.length = 0
    const stopping = new AbortController()
    const attending = createWorker(setup, 'leaving').runJob('consolidate', stopping.signal)
    await until('the model to be asked', async () => model.requests.length > 2)
    stopping.abort()
    await attending
    expect((await setup.readRun(id)).status).toBe('queued')
    await createWorker(setup, 'successor').runJob('consolidate', idle)
    expect(await readResult(setup, id)).toEqual(undisturbed)
  })
})
