import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { range } from '../support/requests/capture-requests.ts'
import { type Body, create, payloads, say } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests' } })
afterAll(() => app.close())

/** Calls a tool under an Idempotency-Key, as a client of 2025. */
async function callOnce(key: string, name: string, args: object) {
  const { headers, text } = await app.request('POST', '/mcp?profile=lifecycle', {
    headers: { accept: 'application/json, text/event-stream', 'idempotency-key': key },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  })
  const event = text.split('\n').find((line) => line.startsWith('data: '))
  const { result } = JSON.parse(event?.slice(6) ?? text) as Body
  return { result, isReplayed: headers.get('idempotency-replayed') === 'true' }
}

it('supersedes more facts at once than there are connections', async () => {
  const entity = await create(app, { type: 'entity', payload: payloads.entity })
  const relations = [{ predicate: 'subject_entity', target_id: entity.id }]
  const facts = await Promise.all(range(12).map((n) => create(app, say(`first ${n}`, { relations }))))
  const answers = await Promise.all(
    facts.map(({ id }, n) =>
      callOnce(`supersede-${n}`, 'revise', { id, op: 'supersede', text: `second ${n}`, reason: 'moved on' }),
    ),
  )
  expect(answers.map(({ result }) => result.structuredContent?.record.payload.object)).toEqual(
    facts.map((_, n) => `second ${n}`),
  )
})

const erase = (id: string) =>
  app.request('POST', `/v1/records/${id}/erase`, { body: { actor: 'desk', rationale: 'asked for' } })

async function isStored(word: string): Promise<boolean> {
  const rows = await app.db.selectFrom('idempotency_keys').selectAll().execute()
  return JSON.stringify(rows).includes(word)
}

/** The form in which an earlier version stored the answers of tools. */
const storeAsBefore = () =>
  sql`
  update idempotency_keys set body = (body::jsonb || jsonb_build_object('content',
    jsonb_build_array(jsonb_build_object('type', 'text', 'text', body::jsonb ->> 'structuredContent'))))::text
  where body::jsonb ? 'structuredContent'
`.execute(app.db)

describe('an answer under an Idempotency-Key', () => {
  it('is the same at the second call', async () => {
    const { id } = await create(app, say('replayed'))
    const args = { id, reason: 'needed' }
    const first = await callOnce('replayed', 'pin', args)
    expect(first.result.structuredContent.record.payload.object).toBe('replayed')
    expect(await callOnce('replayed', 'pin', args)).toEqual({ ...first, isReplayed: true })
    await storeAsBefore()
    const { result, isReplayed } = await callOnce('replayed', 'pin', args)
    expect(isReplayed).toBe(true)
    expect(result.structuredContent).toEqual(first.result.structuredContent)
    expect(JSON.parse(result.content[0].text)).toEqual(first.result.structuredContent)
  })

  it.each([
    ['pin', {}],
    ['forget', {}],
    ['revise', { op: 'retract' }],
    ['revise', { op: 'supersede' }],
  ])('of %s %j does not outlive the record', async (name, more) => {
    for (const isStoredAsBefore of [false, true]) {
      const words = `marzipan ${name} ${JSON.stringify(more)} ${isStoredAsBefore}`
      const { id } = await create(app, say(words))
      const key = `erased-${id}`
      const isSupersession = 'op' in more && more.op === 'supersede'
      const args = { id, reason: 'needed', ...more, ...(isSupersession ? { text: `more ${words}` } : {}) }
      const { result } = await callOnce(key, name, args)
      expect(await isStored('marzipan')).toBe(true)
      if (isStoredAsBefore) await storeAsBefore()
      for (const each of new Set([result.structuredContent.record.id, id]))
        expect((await erase(each)).status).toBeLessThanOrEqual(410)
      expect(await isStored('marzipan')).toBe(false)
      const again = await callOnce(key, name, args)
      expect(again.isReplayed).toBe(false)
      expect(JSON.stringify(again)).not.toContain('marzipan')
      expect(JSON.parse(again.result.content[0].text).code).toBe('record_erased')
    }
  })

  it('of remember runs again after an erase, and is refused', async () => {
    const args = { text: 'The nougat is in the drawer.' }
    const { result } = await callOnce('remembered', 'remember', args)
    await erase(result.structuredContent.id)
    const again = await callOnce('remembered', 'remember', args)
    expect(JSON.parse(again.result.content[0].text).code).toBe('erased_content')
  })

  it('keeps only the id and version of a record that lost words of an erased one', async () => {
    for (const isStoredAsBefore of [false, true]) {
      const scope = `merged ${isStoredAsBefore}`
      const entity = (canonical_name: string) =>
        create(app, { type: 'entity', scope, payload: { ...payloads.entity, canonical_name } })
      const [one, other] = [await entity('praline'), await entity('cake')]
      await app.request('POST', `/v1/entities/${other.id}/merge`, {
        body: { source_ids: [one.id], actor: 'desk', rationale: 'the same' },
      })
      const args = { id: other.id, reason: 'needed' }
      const first = await callOnce(`kept-${one.id}`, 'pin', args)
      expect(JSON.stringify(first)).toContain('praline')
      if (isStoredAsBefore) await storeAsBefore()
      await erase(one.id)
      expect(await isStored('praline')).toBe(false)
      const again = await callOnce(`kept-${one.id}`, 'pin', args)
      const { id, version } = first.result.structuredContent.record
      expect(again).toMatchObject({
        isReplayed: true,
        result: { structuredContent: { record: { id, version } } },
      })
      expect(JSON.parse(again.result.content[0].text)).toEqual({ record: { id, version } })
    }
  })
})
