import type { FastifyRequest } from 'fastify'
import { AppError } from '../../kernel/errors.ts'
import { isLoopback } from '../../kernel/loopback.ts'

/**
 * Refuses DNS rebinding: a page of attacker.example, whose name suddenly resolves to 127.0.0.1, reaches this server
 * from the browser of the victim as same-origin. Its Host header still says attacker.example.
 */
export function requireTrustedHost({ headers }: FastifyRequest): void {
  if (isLoopbackHost(headers.host ?? '')) return
  throw new AppError('forbidden', 'Without a key only requests to localhost are served.')
}

/** Whether a Host header, with or without a port, names this machine. */
export function isLoopbackHost(host: string): boolean {
  const [, address, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(host.toLowerCase()) ?? []
  return address === undefined ? isLoopback(name) : address === '::1'
}

/**
 * Refuses cross-site request forgery: any page can send a POST without a body to localhost, and no preflight stops
 * it. With keys that is harmless, because the page knows none; an anonymous caller needs no key.
 */
export function requireOwnOrigin({ headers, method }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  const isForeign = origin !== undefined && readHost(origin) !== host?.toLowerCase()
  if (!isForeign && (site === undefined || site === 'same-origin' || site === 'none')) return
  throw new AppError('forbidden', 'Without a key only pages of this server may change anything.')
}

function readHost(origin: string): string | undefined {
  return URL.parse(origin)?.host
}
