import type { Body } from './record-requests.ts'
import type { TestApp } from './test-app.ts'

/** What a retrieval answers; throws what it says when it is refused. */
export async function retrieve(app: TestApp, body: object, key?: string): Promise<Body> {
  const answer = await app.request('POST', '/v1/retrieve', { body, ...(key === undefined ? {} : { key }) })
  if (answer.status !== 200) throw new Error(`nothing was retrieved: ${answer.text}`)
  return answer.body
}

export const idsOf = (answer: Body): string[] => answer.nodes.map((node: Body) => node.record.id)

/** A fact that says `object`. */
export const saying = (object: unknown, more: object = {}) => ({
  type: 'semantic',
  payload: { kind: 'semantic', subject: 'project', predicate: 'states', object },
  ...more,
})

export const named = (name: string, more: object = {}) => ({
  type: 'entity',
  payload: { kind: 'entity', canonical_name: name, primary_type: 'Service' },
  ...more,
})

export async function link(app: TestApp, source: string, predicate: string, target: string, weight = 1) {
  const body = { predicate, target_id: target, weight }
  const answer = await app.request('POST', `/v1/records/${source}/relations`, { body })
  if (answer.status >= 300) throw new Error(`not linked: ${answer.text}`)
}
