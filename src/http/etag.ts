import type { FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { hasWriteMethod } from './route-kind.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route changes one record, so it accepts If-Match, and requires it where the server is configured to. */
    singleRecord?: boolean
    /** The route changes several records: the version in If-Match, which is never required, must be that of each. */
    severalRecords?: boolean
  }
}

/** Versions start at 1, so this one never matches. */
const versionNeverUsed = 0

export function formatEtag(version: number): string {
  return `"${version}"`
}

/**
 * The version that If-Match allows; undefined when any version is allowed. A weak tag never matches (RFC 9110 §13.1.1),
 * and neither does a tag of another server. Of several tags the greatest counts: versions only grow, so a client that
 * names 4 knows that 3 is outdated.
 */
export function readExpectedVersion({ headers }: Pick<FastifyRequest, 'headers'>): number | undefined {
  const given = headers['if-match']
  if (given === undefined || given.trim() === '*') return undefined
  const versions = given.split(',').map((tag) => /^"(\d{1,15})"$/.exec(tag.trim())?.[1])
  return Math.max(
    versionNeverUsed,
    ...versions.map((version) => (version === undefined ? versionNeverUsed : Number(version))),
  )
}

/** Used when the server is configured to require If-Match: no client can overwrite a version that it has not read. */
export function requireIfMatch(request: FastifyRequest): void {
  const { config } = request.routeOptions
  if (!config.singleRecord || !hasWriteMethod(request) || request.headers['if-match'] !== undefined) return
  throw new AppError('if_match_required', 'Send If-Match with the version that you want to change, or *.')
}
