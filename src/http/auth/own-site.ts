import type { FastifyRequest } from 'fastify'
import { AppError } from '../../kernel/errors.ts'
import { isLoopbackHost } from './loopback-only.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Browsers reach this route from pages of this server only, and only under its own names. */
    ownSiteOnly?: boolean
  }
}

/**
 * A client of this route may hold a key and follow any URL, so a page of another site, or a name that suddenly
 * resolves to this machine, must not reach it.
 */
export function requireOwnSite(request: FastifyRequest, publicUrl: string | undefined): void {
  requireOwnHost(request, publicUrl)
  const { origin, host = '' } = request.headers
  const known = publicUrl === undefined ? undefined : new URL(publicUrl).origin
  if (origin === undefined || origin === known || origin === `http://${host.toLowerCase()}`) return
  throw new AppError('forbidden', 'Only pages of this server may send this request.')
}

/** An answer that repeats the Host header must not tell a client that another server is this one. */
export function requireOwnHost({ headers }: FastifyRequest, publicUrl: string | undefined): void {
  const { host = '' } = headers
  if (isLoopbackHost(host)) return
  if (publicUrl !== undefined && URL.parse(`http://${host}`)?.hostname === new URL(publicUrl).hostname) return
  throw new AppError('forbidden', 'The Host header is not a name of this server; see MEMBRANE_PUBLIC_URL.')
}

/** Where clients reach this server. */
export function readOrigin({ headers }: FastifyRequest, publicUrl: string | undefined): string {
  return publicUrl === undefined ? `http://${headers.host ?? 'localhost'}` : new URL(publicUrl).origin
}
