import { afterAll, beforeAll, expect, it } from 'vitest'
import { fullTrust } from '../../src/domain/trust/caller.ts'
import { createRegretSampling } from '../../src/regrets/index.ts'
import { create, fact } from '../support/requests/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ variables: { MEMBRANE_REGRET_SAMPLE: '0' } })
})
afterAll(() => app.close())

const sampleAll = (findWithForgotten: () => Promise<string[]>) =>
  createRegretSampling({ ...app, regretSample: 1, random: () => 0.5, findWithForgotten })

it('asks no question again until a record is forgotten', async () => {
  let asked = 0
  async function countAsked(): Promise<number> {
    const sampling = sampleAll(async () => {
      asked++
      return []
    })
    sampling.noteAsked(fullTrust, {}, () => {})
    // Ends when the question that is being asked has its answer.
    await sampling.stop()
    return asked
  }
  expect(await countAsked()).toBe(0)
  const { id } = await create(app, fact())
  await app.request('DELETE', `/v1/records/${id}?actor=ada&rationale=old`)
  expect(await countAsked()).toBe(1)
})

it('asks the configured share again', async () => {
  const asked: string[] = []
  let next = 0
  const sampling = createRegretSampling({
    ...app,
    regretSample: 0.1,
    random: () => (next++ % 10) / 10,
    findWithForgotten: async (_, input: string) => {
      asked.push(input)
      return []
    },
  })
  for (let index = 0; index < 20; index++) sampling.noteAsked(fullTrust, `q${index}`, () => {})
  await expect.poll(() => asked).toEqual(['q0', 'q10'])
  await sampling.stop()
})

it('asks one question at a time and drops what does not fit into its queue', async () => {
  let running = 0
  let most = 0
  let asked = 0
  const sampling = sampleAll(async () => {
    most = Math.max(most, ++running)
    asked++
    await new Promise((resolve) => setTimeout(resolve, 1))
    running--
    return []
  })
  for (let index = 0; index < 1_000; index++) sampling.noteAsked(fullTrust, {}, () => {})
  await expect.poll(() => asked).toBeGreaterThan(3)
  await sampling.stop()
  expect(most).toBe(1)
  expect(asked).toBeLessThanOrEqual(101)
})

it('reports a failure without the question, and continues', async () => {
  const reports: string[] = []
  let asked = 0
  const sampling = sampleAll(async () => {
    if (++asked === 1) throw new Error('away')
    return []
  })
  sampling.noteAsked(fullTrust, { task_descriptor: 'hush' }, (message) => reports.push(message))
  sampling.noteAsked(fullTrust, { task_descriptor: 'hush' }, (message) => reports.push(message))
  await expect.poll(() => asked).toBe(2)
  await sampling.stop()
  expect(reports).toEqual(['a question was not asked again over forgotten records'])
})
