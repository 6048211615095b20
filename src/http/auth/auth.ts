import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { type Caller, fullTrust, isAllowed, type Permission, permissions } from '../../domain/trust/caller.ts'
import { AppError } from '../../kernel/errors.ts'
import { requireOwnOrigin, requireTrustedHost } from './loopback-only.ts'
import { chooseTenant, type RequestTenant, type Tenancy } from './tenancy.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The permission that the route needs; a route has this, `isPublic` or `anyCaller`. */
    permission?: Permission
    /** Anyone may call this route, without a key. */
    isPublic?: boolean
    /** Any authenticated caller may call this route; it needs no permission. */
    anyCaller?: boolean
    /**
     * The route is opened in a browser, which cannot send a bearer token. It asks for a password, and the password is
     * the key.
     */
    acceptsBasicAuth?: boolean
    /** The URL of the metadata (RFC 9728) that tell a client without a key how to get one. */
    describeResource?: (request: FastifyRequest) => string
  }
  interface FastifyRequest {
    caller: Caller
    /** Throws if the key of the request was revoked or has expired, or its tenant was moved, since the request began. */
    confirmCaller: () => Promise<void>
  }
}

export type Authenticate = (token: string) => Promise<Caller | undefined>

export type AuthOptions = {
  rootKey: string | undefined
  allowAnonymous: boolean
  authenticate: Authenticate
  /** Instead of `authenticate`, where keys belong to tenants. */
  tenancy?: Tenancy | undefined
}

/** Who calls, and whose data the call is about. */
type Identity = { caller: Caller; tenant: RequestTenant | undefined }

const fullAccess = {
  permissions: new Set(permissions),
  trust: fullTrust,
  sourceType: 'human',
} as const

const root: Caller = { principal: 'root', name: 'root', ...fullAccess }
const anonymous: Caller = { principal: 'anonymous', name: 'anonymous', ...fullAccess }

/** Returns a function that identifies the caller of a request, and throws when the key is missing or unknown. */
export function createCallerIdentifier({ rootKey, allowAnonymous, authenticate, tenancy }: AuthOptions) {
  const rootDigest = rootKey === undefined ? undefined : digest(rootKey)
  return async function identify(request: FastifyRequest): Promise<Identity> {
    const { authorization } = request.headers
    if (authorization === undefined) {
      if (rootDigest)
        throw createUnauthenticatedError('This operation needs a key: Authorization: Bearer <key>.')
      return { caller: admitAnonymous(request, allowAnonymous), tenant: tenancy?.home }
    }
    const token = readToken(authorization, request.routeOptions.config.acceptsBasicAuth ?? false)
    if (token === undefined)
      throw createUnauthenticatedError('The Authorization header is not of the form Bearer <key>.')
    // Digests have one length, so the comparison reveals neither the length of the root key nor its first characters.
    if (rootDigest && timingSafeEqual(digest(token), rootDigest))
      return { caller: root, tenant: await chooseTenant(request, tenancy) }
    const found = tenancy ? await tenancy.authenticate(token) : withoutTenant(await authenticate(token))
    if (!found) throw createUnauthenticatedError('The key is unknown, expired or revoked.')
    return found
  }
}

function withoutTenant(caller: Caller | undefined): Identity | undefined {
  return caller && { caller, tenant: undefined }
}

function readToken(authorization: string, isBrowsed: boolean): string | undefined {
  const token = /^Bearer +([^\s]{1,512})$/i.exec(authorization)?.[1]
  if (token !== undefined || !isBrowsed) return token
  const basic = /^Basic +([A-Za-z0-9+/=]{1,1024})$/i.exec(authorization)?.[1] ?? ''
  return /^[^:]*:([^\s]{1,512})$/.exec(Buffer.from(basic, 'base64').toString())?.[1]
}

/** Without a root key, being on this machine is the only credential. A page in a browser must not use it. */
function admitAnonymous(request: FastifyRequest, allowAnonymous: boolean): Caller {
  if (!allowAnonymous) requireTrustedHost(request)
  requireOwnOrigin(request)
  return anonymous
}

export function requirePermission(request: FastifyRequest): void {
  const { permission, anyCaller, isRootOnly, isHomeOnly } = request.routeOptions.config
  if (isRootOnly && request.caller.principal !== root.principal)
    throw new AppError('forbidden', 'Only the root key may call this operation.')
  if (isHomeOnly && request.tenant?.reference !== undefined)
    throw new AppError('forbidden', 'A key of a tenant may not call this operation.')
  if (anyCaller) return
  if (permission !== undefined && isAllowed(request.caller, permission)) return
  throw new AppError('forbidden', `This operation needs the permission ${permission}.`)
}

/** A route without declared access stops the start, instead of being served to everyone. */
export function requireDeclaredAccess(app: FastifyInstance): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => void routes.push(route))
  app.addHook('onReady', async () => {
    const undeclared = routes.filter(
      ({ config }) => !config?.isPublic && !config?.anyCaller && config?.permission === undefined,
    )
    if (undeclared.length === 0) return
    const names = undeclared.map(({ method, url }) => `${[method].flat().join(',')} ${url}`).join('; ')
    throw new Error(`no permission is declared for ${names}`)
  })
}

function createUnauthenticatedError(message: string): AppError {
  return new AppError('unauthenticated', message)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
