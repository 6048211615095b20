import { randomUUID } from 'node:crypto'
import { capture } from './capture-requests.ts'
import { hireFor } from './job-workers.ts'
import type { Body } from './record-requests.ts'
import type { Asked, TestApp } from './test-app.ts'

/** Experience captured and consolidated over HTTP, as a client and a worker do it. */

/** An episode that went well, unless it is said how it went. */
export async function experience(app: TestApp, summary: string, more: object = {}, given: object = {}) {
  const content = { event_kind: 'deploy', text: summary, outcome: 'success', ...more }
  const { primary_record: episode } = await capture(app, content, { summary, ...given })
  return episode as Body
}

/** A worker without a schedule, so that nothing runs but what is asked for. */
export function hireIdle(app: TestApp) {
  return hireFor(app, { ...app.config.jobs.intervals, consolidate: 0 })
}

/** One run from being asked for to its end. */
export async function consolidate(app: TestApp, asked: object = {}, as: Asked = {}): Promise<Body> {
  const { status, body, text } = await app.request('POST', '/v1/maintenance/runs', {
    ...as,
    body: { job: 'consolidate', ...asked },
  })
  if (status !== 202) throw new Error(`no run: ${text}`)
  const { id } = body as Body
  await hireIdle(app).attend('consolidate', new AbortController().signal)
  return (await app.request('GET', `/v1/maintenance/runs/${id}`)).body as Body
}

export async function changesOf(app: TestApp, { id }: Body): Promise<Body[]> {
  const { body } = await app.request('GET', `/v1/maintenance/runs/${id}/changes?limit=500`)
  return (body as Body).items
}

export async function recordsOf(app: TestApp, filter: string): Promise<Body[]> {
  const { body, text } = await app.request('GET', `/v1/records?limit=500&${filter}`)
  if (!(body as Body)?.items) throw new Error(text)
  return (body as Body).items
}

export async function factsOf(app: TestApp, scope: string): Promise<Body[]> {
  return recordsOf(app, `type=semantic&scope=${encodeURIComponent(scope)}`)
}

/** What tests of one file keep apart by. */
export function newScope(): string {
  return `scope ${randomUUID().slice(0, 8)}`
}

/** The figures without how long each stage took. */
export function figuresOf({ stats }: Body): Record<string, number> {
  const isFigure = ([name]: [string, unknown]) => !name.endsWith('_ms')
  return Object.fromEntries(Object.entries(stats as Record<string, number>).filter(isFigure))
}

export const nothing = {
  episodic_compressed: 0,
  semantic_extracted: 0,
  semantic_triples_extracted: 0,
  competence_extracted: 0,
  plan_graphs_extracted: 0,
  duplicates_resolved: 0,
  extraction_skipped: 0,
}
