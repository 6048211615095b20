import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { erase, range } from '../../support/requests/capture-requests.ts'
import { type Body, create, fact, payloads, read } from '../../support/requests/record-requests.ts'
import {
  countTransactions,
  issueWritingKeys,
  loseConnections,
  sendAtOnce,
} from '../../support/statements/shared-transactions.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests at once' } })
afterAll(() => app.close())

/** A fact without a topic that another has. */
const about = (number: number, more: object = {}) =>
  fact({ payload: { ...payloads.semantic, subject: `thing ${number}` }, ...more })

it('creates that come at the same moment share transactions, and each answer is that of its own record', async () => {
  const keys = await issueWritingKeys(app, ['first', 'second'])
  const bodies = range(60).map((number) => about(number, { scope: 'shared', tags: [`tag-${number}`] }))
  const answers = await sendAtOnce(app, bodies.length, (index) =>
    app.request('POST', '/v1/records', { body: bodies[index], key: keys[index % 2] ?? '' }),
  )
  for (const [index, { status, body, headers }] of answers.entries()) {
    expect(status).toBe(201)
    const record = body as Body
    expect(record).toMatchObject({ payload: bodies[index]?.payload, tags: [`tag-${index}`], version: 1 })
    expect(headers.get('location')).toBe(`/v1/records/${record.id}`)
    const stored = await read(app, record.id)
    expect(stored).toMatchObject({ payload: bodies[index]?.payload, tags: [`tag-${index}`] })
    expect(stored.audit_log).toMatchObject([{ via: { key_name: index % 2 === 0 ? 'first' : 'second' } }])
  }
  expect(new Set(answers.map(({ body }) => (body as Body).id)).size).toBe(60)
  expect(await countTransactions(app, 'shared')).toBeLessThan(60)
})

it('a record that cannot be stored affects none of those that come with it', async () => {
  const erased = about(99, { scope: 'mixed' })
  const { id: gone } = await create(app, erased)
  await erase(app, gone)
  const taken = await create(app, about(1, { scope: 'mixed' }))
  const bodies = range(48).map((number) => {
    if (number % 8 === 3) return erased
    if (number % 8 === 5) return { ...about(number, { scope: 'mixed' }), id: taken.id }
    if (number % 8 === 7) return { ...about(number), payload: { kind: 'semantic' } }
    return about(number, { scope: 'mixed' })
  })
  const answers = await Promise.all(bodies.map((body) => app.request('POST', '/v1/records', { body })))
  const expected = (index: number) => ({ 3: 409, 5: 409, 7: 422 })[index % 8] ?? 201
  expect(answers.map(({ status }) => status)).toEqual(bodies.map((_, index) => expected(index)))
  expect(answers[3]?.body).toMatchObject({ code: 'erased_content' })
  expect(answers[5]?.body).toMatchObject({ code: 'record_exists' })
})

it('a server that is lost while they wait fails them, and stores each at most once', async () => {
  const bodies = range(40).map((number) => about(number, { scope: 'lost' }))
  const pending = Promise.all(bodies.map((body) => app.request('POST', '/v1/records', { body })))
  const answers = await loseConnections(app, pending)
  expect(answers.every(({ status }) => status === 201 || status === 503)).toBe(true)
  const { rows } = await sql<{ subject: string; count: number }>`
    select c.payload ->> 'subject' as subject, count(*)::integer as count
    from records as r join contents as c on c.record_id = r.id where r.scope = 'lost' group by 1
  `.execute(app.db)
  expect(rows.every(({ count }) => count === 1)).toBe(true)
  const stored = new Set(rows.map(({ subject }) => subject))
  for (const [index, { status }] of answers.entries())
    if (status === 201) expect(stored.has(`thing ${index}`)).toBe(true)
})
