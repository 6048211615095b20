import { randomUUID } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { transact } from '../../src/db/transaction.ts'
import { deleteExpiredPlans } from '../../src/plans/index.ts'
import { until } from '../support/processes/processes.ts'
import { createScope } from '../support/requests/consolidation-requests.ts'
import { apply, plan, readPlan } from '../support/requests/plan-requests.ts'
import { type Body, create, expectProblem, fact } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_PLAN_RETENTION: '2d' } })
afterAll(() => app.close())

const day = 86_400_000
const path = '/v1/maintenance/plans'
const brief = { lifecycle: { decay: { curve: 'linear', half_life_seconds: 3_600 } } }

async function preparePlan(): Promise<{ prepared: Body; recordId: string }> {
  const scope = createScope()
  const { id: recordId } = await create(app, fact({ scope, ...brief }))
  app.clock.advance(day)
  return { prepared: await plan(app, 'decay', { scope }), recordId }
}

const requestApplication = ({ id, digest }: Body, headers: Record<string, string> = {}) =>
  app.request('POST', `${path}/${id}/apply`, { headers, body: { digest } })

const readRun = async (id: string) => (await app.request('GET', `/v1/maintenance/runs/${id}`)).body as Body

const purgePlans = () => transact(app.db, {}, (tx) => deleteExpiredPlans(tx, app.clock.now(), 1_000))

/** Sends the application of a plan, and does something else before the application is stored. */
async function interrupt<T>(prepared: Body, meanwhile: () => Promise<T>) {
  const client = await app.database.pool.connect()
  try {
    await client.query('begin; lock table plan_applications in share row exclusive mode')
    const application = requestApplication(prepared)
    const isWaiting = async () => {
      const { rows } = await app.database.pool.query(
        `select from pg_locks where relation = 'plan_applications'::regclass and not granted`,
      )
      return rows.length > 0
    }
    await until('the application to wait', isWaiting)
    const other = meanwhile()
    await Promise.race([other, new Promise((resolve) => setTimeout(resolve, 500))])
    await client.query('commit')
    return { application: await application, other: await other }
  } finally {
    client.release()
  }
}

it('two clients that apply a plan at once get one run, and each change is made once', async () => {
  const { prepared } = await preparePlan()
  const answers = await Promise.all([1, 2, 3, 4].map(() => requestApplication(prepared)))
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202])
  expect(new Set(answers.map(({ body }) => (body as Body).id)).size).toBe(1)
  expect((await apply(app, prepared)).stats).toMatchObject({ applied: 1, skipped: 0 })
  expect(await readPlan(app, prepared)).toMatchObject({ status: 'applied' })
})

it('a repeated key prepares one plan and applies it once, and is refused for another body', async () => {
  const { prepared } = await preparePlan()
  const scope = createScope()
  const headers = { 'idempotency-key': randomUUID() }
  const prepare = (body: object) => app.request('POST', path, { headers, body: { job: 'decay', ...body } })
  const [one, two] = [await prepare({ scope }), await prepare({ scope })]
  expect((one.body as Body).id).toBe((two.body as Body).id)
  expectProblem(await prepare({ scope: `${scope}2` }), 422, 'idempotency_key_reused')
  expectProblem(await requestApplication(prepared, headers), 422, 'idempotency_key_reused')
})

it('a plan that is dropped while it is applied takes the queued run with it', async () => {
  const { prepared } = await preparePlan()
  const { application, other } = await interrupt(prepared, () =>
    app.request('DELETE', `${path}/${prepared.id}`),
  )
  expect([application.status, other.status]).toEqual([202, 204])
  expect((await readRun((application.body as Body).id)).status).toBe('cancelled')
})

it('a plan that expires while it is applied keeps what it lists until it is applied', async () => {
  const { prepared, recordId } = await preparePlan()
  const { application } = await interrupt(prepared, async () => {
    app.clock.advance(2 * day)
    return purgePlans()
  })
  expect(application.status).toBe(202)
  expect((await apply(app, prepared)).stats).toMatchObject({ applied: 1, skipped: 0 })
  expect((await app.request('GET', `/v1/records/${recordId}`)).status).toBe(410)
  expect(await purgePlans()).toBeGreaterThan(0)
})
