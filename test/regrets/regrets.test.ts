import { afterAll, describe, expect, it } from 'vitest'
import { deleteOldRegrets } from '../../src/regrets/index.ts'
import { type Body, create, expectProblem, fact } from '../support/requests/record-requests.ts'
import { type RequestOptions, startTestApp } from '../support/test-app.ts'

const day = 86_400_000
const why = { actor: 'ada', rationale: 'a test' }

const app = await startTestApp({
  variables: { MEMBRANE_REGRET_SAMPLE: '1', MEMBRANE_TOMBSTONE_KEY: 'tombstone-key-of-the-tests' },
})
afterAll(() => app.close())

const about = (object: string, more: object = {}) =>
  fact({ payload: { kind: 'semantic', subject: 'heron', predicate: 'is', object }, ...more })

async function forget(record: Body): Promise<Body> {
  const { body } = await app.request('DELETE', `/v1/records/${record.id}?actor=ada&rationale=old`)
  return body as Body
}

const ask = (body: object, options: RequestOptions = {}) =>
  app.request('POST', '/v1/retrieve', { ...options, body })

async function list(query = '', options: RequestOptions = {}): Promise<Body> {
  return (await app.request('GET', `/v1/regrets${query}`, options)).body
}

async function timesOf(id: string, options: RequestOptions = {}): Promise<number> {
  const { items } = await list('?limit=500', options)
  return items.find((item: Body) => item.record_id === id)?.times ?? 0
}

const untilRegretted = (id: string, times: number) => expect.poll(() => timesOf(id)).toBe(times)

/** Questions are asked again one after the other, so what was asked before is judged when this returns. */
async function untilAllAskedAgain(): Promise<void> {
  const word = `zz${app.ids.next().replaceAll('-', '')}`
  const { id } = await forget(await create(app, about(word)))
  await ask({ task_descriptor: word })
  await untilRegretted(id, 1)
}

describe('a question that a forgotten record would have answered', () => {
  it('is a regret with reason, rule and age, and nothing of the question is stored', async () => {
    const record = await create(app, about('fond of marshy ditches', { scope: 'birds' }))
    app.clock.advance(day)
    const { forgotten } = await forget(record)
    app.clock.advance(day)
    const answer = await ask({ task_descriptor: 'who likes marshy wetlands?' })
    expect((answer.body as Body).nodes.map((node: Body) => node.record.id)).not.toContain(record.id)
    await untilRegretted(record.id, 1)
    const { items } = await list('?scope=birds')
    expect(items).toEqual([
      {
        record_id: record.id,
        type: 'semantic',
        scope: 'birds',
        reason: 'deleted',
        rule: 'deletion',
        forgotten_at: forgotten.at,
        regretted_at: app.clock.now().toISOString(),
        times: 1,
      },
    ])
    const rows = await app.db.selectFrom('regrets').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain('wetlands')
    expect(app.log.join('\n')).not.toContain('wetlands')
  })

  it('is counted again for the next question, from POST /v1/context too', async () => {
    const { id } = await forget(await create(app, about('quagmire')))
    await ask({ task_descriptor: 'quagmire' })
    await app.request('POST', '/v1/context', { body: { task_descriptor: 'the quagmire', max_tokens: 200 } })
    await untilRegretted(id, 2)
  })

  it('is no regret when ten other records answer better', async () => {
    const { id } = await forget(await create(app, about(`estuary ${'among many other things '.repeat(20)}`)))
    for (let index = 0; index < 10; index++) await create(app, about(`estuary estuary ${index}`))
    await ask({ task_descriptor: 'estuary' })
    await untilAllAskedAgain()
    expect(await timesOf(id)).toBe(0)
  })

  it('is no regret for a record that a filter excludes, that was replaced, or without a question', async () => {
    const { id } = await forget(await create(app, about('peatland', { scope: 'north' })))
    const retracted = await create(app, about('peatland bog'))
    await app.request('POST', `/v1/records/${retracted.id}/retract`, { body: why })
    await forget(retracted)
    await ask({ task_descriptor: 'peatland', scopes: ['south'] })
    await ask({ scopes: ['north'] })
    await ask({ task_descriptor: 'peatland', scopes: ['north'], memory_types: ['episodic'] })
    await untilAllAskedAgain()
    expect([await timesOf(id), await timesOf(retracted.id)]).toEqual([0, 0])
  })
})

describe('the trust of a regret', () => {
  it('does not count what the caller could not see, and is that of the reader', async () => {
    const hidden = await create(app, about('saltmarsh', { scope: 'team-a' }))
    const secret = await create(app, about('saltmarsh', { scope: 'team-b', sensitivity: 'high' }))
    const open = await create(app, about('saltmarsh', { scope: 'team-b' }))
    for (const record of [hidden, secret, open]) await forget(record)
    const key = await app.issueKey(['records:read'], { scopes: ['team-b'], max_sensitivity: 'medium' })
    await ask({ task_descriptor: 'saltmarsh' }, { key })
    await untilRegretted(open.id, 1)
    expect([await timesOf(hidden.id), await timesOf(secret.id)]).toEqual([0, 0])
    await ask({ task_descriptor: 'saltmarsh' })
    await untilRegretted(secret.id, 1)
    expect(await timesOf(hidden.id)).toBe(1)
    expect(await timesOf(open.id, { key })).toBe(2)
    expect([await timesOf(hidden.id, { key }), await timesOf(secret.id, { key })]).toEqual([0, 0])
    expect((await list('?scope=team-b', { key })).items).toHaveLength(1)
    expect((await list('?scope=team-a', { key })).items).toEqual([])
  })

  it('needs the permission to read', async () => {
    const key = await app.issueKey(['records:write'])
    expectProblem(await app.request('GET', '/v1/regrets', { key }), 403, 'forbidden')
  })
})

describe('a regretted record', () => {
  it('leaves the list when it is restored, and starts again when it is forgotten again', async () => {
    const { id } = await forget(await create(app, about('reedbed')))
    await ask({ task_descriptor: 'reedbed' })
    await untilRegretted(id, 1)
    expect((await app.request('POST', `/v1/records/${id}/restore`, { body: why })).status).toBe(200)
    expect(await timesOf(id)).toBe(0)
    app.clock.advance(1_000)
    await forget({ id })
    expect(await timesOf(id)).toBe(0)
    await ask({ task_descriptor: 'reedbed' })
    await untilRegretted(id, 1)
  })

  it('leaves no trace when it is erased', async () => {
    const { id } = await forget(await create(app, about('lagoon')))
    await ask({ task_descriptor: 'lagoon' })
    await untilRegretted(id, 1)
    const erased = await app.request('POST', `/v1/records/${id}/erase`, { body: why })
    expect(erased.status).toBe(200)
    expect(await app.db.selectFrom('regrets').where('record_id', '=', id).select('times').execute()).toEqual(
      [],
    )
  })

  it('is deleted after 90 days when it was restored, and with its record when it was not', async () => {
    const kept = await create(app, about('fen one'))
    const restored = await create(app, about('fen two'))
    for (const { id } of [kept, restored]) await forget({ id })
    await ask({ task_descriptor: 'fen' })
    await untilRegretted(kept.id, 1)
    await untilRegretted(restored.id, 1)
    await app.request('POST', `/v1/records/${restored.id}/restore`, { body: why })
    const later = (days: number) => new Date(app.clock.now().getTime() + days * day)
    const idsLeft = async () =>
      (await app.db.selectFrom('regrets').select('record_id').execute()).map((row) => row.record_id)
    await deleteOldRegrets(app.db, later(89), 1_000)
    expect(await idsLeft()).toEqual(expect.arrayContaining([kept.id, restored.id]))
    await deleteOldRegrets(app.db, later(91), 1_000)
    expect(await idsLeft()).toContain(kept.id)
    expect(await idsLeft()).not.toContain(restored.id)
  })
})

describe('GET /v1/regrets', () => {
  it('has pages, the last regretted first, and filters by reason', async () => {
    const scope = 'paged'
    const ids: string[] = []
    for (const word of ['oxbow', 'delta', 'weir']) {
      const { id } = await forget(await create(app, about(word, { scope })))
      app.clock.advance(1_000)
      await ask({ task_descriptor: word })
      await untilRegretted(id, 1)
      ids.unshift(id)
    }
    const first = await list(`?scope=${scope}&limit=2`)
    const second = await list(`?scope=${scope}&limit=2&cursor=${encodeURIComponent(first.next_cursor)}`)
    expect([...first.items, ...second.items].map((item: Body) => item.record_id)).toEqual(ids)
    expect(second.next_cursor).toBeUndefined()
    expect((await list(`?scope=${scope}&reason=pruned`)).items).toEqual([])
    expect((await list(`?scope=${scope}&reason=deleted`)).items).toHaveLength(3)
  })
})
