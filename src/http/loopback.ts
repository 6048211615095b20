import type { FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'

/**
 * DNS rebinding: a page of attacker.example whose name suddenly resolves to 127.0.0.1 reaches this server from
 * the victim's browser, same-origin in its eyes. Its Host header still says attacker.example.
 */
export function requireTrustedHost({ headers }: FastifyRequest): void {
  if (isLoopbackHost(headers.host ?? '')) return
  throw new AppError('forbidden', 'Without a key only requests to localhost are served.')
}

export function isLoopbackHost(host: string): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(:\d{1,5})?$/.exec(host.toLowerCase())?.[1]
  return name === 'localhost' || name === '[::1]' || (name !== undefined && /^127(\.\d{1,3}){3}$/.test(name))
}

/**
 * Cross-site request forgery: any page may send a POST without a body to localhost, with no preflight to stop
 * it. With keys that is harmless, as a page does not know one; an anonymous caller has nothing to not know.
 */
export function requireOwnOrigin({ headers, method }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  const isForeign = origin !== undefined && hostOf(origin) !== host?.toLowerCase()
  if (!isForeign && (site === undefined || site === 'same-origin' || site === 'none')) return
  throw new AppError('forbidden', 'Without a key only this server’s own pages may change anything.')
}

function hostOf(origin: string): string | undefined {
  return URL.parse(origin)?.host
}
