import { afterAll, expect, it } from 'vitest'
import { createTopic } from '../support/requests/capture-requests.ts'
import { read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

it.each([
  { policy: 'replace', outcome: 'replaced', left: ['hurd'] },
  { policy: 'fork', outcome: 'forked', left: ['hurd', 'linux', 'windows'] },
])('the facts of a topic follow the policy $policy until a capture names another one', async (given) => {
  const { policy, outcome, left } = given
  const { add, readActive } = createTopic(app, `lasting ${policy}`)
  await add('linux', { revision_policy: policy })
  const { fact } = await add('windows')
  expect((await add('hurd')).fact).toMatchObject({ outcome, policy })
  expect((await readActive()).sort()).toEqual(left)
  expect((await read(app, fact.record_id)).payload.revision_policy).toBe(policy)
})
