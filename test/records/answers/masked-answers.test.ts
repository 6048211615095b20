import { afterAll, describe, expect, it } from 'vitest'
import { type Body, create, fact, payloads } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const scope = 'vault'
const token = 'ghp_0123456789abcdefghijABCDEFGHIJ0123456789'
const { id: orion } = await create(app, { type: 'entity', scope, payload: payloads.entity })
const stored = await create(
  app,
  fact({
    scope,
    payload: { ...payloads.semantic, object: `The token of the vault is ${token}` },
    relations: [{ predicate: 'subject_entity', target_id: orion }],
  }),
)
const body = {
  scope,
  messages: [
    { role: 'user', content: 'My password is password=hunter2abc', metadata: { api_key: 'k-1234567' } },
  ],
}
await app.request('POST', '/v1/conversations/c/messages', { body })

const get = async (path: string) => (await app.request('GET', path)).body as Body
const retrieve = async (more: object) => {
  const asked = {
    task_descriptor: 'the token of the vault',
    scopes: [scope],
    memory_types: ['semantic'],
    ...more,
  }
  return (await app.request('POST', '/v1/retrieve', { body: asked })).body as Body
}

describe('mask_secrets', () => {
  it.each([
    ['a list', `/v1/records?scope=${scope}&type=semantic`, ({ items }: Body) => items[0].payload],
    ['a record', `/v1/records/${stored.id}?include_forgotten=true`, (record: Body) => record.payload],
    [
      'the records of an entity',
      `/v1/entities/${orion}/records?limit=5`,
      ({ items }: Body) => items[0].payload,
    ],
  ])('masks the payloads of %s, and only if it is set', async (_, path, read) => {
    expect(read(await get(`${path}&mask_secrets=true`)).object).toBe(
      'The token of the vault is <secret string>',
    )
    expect(read(await get(path)).object).toContain(token)
    expect(read(await get(`${path}&mask_secrets=false`)).object).toContain(token)
  })

  it('masks the payloads of a retrieval', async () => {
    const [node] = (await retrieve({ mask_secrets: true })).nodes
    expect(node.record.payload.object).toBe('The token of the vault is <secret string>')
    expect((await retrieve({})).nodes[0].record.payload.object).toContain(token)
  })

  it('masks what repeats the payload: tags, the interpretation, the sources, and names of members', async () => {
    const { id } = await create(
      app,
      fact({
        scope: 'vault-2',
        tags: ['auth', token, 'plain'],
        payload: { ...payloads.semantic, object: { [token]: 'Ada' } },
        provenance: { sources: [{ kind: 'event', ref: `https://ada:${token}@git.example/a` }] },
        interpretation: {
          status: 'tentative',
          summary: `The token is ${token}`,
          proposed_type: 'semantic',
          topical_labels: [],
          mentions: [],
          relation_candidates: [],
          reference_candidates: [],
          extraction_confidence: 1,
        },
      }),
    )
    const masked = await get(`/v1/records/${id}?mask_secrets=true`)
    expect(JSON.stringify(masked)).not.toContain(token)
    expect(masked).toMatchObject({ tags: ['auth', '<secret string>', 'plain'], version: 1 })
    expect(masked.payload.object).toEqual({ '<secret string>': 'Ada' })
    expect(masked.provenance.sources[0].ref).toBe('https://<secret string>@git.example/a')
    expect(masked.interpretation.summary).toBe('The token is <secret string>')
    const whole = await get(`/v1/records/${id}`)
    expect(whole).toMatchObject({ tags: ['auth', token, 'plain'], payload: { object: { [token]: 'Ada' } } })
  })

  it('shows each of two tags, also if the first is a name of secrets', async () => {
    const { id } = await create(app, fact({ scope: 'vault-3', tags: ['auth', 'billing'] }))
    expect((await get(`/v1/records/${id}?mask_secrets=true`)).tags).toEqual(['auth', 'billing'])
  })

  it('masks the texts and the metadata of messages', async () => {
    const [masked] = (await get(`/v1/conversations/c/messages?scope=${scope}&mask_secrets=true`)).items
    expect(masked).toMatchObject({
      content: 'My password is password=<secret string>',
      metadata: { api_key: '<secret string>' },
    })
    const [whole] = (await get(`/v1/conversations/c/messages?scope=${scope}`)).items
    expect(whole.metadata).toEqual({ api_key: 'k-1234567' })
  })

  it('leaves the key that a fact came with as it is, and masks what an entity is', async () => {
    const note = { text: `Its token is ${token}`, scope: 'notes' }
    const { id } = (await app.request('POST', '/v1/remember', { body: note })).body as Body
    expect(await get(`/v1/records/${id}?mask_secrets=true`)).toMatchObject({
      payload: { object: 'Its token is <secret string>', evidence: [{ source_id: 'key:root' }] },
      provenance: { sources: [{ created_by: 'key:root' }] },
    })
    const summary = `Opens with ${token}`
    const entity = await create(app, {
      type: 'entity',
      scope: 'notes',
      payload: { ...payloads.entity, summary },
    })
    const seen = await get(`/v1/entities/${entity.id}?mask_secrets=true`)
    expect(seen.payload.summary).toBe('Opens with <secret string>')
    expect((await get(`/v1/entities/${entity.id}`)).payload.summary).toBe(summary)
  })

  it('masks the log of a record, in the record and in its pages, and the sample of an import', async () => {
    const place = 'log'
    const made = await create(app, { type: 'working', scope: place, payload: payloads.working })
    const path = `/v1/records/${made.id}`
    const state = { ...payloads.working, context_summary: `It uses ${token}` }
    const pin = { actor: 'ana', rationale: `token ${token}` }
    const change = { payload: state, tags: ['auth', 'billing', token] }
    expect((await app.request('PATCH', path, { body: change })).status).toBe(200)
    expect((await app.request('POST', `${path}/pin`, { body: pin })).status).toBe(200)
    for (const [shown, read] of [
      [`${path}?mask_secrets=`, ({ audit_log: log }: Body) => log],
      [`${path}/audit?mask_secrets=`, ({ items }: Body) => items],
    ] as const) {
      const log = read(await get(`${shown}true`))
      expect(JSON.stringify(log)).not.toContain(token)
      expect(log.at(-1).rationale).toBe('token <secret string>')
      expect(JSON.stringify(log.at(-2).changes)).toContain('It uses <secret string>')
      expect(log.at(-2).changes.tags[1]).toEqual(['auth', 'billing', '<secret string>'])
      expect(JSON.stringify(read(await get(`${shown}false`)))).toContain(`It uses ${token}`)
    }
    const file = [{ id: 'm1', memory: `The token is ${token}`, user_id: 'ana' }]
    const report = async (masked: boolean) => {
      const address = `/v1/import?format=mem0&scope=${place}&dry_run=true&mask_secrets=${masked}`
      return (await app.request('POST', address, { body: file })).text
    }
    expect(await report(true)).toContain('The token is <secret string>')
    expect(await report(false)).toContain(`The token is ${token}`)
  })

  it('masks who acted and the predicates of relations, and leaves their weights', async () => {
    const place = 'acts'
    const [one, other] = [
      await create(app, fact({ scope: place })),
      await create(app, fact({ scope: place })),
    ]
    const path = `/v1/records/${one.id}`
    for (const predicate of ['has_token', `password=${token}`]) {
      const body = { predicate, target_id: other.id, actor: token, rationale: 'linked' }
      expect((await app.request('POST', `${path}/relations`, { body })).status).toBe(201)
    }
    expect((await app.request('DELETE', `${path}?actor=${token}&rationale=asked`)).status).toBe(200)
    const masked = await get(`${path}?include_forgotten=true&mask_secrets=true`)
    expect(JSON.stringify(masked)).not.toContain(token)
    expect(masked.relations.map(({ predicate }: Body) => predicate)).toEqual([
      'has_token',
      'password=<secret string>',
    ])
    expect(masked.audit_log[1].changes).toEqual({ [`relations.has_token.${other.id}`]: [null, 1] })
    expect(masked.forgotten.actor).toBe('<secret string>')
  })

  it('shows each of two names in a list of names', async () => {
    const practice = { required_tools: ['auth', 'billing'], failure_modes: ['token', 'timeout'] }
    const payload = { ...payloads.competence, ...practice }
    const { id } = await create(app, { type: 'competence', scope: 'lists', payload })
    expect((await get(`/v1/records/${id}?mask_secrets=true`)).payload).toMatchObject(practice)
  })

  it('keeps a list of several pages the same list', async () => {
    const first = await get(`/v1/records?scope=${scope}&limit=1&mask_secrets=true`)
    const next = await get(
      `/v1/records?scope=${scope}&limit=5&mask_secrets=true&cursor=${encodeURIComponent(first.next_cursor)}`,
    )
    expect(next.items).toHaveLength(2)
  })
})
