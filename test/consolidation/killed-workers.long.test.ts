import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { runUntilKilled } from '../support/processes/run-until-killed.ts'
import { range } from '../support/requests/capture-requests.ts'
import { omitDurations } from '../support/requests/consolidation-requests.ts'
import { insertEpisodes } from '../support/stores/insert-episodes.ts'
import { day } from '../support/workers/test-works.ts'
import { openWorkerSetup, type WorkerSetup } from '../support/workers/worker-setup.ts'

const program = fileURLToPath(new URL('killed-consolidation-worker.ts', import.meta.url))

/** Inserts a hundred episodes, in batches of twenty. */
async function withEpisodes<T>(work: (setup: WorkerSetup, id: string) => Promise<T>): Promise<T> {
  const setup = await openWorkerSetup()
  try {
    await insertEpisodes(
      setup,
      'here',
      range(100).map((n) => `saying ${n % 9}`),
    )
    setup.clock.advance(day)
    return await work(setup, await setup.requestRun('consolidate'))
  } finally {
    await setup.close()
  }
}

async function readResult(setup: WorkerSetup, id: string) {
  const { status, progress, ...run } = await setup.readRun(id)
  const { rows } = await setup.pool.query(
    `select r.type, r.version, r.base_salience, c.payload ->> 'object' as object,
       (select array_agg(action order by a.id) from audit_entries as a where a.record_id = r.id) as log,
       (select count(*)::int from relations where source_id = r.id) as edges
     from records as r join contents as c on c.record_id = r.id order by 1, 4, 2`,
  )
  return { status, progress, figures: omitDurations(run), rows }
}

let undisturbed: Awaited<ReturnType<typeof readResult>>
beforeAll(async () => {
  undisturbed = await withEpisodes(async (setup, id) => {
    await setup.createWorker('worker').runJob('consolidate', new AbortController().signal)
    return readResult(setup, id)
  })
  expect(undisturbed.figures).toMatchObject({ semantic_extracted: 9, duplicates_resolved: 91 })
})

it.each([
  ['before batch', 1],
  ['in batch', 3],
  ['after batch', 5],
  ['in batch', 8],
  ['concluding', 1],
])('a worker killed %s %i leaves work that the next worker finishes', async (step, nth) => {
  await withEpisodes(async (setup, id) => {
    await runUntilKilled(program, setup, setup.clock, { step, nth })
    await setup.createWorker('successor').runJob('consolidate', new AbortController().signal)
    expect(await readResult(setup, id)).toEqual(undisturbed)
  })
})
