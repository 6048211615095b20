import { type Body, fact, payloads } from './record-requests.ts'
import type { Asked, TestApp } from './test-app.ts'

export const told = { actor: 'planner', rationale: 'the team has moved on' }

const evidence = [{ source_type: 'observation', source_id: 'meeting', timestamp: '2026-01-01T00:00:00.000Z' }]

/** A fact that rests on something, as a revision asks for. */
export function claim(object: unknown, more: object = {}) {
  return fact({ payload: { ...payloads.semantic, object, evidence }, ...more })
}

/** One of the calls on a record, with whatever its body has beside the actor and the rationale. */
export function revise(app: TestApp, call: string, id: string, body: object = {}, asked: Asked = {}) {
  return app.request('POST', `/v1/records/${id}/${call}`, { ...asked, body: { ...told, ...body } })
}

export function merge(app: TestApp, ids: readonly string[], record: object, asked: Asked = {}) {
  return app.request('POST', '/v1/records/merge', { ...asked, body: { ...told, ids, record } })
}

export async function readLineage(app: TestApp, id: string, asked: Asked = {}): Promise<Body> {
  const answer = await app.request('GET', `/v1/records/${id}/lineage`, asked)
  if (answer.status !== 200) throw new Error(`no lineage: ${answer.text}`)
  return answer.body
}

export async function readLog(app: TestApp, id: string): Promise<Body[]> {
  const { body } = await app.request('GET', `/v1/records/${id}/audit`)
  return (body as Body).items.map(({ action, actor, rationale }: Body) => [action, actor, rationale])
}
