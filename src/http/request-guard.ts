import type { FastifyInstance, FastifyRequest } from 'fastify'
import { runApart } from '../db/request-scope.ts'
import { AppError } from '../kernel/errors.ts'
import { type AuthOptions, createCallerIdentifier, requirePermission } from './auth/auth.ts'
import { requireOwnSite } from './auth/own-site.ts'
import { followTenants, requireSamePlace } from './auth/tenancy.ts'
import { requireIfMatch } from './etag.ts'
import { createLoadShedding, type LoadSheddingOptions } from './limits/load-shedding.ts'
import { createRateLimit, formatAddressBucket, type RateLimitOptions } from './limits/rate-limit.ts'
import { createRouteNotFoundError } from './problems/problems.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is also served while load is shed, because it reports the state of the server. */
    neverShed?: boolean
  }
}

type GuardOptions = AuthOptions &
  RateLimitOptions &
  LoadSheddingOptions & { requiresIfMatch: boolean; publicUrl: string | undefined }

/** Runs before the body is read, cheapest check first: load shedding, authentication, rate limit, permission. */
export function guardRequests(app: FastifyInstance, options: GuardOptions): void {
  const limit = createRateLimit(app, options)
  const identify = createCallerIdentifier(options)
  const admit = async (request: FastifyRequest) => {
    if (request.routeOptions.config.ownSiteOnly) requireOwnSite(request, options.publicUrl)
    return identify(request)
  }
  const shedLoad = createLoadShedding(app, options)
  app.decorateRequest('caller')
  app.decorateRequest('confirmCaller')
  app.decorateRequest('tenant')
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    requireHost(request)
    requireDecodableQuery(request)
    const { config } = request.routeOptions
    if (config.isUnlimited) return
    if (!config.neverShed) shedLoad()
    const isNothing = request.is404 || (config.needsTenants === true && !options.tenancy)
    request.tenant = options.tenancy?.home
    if (config.isPublic || isNothing) {
      await limit(reply, formatAddressBucket(request))
      // Refused before the body is read, because no route will use it.
      if (isNothing) throw createRouteNotFoundError()
      return
    }
    const { caller, tenant } = await admit(request).catch(async (error: unknown) => {
      // Only failed authentications count against an address: behind a proxy, all valid keys may share one.
      await limit(reply, formatAddressBucket(request))
      throw error
    })
    request.caller = caller
    request.tenant = tenant
    // A revoked key must not be accepted for as long as a replica is behind.
    request.confirmCaller = async () => {
      const present = await runApart(() => identify(request))
      requireSamePlace(tenant, present.tenant)
    }
    await limit(reply, request.caller.principal)
    requirePermission(request)
    if (options.requiresIfMatch) requireIfMatch(request)
  })
  confirmAfterSlowBodies(app)
  if (options.tenancy) followTenants(app, options.tenancy)
}

/** A body may arrive long after its key was checked. */
const maxUncheckedMs = 100

function confirmAfterSlowBodies(app: FastifyInstance): void {
  app.addHook('preValidation', (request, reply, done) => {
    if (!request.caller || reply.elapsedTime < maxUncheckedMs) done()
    else request.confirmCaller().then(() => done(), done)
  })
}

/** The parser of Fastify would take what it cannot decode as it stands, and search for `%zz`. */
function requireDecodableQuery({ url }: FastifyRequest): void {
  const start = url.indexOf('?')
  if (start === -1 || !url.includes('%', start)) return
  try {
    decodeURIComponent(url.slice(start))
  } catch {
    throw new AppError('malformed_request', 'The query string is not correctly percent-encoded.')
  }
}

/**
 * RFC 9112 §3.2: an HTTP/1.1 request must have one Host header; only older versions may omit it. Of two, a proxy may have used the one
 * that Node ignores.
 */
function requireHost({ headers, raw }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === '1.1')
    throw new AppError('malformed_request', 'An HTTP/1.1 request needs a Host header.')
  const isHost = (name: string, index: number) => index % 2 === 0 && name.toLowerCase() === 'host'
  if (raw.rawHeaders.filter(isHost).length > 1)
    throw new AppError('malformed_request', 'A request may have only one Host header.')
}
