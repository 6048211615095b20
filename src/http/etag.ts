import type { FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { hasWriteMethod } from './route-kind.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route changes one record, so it accepts If-Match, and requires it where the server is configured to. */
    singleRecord?: boolean
    /** The route changes several records: If-Match, which is never required, must allow the version of each. */
    severalRecords?: boolean
  }
}

export function formatEtag(version: number): string {
  return `"${version}"`
}

/** RFC 9110 §8.8.3. A quoted tag may contain a comma, and a list may have empty elements (§5.6.1.2). */
const tag = String.raw`(?:W/)?"[!\x23-\x7e\x80-\xff]*"`
const tags = new RegExp(tag, 'g')
/** Spaces are read in one way only, those after a comma with the tag that follows: with two ways the time doubles with each comma. */
const tagList = new RegExp(String.raw`^[ \t,]*${tag}(?:[ \t]*,(?:[ \t]*${tag})?)*$`)

/**
 * The versions that If-Match allows; undefined when any version is allowed. A weak tag never matches (RFC 9110 §13.1.1),
 * and neither does a tag of another server.
 */
export function readExpectedVersions({ headers }: Pick<FastifyRequest, 'headers'>): number[] | undefined {
  const given = headers['if-match']?.trim()
  if (given === undefined || given === '*') return undefined
  if (!tagList.test(given))
    throw new AppError(
      'malformed_request',
      'If-Match must be * or ETags in double quotes, separated by commas, such as "3".',
    )
  return (given.match(tags) ?? []).flatMap((each) => {
    const version = /^"(\d{1,15})"$/.exec(each)?.[1]
    return version === undefined ? [] : [Number(version)]
  })
}

/** Used when the server is configured to require If-Match: no client can overwrite a version that it has not read. */
export function requireIfMatch(request: FastifyRequest): void {
  const { config } = request.routeOptions
  if (!config.singleRecord || !hasWriteMethod(request) || request.headers['if-match'] !== undefined) return
  throw new AppError('if_match_required', 'Send If-Match with the version that you want to change, or *.')
}
