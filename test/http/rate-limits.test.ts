import { once } from 'node:events'
import { request as send } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Redis } from 'ioredis'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { formatAddressBucket } from '../../src/http/limits/rate-limit.ts'
import { until } from '../support/processes/processes.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let apis: TestApp[] = []
afterEach(async () => {
  await Promise.all(apis.map((api) => api.close()))
  apis = []
})

async function start(variables: Record<string, string>): Promise<TestApp> {
  const api = await startTestApp({ variables })
  apis.push(api)
  return api
}

async function burst(count: number, ask: () => Promise<{ status: number }>): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: count }, ask))
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const list = (api: TestApp, key?: string | false) => () =>
  api.request('GET', '/v1/keys', key === undefined ? {} : { key })

describe('the rate limit', () => {
  it('accepts the configured number of requests and then answers when to retry', async () => {
    const api = await start({ MEMBRANE_RATE_LIMIT: '5' })
    const first = await list(api)()
    expect(first.headers.get('ratelimit-limit')).toBe('5')
    expect(first.headers.get('ratelimit-remaining')).toBe('4')
    expect(first.headers.get('ratelimit-reset')).toBe('1')
    expect(await burst(10, list(api))).toEqual({ 200: 4, 429: 6 })
    const refused = await list(api)()
    expect(refused.body).toMatchObject({ code: 'rate_limited' })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('ratelimit-remaining')).toBe('0')
  })

  it('resets after a second', async () => {
    const api = await start({ MEMBRANE_RATE_LIMIT: '1' })
    expect(await burst(3, list(api))).toEqual({ 200: 1, 429: 2 })
    api.clock.advance(1_000)
    expect(await burst(3, list(api))).toEqual({ 200: 1, 429: 2 })
  })

  it('counts each key separately', async () => {
    const api = await start({ MEMBRANE_RATE_LIMIT: '20' })
    const one = await api.issueKey(['admin'])
    const other = await api.issueKey(['admin'])
    expect(await burst(30, list(api, one))).toEqual({ 200: 20, 429: 10 })
    expect(await burst(5, list(api, other))).toEqual({ 200: 5 })
  })

  it('stops the guessing of keys without affecting valid keys', async () => {
    const api = await start({ MEMBRANE_RATE_LIMIT: '5' })
    expect(await burst(20, list(api, `mbk_${'A'.repeat(43)}`))).toEqual({ 401: 5, 429: 15 })
    expect(await burst(5, list(api))).toEqual({ 200: 5 })
  })

  it('counts unknown paths and never counts health checks', async () => {
    const api = await start({ MEMBRANE_RATE_LIMIT: '3' })
    expect(await burst(10, () => api.request('GET', '/nowhere', { key: false }))).toEqual({ 404: 3, 429: 7 })
    expect(await burst(50, () => api.request('GET', '/livez', { key: false }))).toEqual({ 200: 50 })
  })

  it('is off when it is 0', async () => {
    const api = await start({ MEMBRANE_RATE_LIMIT: '0' })
    expect(await burst(150, list(api))).toEqual({ 200: 150 })
    expect((await list(api)()).headers.get('ratelimit-limit')).toBeNull()
  })
})

const redisUrl = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379'

async function isRedisThere(): Promise<boolean> {
  const redis = new Redis(redisUrl, { lazyConnect: true, retryStrategy: () => null })
  redis.on('error', () => {})
  const isThere = await redis.connect().then(
    () => true,
    () => false,
  )
  redis.disconnect()
  return isThere
}

const hasRedis = await isRedisThere()

/** Calls from a loopback address that no other test uses. */
function guessFrom(api: TestApp, localAddress: string): Promise<{ status: number }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer a-wrong-key' }
    send(`${api.url}/v1/keys`, { localAddress, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0 }))
    })
      .on('error', reject)
      .end()
  })
}

describe('the rate limit with Redis', () => {
  it.skipIf(!hasRedis)('is shared by all processes', async () => {
    const variables = { MEMBRANE_RATE_LIMIT: '10', REDIS_URL: redisUrl }
    const one = await start(variables)
    const other = await start(variables)
    const octet = () => 1 + Math.floor(Math.random() * 250)
    // Redis has its own clock: a burst too slow for one window proves nothing and is repeated.
    for (let tookMs = Number.POSITIVE_INFINITY; tookMs > 900; ) {
      const address = `127.${octet()}.${octet()}.${octet()}`
      const started = performance.now()
      const first = await burst(8, () => guessFrom(one, address))
      const second = await burst(8, () => guessFrom(other, address))
      tookMs = performance.now() - started
      if (tookMs > 900) continue
      expect(first).toEqual({ 401: 8 })
      expect(second).toEqual({ 401: 2, 429: 6 })
    }
  })

  it('falls back to each process while Redis is unreachable', async () => {
    const api = await start({ MEMBRANE_RATE_LIMIT: '3', REDIS_URL: 'redis://127.0.0.1:1' })
    expect(await burst(20, list(api))).toEqual({ 200: 3, 429: 17 })
    expect(api.log.filter((line) => line.includes('redis is unreachable'))).toHaveLength(1)
  })
})

const greetings: Record<string, string> = {
  hello: '%1\r\n$6\r\nserver\r\n$5\r\nredis\r\n',
  client: '+OK\r\n',
  info: '$21\r\nredis_version:7.0.0\r\n\r\n',
}
const replies: Record<string, string> = { ping: '+PONG\r\n', eval: '*2\r\n:1\r\n:1000\r\n' }

/** Starts a Redis that reports ready and answers no script until `recover` is called. */
async function startHangingRedis() {
  const seen = { eval: 0, ping: 0, isHanging: true }
  const sockets: Socket[] = []
  const owed: { socket: Socket; name: string; reply: string }[] = []
  /** Answers in order, as Redis answers what waited while it hung. */
  const sendReplies = () => {
    while (owed[0] && (!seen.isHanging || owed[0].name in greetings)) {
      const [{ socket, reply }] = owed.splice(0, 1) as [(typeof owed)[0]]
      socket.write(reply)
    }
  }
  const answer = (name: string): string => {
    if (name === 'eval' || name === 'ping') seen[name]++
    return greetings[name] ?? replies[name] ?? ''
  }
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      const names = String(chunk)
        .toLowerCase()
        .match(/(?<=\r\n)(?:hello|info|client|eval|ping)(?=\r\n)/g)
      owed.push(...(names ?? []).map((name) => ({ socket, name, reply: answer(name) })))
      sendReplies()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const recover = () => {
    seen.isHanging = false
    sendReplies()
  }
  return { seen, recover, url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe('a Redis that hangs', () => {
  it('is probed by one request at a time until it answers again', async () => {
    const { seen, recover, url } = await startHangingRedis()
    const api = await start({ MEMBRANE_RATE_LIMIT: '1000', REDIS_URL: url })
    for (let sent = 0; sent < 20; sent++) expect((await list(api)()).status).toBe(200)
    expect(seen.eval).toBe(1)
    expect(api.log.filter((line) => line.includes('redis is unreachable'))).toHaveLength(1)
    await until('Redis to be asked beside the requests', () => seen.ping > 0)
    expect(seen.eval).toBe(1)
    recover()
    await until('requests to be counted in Redis again', async () => {
      await list(api)()
      return seen.eval > 1
    })
  })
})

describe('the rate limit bucket of an address', () => {
  it.each([
    ['10.0.0.7', 'ip:10.0.0.7'],
    ['::ffff:10.0.0.7', 'ip:10.0.0.7'],
    ['2001:db8:1:2:3:4:5:6', 'ip:2001:db8:1:2'],
    ['2001:DB8:1:2::', 'ip:2001:db8:1:2'],
    ['2001:db8::6', 'ip:2001:db8:0:0'],
    ['2001:0db8:0001:0002:0:0:0:1', 'ip:2001:db8:1:2'],
    ['::1', 'ip:0:0:0:0'],
    ['fe80::1%eth0', 'ip:fe80:0:0:0'],
  ])('%s is counted as %s', (ip, bucket) => expect(formatAddressBucket({ ip })).toBe(bucket))
})
