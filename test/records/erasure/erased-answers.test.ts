import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { postCapture } from '../../support/requests/capture-requests.ts'
import { createConversationRequests, say } from '../../support/requests/conversation-requests.ts'
import { type Body, create, expectProblem, payloads } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests' } })
afterAll(() => app.close())

const reason = { actor: 'desk', rationale: 'asked for' }
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
const { append } = createConversationRequests(() => app)
const erase = (id: string) => app.request('POST', `/v1/records/${id}/erase`, { body: reason })

async function isStored(word: string): Promise<boolean> {
  const rows = await app.db.selectFrom('idempotency_keys').selectAll().execute()
  return JSON.stringify(rows).includes(word)
}

/** Two entities, of which the second got the words of the first. */
async function mergeEntities(word: string) {
  const entity = (canonical_name: string, tags: string[]) =>
    create(app, { type: 'entity', scope: word, tags, payload: { ...payloads.entity, canonical_name } })
  const [source, target] = [await entity(`Old ${word}`, [word]), await entity('New', [])]
  await app.request('POST', `/v1/entities/${target.id}/merge`, {
    body: { ...reason, source_ids: [source.id] },
  })
  return { source, target }
}

it('keeps of a record in a list only id and version, after it lost words of an erased one', async () => {
  const { source, target } = await mergeEntities('quokkatag')
  const request = { ...keyed('reinforced'), body: { ...reason, ids: [target.id] } }
  const first = (await app.request('POST', '/v1/records/reinforce', request)).body as Body
  expect(first.results[0].record.tags).toContain('quokkatag')
  await erase(source.id)
  expect(await isStored('quokkatag')).toBe(false)
  const again = await app.request('POST', '/v1/records/reinforce', request)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  const { id, version } = first.results[0].record
  expect(again.body).toEqual({ results: [{ id, status: 200, record: { id, version } }] })
})

it('keeps of a created record in the answer of a capture only id and version, for the same reason', async () => {
  const { source, target } = await mergeEntities('wombattag')
  const record = (await app.request('GET', `/v1/records/${target.id}`)).body as Body
  const repeat = () => postCapture(app, { text: 'The kettle is on.' }, {}, keyed('captured'))
  const first = (await repeat()).body as Body
  await sql`
    update idempotency_keys
    set body = jsonb_insert(body::jsonb, '{created_records,-1}', ${JSON.stringify(record)}::jsonb, true)::text
    where key = 'captured'
  `.execute(app.db)
  expect(await isStored('wombattag')).toBe(true)
  await erase(source.id)
  expect(await isStored('wombattag')).toBe(false)
  const again = (await repeat()).body as Body
  const { id, version } = record
  expect(again.created_records).toEqual([...first.created_records, { id, version }])
})

it('names no speakers of a conversation of which a message was erased', async () => {
  const appendAs = (name: string, conversation: string, scope: string) =>
    append(
      conversation,
      [say(name, `I am ${name}.`, { name })],
      { scope },
      keyed(`${conversation}-${scope}-${name}`),
    )
  const [first, second] = [await appendAs('Quillon', 'one', 'team'), await appendAs('Bo', 'one', 'team')]
  const others = [await appendAs('Cy', 'two', 'team'), await appendAs('Cy', 'one', 'other')]
  expect((second.body as Body).conversation.speakers).toHaveLength(2)
  await erase((first.body as Body).items[0].record_id)
  const rows = await app.db.selectFrom('idempotency_keys').select('body').execute()
  expect(rows.some(({ body }) => body?.includes('"speakers"') && body.includes('Quillon'))).toBe(false)
  for (const [before, name] of [
    [first, 'Quillon'],
    [second, 'Bo'],
  ] as const) {
    const again = await appendAs(name, 'one', 'team')
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    const conversation = { id: 'one', scope: 'team' }
    const [item] = (before.body as Body).items
    const items = [before === first ? { ...item, message_id: item.record_id } : item]
    expect(again.body).toEqual({ items, conversation })
  }
  expect((await appendAs('Cy', 'two', 'team')).text).toBe(others[0]?.text)
  expect((await appendAs('Cy', 'one', 'other')).text).toBe(others[1]?.text)
})

it('names neither an erased message nor the conversation after its last one', async () => {
  const messages = [say('mail-of-tamarin', 'Here I am, Tamarin.'), say('second', 'And what now?')]
  const send = () => append('chat-with-tamarin', messages, {}, keyed('tamarin'))
  const { items } = (await send()).body as Body
  await erase(items[0].record_id)
  expect(await isStored('mail-of-tamarin')).toBe(false)
  const again = await send()
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect((again.body as Body).items).toEqual([{ ...items[0], message_id: items[0].record_id }, items[1]])
  await erase(items[1].record_id)
  expect(await isStored('chat-with-tamarin')).toBe(false)
  expectProblem(await send(), 409, 'erased_content')
})
