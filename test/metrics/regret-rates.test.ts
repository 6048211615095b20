import { afterAll, describe, expect, it } from 'vitest'
import type { Trust } from '../../src/domain/trust/caller.ts'
import { createSummaryService } from '../../src/metrics/index.ts'
import { insertRegrets } from '../../src/regrets/regrets.queries.ts'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const day = 86_400_000

const app = await startTestApp()
afterAll(() => app.close())

async function forget(record: Body): Promise<string> {
  await app.request('DELETE', `/v1/records/${record.id}?actor=ada&rationale=old`)
  return record.id
}

describe('the rate of regret', () => {
  it('is the share of the forgotten records that were missed, by reason, type and age, under the own trust', async () => {
    const key: Trust = { maxSensitivity: 'medium', scopes: ['team'] }
    expect(await ratesFor(key)).toEqual({ rate: 0, by_reason: {}, by_type: {}, by_age: {} })
    const old = await create(app, fact({ scope: 'team' }))
    app.clock.advance(8 * day)
    const ids = [await forget(old)]
    for (let index = 0; index < 3; index++) ids.push(await forget(await create(app, fact({ scope: 'team' }))))
    const hidden = await forget(await create(app, fact({ scope: 'other' })))
    const missed = [...ids.slice(0, 2), hidden]
    await app.db.transaction().execute((tx) => insertRegrets(tx, missed, app.clock.now()))
    expect(await ratesFor(key)).toEqual({
      rate: 0.5,
      by_reason: { deleted: 0.5 },
      by_type: { semantic: 0.5 },
      by_age: { '7d_to_30d': 1, under_1d: 1 / 3 },
    })
    await app.request('POST', `/v1/records/${ids[0]}/restore`, { body: { actor: 'a', rationale: 'r' } })
    expect(await ratesFor(key)).toMatchObject({ rate: 0.5, by_age: { '7d_to_30d': 1 } })
    const { text } = await app.request('GET', '/metrics')
    expect(text).toContain('membrane_store_regret_rate 0.6\n')
    expect(text).toContain('membrane_store_regret_rate_by_age{age="7d_to_30d"} 1\n')
  })
})

/** The figures for the key's trust, without the cache. */
async function ratesFor(trust: Trust) {
  const caller = {
    principal: 'p',
    name: 'n',
    permissions: new Set<never>(),
    trust,
    sourceType: 'ai' as const,
  }
  return (await createSummaryService({ ...app, freshMs: 0 }).read({ caller })).regret
}
