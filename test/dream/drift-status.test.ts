import { describe, expect, it } from 'vitest'
import { openDriftApp, shareDriftApp } from '../support/apps/drift-app.ts'
import { create, read } from '../support/requests/record-requests.ts'
import { buildClaim, mergeRecords, revise } from '../support/requests/revision-requests.ts'

const zero = { checked: 0, drift_challenged: 0, drift_invalidated: 0, drift_restored: 0, unknown: 0 }

const openDrift = shareDriftApp()

describe('the status of a record that names a file', () => {
  it('does not change while the file exists, and records without references cost nothing', async () => {
    const { createFact, dream, app, readMisses } = await openDrift({
      'src/a.ts': 'export function run() {}',
    })
    const facts = [
      await createFact('it is in src/a.ts and src/a.ts#run'),
      await createFact('nothing'),
      await createFact(7),
    ]
    const before = await Promise.all(facts.map(({ id }) => read(app, id)))
    const run = await dream()
    expect(run).toMatchObject({ status: 'succeeded', stats: { ...zero, checked: 1 } })
    expect(run.progress).toEqual({ done: 3, total: 3 })
    expect(await Promise.all(facts.map(({ id }) => read(app, id)))).toEqual(before)
    expect(await readMisses()).toEqual([])
  })

  it('becomes challenged at the first miss, invalidated at the second, and active when the file returns', async () => {
    const drift = await openDrift({ 'src/a.ts': '' })
    const { createFact, dream, writeRootFile, removeRootFile, readStatus, app } = drift
    const record = await createFact('it is in src/a.ts', { lifecycle: { decay: { half_life_seconds: 1e9 } } })
    const { salience, base_importance, payload } = await read(app, record.id)
    await removeRootFile('src/a.ts')

    const first = await dream()
    expect(first.stats).toMatchObject({ ...zero, checked: 1, drift_challenged: 1 })
    expect(await readStatus(record)).toBe('challenged')
    expect(await drift.readMisses()).toMatchObject([
      { record_id: record.id, run_id: first.id, missed_at: app.clock.now(), reference: 'src/a.ts' },
    ])

    app.clock.advance(86_400_000)
    const second = await dream()
    expect(second.stats).toMatchObject({ ...zero, checked: 1, drift_invalidated: 1 })
    expect(await readStatus(record)).toBe('invalidated')
    expect((await dream()).stats).toMatchObject({ ...zero, checked: 1 })

    await writeRootFile('src/a.ts')
    expect((await dream()).stats).toMatchObject({ ...zero, checked: 1, drift_restored: 1 })
    const back = await read(app, record.id)
    expect(back).toMatchObject({ status: 'active', base_importance, payload })
    expect(back.salience).toBeCloseTo(salience, 3)
    expect(await drift.readMisses()).toEqual([])

    const history = await drift.readStatusHistory(record)
    expect(history.map((each) => [each.old, each.new, each.step, each.actor, each.reason])).toEqual([
      ['active', 'challenged', 'drift', 'dream/drift', 'src/a.ts is missing'],
      ['challenged', 'invalidated', 'drift', 'dream/drift', 'src/a.ts is still missing'],
      ['invalidated', 'active', 'drift', 'dream/drift', 'all references were found again'],
    ])
    const changes = (await app.request('GET', `/v1/maintenance/runs/${second.id}/changes`)).body
    expect(changes).toEqual({
      hidden: 0,
      items: [
        {
          record_id: record.id,
          action: 'drift_invalidate',
          before: { status: 'challenged' },
          after: { status: 'invalidated' },
        },
      ],
    })
  })

  it('returns from challenged to active, and the next miss counts as the first', async () => {
    const { createFact, dream, writeRootFile, removeRootFile, readStatus } = await openDrift()
    const record = await createFact('src/a.ts')
    const comesTo = async (status: string) => {
      await dream()
      expect(await readStatus(record)).toBe(status)
    }
    await comesTo('challenged')
    await writeRootFile('src/a.ts')
    await comesTo('active')
    await removeRootFile('src/a.ts')
    await comesTo('challenged')
    await comesTo('invalidated')
  })

  it('changes when a name disappears from the file or a script from the package', async () => {
    const { createFact, dream, writeRootFile, readStatus } = await openDrift({
      'src/a.ts': 'export const rerun = 1',
      'package.json': '{"scripts": {"build": "x"}}',
    })
    const symbol = await createFact('src/a.ts#run')
    const script = await createFact('use npm run build:all')
    const kept = [await createFact('src/a.ts::rerun'), await createFact('use npm run build')]
    await dream()
    expect([await readStatus(symbol), await readStatus(script)]).toEqual(['challenged', 'challenged'])
    expect(await Promise.all(kept.map(readStatus))).toEqual(['active', 'active'])
    await writeRootFile('src/a.ts', 'run()')
    await writeRootFile('package.json', '{"scripts": {"build:all": "x", "build": "y"}}')
    expect((await dream()).stats).toMatchObject({ drift_restored: 2 })
  })

  it('changes for an entity of type File by its path', async () => {
    const { app, dream, readStatus } = await openDrift({ 'src/a.ts': '' })
    const entity = (value: string) => ({
      kind: 'entity',
      canonical_name: `file ${value}`,
      primary_type: 'File',
      identifiers: [{ namespace: 'path', value }],
    })
    const here = await create(app, { type: 'entity', payload: entity('src/a.ts') })
    const gone = await create(app, { type: 'entity', payload: entity('gone.txt') })
    await dream()
    expect([await readStatus(here), await readStatus(gone)]).toEqual(['active', 'challenged'])
  })

  it('does not change without roots or when the step was not requested', async () => {
    const { createFact, dream, readStatus } = await openDriftApp({}, { MEMBRANE_DRIFT_ROOTS: '' })
    const record = await createFact('src/a.ts')
    expect((await dream()).stats).toMatchObject(zero)
    expect(await readStatus(record)).toBe('active')
    const other = await openDrift()
    const also = await other.createFact('src/a.ts')
    await other.dream({ options: { steps: ['forget'] } })
    expect(await other.readStatus(also)).toBe('active')
  })
})

describe('the status of a record that others decide about', () => {
  it('does not change when the record is pinned, forgotten, invalidated or an episode', async () => {
    const { app, createFact, dream, setStatus } = await openDrift()
    const pinned = await createFact('src/a.ts', { lifecycle: { pinned: true } })
    const forgotten = await createFact('src/a.ts')
    await app.request('DELETE', `/v1/records/${forgotten.id}?actor=a&rationale=b`)
    const writeRootFile = []
    for (const status of ['invalidated', 'challenged']) {
      const record = await createFact('src/a.ts')
      expect((await setStatus(record, status)).status).toBe(200)
      writeRootFile.push(record)
    }
    const [superseded, ...merged] = [
      await createFact('src/a.ts'),
      await createFact('src/a.ts'),
      await createFact('src/a.ts'),
    ]
    writeRootFile.push(superseded, ...merged)
    const next = { record: buildClaim('elsewhere') }
    expect((await revise(app, 'supersede', superseded.id, next)).status).toBe(201)
    const both = merged.map(({ id }) => id)
    expect((await mergeRecords(app, both, buildClaim('elsewhere too'))).status).toBe(201)
    const payload = { kind: 'working', thread_id: 't', state: 'planning', next_actions: ['src/a.ts'] }
    const working = await create(app, { type: 'working', payload })
    const ids = [pinned, ...writeRootFile, working].map(({ id }) => id)
    const before = await Promise.all(ids.map((id) => read(app, id)))
    for (let n = 0; n < 3; n++) {
      expect((await dream()).stats).toMatchObject({ ...zero, checked: expect.any(Number) })
    }
    expect(await Promise.all(ids.map((id) => read(app, id)))).toEqual(before)
  })

  it('stays challenged by another actor when the file returns', async () => {
    const { createFact, dream, writeRootFile, setStatus, readStatus, readMisses } = await openDrift()
    const record = await createFact('src/a.ts')
    await dream()
    await setStatus(record, 'active')
    await setStatus(record, 'challenged')
    await writeRootFile('src/a.ts')
    expect((await dream()).stats).toMatchObject({ ...zero, checked: 1 })
    expect(await readStatus(record)).toBe('challenged')
    expect(await readMisses()).toEqual([])
  })

  it('stays as a reviewer set it for as long as the file is missing', async () => {
    const { createFact, dream, writeRootFile, removeRootFile, setStatus, readStatus } = await openDrift()
    const record = await createFact('src/a.ts')
    await dream()
    await setStatus(record, 'active')
    for (let n = 0; n < 3; n++) await dream()
    expect(await readStatus(record)).toBe('active')
    await writeRootFile('src/a.ts')
    await dream()
    await removeRootFile('src/a.ts')
    await dream()
    expect(await readStatus(record)).toBe('challenged')
  })

  it('does not change when a client changed it during the check', async () => {
    const { app, createFact, requestRun, attend, readRun, readStatusHistory, setStatus } = await openDrift()
    const record = await createFact('src/a.ts')
    const id = await requestRun()
    let isLeft = true
    const observe = async (step: string) => {
      if (step !== 'before batch' || !isLeft) return
      isLeft = false
      for (const status of ['challenged', 'active']) await setStatus(record, status)
    }
    await attend(undefined, { observe })
    const { status, stats } = await readRun(id)
    expect({ status, ...stats }).toMatchObject({ status: 'succeeded', ...zero, checked: 1 })
    expect(stats).not.toHaveProperty('failed')
    expect((await readStatusHistory(record)).map(({ step }) => step)).toEqual(['manual', 'manual'])
    expect((await read(app, record.id)).status).toBe('active')
  })
})
