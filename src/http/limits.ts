import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Redis } from 'ioredis'
import { AppError } from '../kernel/errors.ts'

const windowMs = 1_000

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Never limited or shed: how an operator sees a server that is overwhelmed. */
    exempt?: boolean
  }
  interface FastifyRequest {
    /** Whose requests are counted together. */
    bucket: string
  }
}

export type Limit = (request: FastifyRequest, reply: FastifyReply, bucket: string) => Promise<void>

/** `max` is per second, and 0 is no limit. */
export type LimitOptions = { max: number; redisUrl: string | undefined }

/** One IPv6 host has a /64 to itself, so its addresses are one. */
export function addressOf({ ip }: FastifyRequest): string {
  return `ip:${rateLimit.normalizeIP(ip)}`
}

/** Counts in this process, or in Redis for all of them together. */
export async function createLimit(app: FastifyInstance, { max, redisUrl }: LimitOptions): Promise<Limit> {
  if (max === 0) return async () => {}
  app.decorateRequest('bucket', '')
  await app.register(rateLimit, {
    global: false,
    max,
    timeWindow: windowMs,
    keyGenerator: (request) => request.bucket,
    // Callers remembered at once in this process; beyond that the least recent starts anew.
    cache: 20_000,
    // Without Redis the service works on, unlimited: an outage of the limiter must not become one of memory.
    skipOnError: true,
    ...(redisUrl === undefined ? {} : { redis: connectToRedis(app, redisUrl), nameSpace: 'membrane:limit:' }),
  })
  const count = app.createRateLimit()
  return async (request, reply, bucket) => {
    request.bucket = bucket
    const counted = await count(request)
    if (counted.isAllowed) return
    const resetSeconds = Math.max(1, counted.ttlInSeconds)
    reply.headers({
      'ratelimit-limit': counted.max,
      'ratelimit-remaining': counted.remaining,
      'ratelimit-reset': resetSeconds,
    })
    if (!counted.isExceeded) return
    throw new AppError('rate_limited', `More than ${max} requests in a second.`, {
      retryAfterSeconds: resetSeconds,
    })
  }
}

/** Commands fail at once while Redis is away: queued, they would hold every request until it came back. */
function connectToRedis(app: FastifyInstance, url: string): Redis {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  })
  let isAway = false
  redis.on('error', (error: Error) => {
    // One line per outage, not one per attempt to reconnect.
    if (!isAway) app.log.warn({ err: error }, 'rate limits are off: redis cannot be reached')
    isAway = true
  })
  redis.on('ready', () => {
    isAway = false
  })
  // Awaited, or the first requests would go uncounted; failed, it is tried again in the background.
  app.addHook('onReady', async () => void (await redis.connect().catch(() => {})))
  app.addHook('onClose', async () => redis.disconnect())
  return redis
}
