import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { type AuthOptions, createIdentify, requirePermission } from './auth.ts'
import { requireIfMatch } from './etag.ts'
import { createPressure, type PressureOptions } from './load-shedding.ts'
import { nothingHere } from './problems.ts'
import { addressOf, createLimit, type LimitOptions } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Served when load is shed: it tells why. */
    unshed?: boolean
  }
}

type GuardOptions = AuthOptions & LimitOptions & PressureOptions & { mustMatch: boolean }

/**
 * All before the body is read, each step costing more than the one before: whether there is room at all, who
 * asks, how often, and whether they may.
 */
export function guardRequests(app: FastifyInstance, options: GuardOptions): void {
  const limit = createLimit(app, options)
  const identify = createIdentify(options)
  const shedLoad = createPressure(app, options)
  app.decorateRequest('caller')
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    requireHost(request)
    const { config } = request.routeOptions
    if (config.exempt) return
    if (!config.unshed) shedLoad()
    if (config.open || request.is404) {
      await limit(reply, addressOf(request))
      // Before its body is read: whatever it holds, it is for nobody.
      if (request.is404) throw nothingHere()
      return
    }
    request.caller = await identify(request).catch(async (error: unknown) => {
      // Only failures count against an address: behind a proxy, all good keys may come from one.
      await limit(reply, addressOf(request))
      throw error
    })
    await limit(reply, request.caller.principal)
    requirePermission(request)
    if (options.mustMatch) requireIfMatch(request)
  })
}

/** RFC 9112 §3.2: only HTTP before 1.1 may do without. */
function requireHost({ headers, raw }: FastifyRequest): void {
  if (headers.host !== undefined || raw.httpVersion !== '1.1') return
  throw new AppError('malformed_request', 'A request of HTTP/1.1 names its host.')
}
