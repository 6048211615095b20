import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { list } from '../support/capture-requests.ts'
import { figuresOf } from '../support/consolidation-requests.ts'
import { storeEpisodes } from '../support/insert-episodes.ts'
import { day, openWorkshop, type Workshop } from '../support/job-workers.ts'
import { runToDeath } from '../support/run-until-killed.ts'

const program = fileURLToPath(new URL('killed-consolidation-worker.ts', import.meta.url))

/** Told by a hundred episodes, in batches of twenty. */
async function withEpisodes<T>(work: (shop: Workshop, id: string) => Promise<T>): Promise<T> {
  const shop = await openWorkshop()
  try {
    await storeEpisodes(
      shop,
      'here',
      list(100).map((n) => `saying ${n % 9}`),
    )
    shop.clock.advance(day)
    return await work(shop, await shop.ask('consolidate'))
  } finally {
    await shop.close()
  }
}

async function conclude(shop: Workshop, id: string) {
  const { status, progress, ...run } = await shop.readRun(id)
  const { rows } = await shop.pool.query(
    `select r.type, r.version, r.base_salience, c.payload ->> 'object' as object,
       (select array_agg(action order by a.id) from audit_entries as a where a.record_id = r.id) as log,
       (select count(*)::int from relations where source_id = r.id) as edges
     from records as r join contents as c on c.record_id = r.id order by 1, 4, 2`,
  )
  return { status, progress, figures: figuresOf(run), rows }
}

let undisturbed: Awaited<ReturnType<typeof conclude>>
beforeAll(async () => {
  undisturbed = await withEpisodes(async (shop, id) => {
    await shop.hire('worker').attend('consolidate', new AbortController().signal)
    return conclude(shop, id)
  })
  expect(undisturbed.figures).toMatchObject({ semantic_extracted: 9, duplicates_resolved: 91 })
})

it.each([
  ['before batch', 1],
  ['in batch', 3],
  ['after batch', 5],
  ['in batch', 8],
  ['concluding', 1],
])('a worker killed %s %i leaves nothing that the next does not finish', async (step, nth) => {
  await withEpisodes(async (shop, id) => {
    await runToDeath(shop.pool, [program, shop.url, shop.clock.now().toISOString(), step, String(nth)])
    // As if its lease had lapsed, without the time in which something would fade.
    await shop.pool.query(`update job_leases set expires_at = $1`, [shop.clock.now()])
    await shop.hire('successor').attend('consolidate', new AbortController().signal)
    expect(await conclude(shop, id)).toEqual(undisturbed)
  })
})
