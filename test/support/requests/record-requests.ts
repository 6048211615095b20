import { expect } from 'vitest'
import type { Answer, RequestOptions, TestApp } from '../test-app.ts'

/** The smallest payload of each type. */
export const payloads = {
  episodic: { kind: 'episodic' },
  working: { kind: 'working', thread_id: 'thread-1', state: 'executing' },
  entity: { kind: 'entity', canonical_name: 'Orion', primary_type: 'Project' },
  semantic: { kind: 'semantic', subject: 'user', predicate: 'prefers', object: 'Go' },
  competence: { kind: 'competence', skill_name: 'debug' },
  plan_graph: { kind: 'plan_graph', plan_id: 'p', version: '1' },
} as const

export type Type = keyof typeof payloads

/** The JSON body of an answer. */
// biome-ignore lint/suspicious/noExplicitAny: answers are asserted field by field, and checked against OpenAPI
export type Body = any

/** Builds the body of a fact. */
export const fact = (more: object = {}) => ({ type: 'semantic', payload: payloads.semantic, ...more })

/** Builds the body of a fact with this object; facts with other objects are about the same. */
export const say = (object: unknown, more: object = {}) =>
  fact({ payload: { ...payloads.semantic, object }, ...more })

/** Creates a record and returns it; throws unless the status is 201. */
export async function create(app: TestApp, body: object, options: RequestOptions = {}): Promise<Body> {
  const answer = await app.request('POST', '/v1/records', { ...options, body })
  if (answer.status !== 201) throw new Error(`not created: ${answer.text}`)
  return answer.body
}

/** Returns the body of a record that is created now, also when a later request brings it: ids are in the order of time. */
export const atThisTime = ({ ids, clock }: Pick<TestApp, 'ids' | 'clock'>, body: object) => ({
  id: ids.next(),
  created_at: clock.now().toISOString(),
  ...body,
})

/** Creates records in one request and returns them in the same order; throws unless all are created. */
export async function createAll(app: TestApp, records: readonly object[]): Promise<Body[]> {
  if (records.length === 0) return []
  const { body, text } = await app.request('POST', '/v1/records/batch', { body: { records, atomic: true } })
  const created = (body as Body).results?.map(({ record }: Body) => record) ?? []
  if (created.length !== records.length || created.includes(undefined))
    throw new Error(`not created: ${text}`)
  return created
}

/** Reads a record; throws unless the status is 200. */
export async function read(app: TestApp, id: string, options: RequestOptions = {}): Promise<Body> {
  const answer = await app.request('GET', `/v1/records/${id}`, options)
  if (answer.status !== 200) throw new Error(`not read: ${answer.text}`)
  return answer.body
}

/** Expects a problem with this status and code, and returns its body. */
export function expectProblem(answer: Answer, status: number, code: string): Body {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status, body: { code, status } })
  return answer.body
}

/** Returns the pointers of the faults in a problem, in their order. */
export function pointersOf(answer: Answer): string[] {
  return (answer.body as Body).errors.map((fault: { pointer: string }) => fault.pointer)
}

type Counted = 'records' | 'contents' | 'relations' | 'audit_entries' | 'embedding_models'

/** Counts the rows of a table. */
export async function countRows(app: TestApp, table: Counted) {
  const { count } = await app.db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
