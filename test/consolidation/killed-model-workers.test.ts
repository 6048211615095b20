import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createConsolidation } from '../../src/consolidation/index.ts'
import { createSeal } from '../../src/domain/tombstone-seal.ts'
import { createPoliciesService } from '../../src/policies/index.ts'
import { list } from '../support/capture-requests.ts'
import { answering, type ChatServer, slowly, startChatServer } from '../support/chat-server.ts'
import { readBy } from '../support/extraction-options.ts'
import { storeEpisodes } from '../support/insert-episodes.ts'
import { day, openWorkshop, type Workshop } from '../support/job-workers.ts'
import { until } from '../support/processes.ts'
import { runToDeath } from '../support/run-until-killed.ts'

const program = fileURLToPath(new URL('killed-consolidation-worker.ts', import.meta.url))

let model: ChatServer
beforeAll(async () => {
  model = await startChatServer((response, seen) => {
    const [, topic] = /saying (\d+)/.exec(seen.text) ?? []
    const facts = [{ subject: 'the team', predicate: 'learnt', object: `lesson ${topic}` }]
    return slowly(20, answering({ facts }))(response, seen)
  })
})
afterAll(() => model.close())

function hire({ db, clock, ids, hire }: Workshop, name: string) {
  const consolidate = createConsolidation({
    ...{ db, clock, ids, seal: createSeal(undefined), policies: createPoliciesService({ db, clock }) },
    ...{ textLanguage: 'english', compressionAgeMs: day, size: 20, extraction: readBy(model.url, clock) },
  })
  return hire(name, { works: { consolidate } })
}

const idle = new AbortController().signal

/** Eighteen episodes, from which the model learns four things. */
async function withEpisodes<T>(work: (shop: Workshop, id: string) => Promise<T>): Promise<T> {
  const shop = await openWorkshop()
  try {
    const sayings = list(18).map((n) => `saying ${n % 4}`)
    await storeEpisodes(shop, 'here', sayings)
    shop.clock.advance(day)
    return await work(shop, await shop.ask('consolidate'))
  } finally {
    await shop.close()
  }
}

async function conclude(shop: Workshop, id: string) {
  const { status, stats } = await shop.readRun(id)
  const { rows } = await shop.pool.query(
    `select c.payload ->> 'object' as object, c.provenance ->> 'created_by' as author, r.version,
       (select array_agg(action order by a.id) from audit_entries as a where a.record_id = r.id) as log,
       (select count(*)::int from relations where source_id = r.id) as edges
     from records as r join contents as c on c.record_id = r.id where r.type = 'semantic' order by 1`,
  )
  const { rowCount: left } = await shop.pool.query('select from unconsolidated')
  return { status, extracted: stats['semantic_triples_extracted'], rows, left }
}

let undisturbed: Awaited<ReturnType<typeof conclude>>
beforeAll(async () => {
  undisturbed = await withEpisodes(async (shop, id) => {
    await hire(shop, 'worker').attend('consolidate', idle)
    return conclude(shop, id)
  })
  expect(undisturbed).toMatchObject({ status: 'succeeded', extracted: 4, left: 0 })
  expect(undisturbed.rows).toHaveLength(8)
})

it.each([
  ['in batch', 5],
  ['after batch', 9],
  ['before batch', 14],
  ['in batch', 20],
])('a worker killed %s %i, while a model reads, leaves nothing twice and nothing out', async (step, nth) => {
  await withEpisodes(async (shop, id) => {
    await runToDeath(shop.pool, [
      program,
      shop.url,
      shop.clock.now().toISOString(),
      step,
      String(nth),
      model.url,
    ])
    await shop.pool.query(`update job_leases set expires_at = $1`, [shop.clock.now()])
    await hire(shop, 'successor').attend('consolidate', idle)
    expect(await conclude(shop, id)).toEqual(undisturbed)
  })
})

it('two workers that are woken at once ask about each episode once', async () => {
  await withEpisodes(async (shop, id) => {
    model.requests.length = 0
    await Promise.all([1, 2].map((n) => hire(shop, `worker ${n}`).attend('consolidate', idle)))
    expect(await conclude(shop, id)).toEqual(undisturbed)
    expect(model.requests).toHaveLength(18)
  })
})

it('a worker that is told to stop while a model reads gives its episodes back', async () => {
  await withEpisodes(async (shop, id) => {
    model.requests.length = 0
    const stopping = new AbortController()
    const attending = hire(shop, 'leaving').attend('consolidate', stopping.signal)
    await until('the model to be asked', async () => model.requests.length > 2)
    stopping.abort()
    await attending
    expect((await shop.readRun(id)).status).toBe('queued')
    await hire(shop, 'successor').attend('consolidate', idle)
    expect(await conclude(shop, id)).toEqual(undisturbed)
  })
})
