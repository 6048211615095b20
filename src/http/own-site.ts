import type { FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { isLoopbackHost } from './loopback.ts'

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
export function requireOwnSite({ headers }: FastifyRequest, publicUrl: string | undefined): void {
  const { origin, host = '' } = headers
  const known = publicUrl === undefined ? undefined : new URL(publicUrl)
  if (
    !isLoopbackHost(host) &&
    (known === undefined || URL.parse(`http://${host}`)?.hostname !== known.hostname)
  )
    throw new AppError('forbidden', 'The Host header is not a name of this server; see MEMBRANE_PUBLIC_URL.')
  if (origin === undefined || origin === known?.origin || origin === `http://${host.toLowerCase()}`) return
  throw new AppError('forbidden', 'Only pages of this server may send this request.')
}

/** Where clients reach this server. */
export function originOf({ headers }: FastifyRequest, publicUrl: string | undefined): string {
  return publicUrl === undefined ? `http://${headers.host ?? 'localhost'}` : new URL(publicUrl).origin
}
