import type { TestApp } from '../test-app.ts'
import type { Body } from './record-requests.ts'

/** Sends `POST /v1/retrieve` and returns the body; throws unless the status is 200. */
export async function retrieve(app: TestApp, body: object, key?: string): Promise<Body> {
  const answer = await app.request('POST', '/v1/retrieve', { body, ...(key === undefined ? {} : { key }) })
  if (answer.status !== 200) throw new Error(`nothing was retrieved: ${answer.text}`)
  return answer.body
}

/** Returns the ids of the retrieved records, best first. */
export const listNodeIds = (answer: Body): string[] => answer.nodes.map((node: Body) => node.record.id)

/** Builds the body of a fact that says `object`. */
export const buildStatement = (object: unknown, more: object = {}) => ({
  type: 'semantic',
  payload: { kind: 'semantic', subject: 'project', predicate: 'states', object },
  ...more,
})

/** Builds the body of an entity with a name. */
export const buildService = (name: string, more: object = {}) => ({
  type: 'entity',
  payload: { kind: 'entity', canonical_name: name, primary_type: 'Service' },
  ...more,
})

/** Adds an edge. */
export async function link(app: TestApp, source: string, predicate: string, target: string, weight = 1) {
  const body = { predicate, target_id: target, weight }
  const answer = await app.request('POST', `/v1/records/${source}/relations`, { body })
  if (answer.status >= 300) throw new Error(`not linked: ${answer.text}`)
}
