import { type Body, create, fact } from './record-requests.ts'
import type { Asked, TestApp } from './test-app.ts'

/** What tests of entities ask for. */

export const entity = (name: string, more: object = {}, outside: object = {}) => ({
  ...{ type: 'entity', ...outside },
  payload: { kind: 'entity', canonical_name: name, primary_type: 'Project', ...more },
})

export const told = { actor: 'curator', rationale: 'one thing under two names' }

export function lookUp(app: TestApp, query: Record<string, string>, asked: Asked = {}) {
  return app.request('GET', `/v1/entities?${new URLSearchParams(query)}`, asked)
}

/** Who answers to the term, in order. */
export async function bearersOf(
  app: TestApp,
  term: string,
  more: Record<string, string> = {},
  asked: Asked = {},
): Promise<string[]> {
  const { body } = await lookUp(app, { term, ...more }, asked)
  return (body as Body).items.map(({ id }: Body) => id)
}

export function mergeInto(app: TestApp, id: string, sourceIds: readonly string[], asked: Asked = {}) {
  const body = { source_ids: sourceIds, ...told }
  return app.request('POST', `/v1/entities/${id}/merge`, { ...asked, body })
}

/** Of the records that are about the entity, the ids. */
export async function recordsAbout(app: TestApp, id: string): Promise<string[]> {
  const { body } = await app.request('GET', `/v1/entities/${id}/records?limit=500`)
  return (body as Body).items.map((item: Body) => item.id)
}

export function mention(app: TestApp, id: string, predicate = 'mentions_entity'): Promise<Body> {
  return create(app, fact({ relations: [{ predicate, target_id: id }] }))
}
