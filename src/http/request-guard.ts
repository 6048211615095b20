import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { type AuthOptions, createCallerIdentifier, requirePermission } from './auth.ts'
import { requireIfMatch } from './etag.ts'
import { createLoadShedding, type LoadSheddingOptions } from './load-shedding.ts'
import { routeNotFound } from './problems.ts'
import { createRateLimit, formatAddressBucket, type RateLimitOptions } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is also served while load is shed, because it reports the state of the server. */
    neverShed?: boolean
  }
}

type GuardOptions = AuthOptions & RateLimitOptions & LoadSheddingOptions & { requiresIfMatch: boolean }

/** Runs before the body is read, cheapest check first: load shedding, authentication, rate limit, permission. */
export function guardRequests(app: FastifyInstance, options: GuardOptions): void {
  const limit = createRateLimit(app, options)
  const identify = createCallerIdentifier(options)
  const shedLoad = createLoadShedding(app, options)
  app.decorateRequest('caller')
  app.decorateRequest('confirmCaller')
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    requireHost(request)
    const { config } = request.routeOptions
    if (config.isUnlimited) return
    if (!config.neverShed) shedLoad()
    if (config.isPublic || request.is404) {
      await limit(reply, formatAddressBucket(request))
      // Refused before the body is read, because no route will use it.
      if (request.is404) throw routeNotFound()
      return
    }
    request.caller = await identify(request).catch(async (error: unknown) => {
      // Only failed authentications count against an address: behind a proxy, all valid keys may share one.
      await limit(reply, formatAddressBucket(request))
      throw error
    })
    request.confirmCaller = async () => void (await identify(request))
    await limit(reply, request.caller.principal)
    requirePermission(request)
    if (options.requiresIfMatch) requireIfMatch(request)
  })
}

/** RFC 9112 §3.2: an HTTP/1.1 request must have a Host header; only older versions may omit it. */
function requireHost({ headers, raw }: FastifyRequest): void {
  if (headers.host !== undefined || raw.httpVersion !== '1.1') return
  throw new AppError('malformed_request', 'An HTTP/1.1 request needs a Host header.')
}
