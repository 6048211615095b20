import { sql } from 'kysely'
import type { Body } from './record-requests.ts'
import type { Answer, Asked, TestApp } from './test-app.ts'

/** Captures over HTTP, and what is stored of them. */

export function ask(app: TestApp, content: unknown, more: object = {}, asked: Asked = {}): Promise<Answer> {
  return app.request('POST', '/v1/capture', { ...asked, body: { source: 'agent-1', content, ...more } })
}

export async function capture(
  app: TestApp,
  content: unknown,
  more: object = {},
  asked: Asked = {},
): Promise<Body> {
  const answer = await ask(app, content, more, asked)
  if (answer.status !== 201) throw new Error(`not captured: ${answer.text.slice(0, 1_000)}`)
  return answer.body
}

export const triple = (object: unknown, more: object = {}) => ({
  ...{ subject: 'the build', predicate: 'runs on', object },
  ...more,
})

/** Captures a fact, and answers what became of it beside the rest. */
export function observe(app: TestApp, content: object, more: object = {}, asked: Asked = {}): Promise<Body> {
  return capture(app, content, { source_kind: 'observation', ...more }, asked)
}

export function ofType({ created_records: records }: Body, type: string): Body[] {
  return records.filter((record: Body) => record.type === type)
}

export function edgesOf({ edges }: Body): string[] {
  return edges.map(({ predicate }: Body) => predicate)
}

const tables = ['records', 'contents', 'relations', 'audit_entries', 'status_changes', 'handles']

/** Every row that a capture could leave, as text: two of these that are equal have nothing between them. */
export async function wholeStore(app: TestApp): Promise<string[]> {
  const texts = await Promise.all(
    [...tables, 'entity_identifiers', 'idempotency_keys'].map((table) =>
      sql<{ text: string }>`select r::text as text from ${sql.table(table)} as r order by 1`.execute(app.db),
    ),
  )
  return texts.flatMap(({ rows }) => rows.map(({ text }) => text))
}

export type Counts = Readonly<Record<string, number>>

export async function countAll(app: TestApp): Promise<Counts> {
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

export async function countType(app: TestApp, type: string, scope: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from records as r where r.type = ${type}::record_type and r.scope = ${scope}
  `.execute(app.db)
  return rows[0]?.n ?? 0
}

export function list(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n)
}

/** Tells facts of one topic in a scope of their own. */
export function topicOf(app: TestApp, scope: string) {
  return {
    scope,
    tell: (object: unknown, more: object = {}, outside: object = {}) =>
      observe(app, triple(object, more), { scope, ...outside }),
    live: async (): Promise<string[]> => {
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

export async function forget(app: TestApp, id: string): Promise<void> {
  const answer = await app.request('DELETE', `/v1/records/${id}?actor=a&rationale=r`)
  if (answer.status !== 200) throw new Error(`not forgotten: ${answer.text}`)
}

export async function erase(app: TestApp, id: string): Promise<void> {
  const body = { actor: 'desk', rationale: 'asked to' }
  const answer = await app.request('POST', `/v1/records/${id}/erase`, { body })
  if (answer.status !== 200) throw new Error(`not erased: ${answer.text}`)
}
