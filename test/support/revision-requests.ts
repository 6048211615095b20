import { type Body, fact, payloads } from './record-requests.ts'
import type { RequestOptions, TestApp } from './test-app.ts'

/** The actor and the rationale of a revision. */
export const auditFields = { actor: 'planner', rationale: 'the team has moved on' }

const evidence = [{ source_type: 'observation', source_id: 'meeting', timestamp: '2026-01-01T00:00:00.000Z' }]

/** Builds the body of a fact with evidence, as revisions require it. */
export function buildClaim(object: unknown, more: object = {}) {
  return fact({ payload: { ...payloads.semantic, object, evidence }, ...more })
}

/** Sends `POST /v1/records/{id}/{call}` with the actor and the rationale. */
export function revise(
  app: TestApp,
  call: string,
  id: string,
  body: object = {},
  options: RequestOptions = {},
) {
  return app.request('POST', `/v1/records/${id}/${call}`, { ...options, body: { ...auditFields, ...body } })
}

/** Merges records. */
export function mergeRecords(
  app: TestApp,
  ids: readonly string[],
  record: object,
  options: RequestOptions = {},
) {
  return app.request('POST', '/v1/records/merge', { ...options, body: { ...auditFields, ids, record } })
}

/** Reads the lineage of a record. */
export async function readLineage(app: TestApp, id: string, options: RequestOptions = {}): Promise<Body> {
  const answer = await app.request('GET', `/v1/records/${id}/lineage`, options)
  if (answer.status !== 200) throw new Error(`no lineage: ${answer.text}`)
  return answer.body
}

/** Reads the action, actor and rationale of each audit entry of a record. */
export async function readAuditLog(app: TestApp, id: string): Promise<Body[]> {
  const { body } = await app.request('GET', `/v1/records/${id}/audit`)
  return (body as Body).items.map(({ action, actor, rationale }: Body) => [action, actor, rationale])
}
