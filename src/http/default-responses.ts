import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { closed } from '../domain/shapes.ts'
import type { ErrorCode } from '../kernel/errors.ts'
import { withProblems } from './problem-responses.ts'
import { keywordsOf } from './validation/schema-keywords.ts'
import { codeOfMissing } from './validation/validation.ts'

const mutations = new Set(['POST', 'PATCH', 'DELETE'])

/** What follows from how a route is declared, so that no route has to repeat it, and none can forget it. */
export function completeRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { schema } = route
    if (!schema?.operationId) return
    // Without a schema of its own a query string would be ignored, a misspelt filter with it.
    schema.querystring ??= closed({})
    schema.response = withProblems(
      (schema.response ?? {}) as Record<string, unknown>,
      impliedCodes(route, schema),
    )
  })
}

/** True of the routes whose handler goes through `once`. */
export function isGuarded({ method, config }: Pick<RouteOptions, 'method' | 'config'>): boolean {
  return !config?.open && !config?.readOnly && !config?.repeatable && mutations.has(String(method))
}

function impliedCodes(route: RouteOptions, schema: FastifySchema): ErrorCode[] {
  const { config } = route
  return [
    ...(config?.exempt ? [] : (['rate_limited', 'overloaded'] as const)),
    ...(config?.open ? [] : (['unauthenticated', 'forbidden', 'database_unavailable'] as const)),
    ...(bodiless.has(String(route.method)) ? [] : bodyCodes),
    ...(isGuarded(route) ? guardedCodes : []),
    ...(config?.singleRecord ? (['version_mismatch', 'if_match_required'] as const) : []),
    ...(schema.params === undefined ? [] : pathCodes(schema.params as object)),
    'validation_failed',
    'internal_error',
  ]
}

/** A path may be wrongly percent-encoded, or well encoded and name nothing. */
function pathCodes(params: TSchema): ErrorCode[] {
  return ['malformed_request', ...Object.values(keywordsOf(params).properties ?? {}).map(codeOfMissing)]
}

const bodiless = new Set(['GET', 'HEAD'])
const bodyCodes = ['malformed_json', 'body_too_large', 'unsupported_media_type'] as const
const guardedCodes = ['request_in_progress', 'idempotency_key_reused', 'invalid_idempotency_key'] as const
