import { expect, it } from 'vitest'
import { createQuestionDigest } from '../../src/dream/verdict-digest.ts'
import { deleteOldVerdicts, hasVerdict, upsertVerdict } from '../../src/dream/verdicts.queries.ts'
import { openDreamSetup } from '../support/workers/dream-workers.ts'
import { createTestPurge } from '../support/workers/test-purge.ts'
import { day } from '../support/workers/test-works.ts'

const digest = createQuestionDigest({ step: 'cluster', model: 'm', inputs: ['a', 1] })

it('digestOf differs for another step, model or prompt version', () => {
  const others = [
    createQuestionDigest({ step: 'probe', model: 'm', inputs: ['a', 1] }),
    createQuestionDigest({ step: 'cluster', model: 'n', inputs: ['a', 1] }),
    createQuestionDigest({ step: 'cluster', model: 'm', inputs: ['a', 2] }),
    createQuestionDigest({ step: 'cluster', model: 'm', inputs: ['a1'] }),
  ]
  expect(new Set([digest, ...others].map((each) => each.toString('hex'))).size).toBe(5)
  expect(digest).toEqual(createQuestionDigest({ step: 'cluster', model: 'm', inputs: ['a', 1] }))
})

it('a verdict expires after half a year', async () => {
  const setup = await openDreamSetup()
  const remember = () =>
    setup.db
      .transaction()
      .execute((tx) => upsertVerdict(tx, { step: 'cluster', digest, now: setup.clock.now() }))
  const purge = () =>
    setup.run('purge', {
      jobWorks: { purge: createTestPurge({ expired: { dream_verdicts: deleteOldVerdicts } }) },
    })
  const isKnown = (step: 'cluster' | 'probe' = 'cluster') => hasVerdict(setup.db, { step, digest })
  expect(await isKnown()).toBe(false)
  await Promise.all([remember(), remember()])
  expect([await isKnown(), await isKnown('probe')]).toEqual([true, false])
  setup.clock.advance(179 * day)
  expect((await purge()).stats).toMatchObject({})
  expect(await isKnown()).toBe(true)
  setup.clock.advance(2 * day)
  expect((await purge()).stats).toMatchObject({ dream_verdicts: 1 })
  expect(await isKnown()).toBe(false)
})
