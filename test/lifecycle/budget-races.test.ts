import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findWrongSizes } from '../../src/checking/lifecycle-laws.queries.ts'
import { shareWorkerSetup } from '../support/apps/shared-store.ts'
import { isLongRun } from '../support/long-run.ts'
import { insertOverBudget, listLive, listRanks } from '../support/stores/budget-store.ts'
import type { WorkerSetup } from '../support/workers/worker-setup.ts'

const openSetup = shareWorkerSetup()
let setup: WorkerSetup
beforeEach(async () => {
  setup = await openSetup({ rows: 7, blocks: 1, shareFrom: 1_000_000 })
})
afterEach(async () => {
  expect(await findWrongSizes(setup.db)).toMatchObject({ broken: 0 })
})

const idle = () => new AbortController().signal
const oneToN = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** Runs `work` in a transaction of another client, and `meanwhile` before it commits. */
async function inOpenTransaction(statement: string, values: unknown[], meanwhile: () => Promise<void>) {
  const client = await setup.pool.connect()
  await client.query('begin')
  await client.query(statement, values)
  await meanwhile()
  await client.query('commit')
  client.release()
}

const forget = `update records set forgotten_at = now(), forgotten_reason = 'deleted', forgotten_by = 'ada',
  purge_at = now() + interval '30 days' where id = $1`

describe('a budget', () => {
  it('is held exactly by workers that race for several runs', async () => {
    await insertOverBudget(setup, { count: 110, max: 60 })
    const pinned = (await listLive(setup)).filter((each) => each.pinned)
    for (let run = 0; run < 3; run += 1) await setup.requestRun('decay')
    await Promise.all(['one', 'two', 'three'].map((name) => setup.createWorker(name).runJob('decay', idle())))
    const live = await listLive(setup)
    expect(live).toHaveLength(60)
    expect(live.filter((each) => each.pinned)).toEqual(pinned)
    expect(await listRanks(setup)).toEqual(oneToN(50))
  })

  it.each([1, 2, 4])(
    'is held exactly when a worker stops after batch %i and another one continues',
    async (nth) => {
      await insertOverBudget(setup, { count: 110, max: 60 })
      const id = await setup.requestRun('decay')
      const stop = new AbortController()
      let done = 0
      const countBatches = async () => {
        const { rowCount } = await setup.pool.query("select from maintenance_changes where action = 'forget'")
        done = (rowCount ?? 0) / 7
        if (done >= nth) stop.abort()
      }
      const observe = (step: string) => (step === 'after batch' ? countBatches() : undefined)
      await setup.createWorker('first', { observe }).runJob('decay', stop.signal)
      expect(await listLive(setup)).toHaveLength(110 - 7 * nth)
      await setup.createWorker('second').runJob('decay', idle())
      expect(await setup.readRun(id)).toMatchObject({ status: 'succeeded', stats: { over_budget: 50 } })
      expect(await listLive(setup)).toHaveLength(60)
      expect(await listRanks(setup)).toEqual(oneToN(50))
    },
  )

  it('waits for a transaction that removes records, and counts it', async () => {
    await insertOverBudget(setup, { count: 30, max: 29 })
    const last = (await listLive(setup)).findLast((each) => !each.pinned)
    let isEnded = false
    let run: Promise<unknown> = Promise.resolve()
    await inOpenTransaction(forget, [last?.id], async () => {
      run = setup.run('decay').then(() => {
        isEnded = true
      })
      await sleep(700)
      expect(isEnded).toBe(false)
    })
    await run
    expect(await listLive(setup)).toHaveLength(29)
    expect(await listRanks(setup)).toEqual([])
  })

  it('forgets the next record instead of one that a client has locked to pin it', async () => {
    await insertOverBudget(setup, { count: 30, max: 29 })
    const [first, second] = (await listLive(setup)).filter((each) => !each.pinned)
    const pin = 'update records set pinned = true, prune_at = null where id = $1'
    await inOpenTransaction(pin, [first?.id], async () => {
      await setup.run('decay')
    })
    const live = (await listLive(setup)).map(({ id }) => id)
    expect([live.length, live.includes(first?.id ?? ''), live.includes(second?.id ?? '')]).toEqual([
      29,
      true,
      false,
    ])
  })

  it('forgets records to which other transactions add rows that reference them', async () => {
    await insertOverBudget(setup, { count: 30, max: 20 })
    const reference = 'select from records where scope = $1 for key share'
    await inOpenTransaction(reference, ['a'], async () => {
      expect(await setup.run('decay')).toMatchObject({ status: 'succeeded', stats: { over_budget: 10 } })
    })
    expect(await listLive(setup)).toHaveLength(20)
  })

  it('tries again when all that it would forget was locked', async () => {
    await insertOverBudget(setup, { count: 30, max: 29 })
    const lowest = (await listLive(setup)).filter((each) => !each.pinned).slice(0, 2)
    const client = await setup.pool.connect()
    await client.query('begin')
    await client.query('select from records where id = any($1) for update', [lowest.map(({ id }) => id)])
    let batches = 0
    const observe = async (step: string) => {
      if (step === 'after batch') batches += 1
      // The first batch adds up the sizes, and the second one finds the locked records.
      if (batches === 2) await client.query('commit')
    }
    await setup.run('decay', { observe })
    client.release()
    expect((await listLive(setup)).map(({ id }) => id)).not.toContain(lowest[0]?.id)
    expect(await listLive(setup)).toHaveLength(29)
  })

  it('keeps a record that is worth more, protected or moved since the run read it', async () => {
    await insertOverBudget(setup, { count: 40, max: 36 })
    const [first, second, third, ...others] = (await listLive(setup)).filter((each) => !each.pinned)
    let isChanged = false
    const change = async () => {
      const { rowCount } = await setup.pool.query('select from scope_sizes where backend <> 0')
      // The rows of sizes are added up in the batch before the first that forgets.
      if (isChanged || rowCount !== 0) return
      isChanged = true
      await setup.pool.query('update records set importance = 1 where id = $1', [first?.id])
      await setup.pool.query("update records set deletion_policy = 'never', prune_at = null where id = $1", [
        second?.id,
      ])
      await setup.pool.query("update records set scope = 'b' where id = $1", [third?.id])
    }
    const observe = (step: string) => (step === 'before batch' ? change() : undefined)
    await setup.run('decay', { observe })
    expect(isChanged).toBe(true)
    const live = new Set((await listLive(setup)).map(({ id }) => id))
    const forgotten = [first, second, third, ...others].filter((each) => !live.has(each?.id ?? ''))
    // One left the scope, so three more must go.
    expect(forgotten).toEqual(others.slice(0, 3))
  })

  it('is held while clients create, delete, pin and change records', async () => {
    const { count, max, runs } = isLongRun
      ? { count: 150, max: 80, runs: 4 }
      : { count: 40, max: 20, runs: 2 }
    await insertOverBudget(setup, { count, max, mode: 'hard' })
    const pinned = (await listLive(setup)).filter((each) => each.pinned).map(({ id }) => id)
    let isOver = false
    const storm = ['one', 'two', 'three'].map(async (name, place) => {
      for (let round = 0; !isOver; round += 1) {
        const offset = (place + 1) * 10_000 + round
        await setup.pool.query(
          `with copied as (
             select r.*, ('00000000-0000-7000-8000-' || lpad(to_hex($1::int), 12, '0'))::uuid as new_id from records as r
             where not pinned limit 1
           ), added as (
             insert into records (id, created_at, updated_at, salience, base_salience, anchored_at,
               last_reinforced_at, prune_at, half_life_seconds, max_age_seconds, min_salience, reinforcement_gain,
               confidence, importance, base_importance, emotional_valence, access_count, confirmation_count, version,
               type, sensitivity, layer, memory_kind, status, source_type, curve, deletion_policy, pinned, scope)
             select new_id, created_at, updated_at, 1, 1, anchored_at, last_reinforced_at, prune_at, half_life_seconds,
               0, 0, 0.1, 1, 0.5, 0.5, 0, 0, 0, 1, type, sensitivity, layer, memory_kind, 'active', source_type,
               curve, 'auto_prune', false, 'a'
             from copied returning id
           )
           insert into contents (record_id, tags, payload, provenance, search)
           select id, '{}', jsonb_build_object('kind', 'semantic', 'object', $2::text),
             '{"sources": [{"kind": "event", "ref": "test"}]}', '' from added`,
          [offset, name.repeat(round % 50)],
        )
        const chosen =
          'id = (select id from records where forgotten_at is null and not pinned order by random() limit 1)'
        if (round % 3 === 0) {
          await setup.pool.query(`update records set layer = 'episodic' where ${chosen}`)
          await setup.pool.query(
            `with locked as materialized (select id from records where ${chosen} for update)
             update contents set payload = payload || '{"object": "short"}' from locked where record_id = id`,
          )
        }
        if (round % 5 === 0) await setup.pool.query(`delete from records where ${chosen}`)
        // Without a pause they add records faster than a run forgets them.
        await sleep(3)
      }
    })
    for (let run = 0; run < runs; run += 1) await setup.run('decay')
    isOver = true
    await Promise.all(storm)
    await setup.run('decay')
    const live = await listLive(setup)
    expect(live).toHaveLength(max)
    expect(pinned.every((id) => live.some((each) => each.id === id))).toBe(true)
  })
})
