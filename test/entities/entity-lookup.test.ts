import { afterAll, describe, expect, it } from 'vitest'
import { entity, listEntitiesNamed, lookUpEntity } from '../support/requests/entity-requests.ts'
import {
  type Body,
  create,
  expectProblem,
  fact,
  payloads,
  read,
} from '../support/requests/record-requests.ts'
import { type RequestOptions, startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the entity tests' } })
afterAll(() => app.close())

const idsOf = (term: string, more: Record<string, string> = {}, options: RequestOptions = {}) =>
  listEntitiesNamed(app, term, more, options)
const lifecycle = (id: string, path: string, body: object) =>
  app.request('POST', `/v1/records/${id}/${path}`, { body })
const forget = (id: string) => app.request('DELETE', `/v1/records/${id}?actor=a&rationale=r`)

describe('GET /v1/entities', () => {
  it('finds an entity by every kind of name, in any spelling', async () => {
    const record = await create(
      app,
      entity('Straße  Nebula', {
        aliases: ['The  BIG one', { value: 'ｆｕｌｌ', kind: 'nick', locale: 'ja' }],
        identifiers: [{ namespace: 'git:hub', value: 'acme/Nebula:1' }],
      }),
    )
    const terms = [
      'Straße  Nebula',
      ' STRAßE nebula\t',
      'straße\u00a0nebula',
      'the big ONE',
      'full',
      'ＦＵＬＬ',
      'acme/Nebula:1',
      'git:hub:acme/Nebula:1',
    ]
    for (const term of terms) expect([term, await idsOf(term)]).toEqual([term, [record.id]])
    const { body } = await lookUpEntity(app, { term: 'full' })
    expect(body).toEqual({ items: [await read(app, record.id)] })
    for (const term of ['nebula', 'Straße', 'acme/nebula:1', 'hub:acme/Nebula:1', 'git:hub', '%', '_']) {
      expect([term, await idsOf(term)]).toEqual([term, []])
    }
  })

  it('follows changes of names', async () => {
    const { id } = await create(
      app,
      entity('Before', { identifiers: [{ namespace: 'jira', value: 'OLD-1' }] }),
    )
    const payload = { canonical_name: 'After', identifiers: [{ namespace: 'jira', value: 'NEW-1' }] }
    expect((await app.request('PATCH', `/v1/records/${id}`, { body: { payload } })).status).toBe(200)
    for (const term of ['before', 'OLD-1', 'jira:OLD-1']) expect(await idsOf(term)).toEqual([])
    for (const term of ['after', 'NEW-1', 'jira:NEW-1']) expect(await idsOf(term)).toEqual([id])
  })

  it('finds no records of other types', async () => {
    await create(app, fact({ payload: { ...payloads.semantic, subject: 'Quasar', object: 'Quasar' } }))
    expect(await idsOf('Quasar')).toEqual([])
  })

  it('returns matches by identifier first, then by name, then by alias', async () => {
    const unscoped = await create(app, entity('Vega'))
    const byAlias = await create(app, entity('Lyra', { aliases: ['vega'] }, { scope: 'sky' }))
    const scoped = await create(app, entity('VEGA', {}, { scope: 'sky' }))
    app.clock.advance(1_000)
    const younger = await create(app, entity('vega', {}, { scope: 'sky' }))
    const byIdentifier = await create(
      app,
      entity('HD 172167', { identifiers: [{ namespace: 'n', value: 'Vega' }] }),
    )
    const all = [byIdentifier, scoped, younger, unscoped, byAlias].map(({ id }) => id)
    expect(await idsOf('Vega')).toEqual(all)
    expect(await idsOf('vega')).toEqual([scoped, younger, unscoped, byAlias].map(({ id }) => id))
    await lifecycle(scoped.id, 'status', { status: 'challenged', reason: 'r', actor: 'a' })
    expect(await idsOf('vega')).toEqual([younger, scoped, unscoped, byAlias].map(({ id }) => id))
  })

  it('finds entities of the requested scope only', async () => {
    const mine = await create(app, entity('Rigel', {}, { scope: 'mine' }))
    const nobodys = await create(app, entity('Rigel'))
    app.clock.advance(1_000)
    const theirs = await create(app, entity('Rigel', {}, { scope: 'theirs' }))
    expect(await idsOf('rigel', { scope: 'mine' })).toEqual([mine.id])
    expect(await idsOf('rigel', { scope: 'elsewhere' })).toEqual([])
    const key = await app.issueKey(['records:read'], { scopes: ['mine'] })
    expect(await idsOf('rigel', {}, { key })).toEqual([mine.id, nobodys.id])
    expect(await idsOf('rigel', { scope: 'theirs' }, { key })).toEqual([])
    expect(await idsOf('rigel')).toEqual([mine.id, theirs.id, nobodys.id])
  })

  it('does not reveal names to a key that sees the entity redacted', async () => {
    const { id } = await create(app, entity('Secret', {}, { sensitivity: 'medium' }))
    const key = await app.issueKey(['records:read'], { max_sensitivity: 'low' })
    expect(await idsOf('secret', {}, { key })).toEqual([])
    expect(await idsOf('secret')).toEqual([id])
  })

  it('leaves out forgotten, erased and withdrawn entities', async () => {
    const live = await create(app, entity('Altair', {}, { scope: 'y' }))
    app.clock.advance(1_000)
    const gone = await create(app, entity('Altair', {}, { scope: 'z' }))
    const erased = await create(app, entity('Altair'))
    const invalid = await create(app, entity('Altair', {}, { scope: 'x' }))
    await forget(gone.id)
    await lifecycle(invalid.id, 'status', { status: 'invalidated', reason: 'r', actor: 'a' })
    expect((await lifecycle(erased.id, 'erase', { actor: 'a', rationale: 'r' })).status).toBe(200)
    expect(await idsOf('altair')).toEqual([live.id])
    await lifecycle(gone.id, 'restore', { actor: 'a', rationale: 'r' })
    expect(await idsOf('altair')).toEqual([live.id, gone.id])
  })

  it('returns stable pages while entities are created and deleted', async () => {
    for (let index = 0; index < 7; index++) {
      app.clock.advance(1_000)
      await create(
        app,
        entity(index % 2 ? 'Deneb' : `Swan ${index}`, { aliases: ['deneb'] }, { scope: `s${index}` }),
      )
    }
    const all = await idsOf('deneb', { limit: '100' })
    expect(all).toHaveLength(7)
    const seen: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { body, headers } = await lookUpEntity(app, {
        term: 'deneb',
        limit: '3',
        ...(cursor ? { cursor } : {}),
      })
      seen.push(...(body as Body).items.map(({ id }: Body) => id))
      cursor = (body as Body).next_cursor
      expect(headers.get('link') === null).toBe(cursor === undefined)
      if (seen.length === 3) {
        await create(app, entity('Deneb', {}, { scope: 'a newcomer' }))
        expectProblem(await lookUpEntity(app, { term: 'vega', cursor: cursor ?? '' }), 400, 'invalid_cursor')
      }
    }
    expect(seen.filter((id) => all.includes(id))).toEqual(all)
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('requires a term and read permission', async () => {
    expectProblem(await lookUpEntity(app, {}), 422, 'validation_failed')
    expectProblem(await lookUpEntity(app, { term: '' }), 422, 'validation_failed')
    expectProblem(await lookUpEntity(app, { term: 'a', limit: '101' }), 422, 'validation_failed')
    const key = await app.issueKey(['records:write'])
    expectProblem(await lookUpEntity(app, { term: 'a' }, { key }), 403, 'forbidden')
    expectProblem(await lookUpEntity(app, { term: 'a' }, { key: false }), 401, 'unauthenticated')
  })
})
