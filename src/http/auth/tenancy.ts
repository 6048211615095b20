import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Positions } from '../../db/positions/positions.ts'
import type { Caller } from '../../domain/trust/caller.ts'
import { AppError } from '../../kernel/errors.ts'
import { onCompleted } from '../completed-requests.ts'
import { readsState } from '../route-kind.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Only the root key may call this route. */
    isRootOnly?: boolean
    /** The route is about tenants: without them there is nothing at this path, and no header chooses one. */
    needsTenants?: boolean
    /** The route shows what is common to all tenants, so no key of a tenant may call it. */
    isHomeOnly?: boolean
  }
  interface FastifyRequest {
    /** Undefined when tenants are switched off, and before the caller is known. */
    tenant: RequestTenant | undefined
  }
}

/** Whose data a request works on. Without a reference: the data that belong to no tenant. */
export type RequestTenant = {
  id: string
  reference: string | undefined
  /** Where its data are, encrypted; null for the main database. */
  server_url: string | null
}

export type Tenancy = {
  /** The data that belong to no tenant. Only the root key and the keys made there work on them. */
  home: RequestTenant
  /** The caller of a key and the tenant of the key; undefined for an unknown key. */
  authenticate(token: string): Promise<{ caller: Caller; tenant: RequestTenant } | undefined>
  /** The tenant in which a request with the root key works; throws when there is none of this id. */
  find(id: string): Promise<RequestTenant>
  /** The positions of the database of a tenant; undefined when it is the main one. */
  positionsOf(tenant: RequestTenant): Positions | undefined
  /** Called after each request that may have changed something. */
  noteWrite(tenant: RequestTenant): void
}

const header = 'membrane-tenant'

/** With the root key, the tenant that the request names. */
export async function chooseTenant(
  { headers, routeOptions }: FastifyRequest,
  tenancy: Tenancy | undefined,
): Promise<RequestTenant | undefined> {
  const named = routeOptions.config.needsTenants ? undefined : headers[header]
  return tenancy && (named === undefined ? tenancy.home : tenancy.find(String(named)))
}

/**
 * A request that lasts longer than a move of its tenant would write where the tenant no longer is: its answer would
 * report success, and the data would be lost.
 */
export function requireSamePlace(begun: RequestTenant | undefined, present: RequestTenant | undefined): void {
  if (begun?.reference === present?.reference && begun?.server_url === present?.server_url) return
  throw new AppError('not_ready', 'The tenant was moved during the request. Send the request again.', {
    retryAfterSeconds: 1,
  })
}

const current = new AsyncLocalStorage<RequestTenant>()

/** The tenant of the request in whose course this is called. Throws elsewhere: no work must happen in the wrong tenant. */
export function getCurrentTenant(): RequestTenant {
  const tenant = current.getStore()
  if (!tenant) throw new TypeError('there is no tenant outside of a request')
  return tenant
}

/**
 * Keeps the tenant of a request for everything that its handler calls. The context is entered again after the body was
 * read, because the events of a body come in the context of the connection.
 */
export function followTenants(app: FastifyInstance, { noteWrite }: Tenancy): void {
  const follow: onRequestHookHandler = (request, _reply, done) => {
    if (request.tenant) current.run(request.tenant, done)
    else done()
  }
  app.addHook('onRequest', follow)
  app.addHook('preValidation', follow)
  app.addHook('preHandler', follow)
  onCompleted(app, ({ method, tenant, routeOptions }, { statusCode }) => {
    const isRead = readsState({ method, config: routeOptions.config })
    if (tenant && !isRead && statusCode < 300) noteWrite(tenant)
  })
}
