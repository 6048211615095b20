import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { published } from '../support/http/openapi-operations.ts'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

/**
 * Calls every GET of the published document with a low key of one scope, on a store in which hidden records are linked to
 * visible ones in every way that this release or the last one writes. No answer may name a hidden record.
 */

const paths = Object.keys(published.paths).filter((path) => published.paths[path]?.['get'] !== undefined)
const followed = '/v1/maintenance/runs/{id}/events'

let key: string
let admin: string
let visible: string[]
let hidden: string[]
let run: string

const root = (method: string, path: string, body?: object) => app.request(method, path, body ? { body } : {})
const secretWriter = 'writer-of-the-hidden'
const entity = (name: string) => ({ kind: 'entity', canonical_name: name, primary_type: 'Service' })

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the walking tests' } })
beforeAll(async () => {
  const trust = { scopes: ['mine'], max_sensitivity: 'low' }
  key = await app.issueKey(['records:read', 'maintenance:run'], trust)
  admin = await app.issueKey(['admin'], trust)
  await fill()
})
afterAll(() => app.close())

async function fill(): Promise<void> {
  const low = await create(app, fact({ scope: 'mine', sensitivity: 'low' }))
  const thing = await create(app, {
    type: 'entity',
    scope: 'mine',
    sensitivity: 'low',
    payload: entity('Orion'),
  })
  const above = await create(app, fact({ scope: 'mine', sensitivity: 'hyper' }))
  const next = await create(app, fact({ scope: 'mine', sensitivity: 'medium' }))
  const foreign = await create(app, fact({ scope: 'theirs', sensitivity: 'public' }))
  visible = [low.id, thing.id]
  hidden = [above.id, next.id, foreign.id]
  app.clock.advance(1_000)
  for (const id of hidden) {
    const link = { predicate: 'supports', actor: secretWriter, rationale: `see ${id}` }
    await root('POST', `/v1/records/${low.id}/relations`, { ...link, target_id: id })
    await root('POST', `/v1/records/${id}/relations`, { ...link, target_id: low.id })
    await write(low.id, id)
  }
  await root('POST', `/v1/records/${low.id}/status`, {
    status: 'challenged',
    reason: `as ${above.id} says`,
    actor: 'reviewer',
  })
  app.clock.advance(1_000)
  const reason = { actor: 'reviewer', rationale: 'useful' }
  await root('POST', `/v1/records/${low.id}/reinforce`, reason)
  run = await runWith([...visible, ...hidden])
}

/** Writes what the last release stored for a fact that a hidden episode confirmed. */
async function write(id: string, by: string): Promise<void> {
  const at = app.clock.now()
  const source = { kind: 'event', ref: by, timestamp: at.toISOString() }
  const evidence = { source_type: 'event', source_id: by, timestamp: at.toISOString() }
  await sql`
    update contents set
      provenance = jsonb_set(provenance, '{sources}', (provenance -> 'sources') || ${JSON.stringify(source)}::jsonb),
      payload = jsonb_set(payload, '{evidence}', (payload -> 'evidence') || ${JSON.stringify(evidence)}::jsonb)
    where record_id = ${id}::uuid
  `.execute(app.db)
  await sql`
    insert into relations (source_id, predicate, target_id, weight, created_at)
    values (${id}::uuid, 'derived_from', ${by}::uuid, 1, ${at}::timestamptz) on conflict do nothing
  `.execute(app.db)
  await sql`
    insert into audit_entries (record_id, action, actor, at, rationale, changes)
    values (${id}::uuid, 'reinforce', ${secretWriter}, ${at}::timestamptz, 'captured', '{"salience": [0.5, 0.6]}')
  `.execute(app.db)
}

async function runWith(ids: readonly string[]): Promise<string> {
  const body = { job: 'decay', scope: 'mine', dry_run: true }
  const { id } = (await root('POST', '/v1/maintenance/runs', body)).body as Body
  for (const record of [...ids, app.ids.next()]) {
    await sql`
      insert into maintenance_changes (run_id, record_id, action, before, after)
      values (${id}::uuid, ${record}::uuid, 'prune', '{"salience": 0.123}', null)
    `.execute(app.db)
  }
  return id
}

describe('a key of one scope with a low ceiling', () => {
  it.each(paths.filter((path) => path !== followed))('reads no hidden id from GET %s', async (path) => {
    const targets = path.includes('{id}') ? [...visible, run] : ['']
    for (const id of targets) {
      const filled = path.replace('{id}', id).replace('{type}', 'semantic').replace('{job}', 'decay')
      const query = path.endsWith('/lookup') ? '?name=Orion' : ''
      for (const each of [key, admin]) {
        const { status, text } = await app.request('GET', `${filled}${query}`, { key: each })
        // A redacted neighbour one level above appears by its id only.
        const named = [hidden[0], hidden[2], secretWriter].filter((word) => text.includes(word ?? ''))
        expect([path, status < 500, named]).toEqual([path, true, []])
      }
    }
  })

  it('reads the log of its record without the entries of hidden records', async () => {
    const { items } = (await app.request('GET', `/v1/records/${visible[0]}/audit`, { key })).body as Body
    expect(items.map(({ action }: Body) => action)).toEqual(['create', 'reinforce'])
    const embedded = (await app.request('GET', `/v1/records/${visible[0]}`, { key })).body as Body
    expect(embedded.audit_log.map(({ action }: Body) => action)).toEqual(['create', 'reinforce'])
  })

  it('reads the reason of a status change only when it sees the record that the reason names', async () => {
    const path = `/v1/records/${visible[0]}/status-history`
    const reasonOf = async (options: object) =>
      ((await app.request('GET', path, options)).body as Body).items[0].reason
    expect([await reasonOf({ key }), await reasonOf({})]).toEqual(['', `as ${hidden[0]} says`])
  })

  it('reads its record completely, and a patch loses nothing', async () => {
    const writer = await app.issueKey(['records:read', 'records:write'], { scopes: ['mine'] })
    const path = `/v1/records/${visible[0]}`
    const patched = await app.request('PATCH', path, { key: writer, body: { tags: ['seen'] } })
    const shown = patched.body as Body
    expect([patched.status, shown.payload.evidence, shown.provenance.sources.length]).toEqual([200, [], 1])
    const whole = (await root('GET', path)).body as Body
    expect([whole.payload.evidence.length, whole.provenance.sources.length]).toEqual([3, 4])
  })
})

describe('GET /v1/maintenance/runs/{id}/changes', () => {
  it('lists the records that the key may see, without values of redacted ones', async () => {
    const { body } = await app.request('GET', `/v1/maintenance/runs/${run}/changes`, { key })
    expect((body as Body).hidden).toBeUndefined()
    expect(new Set((body as Body).items)).toEqual(
      new Set([
        ...visible.map((id) => ({ record_id: id, action: 'prune', before: { salience: 0.123 } })),
        { record_id: hidden[1], action: 'prune', redacted: true },
      ]),
    )
  })

  it('counts the hidden changes for an admin', async () => {
    const of = async (options: object) =>
      (await app.request('GET', `/v1/maintenance/runs/${run}/changes`, options)).body as Body
    expect((await of({ key: admin })).hidden).toBe(3)
    const all = await of({})
    expect([all.hidden, all.items.length]).toEqual([0, 6])
  })

  it('pages as if the hidden changes did not exist', async () => {
    const path = `/v1/maintenance/runs/${run}/changes?limit=3`
    const { body } = await app.request('GET', path, { key })
    expect([(body as Body).items.length, (body as Body).next_cursor]).toEqual([3, undefined])
  })
})

describe('a run that touched hidden records', () => {
  it('does not name them in its changes and its error', async () => {
    const [low = '', thing = ''] = visible
    const [above = '', next = '', foreign = ''] = hidden
    const body = { job: 'dream', scope: 'mine', dry_run: true }
    const { id } = (await root('POST', '/v1/maintenance/runs', body)).body as Body
    const change = (record: string, action: string, after: object, note: string | null = null) =>
      sql`
        insert into maintenance_changes (run_id, record_id, action, before, after, note)
        values (${id}::uuid, ${record}::uuid, ${action}, '{"status": "active"}', ${JSON.stringify(after)}::jsonb, ${note})
      `.execute(app.db)
    await change(low, 'candidate', { members: [low, above, thing, next, foreign] })
    await change(low, 'failed', { status: 'active' }, `no ${above}`)
    await change(low, 'relate', { predicate: 'related_to', target_id: above })
    await change(low, 'supersede', { status: 'superseded', superseded_by: foreign })
    await change(thing, 'relate', { predicate: 'related_to', target_id: low })
    const error = `cluster: Error: no record ${above}`
    await app.db.updateTable('maintenance_runs').set({ error }).where('id', '=', id).execute()
    const read = async (path: string, options: object) =>
      (await app.request('GET', path, options)).body as Body
    const path = `/v1/maintenance/runs/${id}`
    const { items, hidden: count } = await read(`${path}/changes`, { key: admin })
    const changes = items.map(({ record_id, action, after, note }: Body) => [record_id, action, after, note])
    expect([new Set(changes), count]).toEqual([
      new Set([
        [low, 'candidate', { members: [low, thing] }, undefined],
        [low, 'failed', { status: 'active' }, undefined],
        [low, 'supersede', { status: 'superseded' }, undefined],
        [thing, 'relate', { predicate: 'related_to', target_id: low }, undefined],
      ]),
      1,
    ])
    expect([(await read(path, { key })).error, (await read(path, {})).error]).toEqual(['cluster', error])
    expect((await read(`${path}/changes`, {})).items.length).toBe(5)
  })
})

describe('an export by a key with a low ceiling', () => {
  it('can be imported again and contains no text of hidden records', async () => {
    const reader = await app.issueKey(['records:read', 'records:write'], { scopes: ['mine'] })
    const { text } = await app.request('GET', '/v1/export', { key: reader })
    const lines = text
      .trim()
      .split('\n')
      .map((line): Body => JSON.parse(line))
    const line = lines.find(({ id }) => id === visible[0])
    expect(line.payload.evidence).toEqual([])
    expect(line.provenance.sources.length).toBe(1)
  })
})
