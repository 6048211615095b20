import { afterAll, describe, expect, it } from 'vitest'
import { askContext, idsOf } from '../../support/requests/prompt-context-requests.ts'
import { create } from '../../support/requests/record-requests.ts'
import { buildService } from '../../support/requests/retrieval-requests.ts'
import { startTestApp } from '../../support/test-app.ts'
import { listStatements } from '../../support/texts/prompt-lines.ts'

const app = await startTestApp()
afterAll(() => app.close())

const about = (subject: string, predicate: string, object: string, more: object = {}) => ({
  type: 'semantic',
  payload: { kind: 'semantic', subject, predicate, object },
  ...more,
})
const remember = (body: object) => app.request('POST', '/v1/remember', { body })

describe('a fact about an entity that it names by its id', () => {
  it('is written with the name, also where the entity is not part of the answer', async () => {
    const scope = 'named'
    const payload = {
      kind: 'entity',
      canonical_name: 'Maria Gonzalez',
      primary_type: 'Person',
      summary: 'a poet',
    }
    const maria = await create(app, { type: 'entity', scope, payload })
    await create(app, about(maria.id, 'profile', 'Prefers an informal tone', { scope, tags: ['peer-card'] }))
    await create(app, about(maria.id.toUpperCase(), 'lives in', 'Lisbon', { scope }))
    for (const more of [{}, { memory_types: ['semantic'] }, { tags: ['peer-card'] }]) {
      const task_descriptor = 'What tone does Maria Gonzalez prefer?'
      const context = await askContext(app, scope, { task_descriptor, ...more })
      expect(listStatements(context)).toContain('Maria Gonzalez profile Prefers an informal tone')
      expect(context.items.map(({ kind }: { kind: string }) => kind)).toContain('profile')
      expect(idsOf(context.items).includes(maria.id)).toBe(Object.keys(more).length === 0)
    }
    const context = await askContext(app, scope, { task_descriptor: 'Lisbon', memory_types: ['semantic'] })
    expect(listStatements(context)).toEqual(['Maria Gonzalez lives in Lisbon'])
  })

  it('is written with the id where the caller may not see the entity', async () => {
    const scope = 'hidden'
    const key = await app.issueKey(['records:read'], { scopes: [scope], max_sensitivity: 'low' })
    const open = { scope, sensitivity: 'low' }
    const secret = await create(app, buildService('Secret Falcon', { scope, sensitivity: 'high' }))
    const elsewhere = await create(app, buildService('Secret Falcon', { scope: 'else', sensitivity: 'low' }))
    const gone = await create(app, buildService('Secret Falcon', open))
    for (const { id } of [secret, elsewhere, gone]) {
      await create(app, about(id, 'profile', `nests in ${id.slice(-6)}`, open))
      await create(app, about(id, 'flies over', `${id.slice(-6)} Porto`, open))
    }
    await app.request('DELETE', `/v1/records/${gone.id}?actor=a&rationale=r`)
    for (const task_descriptor of ['Porto', 'Secret Falcon', 'nests']) {
      const { text } = await askContext(app, scope, { task_descriptor }, key)
      expect(text).not.toContain('Falcon')
      expect(task_descriptor === 'Secret Falcon' ? text : '').not.toContain('Who is asked about')
    }
  })

  it('is found in a text without spaces that names the entity', async () => {
    const scope = 'hangzhou'
    const payload = { kind: 'entity', canonical_name: '林晓', primary_type: 'Person', summary: '产品总监' }
    await create(app, { type: 'entity', scope, payload })
    const { body } = await remember({ scope, text: '林晓喜欢绿茶。' })
    expect(body).toMatchObject({ payload: { subject: '林晓' } })
    const context = await askContext(app, scope, { task_descriptor: '林晓喝什么茶？' })
    expect(context.text).toContain('Who is asked about')
    expect(listStatements(context)).toEqual(['林晓 (Person): 产品总监', '林晓喜欢绿茶。'])
  })

  it('finds the profile of the scope that is asked about among many of the same name', async () => {
    for (let index = 0; index < 20; index++) {
      const scope = `crowd-${index}`
      const orion = await create(app, buildService('Orion', { scope }))
      await create(app, about(orion.id, 'profile', `is number ${index}`, { scope }))
    }
    for (const index of [0, 19]) {
      const body = { task_descriptor: 'Orion', memory_types: ['semantic'] }
      const context = await askContext(app, `crowd-${index}`, body)
      expect(listStatements(context)).toEqual([`Orion profile is number ${index}`])
    }
  })
})

describe('a remembered text', () => {
  it('is written as it is, after its topic where the text does not name that', async () => {
    const scope = 'srv'
    await remember({ text: 'Host web-12 has 16 cores', scope })
    await remember({ text: 'Lena works on web-12', about: 'Lena', scope })
    await remember({ text: 'knows web-12 best', about: 'Otto', scope })
    const context = await askContext(app, scope, { task_descriptor: 'web-12' })
    expect(listStatements(context).sort()).toEqual([
      'Host web-12 has 16 cores',
      'Lena works on web-12',
      'Otto: knows web-12 best',
    ])
    const edge = { uuid: app.ids.next(), fact: 'Priya works at web-14', source_node_uuid: app.ids.next() }
    const target = `/v1/import?format=graphiti&scope=${scope}`
    await app.request('POST', target, { body: { edges: [{ ...edge, target_node_uuid: app.ids.next() }] } })
    const found = await askContext(app, scope, { task_descriptor: 'web-14' })
    expect(listStatements(found)).toContain('Priya works at web-14')
    await remember({ text: 'Host web-13 has 16 cores' })
    const unscoped = await app.request('POST', '/v1/context', { body: { task_descriptor: 'web-13' } })
    expect(listStatements(unscoped.body as object)).toContain('Host web-13 has 16 cores')
  })
})
