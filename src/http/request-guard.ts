import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { type AuthOptions, createCallerIdentifier, requirePermission } from './auth.ts'
import { requireIfMatch } from './etag.ts'
import { createLoadShedding, type LoadSheddingOptions } from './load-shedding.ts'
import { routeNotFound } from './problems.ts'
import { createRateLimit, formatAddressBucket, type RateLimitOptions } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Served when load is shed: it tells why. */
    neverShed?: boolean
  }
}

type GuardOptions = AuthOptions & RateLimitOptions & LoadSheddingOptions & { requiresIfMatch: boolean }

/**
 * All before the body is read, each step costing more than the one before: whether there is room at all, who
 * asks, how often, and whether they may.
 */
export function guardRequests(app: FastifyInstance, options: GuardOptions): void {
  const limit = createRateLimit(app, options)
  const identify = createCallerIdentifier(options)
  const shedLoad = createLoadShedding(app, options)
  app.decorateRequest('caller')
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    requireHost(request)
    const { config } = request.routeOptions
    if (config.isUnlimited) return
    if (!config.neverShed) shedLoad()
    if (config.isPublic || request.is404) {
      await limit(reply, formatAddressBucket(request))
      // Before its body is read: whatever it holds, it is for nobody.
      if (request.is404) throw routeNotFound()
      return
    }
    request.caller = await identify(request).catch(async (error: unknown) => {
      // Only failures count against an address: behind a proxy, all good keys may come from one.
      await limit(reply, formatAddressBucket(request))
      throw error
    })
    await limit(reply, request.caller.principal)
    requirePermission(request)
    if (options.requiresIfMatch) requireIfMatch(request)
  })
}

/** RFC 9112 §3.2: only HTTP before 1.1 may do without. */
function requireHost({ headers, raw }: FastifyRequest): void {
  if (headers.host !== undefined || raw.httpVersion !== '1.1') return
  throw new AppError('malformed_request', 'A request of HTTP/1.1 names its host.')
}
