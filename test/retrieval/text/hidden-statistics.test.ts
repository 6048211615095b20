import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countPages } from '../../../src/retrieval/text/statistics/word-statistics.queries.ts'
import { createWordStatistics } from '../../../src/retrieval/text/statistics/word-statistics.service.ts'
import { createConversationRequests, say } from '../../support/requests/conversation-requests.ts'
import type { Body } from '../../support/requests/record-requests.ts'
import { retrieve } from '../../support/requests/retrieval-requests.ts'
import { startTestApp, type TestApp } from '../../support/test-app.ts'

const topics = ['harbour', 'invoice', 'greenhouse', 'timetable', 'recipe']
const textOf = (at: number) =>
  `note ${at % 97}: the ${topics[at % 5]} of the ${topics[(at >> 2) % 5]} is ready`

const variants = [
  ['by the database', { MEMBRANE_TEXT_MEMORY: '0' }, false],
  ['in memory', {}, true],
] as const

describe.each(variants)('a large store that is searched %s', (_, variables, isInMemory) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ variables })
    for (let from = 0; from < 1_200; from += 400) {
      const messages = Array.from({ length: 400 }, (_, at) => say(`m${from + at}`, textOf(from + at)))
      await append('open', messages, { sensitivity: 'low' })
    }
  }, 60_000)
  afterAll(() => app.close())

  const requests = createConversationRequests(() => app)
  async function append(...request: Parameters<typeof requests.append>) {
    expect((await requests.append(...request)).status).toBe(201)
  }

  it('gives the same scores after a long hidden record was stored', async () => {
    expect(await countPages(app.db)).toBeGreaterThan(128)
    const key = await app.issueKey(['records:read'], { max_sensitivity: 'low' })
    const ask = async () => {
      const body = {
        task_descriptor: 'recipe of the harbour',
        max_hops: 0,
        explain: true,
        record_access: false,
      }
      const { nodes } = await retrieve(app, body, key)
      return nodes.map(({ record, signals }: Body) => [record.id, signals.channels])
    }
    const shared = createWordStatistics({ clock: app.clock, smallStorePages: 128 })
    const statistics = await shared.readStatistics(app.db, 200)
    await ask()
    // Words are read into memory after the first question.
    if (isInMemory) await sleep(1_500)
    const before = await ask()
    const hidden = `${textOf(3)}, and `.repeat(70)
    await append('closed', [say('h', hidden)], { sensitivity: 'hyper' })
    app.clock.advance(61_000)
    await ask()
    // If the store has doubled, the figures are read at once.
    expect(await shared.readStatistics(app.db, 400)).toEqual(statistics)
    expect(await ask()).toEqual(before)
  })
})
