import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { captureEpisode, createScope, listFacts } from '../support/requests/consolidation-requests.ts'
import { exportLines, importLines } from '../support/requests/export-and-import.ts'
import { perform } from '../support/requests/plan-requests.ts'
import { type Body, create, fact, payloads, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

let via: { key_id: string; key_name: string }
const root = { key_id: 'root', key_name: 'root' }
const auditFields = { actor: 'another client', rationale: 'because' }

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the via tests' } })
const key = await app.issueKey(['records:read', 'records:write', 'lifecycle:write'], { name: 'the writer' })
beforeAll(async () => {
  const { body } = await app.request('GET', '/v1/keys')
  const [{ id }] = (body as Body).items.filter(({ name }: Body) => name === 'the writer')
  via = { key_id: id, key_name: 'the writer' }
})
afterAll(() => app.close())

async function ask(method: string, path: string, body?: object): Promise<Body> {
  const answer = await app.request(method, path, { body, key })
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
  return answer.body
}

async function auditOf(id: string): Promise<Body[]> {
  const { body } = await app.request('GET', `/v1/records/${id}/audit`)
  return (body as Body).items
}

describe('the audit log of a record', () => {
  it('names the key as well as the actor for every operation of a client', async () => {
    const { id } = await create(app, fact(), { key })
    const other = await create(app, fact(), { key })
    for (const operation of ['reinforce', 'pin', 'unpin'])
      await ask('POST', `/v1/records/${id}/${operation}`, auditFields)
    await ask('POST', `/v1/records/${id}/penalize`, { ...auditFields, amount: 0.1 })
    await ask('PATCH', `/v1/records/${id}`, { tags: ['x'] })
    await ask('POST', `/v1/records/${id}/relations`, {
      ...auditFields,
      predicate: 'supports',
      target_id: other.id,
    })
    await ask('POST', `/v1/records/${id}/demote`, auditFields)
    await ask('POST', `/v1/records/${id}/promote`, auditFields)
    await ask('POST', `/v1/records/${id}/contest`, { ...auditFields, contesting_ref: 'a note' })
    await ask('POST', `/v1/records/${id}/uncontest`, auditFields)
    await ask('DELETE', `/v1/records/${id}?actor=client&rationale=because`)
    await ask('POST', `/v1/records/${id}/restore`, auditFields)
    await ask('POST', `/v1/records/${id}/retract`, auditFields)
    const log = await auditOf(id)
    expect(log.length).toBeGreaterThanOrEqual(13)
    for (const entry of log) expect(entry, entry.action).toMatchObject({ via })
    expect((await read(app, id)).audit_log).toEqual(log)
    const { items } = await ask('GET', `/v1/records/${id}/status-history`)
    expect(items.length).toBeGreaterThanOrEqual(1)
    for (const move of items) expect(move).toMatchObject({ via })
  })

  it('names the key of a retry under an Idempotency-Key, of revisions and of captures', async () => {
    const headers = { 'idempotency-key': 'via-1' }
    const { body: created } = await app.request('POST', '/v1/records', { body: fact(), key, headers })
    const old = (created as Body).id
    const record = {
      type: 'semantic',
      payload: { ...payloads.semantic, object: 'Zig' },
      provenance: { sources: [{ kind: 'event', ref: 'e' }] },
    }
    const { record: successor } = await ask('POST', `/v1/records/${old}/supersede`, {
      ...auditFields,
      record,
    })
    for (const id of [old, successor.id])
      for (const entry of await auditOf(id)) expect(entry).toMatchObject({ via })
    const captured = await ask('POST', '/v1/capture', {
      source: 'agent',
      source_kind: 'event',
      content: { ref: 'turn-1', text: 'Orion builds', project: 'Orion' },
    })
    for (const { id } of [captured.primary_record, ...captured.created_records])
      for (const entry of await auditOf(id)) expect(entry).toMatchObject({ via })
  })

  it('names the key of a revert, also beside the move of the status', async () => {
    const { id } = await create(app, fact(), { key })
    await ask('POST', `/v1/records/${id}/retract`, auditFields)
    await ask('POST', `/v1/records/${id}/revert`, { ...auditFields, to_version: 1 })
    for (const entry of await auditOf(id)) expect(entry).toMatchObject({ via })
    const { items } = await ask('GET', `/v1/records/${id}/status-history`)
    expect(items.map(({ step }: Body) => step)).toEqual(['retract', 'revert'])
    for (const move of items) expect(move).toMatchObject({ via })
  })

  it('names the key that asked for an undo, which names its actor itself', async () => {
    const scope = createScope()
    const life = { decay: { curve: 'linear', half_life_seconds: 60 } }
    const { id: faded } = await create(app, fact({ scope, lifecycle: life }))
    await captureEpisode(app, 'the build takes 9 minutes', {}, { scope })
    app.clock.advance(3_600_000)
    for (const job of ['decay', 'consolidate']) {
      const { id } = await perform(app, job, { job, scope })
      const undone = await perform(app, 'undo', auditFields, `/v1/maintenance/runs/${id}/undo`)
      expect(undone).toMatchObject({ status: 'succeeded', options: { run_id: id } })
      expect(undone.options).not.toHaveProperty('via')
      const again = await perform(app, 'undo', auditFields, `/v1/maintenance/runs/${undone.id}/undo`)
      expect(again.stats).toMatchObject({ kept: 0 })
    }
    const [learnt] = await listFacts(app, scope)
    for (const id of [faded, learnt?.id]) {
      const undone = (await auditOf(id)).filter(({ action }) => action === 'undo')
      expect(undone).toHaveLength(2)
      for (const entry of undone) expect(entry).toMatchObject({ actor: 'another client', via: root })
    }
    const { items } = await ask('GET', `/v1/records/${learnt?.id}/status-history`)
    expect(items.at(-1)).toMatchObject({ step: 'undo', via: root })
  })

  it('takes no key from a request body', async () => {
    for (const body of [fact({ via: root }), fact({ audit_log: [] })])
      expect((await app.request('POST', '/v1/records', { body })).status).toBe(422)
    const { id } = await create(app, fact())
    const pinned = await app.request('POST', `/v1/records/${id}/pin`, {
      body: { ...auditFields, via: root },
      key,
    })
    expect(pinned.status).toBe(422)
  })

  it('names the key for an erased record, as do the receipt and the tombstones', async () => {
    const { id } = await create(app, fact({ payload: { ...payloads.semantic, object: 'erased' } }), { key })
    const receipt = await ask('POST', `/v1/records/${id}/erase`, auditFields)
    expect(receipt).toMatchObject({ actor: 'another client', via })
    const log = await auditOf(id)
    for (const entry of log) expect(entry).toMatchObject({ via })
    const { body } = await app.request('GET', '/v1/tombstones')
    expect((body as Body).items[0]).toMatchObject({ actor: 'another client', via })
  })

  it('names the key that imported an entry, for any content of the line', async () => {
    const { id } = await create(app, fact(), { key })
    await ask('POST', `/v1/records/${id}/status`, { status: 'challenged', reason: 'doubt', actor: 'x' })
    const [line] = (await exportLines(app)).records.filter((each) => each.id === id)
    expect(line?.audit_log[0].via).toEqual(via)
    expect(line?.status_history[0].via).toEqual(via)
    const target = await startTestApp()
    try {
      target.clock.advance(app.clock.now().getTime() - target.clock.now().getTime())
      const forged = {
        ...line,
        audit_log: [{ ...line?.audit_log[0], via: { imported_by: via } }, line?.audit_log[1]],
      }
      expect((await importLines(target, [forged])).summary.created).toBe(1)
      const imported = await read(target, id)
      expect(imported.audit_log.map((entry: Body) => entry.via)).toEqual([
        { imported_by: root },
        { ...via, imported_by: root },
      ])
      const [again] = (await exportLines(target)).records
      expect(again?.status_history[0].via).toEqual({ ...via, imported_by: root })
    } finally {
      await target.close()
    }
  })
})

describe('the times of one record', () => {
  it('never run backwards, even when a writer read the clock before it waited for another', async () => {
    const { id } = await create(app, fact())
    const before = app.clock.now().getTime()
    app.clock.advance(5_000)
    await app.request('POST', `/v1/records/${id}/pin`, { body: auditFields })
    app.clock.advance(-4_000)
    await app.request('PATCH', `/v1/records/${id}`, { body: { tags: ['late'] } })
    await app.request('POST', `/v1/records/${id}/penalize`, { body: { ...auditFields, amount: 0.1 } })
    await app.request('POST', `/v1/records/${id}/status`, {
      body: { status: 'challenged', reason: 'r', actor: 'a' },
    })
    const record = await read(app, id)
    const times = record.audit_log.map((entry: Body) => entry.timestamp)
    expect(times).toEqual(times.toSorted())
    expect(record.updated_at).toBe(times.at(-1))
    expect(new Date(record.updated_at).getTime()).toBeGreaterThanOrEqual(before + 5_000)
    const { body } = await app.request('GET', `/v1/records/${id}/status-history`)
    expect((body as Body).items.at(-1).changed_at).toBe(record.updated_at)
    app.clock.advance(4_000)
  })
})
