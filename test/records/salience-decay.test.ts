import { afterAll, describe, expect, it } from 'vitest'
import { type Body, create, fact, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const hour = 3_600_000

/** Returns the salience after each of the hours, which a read and a list by salience must both answer. */
async function fade(decay: object, hours: readonly number[]): Promise<number[]> {
  const scope = app.ids.next()
  const record = await create(app, fact({ scope, lifecycle: { decay } }))
  const seen: number[] = []
  let elapsed = 0
  for (const at of hours) {
    app.clock.advance((at - elapsed) * hour)
    elapsed = at
    const { salience } = await read(app, record.id)
    const { body } = await app.request('GET', `/v1/records?scope=${scope}`)
    expect((body as Body).items[0].salience).toBe(salience)
    seen.push(salience)
  }
  return seen
}

const rounded = (values: number[]) => values.map((value) => value.toFixed(3)).join(' ')

describe('the salience of a record', () => {
  it('decays exponentially over a week by the published table', async () => {
    const seen = await fade({ half_life_seconds: 86_400 }, [0, 12, 24, 48, 72, 96, 168])
    expect(rounded(seen)).toEqual('1.000 0.707 0.500 0.250 0.125 0.063 0.008')
  })

  it('decays linearly within a day', async () => {
    const seen = await fade({ curve: 'linear', half_life_seconds: 86_400 }, [0, 6, 12, 18, 24])
    expect(rounded(seen)).toEqual('1.000 0.750 0.500 0.250 0.000')
  })

  it('stops at its floor', async () => {
    const decay = { curve: 'linear', half_life_seconds: 43_200, min_salience: 0.1 }
    expect(rounded(await fade(decay, [0, 3, 6, 9, 12, 24]))).toEqual('1.000 0.750 0.500 0.250 0.100 0.100')
  })

  it('becomes zero at the maximum age', async () => {
    const decay = { half_life_seconds: 3_600, max_age_seconds: 3_600, min_salience: 0.5 }
    expect(rounded(await fade(decay, [0, 0.5, 1]))).toEqual('1.000 0.707 0.000')
  })
})
