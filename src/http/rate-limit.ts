import { isIPv6 } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { type CountRequest, createLocalCounter, createSharedCounter } from './rate-counter.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Never limited or shed: how an operator sees a server that is overwhelmed. */
    isUnlimited?: boolean
  }
}

/** `max` is per second, and 0 is no limit. */
export type RateLimitOptions = { max: number; redisUrl: string | undefined; clock: Clock }

export type RateLimit = (reply: FastifyReply, bucket: string) => Promise<void>

/**
 * @fastify/rate-limit was tried for this and left: it reads its counter a turn after it raised it, so that a
 * burst that arrives in one turn is refused as a whole and not from the first request too many on.
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

function createRequestCounter(app: FastifyInstance, { clock, redisUrl }: RateLimitOptions): CountRequest {
  const local = createLocalCounter(clock)
  if (redisUrl === undefined) return local
  const shared = createSharedCounter(redisUrl, local, (error) =>
    app.log.warn({ err: error }, 'redis cannot be reached: rate limits hold for each process alone'),
  )
  // Awaited, or the first requests would be counted apart.
  app.addHook('onReady', shared.connect)
  app.addHook('onClose', async () => shared.close())
  return shared.count
}

/** Whose requests are counted together when no key tells: one IPv6 host has a /64 to itself. */
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
