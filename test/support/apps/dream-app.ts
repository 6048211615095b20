import { onTestFinished } from 'vitest'
import {
  type Behaviour,
  type ChatServer,
  type ReceivedRequest,
  respondWithJson,
  startChatServer,
} from '../models/chat-server.ts'
import { entity } from '../requests/entity-requests.ts'
import { atThisTime, type Body, create, createAll } from '../requests/record-requests.ts'
import { startTestApp, type TestApp } from '../test-app.ts'
import { noIntervals } from '../workers/idle-jobs.ts'
import { createWorkerFor } from '../workers/worker-setup.ts'
import { shareStore } from './shared-store.ts'

/** An API whose dreams call a chat server. */

export type DreamApp = Awaited<ReturnType<typeof openDreamApp>>

/** Answers each question by the name of the schema that came with it. */
export function answerBySchema(answers: Record<string, unknown>): Behaviour {
  return (response, seen) => {
    const answer = answers[schemaNameOf(seen)]
    const value = typeof answer === 'function' ? answer(parsePromptDocument(seen)) : answer
    return respondWithJson(value ?? {})(response, seen)
  }
}

/** The profile states how many records the model saw. */
export const profileWriter = answerBySchema({
  profile: ({ records }: Body) => ({ profile: `known by ${records.length} records` }),
})

/** Returns the name of the schema of a request. */
export function schemaNameOf({ body }: ReceivedRequest): string {
  return (body.response_format as Body)?.json_schema?.name ?? ''
}

/** Returns the document that the model was shown. */
export function parsePromptDocument({ body }: ReceivedRequest): Body {
  return JSON.parse(body.messages.at(-1)?.content ?? '{}')
}

/** Starts an API whose dreams call a chat server with this behaviour. */
export async function openDreamApp(
  behaviour: Behaviour = respondWithJson({}),
  variables: Record<string, string> = {},
) {
  const opened = await startDreamApp(behaviour, variables)
  onTestFinished(opened.close)
  return opened
}

/** Returns a function that opens the one such API of a file with an empty store. */
export function shareDreamApp(variables: Record<string, string> = {}) {
  const open = shareStore(
    () => startDreamApp(respondWithJson({}), variables),
    ({ app }) => app.database.pool,
  )
  return async (behaviour: Behaviour = respondWithJson({})): Promise<DreamApp> => {
    const opened = await open()
    opened.model.behave(behaviour)
    opened.takeModelRequests()
    return opened
  }
}

async function startDreamApp(behaviour: Behaviour, variables: Record<string, string>) {
  const model = await startChatServer(behaviour)
  const environment = { MEMBRANE_LLM_ENDPOINT: model.url, MEMBRANE_LLM_MODEL: 'm', ...variables }
  const app = await startTestApp({ variables: environment })
  const close = async () => {
    await app.close()
    await model.close()
  }
  return { app, model, close, ...dreamsOf(app, model) }
}

function dreamsOf(app: TestApp, model: ChatServer) {
  async function requestRun(steps: readonly string[], more: Body = {}): Promise<string> {
    const body = { job: 'dream', ...more, options: { steps, ...more.options } }
    const { body: run, status, text } = await app.request('POST', '/v1/maintenance/runs', { body })
    if (status !== 202) throw new Error(`no run: ${text}`)
    return (run as Body).id
  }
  const attend = (signal = new AbortController().signal) =>
    createWorkerFor(app, noIntervals).runJob('dream', signal)
  const readRun = async (id: string): Promise<Body> =>
    (await app.request('GET', `/v1/maintenance/runs/${id}`)).body

  /** Runs some steps of a dream, a day after the last one. */
  async function dream(steps: readonly string[], more: Body = {}): Promise<Body> {
    app.clock.advance(86_400_000)
    const id = await requestRun(steps, more)
    await attend()
    const run = await readRun(id)
    if (run.status !== 'succeeded') throw new Error(`the run ended: ${run.status}, ${run.error}`)
    return run
  }
  const listRunChanges = async ({ id }: Body): Promise<Body[]> =>
    ((await app.request('GET', `/v1/maintenance/runs/${id}/changes`)).body as Body).items
  /** Returns the requests that the model received since the last call. */
  function takeModelRequests(): ReceivedRequest[] {
    return model.requests.splice(0)
  }
  return { requestRun, attend, readRun, dream, listRunChanges, takeModelRequests }
}

/** Creates an entity and facts about it, each one second after the last and with the given tags and sensitivity. */
export async function createEntityWithFacts(
  app: TestApp,
  name: string,
  facts: readonly string[],
  more: Body = {},
) {
  const { entity: about = {}, ...each } = more
  const { id } = await create(app, entity(name, {}, about))
  const records = facts.map((object) => {
    app.clock.advance(1_000)
    return atThisTime(app, factAbout(id, object, each))
  })
  return { id, known: (await createAll(app, records)).map((record) => record.id as string) }
}

/** Creates a fact about an entity, one second after the last. */
export function createFactAbout(app: TestApp, about: string, object: string, more: Body = {}): Promise<Body> {
  app.clock.advance(1_000)
  return create(app, factAbout(about, object, more))
}

const factAbout = (about: string, object: string, more: Body) => ({
  type: 'semantic',
  payload: { kind: 'semantic', subject: 'team', predicate: 'noted', object },
  relations: [{ predicate: 'subject_entity', target_id: about }],
  ...more,
})

/** Builds five texts about a name. */
export const buildFiveNotes = (name: string) => [1, 2, 3, 4, 5].map((n) => `${name} note ${n}`)

/** Reads the id of the peer card of an entity. */
export async function readPeerCardId(app: TestApp, id: string, key?: string): Promise<string | undefined> {
  const { body } = await app.request('GET', `/v1/entities/${id}`, key === undefined ? {} : { key })
  return (body as Body).peer_card_id
}

/** Reads all peer cards, oldest first. */
export async function listPeerCards({ database }: TestApp): Promise<{ id: string; status: string }[]> {
  const { rows } = await database.pool.query(
    `select r.id, r.status from records as r join contents as c on c.record_id = r.id
     where 'peer-card' = any(c.tags) order by r.created_at, r.id`,
  )
  return rows
}

/** Reads every row that a dream with a model can write. */
export async function readDreamTables({ database: { pool } }: TestApp): Promise<unknown> {
  const tables = ['records', 'contents', 'relations', 'audit_entries', 'status_changes', 'importance_history']
  const read = [...tables, 'peer_cards', 'dream_verdicts', 'belief_probes'].map((name) =>
    pool.query(`select to_jsonb(t) as row from ${name} as t order by to_jsonb(t)::text`),
  )
  return (await Promise.all(read)).map(({ rows }) => rows)
}
