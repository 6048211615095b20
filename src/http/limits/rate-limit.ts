import { isIPv6 } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { type CountRequest, createLocalCounter, createSharedCounter } from './rate-counter.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is neither limited nor shed, so that an operator can see a server that is overloaded. */
    isUnlimited?: boolean
  }
}

/** `max` is per second; 0 is no limit. */
export type RateLimitOptions = {
  max: number
  redisUrl: string | undefined
  clock: Clock
  /** Counts for several processes of this machine, where there is no Redis. */
  countTogether?: CountRequest | undefined
}

export type RateLimit = (reply: FastifyReply, bucket: string) => Promise<void>

/**
 * Returns a function that counts a request and throws `rate_limited` above the limit. The plugin @fastify/rate-limit
 * reads its counter one turn after it incremented it, so it refuses a burst that arrives in one turn as a whole.
 */
export function createRateLimit(app: FastifyInstance, options: RateLimitOptions): RateLimit {
  const { max } = options
  if (max === 0) return async () => {}
  const count = createRequestCounter(app, options)
  return async (reply, bucket) => {
    const { count: counted, resetMs } = await count(bucket)
    const resetSeconds = Math.max(1, Math.ceil(resetMs / 1_000))
    reply.headers({
      'ratelimit-limit': max,
      'ratelimit-remaining': Math.max(0, max - counted),
      'ratelimit-reset': resetSeconds,
    })
    if (counted <= max) return
    throw new AppError('rate_limited', `More than ${max} requests in a second.`, {
      retryAfterSeconds: resetSeconds,
    })
  }
}

function createRequestCounter(
  app: FastifyInstance,
  { clock, redisUrl, countTogether }: RateLimitOptions,
): CountRequest {
  const local = countTogether ?? createLocalCounter(clock)
  if (redisUrl === undefined) return local
  const shared = createSharedCounter(redisUrl, local, (error) =>
    app.log.warn({ err: error }, 'redis is unreachable: each process counts its own rate limits'),
  )
  // Awaited, so that the first requests are not counted locally.
  app.addHook('onReady', shared.connect)
  app.addHook('onClose', async () => shared.close())
  return shared.count
}

/**
 * The bucket of a client without a valid key: its address, or the /64 network of an IPv6 address, because one host
 * usually has a whole /64.
 */
export function formatAddressBucket({ ip }: Pick<FastifyRequest, 'ip'>): string {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(ip)?.[1]
  if (mapped !== undefined || !isIPv6(ip)) return `ip:${mapped ?? ip}`
  const [before = '', after = ''] = ip.toLowerCase().split('%', 1).join('').split('::', 2)
  const [head, tail] = [before, after].map((part) => (part === '' ? [] : part.split(':'))) as [
    string[],
    string[],
  ]
  const zeros = ip.includes('::') ? Array<string>(8 - head.length - tail.length).fill('0') : []
  const network = [...head, ...zeros, ...tail].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''))
  return `ip:${network.join(':')}`
}
