import { randomUUID } from 'node:crypto'
import type { TestApp } from '../test-app.ts'
import { createWorkerFor } from '../workers/worker-setup.ts'
import { capture } from './capture-requests.ts'
import type { Body } from './record-requests.ts'

/** Captures and consolidation over HTTP, as a client and a worker perform them. */

/** Captures an episode that succeeded, unless `more` has another outcome, and returns its record. */
export async function captureEpisode(app: TestApp, summary: string, more: object = {}, given: object = {}) {
  const content = { event_kind: 'deploy', text: summary, outcome: 'success', ...more }
  const { primary_record: episode } = await capture(app, content, { summary, ...given })
  return episode as Body
}

/** Creates a worker without a schedule, so that it runs only what the test requests. */
export function createUnscheduledWorker(app: TestApp) {
  return createWorkerFor(app, { ...app.config.jobs.intervals, consolidate: 0 })
}

/** Requests a run of consolidation, runs it with a worker, and returns it. */
export async function consolidate(app: TestApp, options: object = {}): Promise<Body> {
  const { status, body, text } = await app.request('POST', '/v1/maintenance/runs', {
    body: { job: 'consolidate', ...options },
  })
  if (status !== 202) throw new Error(`no run: ${text}`)
  const { id } = body as Body
  await createUnscheduledWorker(app).runJob('consolidate', new AbortController().signal)
  return (await app.request('GET', `/v1/maintenance/runs/${id}`)).body as Body
}

/** Returns the changes of a run. */
export async function listRunChanges(app: TestApp, { id }: Body): Promise<Body[]> {
  const { body } = await app.request('GET', `/v1/maintenance/runs/${id}/changes?limit=500`)
  return (body as Body).items
}

/** Returns the records that match a filter of `GET /v1/records`. */
export async function listRecords(app: TestApp, filter: string): Promise<Body[]> {
  const { body, text } = await app.request('GET', `/v1/records?limit=500&${filter}`)
  if (!(body as Body)?.items) throw new Error(text)
  return (body as Body).items
}

/** Returns the facts of a scope. */
export async function listFacts(app: TestApp, scope: string): Promise<Body[]> {
  return listRecords(app, `type=semantic&scope=${encodeURIComponent(scope)}`)
}

/** Returns a new scope, so that the tests of one file do not see each other's records. */
export function createScope(): string {
  return `scope ${randomUUID().slice(0, 8)}`
}

/** Returns the figures of a run without the durations of its stages. */
export function omitDurations({ stats }: Body): Record<string, number> {
  const isFigure = ([name]: [string, unknown]) => !name.endsWith('_ms')
  return Object.fromEntries(Object.entries(stats as Record<string, number>).filter(isFigure))
}

/** The figures of a run that did nothing. */
export const zeroCounts = {
  episodic_compressed: 0,
  semantic_extracted: 0,
  semantic_triples_extracted: 0,
  competence_extracted: 0,
  plan_graphs_extracted: 0,
  duplicates_resolved: 0,
  extraction_skipped: 0,
}
