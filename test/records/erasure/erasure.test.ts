import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { purgeForgotten } from '../../../src/records/index.ts'
import { type Body, create, expectProblem, read, say } from '../../support/requests/record-requests.ts'
import { type RequestOptions, startTestApp } from '../../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the erasing tests' } })
afterAll(() => app.close())

const reason = { actor: 'desk', rationale: 'request 4711' }
const erase = (id: string, more: object = {}, options: RequestOptions = {}) =>
  app.request('POST', `/v1/records/${id}/erase`, { ...options, body: { ...reason, ...more } })
const from = (...ids: string[]) => ({
  provenance: { sources: ids.map((id) => ({ kind: 'event', ref: `record:${id}` })) },
})

/** Reads every row of every table as text. */
async function readAllRows(): Promise<string> {
  const tables = [
    'records',
    'contents',
    'relations',
    'audit_entries',
    'departures',
    'tombstones',
    'idempotency_keys',
  ]
  const texts = await Promise.all(
    tables.map((table) =>
      sql<{ text: string }>`select r::text as text from ${sql.table(table)} as r`.execute(app.db),
    ),
  )
  return texts.flatMap(({ rows }) => rows.map(({ text }) => text)).join('\n')
}

describe('POST /v1/records/{id}/erase', () => {
  it('leaves the actor and the time, and no word of the content', async () => {
    const headers = { 'idempotency-key': 'create-the-secret' }
    const record = await create(app, say('xylophone', { tags: ['xylophone-tag'] }), { headers })
    await app.request('PATCH', `/v1/records/${record.id}`, { body: { tags: ['xylophone-too'] } })
    await app.request('POST', `/v1/records/${record.id}/reinforce`, {
      body: { actor: 'a', rationale: 'xylophone!' },
    })
    expect(await readAllRows()).toContain('xylophone')
    const { status, body } = await erase(record.id)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: record.id,
      erased_at: app.clock.now().toISOString(),
      actor: 'desk',
      via: { key_id: 'root', key_name: 'root' },
      removed: { records: 1, relations: 0, embeddings: 0, access_rows: 1 },
      derived_ids: [],
      kept: [],
      tombstone_ids: [expect.any(String)],
    })
    expect(await readAllRows()).not.toContain('xylophone')
    const gone = expectProblem(await app.request('GET', `/v1/records/${record.id}`), 410, 'record_erased')
    expect(gone.erased_at).toBe(app.clock.now().toISOString())
    const log = (await app.request('GET', `/v1/records/${record.id}/audit`)).body as Body
    expect(
      log.items.map(({ action, actor, rationale, changes }: Body) => [action, actor, rationale, changes]),
    ).toEqual([
      ['create', 'root', '', undefined],
      ['revise', 'root', '', undefined],
      ['reinforce', 'a', '', undefined],
      ['erase', 'desk', 'request 4711', undefined],
    ])
    const again = { headers, body: say('xylophone', { tags: ['xylophone-tag'] }) }
    expectProblem(await app.request('POST', '/v1/records', again), 409, 'erased_content')
  })

  it('removes the record from the stored answer of a batch', async () => {
    const options = {
      headers: { 'idempotency-key': 'a-batch' },
      body: { records: [say('malachite'), say('obsidian')] },
    }
    const first = (await app.request('POST', '/v1/records/batch', options)).body as Body
    await erase(first.results[0].record.id)
    expect(await readAllRows()).not.toContain('malachite')
    const again = await app.request('POST', '/v1/records/batch', options)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((again.body as Body).results).toEqual([{ index: 0, status: 410 }, first.results[1]])
  })

  it('leaves a record on which no operation works, including a second erase', async () => {
    const { id } = await create(app, say('closed'))
    await erase(id)
    expectProblem(await erase(id), 410, 'record_erased')
    expectProblem(
      await app.request('PATCH', `/v1/records/${id}`, { body: { tags: [] } }),
      410,
      'record_erased',
    )
    expectProblem(
      await app.request('POST', '/v1/records', { body: say('other', { id }) }),
      409,
      'record_exists',
    )
    const body = { actor: 'a', rationale: 'b' }
    expectProblem(await app.request('POST', `/v1/records/${id}/restore`, { body }), 410, 'record_erased')
  })

  it('erases a forgotten record, and a purged one of which only the log is left', async () => {
    const record = await create(app, say('quartz'))
    const other = await create(app, say('quartzite'))
    for (const { id } of [record, other]) {
      await app.request('PATCH', `/v1/records/${id}`, { body: { tags: ['quartz-tag'] } })
      await app.request('DELETE', `/v1/records/${id}?actor=a&rationale=b`)
    }
    expect((await erase(record.id)).body).toMatchObject({ removed: { records: 1 } })
    app.clock.advance(31 * 86_400_000)
    await purgeForgotten(app.db, app.clock.now(), 1_000)
    expect(await readAllRows()).toContain('quartz-tag')
    expect((await erase(other.id)).body).toMatchObject({ removed: { records: 0 }, tombstone_ids: [] })
    expect(await readAllRows()).not.toContain('quartz')
    expectProblem(await app.request('GET', `/v1/records/${other.id}`), 410, 'record_erased')
  })

  it('requires the version in If-Match and takes effect once under an Idempotency-Key', async () => {
    const { id } = await create(app, say('versioned'))
    expectProblem(await erase(id, {}, { headers: { 'if-match': '"4"' } }), 412, 'version_mismatch')
    const headers = { 'if-match': '"1"', 'idempotency-key': `erase-${id}` }
    const first = await erase(id, {}, { headers })
    expect((await erase(id, {}, { headers })).text).toBe(first.text)
  })

  it('requires permission and trust, and an admin for policy never, force and cascade', async () => {
    const key = await app.issueKey(['lifecycle:write'], { scopes: ['mine'], max_sensitivity: 'low' })
    const own = await create(app, say('own', { scope: 'mine' }))
    const secret = await create(app, say('secret', { scope: 'mine', sensitivity: 'medium' }))
    const theirs = await create(app, say('theirs', { scope: 'theirs' }))
    const kept = await create(app, say('kept', { lifecycle: { deletion_policy: 'never' } }))
    expectProblem(await erase(own.id, {}, { key: await app.issueKey(['records:write']) }), 403, 'forbidden')
    expectProblem(await erase(secret.id, {}, { key }), 403, 'above_ceiling')
    expectProblem(await erase(theirs.id, {}, { key }), 404, 'record_not_found')
    for (const more of [{ force: true }, { cascade: false }]) {
      expectProblem(await erase(own.id, more, { key }), 403, 'forbidden')
    }
    expect((await erase(own.id, {}, { key })).status).toBe(200)
    expectProblem(await erase(kept.id), 409, 'deletion_policy_never')
    expect((await erase(kept.id, { force: true })).status).toBe(200)
  })
})

describe('records derived from an erased record', () => {
  it('are erased when they have no other source, and lose this source otherwise', async () => {
    const root = await create(app, say('root'))
    const other = await create(app, say('other root'))
    const child = await create(app, say('child', from(root.id)))
    const grandchild = await create(app, say('grandchild', from(child.id)))
    const both = await create(app, say('both', from(child.id, other.id)))
    const cousin = await create(app, say('cousin', from(grandchild.id, child.id)))
    const { body } = await erase(root.id)
    const falling = [child.id, grandchild.id, cousin.id].sort()
    expect((body as Body).derived_ids).toEqual(falling)
    expect((body as Body).removed).toMatchObject({ records: 4, relations: 0 })
    expect((body as Body).kept).toEqual([both.id])
    expect((body as Body).tombstone_ids).toHaveLength(4)
    for (const id of falling)
      expectProblem(await app.request('GET', `/v1/records/${id}`), 410, 'record_erased')
    const left = await read(app, both.id)
    expect(left.provenance.sources).toEqual([{ kind: 'event', ref: `record:${other.id}` }])
    expect(left).toMatchObject({
      version: 2,
      audit_log: [{ action: 'create' }, { action: 'revise', actor: 'desk' }],
    })
    expect(await read(app, other.id)).toMatchObject({ version: 1 })
  })

  it('are kept without their source when an admin sets cascade to false', async () => {
    const root = await create(app, say('lone root'))
    const child = await create(app, say('lone child', from(root.id)))
    const { body } = await erase(root.id, { cascade: false })
    expect(body).toMatchObject({ removed: { records: 1 }, derived_ids: [] })
    const left = await read(app, child.id)
    expect(left.provenance.sources).toEqual([{ kind: 'event', ref: 'erased' }])
    expect(left.relations).toEqual([])
  })

  it('block the erase when their policy is never', async () => {
    const root = await create(app, say('a kept root'))
    await create(app, say('a kept child', { ...from(root.id), lifecycle: { deletion_policy: 'never' } }))
    expectProblem(await erase(root.id), 409, 'deletion_policy_never')
    expect((await erase(root.id, { force: true })).body).toMatchObject({ removed: { records: 2 } })
  })

  it.each([
    ['of another scope', { scope: 'theirs' }],
    ['without scope', {}],
    ['above the ceiling', { scope: 'mine', sensitivity: 'medium' }],
  ])('block a forced erase when their policy is never and they are %s', async (place, more) => {
    const root = await create(app, say(`the root of one ${place}`, { scope: 'mine' }))
    const lifecycle = { deletion_policy: 'never' }
    const child = await create(app, say(`one ${place}`, { ...more, ...from(root.id), lifecycle }))
    const key = await app.issueKey(['admin'], { scopes: ['mine'], max_sensitivity: 'low' })
    expectProblem(await erase(root.id, { force: true }, { key }), 409, 'deletion_policy_never')
    expect(await read(app, root.id)).toMatchObject({ version: 1 })
    expect(await read(app, child.id)).toMatchObject({ version: 1, lifecycle })
    const alone = await erase(root.id, { cascade: false }, { key })
    expect(alone.body).toMatchObject({ removed: { records: 1 }, derived_ids: [] })
    expect(await read(app, child.id)).toMatchObject({ provenance: { sources: [{ ref: 'erased' }] } })
  })

  it('are erased when the caller cannot see them, and the answer does not reveal them', async () => {
    const root = await create(app, say('seen', { scope: 'mine' }))
    const hidden = await create(app, say('unseen', { scope: 'theirs', ...from(root.id) }))
    const key = await app.issueKey(['lifecycle:write'], { scopes: ['mine'] })
    expect((await erase(root.id, {}, { key })).body).toMatchObject({
      removed: { records: 1 },
      derived_ids: [],
    })
    expectProblem(await app.request('GET', `/v1/records/${hidden.id}`), 410, 'record_erased')
  })
})
