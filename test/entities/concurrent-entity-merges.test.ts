import { afterAll, describe, expect, it } from 'vitest'
import { lockActiveEntities } from '../../src/entities/index.ts'
import {
  createMention,
  entity,
  listEntitiesNamed,
  listRecordsAbout,
  mergeEntities,
} from '../support/requests/entity-requests.ts'
import { type Body, create, fact, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const merge = (id: string, sourceIds: readonly string[]) => mergeEntities(app, id, sourceIds)
const idsOf = (term: string) => listEntitiesNamed(app, term)
const recordsOf = (id: string) => listRecordsAbout(app, id)

describe('concurrent entity merges', () => {
  it('of overlapping sets merge each entity once and lose no edge', async () => {
    const entities = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => (await create(app, entity(`Twin ${index}`))).id),
    )
    const links: Record<string, string> = {}
    for (const id of entities) links[id] = (await createMention(app, id)).id
    const at = (index: number): string => entities[index % entities.length] ?? ''
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        merge(at(index), [at(index + 1), at(index + 5), at(index + 7)]),
      ),
    )
    for (const { status, body } of answers) expect([200, 409], JSON.stringify(body)).toContain(status)
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    const holders = new Set<string>()
    for (const [index, id] of entities.entries()) {
      const [holder = '', ...others] = await idsOf(`twin ${index}`)
      expect(others).toEqual([])
      expect(await recordsOf(holder)).toContain(links[id])
      holders.add(holder)
    }
    for (const id of holders) expect((await read(app, id)).status).toBe('active')
  })

  it('of linked entities do not deadlock', async () => {
    const pairs: { target: string; source: string }[] = []
    for (let index = 0; index < 6; index++) {
      const scope = index % 3 ? {} : { scope: 'sky' }
      const relations = pairs.map(({ source }) => ({ predicate: 'uses', target_id: source }))
      const { id: target } = await create(app, entity(`Linked ${index}`, {}, scope))
      const { id: source } = await create(app, entity(`Link ${index}`, {}, { ...scope, relations }))
      pairs.push({ target, source })
    }
    const answers = await Promise.all(pairs.map(({ target, source }) => merge(target, [source])))
    expect(answers.map(({ status }) => status)).toEqual(pairs.map(() => 200))
    for (const [index, { target }] of pairs.entries()) {
      const { relations } = await read(app, target)
      const others = pairs.filter((_, at) => at !== index)
      for (const other of others) {
        expect(relations.map((edge: Body) => edge.target_id)).toContain(other.target)
      }
    }
  })

  const say = (index: number, object: string) => ({ subject: `user ${index}`, predicate: 'works on', object })
  const factOf = (body: unknown) =>
    (body as Body).created_records.find((record: Body) => record.type === 'semantic')

  it('lose nothing that is captured about a source at the same time', async () => {
    for (let round = 0; round < 3; round++) {
      const target = await create(app, entity(`Target ${round}`))
      const other = await create(app, entity(`Source ${round}`, { aliases: [`alias ${round}`] }))
      const [merged, ...captured] = await Promise.all([
        merge(target.id, [other.id]),
        ...Array.from({ length: 8 }, (_, index) => {
          const about = index % 2 ? { project: `Alias ${round}` } : say(index, `alias ${round}`)
          return app.request('POST', '/v1/capture', {
            body: { source: `agent ${index}`, content: { ...about, step: index } },
          })
        }),
      ])
      expect(merged?.status).toBe(200)
      for (const { status } of captured) expect(status).toBe(201)
      const ids = captured.map(({ body }, index) =>
        index % 2 ? (body as Body).primary_record.id : factOf(body).id,
      )
      expect((await recordsOf(target.id)).sort()).toEqual(ids.sort())
    }
  })

  it('wait for a transaction that links to a source, and move its edge', async () => {
    const target = await create(app, entity('Pavo'))
    const other = await create(app, entity('Peacock'))
    const record = await create(app, fact())
    let merging: ReturnType<typeof merge> | undefined
    await app.db.transaction().execute(async (tx) => {
      expect(await lockActiveEntities(tx, [other.id])).toEqual(new Set([other.id]))
      merging = merge(target.id, [other.id])
      await new Promise((done) => setTimeout(done, 100))
      const edge = { weight: 1, created_at: app.clock.now() }
      const from = record.id
      const to = other.id
      await tx
        .insertInto('relations')
        .values([
          { source_id: from, predicate: 'mentions_entity', target_id: to, ...edge },
          { source_id: to, predicate: 'mentioned_in', target_id: from, ...edge },
        ])
        .execute()
    })
    expect((await merging)?.status).toBe(200)
    expect(await recordsOf(target.id)).toEqual([record.id])
    await app.db.transaction().execute(async (tx) => {
      expect(await lockActiveEntities(tx, [target.id, other.id])).toEqual(new Set([target.id]))
    })
  })
})
