import type { FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'

/**
 * Refuses DNS rebinding: a page of attacker.example, whose name suddenly resolves to 127.0.0.1, reaches this server
 * from the browser of the victim as same-origin. Its Host header still says attacker.example.
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
 * Refuses cross-site request forgery: any page can send a POST without a body to localhost, and no preflight stops
 * it. With keys that is harmless, because the page knows none; an anonymous caller needs no key.
 */
export function requireOwnOrigin({ headers, method }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  const isForeign = origin !== undefined && hostOf(origin) !== host?.toLowerCase()
  if (!isForeign && (site === undefined || site === 'same-origin' || site === 'none')) return
  throw new AppError('forbidden', 'Without a key only pages of this server may change anything.')
}

function hostOf(origin: string): string | undefined {
  return URL.parse(origin)?.host
}
