import type { JobName } from '../../../src/jobs/job-names.ts'
import type { RequestOptions, TestApp } from '../test-app.ts'
import { noIntervals } from '../workers/idle-jobs.ts'
import { createWorkerFor } from '../workers/worker-setup.ts'
import type { Body } from './record-requests.ts'

/** Plans over HTTP, as a client and a worker make them. */

const plansPath = '/v1/maintenance/plans'

async function work(app: TestApp, job: string): Promise<void> {
  await createWorkerFor(app, noIntervals).runJob(job as JobName, new AbortController().signal)
}

/** Requests a plan, prepares it with a worker, and returns it. */
export async function plan(
  app: TestApp,
  job: string,
  more: object = {},
  as: RequestOptions = {},
  attend = work,
): Promise<Body> {
  const { status, body, text } = await app.request('POST', plansPath, { ...as, body: { job, ...more } })
  if (status !== 202) throw new Error(text)
  await attend(app, job)
  return readPlan(app, body as Body, as)
}

export async function readPlan(app: TestApp, { id }: Body, as: RequestOptions = {}): Promise<Body> {
  return (await app.request('GET', `${plansPath}/${id}`, as)).body as Body
}

export async function listPlanChanges(
  app: TestApp,
  { id }: Body,
  query = '',
  as: RequestOptions = {},
): Promise<Body[]> {
  const { body, text } = await app.request('GET', `${plansPath}/${id}/changes?limit=500${query}`, as)
  if (!(body as Body).items) throw new Error(text)
  return (body as Body).items
}

/** Applies a plan with a worker, and returns the run. */
export async function apply(
  app: TestApp,
  { id, digest, job }: Body,
  more: object = {},
  attend = work,
): Promise<Body> {
  const { status, body, text } = await app.request('POST', `${plansPath}/${id}/apply`, {
    body: { digest, ...more },
  })
  if (status !== 202) throw new Error(text)
  await attend(app, job)
  return (await app.request('GET', `/v1/maintenance/runs/${(body as Body).id}`)).body as Body
}

/** Runs a job, or a request of a run such as an undo, with a worker, and returns the run. */
export async function perform(
  app: TestApp,
  job: string,
  body: object = { job },
  path = '/v1/maintenance/runs',
  attend = work,
): Promise<Body> {
  const { status, body: run, text } = await app.request('POST', path, { body })
  if (status !== 202) throw new Error(text)
  await attend(app, job)
  return (await app.request('GET', `/v1/maintenance/runs/${(run as Body).id}`)).body as Body
}
