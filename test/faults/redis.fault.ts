import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { expectRun, verifyLoad } from '../support/checks/verify-load.ts'
import { openFaultEnvironment } from '../support/processes/fault-environment.ts'
import { startLoad } from '../support/requests/client-load.ts'
import { findFreePort } from '../support/servers/postgres-processes.ts'
import { openRedis } from '../support/servers/redis-server.ts'

it('everything acknowledged survives a flushed, killed and emptied Redis under load', async (context) => {
  const port = await findFreePort()
  const first = await openRedis(undefined, port)
  if (!first) return context.skip('there is no redis-server here')
  const { processes, url } = await openFaultEnvironment({
    variables: { REDIS_URL: first.url, MEMBRANE_DECAY_INTERVAL: '10s' },
  })
  const { ledger, end } = startLoad(processes.urls, 12)
  await sleep(1_000)
  await flush(first.url)
  await expectRun(processes, 'decay')
  for (let nth = 0, server = first; nth < 3; nth++) {
    await sleep(1_000)
    server.stop()
    await sleep(1_500)
    const before = ledger.at
    await expectRun(processes, 'consolidate')
    expect(ledger.at).toBeGreaterThan(before)
    server = (await openRedis(undefined, port)) ?? server
    onTestFinished(server.stop)
    await flush(server.url)
    await expectRun(processes, 'decay')
  }
  await end()
  await verifyLoad('Redis flushed 4 times and killed 3 times', url, processes, ledger)
})

async function flush(url: string): Promise<void> {
  const redis = new Redis(url)
  await redis.flushall()
  await redis.quit()
}
