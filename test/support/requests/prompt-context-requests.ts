import { expect } from 'vitest'
import type { TestApp } from '../test-app.ts'
import type { Body } from './record-requests.ts'

/** Sends `POST /v1/context` about one scope and returns the body. */
export async function askContext(app: TestApp, scope: string, body: object, key?: string): Promise<Body> {
  const given = key === undefined ? {} : { key }
  const answer = await app.request('POST', '/v1/context', { body: { scopes: [scope], ...body }, ...given })
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  return answer.body
}

/** The ids of items, omitted records or stored messages. */
export const idsOf = (listed: Body[]): string[] => listed.map(({ record_id: id }) => id)
/** Stores the messages of a conversation, a minute apart, and returns their record ids. */
export async function storeMessages(
  app: TestApp,
  scope: string,
  lines: readonly string[],
  more: object = {},
): Promise<string[]> {
  const messages = lines.map((content, index) => {
    const at = new Date(Date.UTC(2025, 5, 1, 8, index)).toISOString()
    return { id: `${index}`, role: index % 2 ? 'assistant' : 'user', content, at }
  })
  const body = { scope, sensitivity: 'low', messages, ...more }
  const path = '/v1/conversations/talk/messages'
  return idsOf(((await app.request('POST', path, { body })).body as Body).items)
}

export const skill = (name: string, more: object = {}) => ({
  type: 'competence',
  payload: { kind: 'competence', skill_name: name, recipe: [{ step: 'run the migration', tool: 'psql' }] },
  ...more,
})
export const task = (thread: string, more: object = {}) => ({
  type: 'working',
  payload: { kind: 'working', thread_id: thread, state: 'executing', next_actions: ['deploy billing'] },
  ...more,
})
