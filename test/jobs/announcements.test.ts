import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createAnnouncements } from '../../src/jobs/queue/announcements.ts'
import { openQueue } from '../../src/jobs/queue/queue.ts'
import { systemClock as clock } from '../../src/kernel/clock.ts'
import { createLogger } from '../../src/kernel/log.ts'

const log = createLogger({ level: 'silent', clock, write: () => {} })

it.each([
  { name: 'Redis', redisUrl: 'redis://127.0.0.1:1' },
  { name: 'PostgreSQL', redisUrl: undefined },
])(
  'an announcement to a queue in $name that is down answers false and does not throw',
  async ({ redisUrl }) => {
    const queue = openQueue({ redisUrl, databaseUrl: 'postgres://someone@127.0.0.1:1/x' }, log)
    const announcements = createAnnouncements({ queue, clock, log })
    expect(await announcements.announceRun('decay', randomUUID())).toBe(false)
    await announcements.finish()
    queue.close().catch(() => {})
  },
)

it('a queue that hangs collects a limited number of messages', async () => {
  let sent = 0
  const enqueue = () => {
    sent++
    return new Promise<void>(() => {})
  }
  const announcements = createAnnouncements({ queue: { enqueue }, clock, log })
  const answers = await Promise.all(
    Array.from({ length: 150 }, () => announcements.announceFollowUp('decay')),
  )
  expect(answers).not.toContain(true)
  expect(sent).toBe(100)
})
