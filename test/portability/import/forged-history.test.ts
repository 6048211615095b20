import { sql } from 'kysely'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { listBrokenLaws } from '../../support/checks/broken-laws.ts'
import { listLineResults } from '../../support/files/foreign-files.ts'
import { exportLines, importLines } from '../../support/requests/export-and-import.ts'
import { type Body, create, fact, payloads, read } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the import tests' } })
afterAll(() => app.close())

const at = '2026-01-02T00:00:00.000Z'
const ids = Array.from({ length: 10 }, (_, index) => `0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a1${index}`)
const statusAfterErase = async (erased: string, id: string) => {
  const body = { actor: 'a', rationale: 'b' }
  expect((await app.request('POST', `/v1/records/${erased}/erase`, { body })).status).toBe(200)
  return (await app.request('GET', `/v1/records/${id}`)).status
}

describe('a line of an import that leaves out what the service would have written', () => {
  it('gets the descent of a captured or derived fact, so that an erase finds it', async () => {
    const [source, captured, dreamt] = ids
    const derivedFrom = (id: string | undefined, audit: object, more: object) =>
      fact({
        id,
        created_at: at,
        payload: { ...payloads.semantic, object: id },
        ...more,
        relations: [{ predicate: 'derived_from', target_id: source, created_at: at }],
        audit_log: [{ action: 'create', actor: 'a', timestamp: at, ...audit }],
      })
    const imported = await importLines(app, [
      { id: source, type: 'episodic', payload: { kind: 'episodic', timeline: [] } },
      derivedFrom(captured, { rationale: 'captured' }, { descent: [] }),
      derivedFrom(dreamt, { rationale: 'dream', run_id: ids[9] }, {}),
    ])
    expect(listLineResults(imported)).toEqual(['1 created', '2 created', '3 created'])
    expect(await listBrokenLaws(app)).toEqual([])
    expect(await statusAfterErase(source ?? '', captured ?? '')).toBe(410)
  })

  it('gets the edge of a successor to its predecessor', async () => {
    const [, , , old, fresh] = ids
    const revision = (object: string, more: object) => ({ ...payloads.semantic, object, revision: more })
    const move = { old: 'active', new: 'superseded', step: 'supersede', actor: 'a', reason: 'r' }
    const imported = await importLines(app, [
      fact({
        id: old,
        created_at: at,
        status: 'superseded',
        salience: 0,
        payload: revision('old', { superseded_by: fresh, status: 'retracted' }),
        status_history: [{ ...move, changed_at: at }],
      }),
      fact({
        id: fresh,
        created_at: at,
        updated_at: at,
        payload: revision('new', { supersedes: old, status: 'active' }),
      }),
    ])
    expect(listLineResults(imported)).toEqual(['1 created', '2 created'])
    const { relations } = (await app.request('GET', `/v1/records/${fresh}`)).body as Body
    expect(relations).toMatchObject([{ predicate: 'supersedes', target_id: old }])
    expect(await listBrokenLaws(app)).toEqual([])
  })

  it('gets the identifiers of a current entity, and loses those of a merged one', async () => {
    const entity = (name: string) => ({
      kind: 'entity',
      canonical_name: name,
      primary_type: 'Service',
      summary: name,
      identifiers: [{ namespace: 'git', value: name }],
    })
    const step = { actor: 'a', reason: 'r', changed_at: at }
    const imported = await importLines(app, [
      { type: 'entity', payload: entity('billing'), identifiers: [] },
      {
        type: 'entity',
        payload: entity('orders'),
        created_at: at,
        status: 'merged',
        salience: 0,
        identifiers: [{ namespace: 'git', value: 'orders' }],
        status_history: [{ ...step, old: 'active', new: 'merged', step: 'merge' }],
      },
    ])
    expect(listLineResults(imported)).toEqual(['1 created', '2 created'])
    const owned = await app.db.selectFrom('entity_identifiers').select('value').execute()
    expect(owned).toEqual([{ value: 'billing' }])
    expect((await listBrokenLaws(app)).filter((law) => law.includes('identifiers'))).toEqual([])
  })

  it('logs a second showing to the same key on one day only once', async () => {
    const id = ids[8] ?? ''
    const shown = (hour: string, key_id: string) => ({
      at: `2026-01-02T${hour}:00:00.000Z`,
      kind: 'served',
      actor: 'a',
      key_id,
    })
    const access_log = [shown('01', 'k'), shown('02', 'k'), shown('02', 'other')]
    const counts = { access_count: 3, served_count: 3, last_accessed_at: '2026-01-02T02:00:00.000Z' }
    const imported = await importLines(app, [fact({ id, created_at: at, ...counts, access_log })])
    expect(listLineResults(imported)).toEqual(['1 created'])
    const logged = app.db
      .selectFrom('access_log')
      .where('record_id', '=', id)
      .select('key_id')
      .orderBy('key_id')
    expect(await logged.execute()).toEqual([{ key_id: 'k' }, { key_id: 'other' }])
    expect((await listBrokenLaws(app)).filter((law) => law.includes('accesses'))).toEqual([])
  })
})

describe('a payload that names a predecessor', () => {
  it('is no revision: an import of its export links nothing', async () => {
    const victim = await create(app, fact({ scope: 'theirs', sensitivity: 'hyper' }))
    const forger = await create(
      app,
      fact({ scope: 'mine', payload: { ...payloads.semantic, object: 'forged' } }),
    )
    // As a version that did not check the revision of a new record stored it.
    await sql`
      update contents set payload = payload || ${JSON.stringify({ revision: { supersedes: victim.id, status: 'active' } })}::jsonb
      where record_id = ${forger.id}
    `.execute(app.db)
    const { text } = await exportLines(app, '?scope=mine')
    expect(text).toContain(victim.id)
    expect(listLineResults(await importLines(app, text))).toEqual(['1 unchanged'])
    expect((await read(app, forger.id)).relations).toEqual([])
    expect(await read(app, victim.id)).toMatchObject({ relations: [], version: 1 })

    const empty = await startTestApp()
    onTestFinished(() => empty.close())
    await importLines(empty, [fact({ id: victim.id })])
    expect(listLineResults(await importLines(empty, text))).toEqual(['1 created'])
    expect((await read(empty, forger.id)).relations).toEqual([])
  })

  it('is a revision when its descent says so', async () => {
    const { reports } = await importLines(app, [fact()])
    const old = reports[0].id
    const fresh = '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a20'
    const line = {
      ...fact({
        id: fresh,
        payload: { ...payloads.semantic, object: 'newer', revision: { supersedes: old, status: 'active' } },
      }),
      descent: [{ source_id: old, kind: 'supersede', is_ground: false }],
    }
    expect(listLineResults(await importLines(app, [line]))).toEqual(['1 created'])
    expect((await read(app, fresh)).relations).toMatchObject([{ predicate: 'supersedes', target_id: old }])
  })
})
