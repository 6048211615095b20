import { assert } from '../load.ts'
import type { Conversation, Message } from './corpus.ts'
import { type Sender, storeConversation } from './service.ts'

/** The forms in which a text can be stored, and the request of each. */

type Request = { path: string; body: object }

const timeOf = ({ at }: Message) => new Date(Math.min(Date.parse(at), Date.now())).toISOString()

type Form = (message: Message, scope: string) => Request

const capture = (message: Message, scope: string, more: object): Request => ({
  path: '/v1/capture',
  body: { source: 'agent', scope, timestamp: timeOf(message), ...more },
})

const forms: Readonly<Record<string, Form>> = {
  remember: (message, scope) => ({
    path: '/v1/remember',
    body: { text: message.content, scope, occurred_at: timeOf(message) },
  }),
  about: (message, scope) => ({
    path: '/v1/remember',
    body: { text: message.content, about: message.name ?? scope, scope, occurred_at: timeOf(message) },
  }),
  fact: (message, scope) => ({
    path: '/v1/records',
    body: {
      type: 'semantic',
      scope,
      payload: {
        kind: 'semantic',
        subject: message.name ?? scope,
        predicate: 'observation',
        object: message.content,
        evidence: [{ source_type: 'observation', source_id: 'agent', timestamp: timeOf(message) }],
      },
    },
  }),
  episode: (message, scope) => ({
    path: '/v1/records',
    body: {
      type: 'episodic',
      scope,
      payload: {
        kind: 'episodic',
        timeline: [{ t: timeOf(message), event_kind: 'note', ref: message.id, summary: message.content }],
      },
    },
  }),
  skill: ({ content, id }, scope) => ({
    path: '/v1/records',
    body: {
      type: 'competence',
      scope,
      payload: {
        kind: 'competence',
        skill_name: id,
        recipe: content
          .split(/\n+/)
          .filter((step) => step.trim() !== '')
          .map((step) => ({ step })),
      },
    },
  }),
  event: (message, scope) => capture(message, scope, { content: { text: message.content } }),
  summary: (message, scope) =>
    capture(message, scope, { content: { ref: message.id }, summary: message.content }),
  observation: (message, scope) =>
    capture(message, scope, { source_kind: 'observation', content: { text: message.content } }),
  session: (message, scope) =>
    capture(message, scope, { content: { text: message.content }, conversation: { id: 'one' } }),
  triple: (message, scope) =>
    capture(message, scope, {
      source_kind: 'observation',
      content: { subject: message.name ?? scope, predicate: 'observation', object: message.content },
    }),
  tool: (message, scope) =>
    capture(message, scope, {
      source_kind: 'tool_output',
      content: { tool_name: 'read_notes', args: { id: message.id }, result: message.content },
    }),
}

export const formNames: readonly string[] = ['messages', ...Object.keys(forms)]

/** Stores every message in one of the forms. Returns the ids of the messages by the ids of all their records. */
export async function storeInForm(
  client: Sender,
  form: string,
  conversation: Conversation,
): Promise<Map<string, string>> {
  const [first, second] = form.split('+')
  if (second) {
    const of = (isNote: boolean) => ({
      ...conversation,
      messages: conversation.messages.filter(({ role }) => (role === 'note') === isNote),
    })
    return new Map([
      ...(await storeInForm(client, first ?? '', of(false))),
      ...(await storeInForm(client, second, of(true))),
    ])
  }
  const createRequest = forms[form]
  if (!createRequest) return storeConversation(client, conversation)
  const ids = new Map<string, string>()
  for (const message of conversation.messages) {
    const { path, body } = createRequest(message, conversation.id)
    const { status, text } = await client.send('POST', path, JSON.stringify(body))
    assert(status === 201 || status === 200, `${path} was answered ${status}: ${text.slice(0, 500)}`)
    const answer = JSON.parse(text) as {
      id?: string
      created_records?: { id: string; type: string }[]
      primary_record?: { id: string }
    }
    const stored = [answer.id, answer.primary_record?.id]
    const made = (answer.created_records ?? []).filter(({ type }) => type !== 'entity').map(({ id }) => id)
    for (const id of [...stored, ...made]) if (id !== undefined) ids.set(id, message.id)
  }
  return ids
}
