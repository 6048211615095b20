import { afterAll, expect, it } from 'vitest'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { entity } from '../support/requests/entity-requests.ts'
import { importLines } from '../support/requests/export-and-import.ts'
import { type Body, create } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the identifier tests' } })
afterAll(() => app.close())

const reason = { actor: 'a', rationale: 'r' }
const holding = (name: string, value: string, more: object = {}) =>
  entity(name, { identifiers: [{ namespace: 'mail', value }] }, more)
const findByTerm = async (term: string): Promise<Body[]> =>
  ((await app.request('GET', `/v1/entities?term=${encodeURIComponent(term)}`)).body as Body).items

it('an identifier has one holder in a scope, when clients create, patch, import and capture it at once', async () => {
  for (const round of [1, 2]) {
    const scope = `scope ${round}`
    const value = `ada${round}@example.org`
    const other = await create(app, entity(`Other ${round}`, {}, { scope }))
    const post = (name: string, more: object = { scope }) =>
      app.request('POST', '/v1/records', { body: holding(name, value, more) })
    const identifiers = [{ namespace: 'mail', value }]
    const patch = () =>
      app.request('PATCH', `/v1/records/${other.id}`, {
        body: { payload: { ...other.payload, identifiers } },
      })
    const imported = () => importLines(app, [holding(`Imported ${round}`, value, { scope })])
    const mention = () =>
      app.request('POST', '/v1/capture', {
        body: { source: 'agent', content: { text: 'hello', user: value }, scope },
      })
    const answers = await Promise.all([
      post('A'),
      patch(),
      imported(),
      mention(),
      post('B'),
      mention(),
      post('C'),
    ])
    expect(answers.map(({ status }) => status).filter((status) => ![200, 201, 409].includes(status))).toEqual(
      [],
    )
    const { rows } = await app.database.pool.query(
      `select count(*)::int as holders from entity_identifiers where scope = $1 and value = $2`,
      [scope, value],
    )
    expect(rows).toEqual([{ holders: 1 }])
    expect(answers.filter(({ body }) => (body as Body)?.code === 'identifier_taken').length).toBeGreaterThan(
      1,
    )
    // Another scope is apart.
    expect((await post('D', { scope: `${scope} apart` })).status).toBe(201)
  }
  expect(await listBrokenLaws(app)).toEqual([])
})

it('an entity that is erased with its last mention gives its names and identifiers free', async () => {
  const scope = 'gone'
  const captured = await app.request('POST', '/v1/capture', {
    body: { source: 'agent', content: { text: 'hello', user: 'Grace Hopper' }, scope },
  })
  const { primary_record: episode, created_records: created } = captured.body as Body
  const [grace] = created.filter(({ type }: Body) => type === 'entity')
  const identifiers = [{ namespace: 'mail', value: 'grace@example.org' }]
  const body = { payload: { ...grace.payload, identifiers } }
  expect((await app.request('PATCH', `/v1/records/${grace.id}`, { body })).status).toBe(200)
  const erased = await app.request('POST', `/v1/records/${episode.id}/erase`, { body: reason })
  expect(erased.body).toMatchObject({ derived_ids: [grace.id], kept: [] })
  expect(await findByTerm('mail:grace@example.org')).toEqual([])
  expect(await findByTerm('Grace Hopper')).toEqual([])
  expect(
    (await app.request('POST', '/v1/records', { body: holding('G', 'grace@example.org', { scope }) })).status,
  ).toBe(201)
  const again = await app.request('POST', '/v1/capture', {
    body: { source: 'agent', content: { text: 'bye', user: 'Grace Hopper' }, scope },
  })
  expect(again.status).toBe(201)
  expect(await findByTerm('Grace Hopper')).toHaveLength(1)
  expect(await listBrokenLaws(app)).toEqual([])
})
