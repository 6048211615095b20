import { sql } from 'kysely'
import type { Answer, RequestOptions, TestApp } from '../test-app.ts'
import type { Body } from './record-requests.ts'

/** Captures over HTTP, and what is stored of them. */

/** Sends `POST /v1/capture` and returns the answer, with any status. */
export function postCapture(
  app: TestApp,
  content: unknown,
  more: object = {},
  options: RequestOptions = {},
): Promise<Answer> {
  return app.request('POST', '/v1/capture', { ...options, body: { source: 'agent-1', content, ...more } })
}

/** Captures content and returns the body of the answer; throws unless the status is 201. */
export async function capture(
  app: TestApp,
  content: unknown,
  more: object = {},
  options: RequestOptions = {},
): Promise<Body> {
  const answer = await postCapture(app, content, more, options)
  if (answer.status !== 201) throw new Error(`not captured: ${answer.text.slice(0, 1_000)}`)
  return answer.body
}

/** Builds the content of a fact about the build. */
export const triple = (object: unknown, more: object = {}) => ({
  subject: 'the build',
  predicate: 'runs on',
  object,
  ...more,
})

/** Captures a fact as an observation, and returns the body of the answer. */
export function captureFact(
  app: TestApp,
  content: object,
  more: object = {},
  options: RequestOptions = {},
): Promise<Body> {
  return capture(app, content, { source_kind: 'observation', ...more }, options)
}

/** Returns the records of a type that a capture created. */
export function pickCreated({ created_records: records }: Body, type: string): Body[] {
  return records.filter((record: Body) => record.type === type)
}

/** Returns the predicates of the edges in the answer of a capture. */
export function listPredicates({ edges }: Body): string[] {
  return edges.map(({ predicate }: Body) => predicate)
}

const tables = ['records', 'contents', 'relations', 'audit_entries', 'status_changes', 'handles']

/** Reads every row that a capture can write, as text: two equal lists mean that nothing was written in between. */
export async function readAllRows(app: TestApp): Promise<string[]> {
  const texts = await Promise.all(
    [...tables, 'entity_identifiers', 'idempotency_keys'].map((table) =>
      sql<{ text: string }>`select r::text as text from ${sql.table(table)} as r order by 1`.execute(app.db),
    ),
  )
  return texts.flatMap(({ rows }) => rows.map(({ text }) => text))
}

export type Counts = Readonly<Record<string, number>>

/** Counts the rows of every table that a capture can write to. */
export async function countTableRows(app: TestApp): Promise<Counts> {
  const counts = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await sql<{
        n: number
      }>`select count(*)::integer as n from ${sql.table(table)}`.execute(app.db)
      return [table, rows[0]?.n ?? 0] as const
    }),
  )
  return Object.fromEntries(counts)
}

/** Counts the records of a type in a scope. */
export async function countRecordsOfType(app: TestApp, type: string, scope: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from records as r where r.type = ${type}::record_type and r.scope = ${scope}
  `.execute(app.db)
  return rows[0]?.n ?? 0
}

/** Returns the numbers from 0 to `count` − 1. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n)
}

/** Returns functions that capture facts about one topic into a scope, and read which of them are active. */
export function createTopic(app: TestApp, scope: string) {
  return {
    scope,
    add: (object: unknown, more: object = {}, outside: object = {}) =>
      captureFact(app, triple(object, more), { scope, ...outside }),
    readActive: async (): Promise<string[]> => {
      const { body } = await app.request(
        'GET',
        `/v1/records?type=semantic&scope=${scope}&status=active&limit=500`,
      )
      return (body as Body).items
        .filter(({ payload }: Body) => payload.revision?.status !== 'retracted')
        .map(({ payload }: Body) => payload.object)
        .sort()
    },
  }
}

/** Deletes a record: it becomes forgotten. */
export async function forget(app: TestApp, id: string): Promise<void> {
  const answer = await app.request('DELETE', `/v1/records/${id}?actor=a&rationale=r`)
  if (answer.status !== 200) throw new Error(`not forgotten: ${answer.text}`)
}

/** Erases a record. */
export async function erase(app: TestApp, id: string): Promise<void> {
  const body = { actor: 'desk', rationale: 'asked to' }
  const answer = await app.request('POST', `/v1/records/${id}/erase`, { body })
  if (answer.status !== 200) throw new Error(`not erased: ${answer.text}`)
}

/** Returns the ids of the mentioned entities, in the order of the content. */
export async function listMentionedIds(
  app: TestApp,
  content: unknown,
  scope: string | undefined,
  more: object = {},
): Promise<Body[]> {
  const answer = await capture(app, content, { ...(scope ? { scope } : {}), ...more })
  return answer.primary_record.interpretation.mentions.map(
    ({ canonical_entity_id: id }: Body) => id as string | undefined,
  )
}
