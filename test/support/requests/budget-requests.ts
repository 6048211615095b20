import { expect } from 'vitest'
import type { TestApp } from '../test-app.ts'
import { noIntervals } from '../workers/idle-jobs.ts'
import { createWorkerFor } from '../workers/worker-setup.ts'
import { type Body, createAll, fact } from './record-requests.ts'

export const day = 86_400_000

export async function putBudget(app: TestApp, scope: string, body: object): Promise<Body> {
  const answer = await app.request('PUT', `/v1/policies/budgets/${scope}`, { body })
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

/** Creates facts of different importance in a scope, and returns their ids in the order of their importance. */
export async function createFacts(app: TestApp, scope: string, count: number, more: object = {}) {
  const importances = Array.from({ length: count }, (_, index) => (index + 1) / (count + 1))
  const records = importances.map((base_importance) => fact({ scope, base_importance, ...more }))
  return (await createAll(app, records)).map(({ id }) => id as string)
}

/** Runs the decay job once and returns the run with its changes. */
export async function runDecay(app: TestApp, options: object = {}): Promise<{ run: Body; changes: Body[] }> {
  const body = { job: 'decay', ...options }
  const asked = (await app.request('POST', '/v1/maintenance/runs', { body })).body as Body
  await createWorkerFor(app, noIntervals).runJob('decay', new AbortController().signal)
  const path = `/v1/maintenance/runs/${asked.id}`
  const run = (await app.request('GET', path)).body as Body
  const changes = ((await app.request('GET', `${path}/changes?limit=500`)).body as Body).items
  return { run, changes }
}

export async function isForgotten(app: TestApp, id: string): Promise<boolean> {
  const { status } = await app.request('GET', `/v1/records/${id}`)
  expect([200, 410]).toContain(status)
  return status === 410
}

/** The given records that are forgotten, in the given order. */
export async function listForgotten(app: TestApp, ids: readonly string[]): Promise<string[]> {
  const found = await Promise.all(ids.map((id) => isForgotten(app, id)))
  return ids.filter((_, index) => found[index])
}
