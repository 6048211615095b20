import type { RequestOptions, TestApp } from '../test-app.ts'
import { type Body, create, fact } from './record-requests.ts'

/** Requests about entities. */

/** Builds the body of an entity with a name. */
export const entity = (name: string, more: object = {}, outside: object = {}) => ({
  type: 'entity',
  ...outside,
  payload: { kind: 'entity', canonical_name: name, primary_type: 'Project', ...more },
})

/** The actor and the rationale of a merge. */
export const auditFields = { actor: 'curator', rationale: 'one thing under two names' }

/** Sends `GET /v1/entities` and returns the answer. */
export function lookUpEntity(app: TestApp, query: Record<string, string>, options: RequestOptions = {}) {
  return app.request('GET', `/v1/entities?${new URLSearchParams(query)}`, options)
}

/** Returns the ids of the entities that a term finds, best first. */
export async function listEntitiesNamed(
  app: TestApp,
  term: string,
  more: Record<string, string> = {},
  options: RequestOptions = {},
): Promise<string[]> {
  const { body } = await lookUpEntity(app, { term, ...more }, options)
  return (body as Body).items.map(({ id }: Body) => id)
}

/** Merges entities into a target. */
export function mergeEntities(
  app: TestApp,
  id: string,
  sourceIds: readonly string[],
  options: RequestOptions = {},
) {
  const body = { source_ids: sourceIds, ...auditFields }
  return app.request('POST', `/v1/entities/${id}/merge`, { ...options, body })
}

/** Returns the ids of the records about an entity. */
export async function listRecordsAbout(app: TestApp, id: string): Promise<string[]> {
  const { body } = await app.request('GET', `/v1/entities/${id}/records?limit=500`)
  return (body as Body).items.map((item: Body) => item.id)
}

/** Creates a fact with an edge to an entity. */
export function createMention(app: TestApp, id: string, predicate = 'mentions_entity'): Promise<Body> {
  return create(app, fact({ relations: [{ predicate, target_id: id }] }))
}
