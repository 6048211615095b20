import { onTestFinished } from 'vitest'
import { answering, type Behaviour, type ChatServer, type Seen, startChatServer } from './chat-server.ts'
import { entity } from './entity-requests.ts'
import { noIntervals } from './idle-jobs.ts'
import { hireFor } from './job-workers.ts'
import { type Body, create } from './record-requests.ts'
import { startTestApp, type TestApp } from './test-app.ts'

/** An app whose dreams ask a chat model, which answers each kind of question as it is told. */

export type Mind = Awaited<ReturnType<typeof openMind>>

/** By the name of the schema that came with the question. */
export function minding(answers: Record<string, unknown>): Behaviour {
  return (response, seen) => {
    const answer = answers[nameOf(seen)]
    const value = typeof answer === 'function' ? answer(documentOf(seen)) : answer
    return answering(value ?? {})(response, seen)
  }
}

export function nameOf({ body }: Seen): string {
  return (body.response_format as Body)?.json_schema?.name ?? ''
}

/** What the model was shown. */
export function documentOf({ body }: Seen): Body {
  return JSON.parse(body.messages.at(-1)?.content ?? '{}')
}

export async function openMind(behaviour: Behaviour = answering({}), variables: Record<string, string> = {}) {
  const model = await startChatServer(behaviour)
  const asked = { MEMBRANE_LLM_ENDPOINT: model.url, MEMBRANE_LLM_MODEL: 'm', ...variables }
  const app = await startTestApp({ variables: asked })
  onTestFinished(async () => {
    await app.close()
    await model.close()
  })
  return { app, model, ...dreamsOf(app, model) }
}

function dreamsOf(app: TestApp, model: ChatServer) {
  async function ask(steps: readonly string[], more: Body = {}): Promise<string> {
    const body = { job: 'dream', ...more, options: { steps, ...more.options } }
    const { body: run, status, text } = await app.request('POST', '/v1/maintenance/runs', { body })
    if (status !== 202) throw new Error(`no run: ${text}`)
    return (run as Body).id
  }
  const attend = (signal = new AbortController().signal) => hireFor(app, noIntervals).attend('dream', signal)
  const readRun = async (id: string): Promise<Body> =>
    (await app.request('GET', `/v1/maintenance/runs/${id}`)).body

  /** One whole run of some steps, a day after what was before it. */
  async function dream(steps: readonly string[], more: Body = {}): Promise<Body> {
    app.clock.advance(86_400_000)
    const id = await ask(steps, more)
    await attend()
    const run = await readRun(id)
    if (run.status !== 'succeeded') throw new Error(`the run ended: ${run.status}, ${run.error}`)
    return run
  }
  const changesOf = async ({ id }: Body): Promise<Body[]> =>
    ((await app.request('GET', `/v1/maintenance/runs/${id}/changes`)).body as Body).items
  /** As many as there were since the last time somebody asked. */
  function takeQuestions(): Seen[] {
    return model.requests.splice(0)
  }
  return { ask, attend, readRun, dream, changesOf, takeQuestions }
}

/** An entity with facts about it, each with the tags and the sensitivity that are given. */
export async function tellOf(app: TestApp, name: string, facts: readonly string[], more: Body = {}) {
  const { entity: about = {}, ...each } = more
  const { id } = await create(app, entity(name, {}, about))
  const known: string[] = []
  for (const object of facts) known.push((await tellFact(app, id, object, each)).id)
  return { id, known }
}

/** Each a moment after the one before it. */
export function tellFact(app: TestApp, about: string, object: string, more: Body = {}): Promise<Body> {
  app.clock.advance(1_000)
  return create(app, {
    type: 'semantic',
    payload: { kind: 'semantic', subject: 'team', predicate: 'noted', object },
    relations: [{ predicate: 'subject_entity', target_id: about }],
    ...more,
  })
}

export const fiveOf = (name: string) => [1, 2, 3, 4, 5].map((n) => `${name} note ${n}`)

export async function cardOf(app: TestApp, id: string, key?: string): Promise<string | undefined> {
  const { body } = await app.request('GET', `/v1/entities/${id}`, key === undefined ? {} : { key })
  return (body as Body).peer_card_id
}

export async function cardsIn({ database }: TestApp): Promise<{ id: string; status: string }[]> {
  const { rows } = await database.pool.query(
    `select r.id, r.status from records as r join contents as c on c.record_id = r.id
     where 'peer-card' = any(c.tags) order by r.created_at, r.id`,
  )
  return rows
}

/** All that a run which has nothing to do must leave as it is. */
export async function readStore({ database: { pool } }: TestApp): Promise<unknown> {
  const tables = ['records', 'contents', 'relations', 'audit_entries', 'status_changes', 'importance_history']
  const read = [...tables, 'peer_cards', 'dream_verdicts', 'belief_probes'].map((name) =>
    pool.query(`select to_jsonb(t) as row from ${name} as t order by to_jsonb(t)::text`),
  )
  return (await Promise.all(read)).map(({ rows }) => rows)
}
