import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { erase, postCapture, range } from '../../support/requests/capture-requests.ts'
import { type Body, create, fact, payloads, read } from '../../support/requests/record-requests.ts'
import {
  countTransactions,
  issueWritingKeys,
  loseConnections,
  sendAtOnce,
} from '../../support/statements/shared-transactions.ts'
import { type Answer, startTestApp } from '../../support/test-app.ts'

const app = await startTestApp({
  variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the keyed requests at once' },
})
afterAll(() => app.close())

/** More than there are connections. */
const many = 24

/** A fact without a topic that another has. */
const about = (number: number, scope: string) =>
  fact({ payload: { ...payloads.semantic, subject: `thing ${number}` }, scope })
type Sender = { idempotencyKey: string; key?: string }
const optionsOf = ({ idempotencyKey, key }: Sender) => ({
  headers: { 'idempotency-key': idempotencyKey },
  ...(key === undefined ? {} : { key }),
})
const post = (sender: Sender | string, body: Body) => {
  const options = optionsOf(typeof sender === 'string' ? { idempotencyKey: sender } : sender)
  return app.request('POST', '/v1/records', { ...options, body })
}
const isReplay = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true'
const codeOf = ({ body }: Answer) => (body as { code?: string }).code

async function countRecords(scope: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from records where scope = ${scope}
  `.execute(app.db)
  return rows[0]?.count ?? 0
}

it.each([
  {
    scope: 'creates',
    send: (sender: Sender, number: number, scope: string) => post(sender, about(number, scope)),
    idOf: (body: Body) => body.id,
  },
  {
    scope: 'captures',
    send: (sender: Sender, number: number, scope: string) =>
      postCapture(app, { text: `step ${number}` }, { scope }, optionsOf(sender)),
    idOf: (body: Body) => body.primary_record.id,
  },
])('$scope with a key share transactions, and each is replayed by its key', async ({ scope, send, idOf }) => {
  const names = [`${scope} one`, `${scope} two`]
  const keys = await issueWritingKeys(app, names)
  const sendAll = () =>
    sendAtOnce(app, many, (number) =>
      send({ idempotencyKey: `${scope}-${number}`, key: keys[number % 2] ?? '' }, number, scope),
    )
  const first = await sendAll()
  for (const [number, { status, body }] of first.entries()) {
    expect(status).toBe(201)
    const stored = await read(app, idOf(body as Body))
    expect(stored.audit_log).toMatchObject([{ via: { key_name: names[number % 2] } }])
  }
  expect(await countTransactions(app, scope)).toBeLessThan(many)
  const again = await sendAll()
  expect(again.every(isReplay)).toBe(true)
  expect(again.map(({ text }) => text)).toEqual(first.map(({ text }) => text))
  for (const name of ['location', 'etag'])
    expect(again.map(({ headers }) => headers.get(name))).toEqual(
      first.map(({ headers }) => headers.get(name)),
    )
  expect(await countRecords(scope)).toBe(many)
})

it('a key that comes several times at the same moment takes effect once', async () => {
  const scope = 'doubled'
  const answers = await Promise.all(
    range(3 * many).map((number) => post(`doubled-${number % many}`, about(number % many, scope))),
  )
  for (const answer of answers) {
    if (answer.status === 201) continue
    expect([answer.status, codeOf(answer)]).toEqual([409, 'request_in_progress'])
    expect(answer.headers.get('retry-after')).toBe('1')
  }
  expect(await countRecords(scope)).toBe(many)
  const again = await Promise.all(
    range(many).map((number) => post(`doubled-${number}`, about(number, scope))),
  )
  expect(again.every(isReplay)).toBe(true)
})

it('a key of another request is refused among others, and theirs are stored', async () => {
  const scope = 'reused'
  await post('reused-3', about(3, scope))
  const answers = await Promise.all(
    range(many).map((number) => post(`reused-${number}`, about(number === 3 ? 300 : number, scope))),
  )
  expect(answers.map(({ status }) => status)).toEqual(range(many).map((number) => (number === 3 ? 422 : 201)))
  expect(codeOf(answers[3] as Answer)).toBe('idempotency_key_reused')
  expect(await countRecords(scope)).toBe(many)
})

it('what cannot be stored is an error of its own request, and its key can be used again', async () => {
  const scope = 'refused'
  const erased = about(99, scope)
  const { id } = await create(app, erased)
  await erase(app, id)
  const bodyOf = (number: number) => (number % 8 === 3 ? erased : about(number, scope))
  const send = () => Promise.all(range(many).map((number) => post(`refused-${number}`, bodyOf(number))))
  for (const isSecond of [false, true]) {
    for (const [number, answer] of (await send()).entries()) {
      if (number % 8 === 3) expect([answer.status, codeOf(answer)]).toEqual([409, 'erased_content'])
      else expect([answer.status, isReplay(answer)]).toEqual([201, isSecond])
    }
  }
  const other = await post('refused-3', about(3, scope))
  expect([other.status, isReplay(other)]).toEqual([201, false])
})

it('a stored answer is replayed although the request could not be made again', async () => {
  const scope = 'narrowed'
  const key = await app.issueKey(['records:read', 'records:write'], { name: 'narrowed' })
  const send = (sensitivity: string) =>
    app.request('POST', '/v1/records', {
      key,
      body: { ...about(1, scope), sensitivity },
      headers: { 'idempotency-key': 'narrowed' },
    })
  expect((await send('low')).status).toBe(201)
  expect(isReplay(await send('low'))).toBe(true)
  expect(codeOf(await send('hyper'))).toBe('idempotency_key_reused')
})

it('a server that is lost stores each at most once, and sent again by its key each is stored', async () => {
  const scope = 'lost'
  const send = () => Promise.all(range(many).map((number) => post(`lost-${number}`, about(number, scope))))
  const first = await loseConnections(app, send())
  expect(first.every(({ status }) => status === 201 || status === 503)).toBe(true)
  const again = await send()
  expect(again.map(({ status }) => status)).toEqual(range(many).map(() => 201))
  for (const [number, answer] of first.entries())
    if (answer.status === 201) expect(again[number]?.text).toBe(answer.text)
  expect(await countRecords(scope)).toBe(many)
})
