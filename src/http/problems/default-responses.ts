import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { closed } from '../../domain/schemas/shapes.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import { takesPosition } from '../read-your-writes.ts'
import { changesState, hasWriteMethod, usesIdempotencyKey } from '../route-kind.ts'
import { readKeywords } from '../validation/schema-keywords.ts'
import { getNotFoundCode } from '../validation/validation.ts'
import { addPosition, addProblems } from './problem-responses.ts'

/**
 * Adds to each route what follows from its declaration: an empty query string, the position after a write and the usual
 * problems. No route has to repeat it, and none can forget it.
 */
export function completeRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { schema } = route
    if (!schema?.operationId) return
    // Without a schema, unknown query parameters would be ignored, such as a misspelt filter.
    schema.querystring ??= closed({})
    const own = (schema.response ?? {}) as Record<string, unknown>
    const named = changesState(route) ? addPosition(own) : own
    schema.response = addProblems(named, defaultCodes(route, schema))
  })
}

function defaultCodes(route: RouteOptions, schema: FastifySchema): ErrorCode[] {
  const { config } = route
  return [
    'malformed_request',
    ...(config?.isUnlimited ? [] : (['rate_limited', 'overloaded'] as const)),
    ...(config?.isPublic ? [] : (['unauthenticated', 'forbidden', 'database_unavailable'] as const)),
    // With the root key, a header names the tenant.
    ...(config?.isPublic || config?.needsTenants ? [] : (['tenant_not_found'] as const)),
    ...(hasWriteMethod(route) ? bodyCodes : []),
    ...(usesIdempotencyKey(route) ? idempotencyCodes : []),
    ...(takesPosition(route) ? (['invalid_position'] as const) : []),
    ...(config?.singleRecord ? (['version_mismatch', 'if_match_required'] as const) : []),
    ...(config?.severalRecords ? (['version_mismatch'] as const) : []),
    ...(schema.params === undefined ? [] : listPathCodes(schema.params as object)),
    'validation_failed',
    'internal_error',
  ]
}

/** A path can name nothing. */
function listPathCodes(params: TSchema): ErrorCode[] {
  return Object.values(readKeywords(params).properties ?? {}).map(getNotFoundCode)
}

const bodyCodes = ['malformed_json', 'body_too_large', 'unsupported_media_type'] as const
const idempotencyCodes = ['request_in_progress', 'idempotency_key_reused', 'invalid_idempotency_key'] as const
