import { describe, expect, it } from 'vitest'
import { shareWorkerSetup } from '../support/apps/shared-store.ts'
import { insertRecordHistories, type RecordHistory } from '../support/stores/record-histories.ts'
import {
  buildHistory,
  buildUses,
  expectedOutcomes,
  insertDreamRecords,
  readOutcomes,
  readRecordTables,
  readRunChanges,
} from '../support/workers/dream-workers.ts'
import { day } from '../support/workers/test-works.ts'

const openSetup = shareWorkerSetup()

describe('the step forget of a dream', () => {
  it('promotes records that qualify and archives unimportant old ones, each once', async () => {
    const setup = await openSetup()
    const ids = await insertDreamRecords(setup, 120)
    const run = await setup.run('dream')
    expect(run).toMatchObject({
      status: 'succeeded',
      stats: { promoted_episodic: 40, promoted_semantic: 20, archived: 40 },
    })
    const outcomes = await readOutcomes(setup, ids)
    for (const [n, outcome] of outcomes.entries())
      expect(outcome).toMatchObject(expectedOutcomes[n % 6] ?? {})
    expect(outcomes[1]).toMatchObject({
      forgotten_by: 'dream/forget',
      version: 2,
      purge_at: new Date(setup.clock.now().getTime() + 30 * day),
      audit: [
        ['promote', ['working', 'episodic']],
        ['archive', null],
      ],
    })
    expect(run.progress.done).toBeGreaterThanOrEqual(100)

    const before = await readRecordTables(setup)
    const again = await setup.run('dream')
    expect(again.stats).toMatchObject({ promoted_episodic: 0, promoted_semantic: 0, archived: 0 })
    expect(await readRecordTables(setup)).toEqual(before)
  })

  it('records the reason in the audit log and in the changes of the run', async () => {
    const setup = await openSetup()
    const [id = ''] = await insertRecordHistories(
      setup.pool,
      [buildHistory('episodic', 100 * day)],
      setup.clock.now(),
    )
    const run = await setup.run('dream')
    const [change] = (await readRunChanges(setup, run.id)).filter(({ action }) => action === 'archive')
    expect(change).toMatchObject({
      record_id: id,
      action: 'archive',
      before: { retention: 0, accesses: 0, age_days: 100 },
      after: { forgotten_at: setup.clock.now().toISOString() },
    })
    expect(change.before.importance).toBeGreaterThan(0.2)
    expect(change.before.importance).toBeLessThan(0.3)
    const { rows } = await setup.pool.query(`select * from audit_entries where record_id = $1`, [id])
    expect(rows).toMatchObject([
      { action: 'archive', actor: 'dream/forget', run_id: run.id, at: setup.clock.now() },
    ])
    expect(rows[0].changes.forgotten[1]).toMatchObject({
      reason: 'archived',
      actor: 'dream/forget',
      retention: 0,
      accesses: 0,
      age_days: 100,
      importance: change.before.importance,
    })
  })

  const exempt: [string, Partial<RecordHistory>, string][] = [
    ['is pinned', {}, `pinned = true`],
    ['has the policy manual_only', {}, `deletion_policy = 'manual_only'`],
    ['has the policy never', {}, `deletion_policy = 'never'`],
    ['was invalidated', {}, `status = 'invalidated'`],
    ['is of a layer that never fades', { layer: 'codebase' }, `version = 1`],
    ['is exactly 90 days old', { age_ms: 90 * day }, `version = 1`],
    ['was stored or restored less than 90 days ago', {}, `anchored_at = created_at + interval '11 days'`],
    ['is important', { base_importance: 0.9 }, `version = 1`],
    ['was used three times', { accesses: buildUses(3, 99 * day) }, `version = 1`],
    ['was used a week ago', { accesses: buildUses(1, 7 * day) }, `version = 1`],
  ]
  it('leaves what is exempt, for each reason alone', async () => {
    const setup = await openSetup()
    const lives = exempt.map(([, more]) => buildHistory('episodic', 100 * day, more))
    const old = buildHistory('episodic', 100 * day)
    const ids = await insertRecordHistories(setup.pool, [...lives, old], setup.clock.now())
    for (const [n, [, , change]] of exempt.entries())
      await setup.pool.query(`update records set ${change} where id = $1`, [ids[n]])
    await setup.run('dream')
    const outcomes = await readOutcomes(setup, ids)
    const left = exempt.map(([why], n) => ({ why, reason: outcomes[n]?.reason, audit: outcomes[n]?.audit }))
    expect(left).toEqual(exempt.map(([why]) => ({ why, reason: null, audit: [] })))
    expect(outcomes.at(-1)).toMatchObject({ reason: 'archived' })
  })

  it('changes only records of its scope', async () => {
    const setup = await openSetup()
    const ids = await insertDreamRecords(setup, 12)
    await setup.pool.query(`update records set scope = 'team' where id = any($1)`, [ids.slice(0, 6)])
    const run = await setup.run('dream', { scope: 'team' })
    expect(run.stats).toMatchObject({ promoted_episodic: 2, promoted_semantic: 1, archived: 2 })
    const outcomes = await readOutcomes(setup, ids)
    for (const [n, outcome] of outcomes.slice(0, 6).entries())
      expect(outcome).toMatchObject(expectedOutcomes[n] ?? {})
    for (const outcome of outcomes.slice(6)) expect(outcome).toMatchObject({ reason: null, version: 1 })
  })

  it('reports in a dry run what it would change, and changes nothing', async () => {
    const setup = await openSetup()
    await insertDreamRecords(setup, 90)
    // As a working record it would be archived; after its promotion it is important enough to stay.
    const spared = buildHistory('working', 100 * day, { base_importance: 0.72, source_type: 'ingest' })
    const [borderline] = await insertRecordHistories(setup.pool, [spared], setup.clock.now())
    const before = await readRecordTables(setup)
    const dryRun = await setup.run('dream', { dryRun: true })
    expect(await readRecordTables(setup)).toEqual(before)
    const run = await setup.run('dream')
    // A dry run does the work and rolls it back.
    const { promoted_episodic, promoted_semantic, archived } = run.stats
    expect(dryRun.stats).toMatchObject({ promoted_episodic, promoted_semantic, archived })
    expect(archived).toBe(30)
    const changes = await readRunChanges(setup, dryRun.id)
    expect(changes).toEqual(await readRunChanges(setup, run.id))
    expect(changes.length).toBe(75 + 1)
    expect(changes.filter(({ record_id }) => record_id === borderline)).toMatchObject([{ action: 'promote' }])
  })

  it('skips a record that another transaction has locked, and takes it in the next run', async () => {
    const setup = await openSetup()
    const ids = await insertDreamRecords(setup, 6)
    const client = await setup.pool.connect()
    await client.query('begin')
    await client.query('select from records where id = $1 for update', [ids[2]])
    expect((await setup.run('dream')).stats).toMatchObject({ archived: 1 })
    await client.query('rollback')
    client.release()
    expect((await setup.run('dream')).stats).toMatchObject({ archived: 1 })
    expect((await readOutcomes(setup, ids))[2]).toMatchObject({ reason: 'archived' })
  })
})
