import { rm } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { openDrift } from '../support/drift-app.ts'

const zero = { checked: 0, drift_challenged: 0, drift_invalidated: 0, drift_restored: 0, unknown: 0 }

describe('a run of the step', () => {
  it('that is taken up again is no later one, and counts nothing twice', async () => {
    const { app, tell, ask, attend, readRun, statusOf } = await openDrift({ 'src/b.ts': '' })
    const records = []
    for (let n = 0; n < 6; n++) records.push(await tell(n % 2 ? 'src/b.ts' : 'src/a.ts'))
    const id = await ask()
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
    // As if where it stood had been lost: it looks at the same records again.
    await app.database.pool.query('delete from drift_positions')
    await attend()
    const ended = await readRun(id)
    expect(ended).toMatchObject({ status: 'succeeded', attempts: expect.any(Number) })
    expect(ended.stats).toMatchObject({ drift_challenged: 3, drift_invalidated: 0 })
    const statuses = await Promise.all(records.map(statusOf))
    expect(statuses).toEqual(records.map((_, n) => (n % 2 ? 'active' : 'challenged')))
  })

  it('goes on where it stood', async () => {
    const { tell, ask, attend, readRun } = await openDrift()
    for (let n = 0; n < 5; n++) await tell(`src/${n}.ts`)
    const id = await ask()
    const stop = new AbortController()
    await attend(stop.signal, { size: 2, observe: (step) => void (step === 'in batch' && stop.abort()) })
    expect((await readRun(id)).stats).toMatchObject({ checked: 2 })
    await attend(undefined, { size: 2 })
    expect(await readRun(id)).toMatchObject({
      ...{ status: 'succeeded', progress: { done: 5, total: 5 } },
      stats: { checked: 5, drift_challenged: 5 },
    })
  })

  it('is one, whoever comes to it, and each miss counts once', async () => {
    const { tell, ask, attend, readRun, historyOf } = await openDrift()
    const records = []
    for (let n = 0; n < 20; n++) records.push(await tell(`src/${n}.ts`))
    const id = await ask()
    await Promise.all([1, 2, 3].map(() => attend(undefined, { size: 3 })))
    expect(await readRun(id)).toMatchObject({ status: 'succeeded', stats: { drift_challenged: 20 } })
    for (const record of records) expect(await historyOf(record)).toHaveLength(1)
  })

  it('rehearsed tells the same and changes nothing', async () => {
    const { app, tell, dream, statusOf, historyOf, readMisses } = await openDrift()
    const record = await tell('src/a.ts')
    for (let n = 0; n < 2; n++) {
      const run = await dream({ dry_run: true })
      expect(run.stats).toMatchObject({ ...zero, checked: 1, drift_challenged: 1 })
      const { body } = await app.request('GET', `/v1/maintenance/runs/${run.id}/changes`)
      expect(body).toMatchObject({ items: [{ record_id: record.id, action: 'drift_challenge' }] })
    }
    expect(await statusOf(record)).toBe('active')
    expect(await historyOf(record)).toEqual([])
    expect(await readMisses()).toEqual([])
    expect((await app.database.pool.query('select * from drift_positions')).rows).toEqual([])
  })

  it('of one scope looks at no other', async () => {
    const { tell, dream, statusOf } = await openDrift()
    const [mine, other, none] = [
      await tell('src/a.ts', { scope: 'mine' }),
      await tell('src/a.ts', { scope: 'other' }),
      await tell('src/a.ts'),
    ]
    expect((await dream({ scope: 'mine' })).stats).toMatchObject({ checked: 1, drift_challenged: 1 })
    expect(await Promise.all([mine, other, none].map(statusOf))).toEqual(['challenged', 'active', 'active'])
  })

  it('passes over a record that it cannot move', async () => {
    const { app, tell, dream, statusOf } = await openDrift()
    const records = [await tell('src/1.ts'), await tell('src/2.ts'), await tell('src/3.ts')]
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
    expect(await Promise.all(records.map(statusOf))).toEqual(['challenged', 'active', 'challenged'])
    const { body } = await app.request('GET', `/v1/maintenance/runs/${run.id}/changes`)
    expect(body).toMatchObject({
      items: expect.arrayContaining([
        { record_id: records[1].id, action: 'failed', note: expect.any(String) },
      ]),
    })
  })
})

describe('a root', () => {
  it.each(['removed', 'empty'])('that is %s takes no memory with it', async (how) => {
    const { tell, dream, check, root, statusOf, put } = await openDrift({ 'src/a.ts': '' })
    const [there, gone] = [await tell('src/a.ts'), await tell('src/gone.ts')]
    await dream()
    expect(await statusOf(gone)).toBe('challenged')
    await rm(root, { recursive: true })
    if (how === 'empty') await put('x').then(() => rm(`${root}/x`))
    for (let n = 0; n < 2; n++) {
      expect((await dream()).stats).toMatchObject({ ...zero, checked: 2, unknown: 2 })
    }
    expect([await statusOf(there), await statusOf(gone)]).toEqual(['active', 'challenged'])
    expect(await check()).toMatchObject({ found: 0, missing: 0, unknown: 2, score: 100 })
  })

  it('speaks for the records of its scope only', async () => {
    const other = await openDrift({ 'docs/b.md': '' })
    const { app, tell, dream, root, statusOf } = await openDrift(
      { 'src/a.ts': '' },
      { MEMBRANE_DRIFT_ROOTS: `manual=${other.root}` },
    )
    expect(app.config.driftRoots).toEqual([{ directory: other.root, scope: 'manual' }])
    const [here, gone, beside, unspoken] = [
      await tell('docs/b.md', { scope: 'manual' }),
      await tell(`src/a.ts and ${other.root}/docs`, { scope: 'manual' }),
      await tell('docs/c.md and src/a.ts', { scope: 'beside' }),
      await tell(`${other.root}/docs/c.md and ${root}/src/b.ts`),
    ]
    expect((await dream()).stats).toMatchObject({ ...zero, checked: 2, drift_challenged: 1 })
    expect(await Promise.all([here, gone, beside, unspoken].map(statusOf))).toEqual([
      ...['active', 'challenged', 'active', 'active'],
    ])
  })

  it('is one of several: what is beneath any is there, and one that is away keeps a record from being missed', async () => {
    const other = await openDrift({ 'lib/b.ts': '', 'package.json': '{"scripts": {"build": ""}}' })
    const { tell, dream, root, statusOf } = await openDrift(
      { 'src/a.ts': '' },
      { MEMBRANE_DRIFT_ROOTS: `${other.root},${other.base}/absent` },
    )
    expect(root).not.toBe(other.root)
    const records = [
      await tell('lib/b.ts and npm run build'),
      await tell('lib/c.ts'),
      await tell(`lib/b.ts and ${other.root}/lib/c.ts`),
    ]
    const gone = await tell(`${other.root}/lib/c.ts`)
    expect((await dream()).stats).toMatchObject({ ...zero, checked: 4, unknown: 1, drift_challenged: 1 })
    expect(await Promise.all(records.map(statusOf))).toEqual(['active', 'active', 'active'])
    expect(await statusOf(gone)).toBe('challenged')
  })

  it('that is no project says nothing about scripts', async () => {
    const { tell, dream, put, statusOf } = await openDrift()
    const record = await tell('npm run build')
    expect((await dream()).stats).toMatchObject({ ...zero, checked: 1, unknown: 1 })
    await put('package.json', 'broken')
    expect((await dream()).stats).toMatchObject({ ...zero, checked: 1, unknown: 1 })
    expect(await statusOf(record)).toBe('active')
  })
})
