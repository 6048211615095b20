import type { FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Changes one record, so If-Match applies, and is demanded where the server is configured to. */
    singleRecord?: boolean
  }
}

/** Versions start at 1, so this one never matches. */
const versionNeverUsed = 0

export function etagOf(version: number): string {
  return `"${version}"`
}

/**
 * The version If-Match allows; undefined when any will do. A weak tag never matches (RFC 9110 §13.1.1), nor
 * does one we did not make. Of several the greatest is meant: versions only grow, so who names 4 has seen that
 * 3 is past.
 */
export function expectedVersion({ headers }: Pick<FastifyRequest, 'headers'>): number | undefined {
  const given = headers['if-match']
  if (given === undefined || given.trim() === '*') return undefined
  const versions = given.split(',').map((tag) => /^"(\d{1,15})"$/.exec(tag.trim())?.[1])
  return Math.max(
    versionNeverUsed,
    ...versions.map((version) => (version === undefined ? versionNeverUsed : Number(version))),
  )
}

const unsafe = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** For a server on which nobody may overwrite what they have not seen. */
export function requireIfMatch(request: FastifyRequest): void {
  const { config } = request.routeOptions
  if (!config.singleRecord || !unsafe.has(request.method) || request.headers['if-match'] !== undefined) return
  throw new AppError('if_match_required', 'Send If-Match with the version you mean to change, or *.')
}
