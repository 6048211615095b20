import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { purgeForgotten } from '../../src/records/deletion/departures.queries.ts'
import { countRuns } from '../support/long-run.ts'
import { createConversationRequests, statusesOf, textsOf } from '../support/requests/conversation-requests.ts'
import { type Body, expectProblem } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'k'.repeat(32) } })
afterAll(() => app.close())

const day = 86_400_000
const { append, get } = createConversationRequests(() => app)
const say = (content: string, more: object = {}) => ({ role: 'user', content, ...more })
const sayAll = (...contents: string[]) => contents.map((content) => say(content))
const send = async (id: string, ...contents: string[]) => statusesOf(await append(id, sayAll(...contents)))
const listTexts = async (id: string) => textsOf(await get(`${id}/messages`))

/** Forgets messages, by their places among those that are left, and purges them. */
async function purge(id: string, ...places: number[]): Promise<void> {
  const { items } = await get(`${id}/messages`)
  for (const place of places) {
    const path = `/v1/records/${items[place].record_id}?actor=a&rationale=b`
    expect((await app.request('DELETE', path)).status).toBe(200)
  }
  app.clock.advance(40 * day)
  expect(await purgeForgotten(app.db, app.clock.now(), 1_000)).toBe(places.length)
}

async function expectAscendingPositions(id: string): Promise<void> {
  const positions: number[] = (await get(`${id}/messages`)).items.map(({ position }: Body) => position)
  expect([...new Set(positions)].sort((one, other) => one - other)).toEqual(positions)
}

/** The conversations that rows of removed records name. */
async function listNamed(): Promise<(string | null)[]> {
  const rows = await app.db.selectFrom('departures').select('conversation').distinct().execute()
  return rows.map(({ conversation }) => conversation)
}

it('stores a purged message once more at its place when the whole conversation is sent again', async () => {
  await send('whole', 'one', 'two', 'three')
  await purge('whole', 0)
  expect(await send('whole', 'one', 'two', 'three', 'four')).toEqual([
    'created',
    'unchanged',
    'unchanged',
    'created',
  ])
  expect(await send('whole', 'one', 'two', 'three', 'four', 'five')).toEqual([
    ...Array(4).fill('unchanged'),
    'created',
  ])
  expect(await listTexts('whole')).toEqual(['one', 'two', 'three', 'four', 'five'])
  await expectAscendingPositions('whole')
})

it('appends the new messages of an agent that sends each once, also to a conversation with purged messages', async () => {
  await send('tails', 'hi', 'ok', 'bye')
  await purge('tails', 0)
  expect(await send('tails', 'hi')).toEqual(['created'])
  expect(await send('tails', 'bye', 'hi')).toEqual(['created', 'created'])
  expect(await listTexts('tails')).toEqual(['ok', 'bye', 'hi', 'bye', 'hi'])
  await send('last', 'one', 'two')
  await purge('last', 1)
  expect(await send('last', 'three')).toEqual(['created'])
  expect(await send('last', 'one', 'two', 'three', 'four')).toEqual([
    'unchanged',
    'created',
    'unchanged',
    'created',
  ])
  expect(await listTexts('last')).toEqual(['one', 'two', 'three', 'four'])
})

it('knows the beginning of a conversation with purged messages by two that are left, not by one', async () => {
  const contents = ['hi', 'How can I help you?', 'one', 'two', 'three']
  await send('beginning', ...contents)
  await purge('beginning', 0)
  expect(await send('beginning', 'hello', 'How can I help you?')).toEqual(['created', 'unchanged'])
  expect(await listTexts('beginning')).toEqual([...contents.slice(1), 'hello'])
  expect(await send('beginning', ...contents.slice(0, 3))).toEqual(['created', 'unchanged', 'unchanged'])
  expect(await send('beginning', ...contents)).toEqual(Array(5).fill('unchanged'))
  expect(await listTexts('beginning')).toEqual([...contents, 'hello'])
})

it('begins again with a conversation of which every message was purged', async () => {
  await send('empty', 'one', 'two')
  await purge('empty', 0, 1)
  expect(await listNamed()).not.toContain('empty')
  expect(await send('empty', 'one', 'two', 'three')).toEqual(['created', 'created', 'created'])
  expect(await send('empty', 'one', 'two', 'three')).toEqual(['unchanged', 'unchanged', 'unchanged'])
})

it('begins again for one sensitivity, and does not compare with places of another', async () => {
  const high = { scope: 'team', sensitivity: 'high' }
  await append('mixed', sayAll('the', 'plan'), { scope: 'team', sensitivity: 'low' })
  await append('mixed', sayAll('a', 'secret', 'stays'), high)
  const { items } = await get('mixed/messages?scope=team')
  for (const { record_id: id } of items.filter(({ content }: Body) => ['the', 'plan'].includes(content)))
    await app.request('DELETE', `/v1/records/${id}?actor=a&rationale=b`)
  app.clock.advance(40 * day)
  await purgeForgotten(app.db, app.clock.now(), 1_000)
  expect(statusesOf(await append('mixed', sayAll('a', 'secret', 'stays'), high))).toEqual(
    Array(3).fill('unchanged'),
  )
  const low = () => append('mixed', sayAll('the', 'plan', 'ends'), { scope: 'team', sensitivity: 'low' })
  expect(statusesOf(await low())).toEqual(Array(3).fill('created'))
  expect(statusesOf(await low())).toEqual(Array(3).fill('unchanged'))
})

it('takes over the place also between messages of the same time, and where the message has an id', async () => {
  const at = '2025-06-01T08:00:00.000Z'
  const messages = [say('a', { at }), say('b', { at, id: 'b' }), say('c', { at })]
  await append('ties', messages)
  await purge('ties', 1)
  await append('ties', [say('z', { at })])
  const all = [...messages, say('z', { at }), say('d', { at })]
  expect(statusesOf(await append('ties', all))).toEqual([
    'unchanged',
    'created',
    'unchanged',
    'unchanged',
    'created',
  ])
  expect(statusesOf(await append('ties', all))).toEqual(Array(5).fill('unchanged'))
  expect(await listTexts('ties')).toEqual(['a', 'b', 'c', 'z', 'd'])
  await expectAscendingPositions('ties')
})

it('keeps no place of an erased message, also if it was purged before', async () => {
  await send('erased', 'my code is four two seven one', 'two', 'three')
  const [first, second] = (await get('erased/messages')).items
  const erase = (id: string) =>
    app.request('POST', `/v1/records/${id}/erase`, { body: { actor: 'a', rationale: 'b' } })
  expect((await erase(first.record_id)).status).toBe(200)
  expect(await listNamed()).not.toContain('erased')
  expectProblem(await append('erased', sayAll('my code is four two seven one', 'two')), 409, 'erased_content')
  expect(await send('erased', 'two', 'three')).toEqual(['unchanged', 'unchanged'])
  await purge('erased', 0)
  expect(await listNamed()).toContain('erased')
  expect((await erase(second.record_id)).status).toBe(200)
  expect(await listNamed()).not.toContain('erased')
})

it('stores a purged message once when the whole conversation is sent by two at once', async () => {
  await send('race', 'one', 'two', 'three', 'four')
  await purge('race', 0, 2)
  const contents = ['one', 'two', 'three', 'four', 'five']
  const answers = await Promise.all(Array.from({ length: 4 }, () => send('race', ...contents)))
  expect(answers.flat().filter((status) => status === 'created')).toHaveLength(3)
  expect(await listTexts('race')).toEqual(contents)
})

it('is the same conversation after every purge, whatever was sent', async () => {
  let conversations = 0
  const times = ['2025-06-01T08:00:00.000Z', '2025-06-01T08:00:00.000500Z', undefined]
  const message = fc.record({ content: fc.constantFrom('ok', 'hi', 'no'), at: fc.constantFrom(...times) })
  // The client keeps the order of the service: without a time a message comes last.
  const inOrder = (said: { content: string; at: string | undefined }[]) =>
    [...said].sort((one, other) => times.indexOf(one.at) - times.indexOf(other.at))
  const talk = fc.array(message, { minLength: 1, maxLength: 6 }).map(inOrder)
  const rounds = fc.array(fc.array(fc.nat(5), { maxLength: 5 }), { maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(talk, rounds, async (said, purges) => {
      const id = `any-${conversations++}`
      const messages = said.map(({ content, at }) => say(content, at ? { at } : {}))
      await append(id, messages)
      for (const [round, places] of purges.entries()) {
        const left = messages.length
        await purge(id, ...new Set(places.filter((place) => place < left)))
        messages.push(say(`turn ${round}`))
        await append(id, messages)
        expect(statusesOf(await append(id, messages))).toEqual(messages.map(() => 'unchanged'))
        expect(await listTexts(id)).toEqual(messages.map(({ content }) => content))
      }
    }),
    { numRuns: countRuns(50) },
  )
})
