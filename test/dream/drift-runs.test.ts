import { rm } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { openDriftApp, shareDriftApp } from '../support/apps/drift-app.ts'

const zero = { checked: 0, drift_challenged: 0, drift_invalidated: 0, drift_restored: 0, unknown: 0 }

const openDrift = shareDriftApp()

describe('a run of the step drift', () => {
  it('counts each miss once when it is resumed', async () => {
    const { app, createFact, requestRun, attend, readRun, readStatus } = await openDrift({
      'src/b.ts': '',
    })
    const records = []
    for (let n = 0; n < 6; n++) records.push(await createFact(n % 2 ? 'src/b.ts' : 'src/a.ts'))
    const id = await requestRun()
    for (const afterBatch of [2, 1]) {
      const stop = new AbortController()
      let batches = 0
      const observe = (step: string) => {
        if (step === 'after batch' && ++batches === afterBatch) stop.abort()
      }
      await attend(stop.signal, { size: 1, observe })
      expect(await readRun(id)).toMatchObject({ status: 'queued' })
    }
    expect((await readRun(id)).stats).toMatchObject({ checked: 3, drift_challenged: 2 })
    // Simulates a lost position: the step checks the same records again.
    await app.database.pool.query('delete from drift_positions')
    await attend()
    const ended = await readRun(id)
    expect(ended).toMatchObject({ status: 'succeeded', attempts: expect.any(Number) })
    expect(ended.stats).toMatchObject({ drift_challenged: 3, drift_invalidated: 0 })
    const statuses = await Promise.all(records.map(readStatus))
    expect(statuses).toEqual(records.map((_, n) => (n % 2 ? 'active' : 'challenged')))
  })

  it('continues after the record where it stopped', async () => {
    const { createFact, requestRun, attend, readRun } = await openDrift()
    for (let n = 0; n < 5; n++) await createFact(`src/${n}.ts`)
    const id = await requestRun()
    const stop = new AbortController()
    await attend(stop.signal, { size: 2, observe: (step) => void (step === 'in batch' && stop.abort()) })
    expect((await readRun(id)).stats).toMatchObject({ checked: 2 })
    await attend(undefined, { size: 2 })
    expect(await readRun(id)).toMatchObject({
      status: 'succeeded',
      progress: { done: 5, total: 5 },
      stats: { checked: 5, drift_challenged: 5 },
    })
  })

  it('counts each miss once when several workers share it', async () => {
    const { createFact, requestRun, attend, readRun, readStatusHistory } = await openDrift()
    const records = []
    for (let n = 0; n < 20; n++) records.push(await createFact(`src/${n}.ts`))
    const id = await requestRun()
    await Promise.all([1, 2, 3].map(() => attend(undefined, { size: 3 })))
    expect(await readRun(id)).toMatchObject({ status: 'succeeded', stats: { drift_challenged: 20 } })
    for (const record of records) expect(await readStatusHistory(record)).toHaveLength(1)
  })

  it('reports the same in a dry run and changes nothing', async () => {
    const { app, createFact, dream, readStatus, readStatusHistory, readMisses } = await openDrift()
    const record = await createFact('src/a.ts')
    for (let n = 0; n < 2; n++) {
      const run = await dream({ dry_run: true })
      expect(run.stats).toMatchObject({ ...zero, checked: 1, drift_challenged: 1 })
      const { body } = await app.request('GET', `/v1/maintenance/runs/${run.id}/changes`)
      expect(body).toMatchObject({ items: [{ record_id: record.id, action: 'drift_challenge' }] })
    }
    expect(await readStatus(record)).toBe('active')
    expect(await readStatusHistory(record)).toEqual([])
    expect(await readMisses()).toEqual([])
    expect((await app.database.pool.query('select * from drift_positions')).rows).toEqual([])
  })

  it('checks only records of its scope', async () => {
    const { createFact, dream, readStatus } = await openDrift()
    const mine = await createFact('src/a.ts', { scope: 'mine' })
    const other = await createFact('src/a.ts', { scope: 'other' })
    const none = await createFact('src/a.ts')
    expect((await dream({ scope: 'mine' })).stats).toMatchObject({ checked: 1, drift_challenged: 1 })
    expect(await Promise.all([mine, other, none].map(readStatus))).toEqual(['challenged', 'active', 'active'])
  })

  it('skips a record that it cannot write', async () => {
    const { app, createFact, dream, readStatus } = await openDriftApp()
    const records = [await createFact('src/1.ts'), await createFact('src/2.ts'), await createFact('src/3.ts')]
    await app.database.pool.query(
      `create function sabotage() returns trigger language plpgsql as $$ begin
         if new.record_id = '${records[1].id}' then raise exception 'no'; end if; return new; end $$`,
    )
    await app.database.pool.query(
      'create trigger sabotage before insert on status_changes for each row execute function sabotage()',
    )
    const run = await dream()
    expect(run).toMatchObject({ status: 'succeeded', stats: { checked: 3, drift_challenged: 2, failed: 1 } })
    expect(run.progress).toEqual({ done: 3, total: 3 })
    expect(await Promise.all(records.map(readStatus))).toEqual(['challenged', 'active', 'challenged'])
    const { body } = await app.request('GET', `/v1/maintenance/runs/${run.id}/changes`)
    expect(body).toMatchObject({
      items: expect.arrayContaining([
        { record_id: records[1].id, action: 'failed', note: expect.any(String) },
      ]),
    })
  })
})

describe('a drift root of a run', () => {
  it.each(['removed', 'empty'])('that is %s causes no miss', async (how) => {
    const { createFact, dream, check, root, readStatus, writeRootFile } = await openDrift({
      'src/a.ts': '',
    })
    const there = await createFact('src/a.ts')
    const gone = await createFact('src/gone.ts')
    await dream()
    expect(await readStatus(gone)).toBe('challenged')
    await rm(root, { recursive: true })
    if (how === 'empty') await writeRootFile('x').then(() => rm(`${root}/x`))
    for (let n = 0; n < 2; n++) {
      expect((await dream()).stats).toMatchObject({ ...zero, checked: 2, unknown: 2 })
    }
    expect([await readStatus(there), await readStatus(gone)]).toEqual(['active', 'challenged'])
    expect(await check()).toMatchObject({ found: 0, missing: 0, unknown: 2, score: 100 })
  })

  it('applies to records of its scope only', async () => {
    const other = await openDrift({ 'docs/b.md': '' })
    const { app, createFact, dream, root, readStatus } = await openDriftApp(
      { 'src/a.ts': '' },
      { MEMBRANE_DRIFT_ROOTS: `manual=${other.root}` },
    )
    expect(app.config.driftRoots).toEqual([{ directory: other.root, scope: 'manual' }])
    const here = await createFact('docs/b.md', { scope: 'manual' })
    const gone = await createFact(`src/a.ts and ${other.root}/docs`, { scope: 'manual' })
    const beside = await createFact('docs/c.md and src/a.ts', { scope: 'beside' })
    const unspoken = await createFact(`${other.root}/docs/c.md and ${root}/src/b.ts`)
    expect((await dream()).stats).toMatchObject({ ...zero, checked: 2, drift_challenged: 1 })
    expect(await Promise.all([here, gone, beside, unspoken].map(readStatus))).toEqual([
      'active',
      'challenged',
      'active',
      'active',
    ])
  })

  it('is combined with others: found below any is found, and a missing root prevents a miss', async () => {
    const other = await openDrift({ 'lib/b.ts': '', 'package.json': '{"scripts": {"build": ""}}' })
    const { createFact, dream, root, readStatus } = await openDriftApp(
      { 'src/a.ts': '' },
      { MEMBRANE_DRIFT_ROOTS: `${other.root},${other.base}/absent` },
    )
    expect(root).not.toBe(other.root)
    const records = [
      await createFact('lib/b.ts and npm run build'),
      await createFact('lib/c.ts'),
      await createFact(`lib/b.ts and ${other.root}/lib/c.ts`),
    ]
    const gone = await createFact(`${other.root}/lib/c.ts`)
    expect((await dream()).stats).toMatchObject({ ...zero, checked: 4, unknown: 1, drift_challenged: 1 })
    expect(await Promise.all(records.map(readStatus))).toEqual(['active', 'active', 'active'])
    expect(await readStatus(gone)).toBe('challenged')
  })

  it('that is no project decides nothing about scripts', async () => {
    const { createFact, dream, writeRootFile, readStatus } = await openDrift()
    const record = await createFact('npm run build')
    expect((await dream()).stats).toMatchObject({ ...zero, checked: 1, unknown: 1 })
    await writeRootFile('package.json', 'broken')
    expect((await dream()).stats).toMatchObject({ ...zero, checked: 1, unknown: 1 })
    expect(await readStatus(record)).toBe('active')
  })
})
