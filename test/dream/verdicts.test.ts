import { expect, it } from 'vitest'
import { digestOf } from '../../src/dream/verdict-digest.ts'
import { deleteOldVerdicts, hasVerdict, rememberVerdict } from '../../src/dream/verdicts.queries.ts'
import { createPurge } from '../../src/maintenance/index.ts'
import { openDream } from '../support/dream-workers.ts'
import { day } from '../support/job-workers.ts'

const digest = digestOf({ step: 'cluster', model: 'm', inputs: ['a', 1] })

it('a question is another one for another step, another model or another version', () => {
  const others = [
    digestOf({ step: 'probe', model: 'm', inputs: ['a', 1] }),
    digestOf({ step: 'cluster', model: 'n', inputs: ['a', 1] }),
    digestOf({ step: 'cluster', model: 'm', inputs: ['a', 2] }),
    digestOf({ step: 'cluster', model: 'm', inputs: ['a1'] }),
  ]
  expect(new Set([digest, ...others].map((each) => each.toString('hex'))).size).toBe(5)
  expect(digest).toEqual(digestOf({ step: 'cluster', model: 'm', inputs: ['a', 1] }))
})

it('what was asked in vain is remembered for half a year, and no longer', async () => {
  const shop = await openDream()
  const remember = () =>
    shop.db
      .transaction()
      .execute((tx) => rememberVerdict(tx, { step: 'cluster', digest, now: shop.clock.now() }))
  const purge = () =>
    shop.run('purge', { works: { purge: createPurge({ expired: { dream_verdicts: deleteOldVerdicts } }) } })
  const isKnown = (step: 'cluster' | 'probe' = 'cluster') => hasVerdict(shop.db, { step, digest })
  expect(await isKnown()).toBe(false)
  await Promise.all([remember(), remember()])
  expect([await isKnown(), await isKnown('probe')]).toEqual([true, false])
  shop.clock.advance(179 * day)
  expect((await purge()).stats).toMatchObject({})
  expect(await isKnown()).toBe(true)
  shop.clock.advance(2 * day)
  expect((await purge()).stats).toMatchObject({ dream_verdicts: 1 })
  expect(await isKnown()).toBe(false)
})
