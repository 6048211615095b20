import type { RequestOptions, TestApp } from '../test-app.ts'
import { type Body, fact, payloads, type Type } from './record-requests.ts'

/** The actor and the rationale of a revision. */
export const auditFields = { actor: 'planner', rationale: 'the team has moved on' }

const evidence = [{ source_type: 'observation', source_id: 'meeting', timestamp: '2026-01-01T00:00:00.000Z' }]

/** Builds the body of a fact with evidence, as revisions require it. */
export function buildClaim(object: unknown, more: object = {}) {
  return fact({ payload: { ...payloads.semantic, object, evidence }, ...more })
}

/** Builds the body of a record of the type, as other tests have it. */
export function buildPlain(type: Type, more: object = {}) {
  return { type, payload: payloads[type], ...more }
}

/** For each type that can be revised the body of a record that differs from the plain one. */
export const successors: Readonly<Record<string, object>> = {
  semantic: buildClaim('Rust'),
  entity: { type: 'entity', payload: { ...payloads.entity, canonical_name: 'Orion II' } },
  competence: { type: 'competence', payload: { ...payloads.competence, skill_name: 'debug well' } },
  plan_graph: { type: 'plan_graph', payload: { ...payloads.plan_graph, version: '2' } },
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
