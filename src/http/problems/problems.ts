import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isObjectMissing, isSchemaGone, translateFailure } from '../../db/failures.ts'
import { AppError, catalogue, type ErrorCode, type ErrorKind, type Fault } from '../../kernel/errors.ts'
import { drainBeforeAnswer } from '../bodies/request-drain.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Throws an AppError when the database lacks migrations of this version. */
    requireMigrated: () => Promise<void>
  }
}

export const problemType = 'application/problem+json'

const statuses = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method: 405,
  timeout: 408,
  conflict: 409,
  gone: 410,
  precondition: 412,
  too_large: 413,
  media_type: 415,
  invalid: 422,
  precondition_required: 428,
  throttled: 429,
  headers_too_large: 431,
  defect: 500,
  unavailable: 503,
} as const satisfies Record<ErrorKind, number>

export function getHttpStatus(code: ErrorCode): number {
  return statuses[catalogue[code].kind]
}

export type Problem = {
  type: string
  title: string
  status: number
  detail: string
  code: ErrorCode
  request_id: string
  errors?: readonly Fault[]
  [member: string]: unknown
}

/**
 * Builds the problem document (RFC 9457). The extra members come first, so that none can replace a standard member.
 */
export function toProblem(error: AppError, requestId: string): Problem {
  return {
    ...error.extra,
    type: `urn:membrane:problem:${error.code}`,
    title: catalogue[error.code].meaning,
    status: getHttpStatus(error.code),
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.errors ? { errors: error.errors } : {}),
  }
}

/** The result for one of several items of a request, which was refused alone. */
export function answerRefused(error: AppError, requestId: string): { status: number; problem: Problem } {
  const problem = toProblem(error, requestId)
  return { status: problem.status, problem }
}

export function handleErrors(app: FastifyInstance, requireMigrated = async (): Promise<void> => {}): void {
  app.decorateRequest('requireMigrated', requireMigrated)
  app.setErrorHandler(async (error, request, reply) => {
    await drainBeforeAnswer(request, reply)
    await sendProblem(error, request, reply)
    return reply
  })
  app.setNotFoundHandler(() => {
    throw createRouteNotFoundError()
  })
}

const nothingThere = 'There is nothing at this path; /docs lists all operations.'

export function createRouteNotFoundError(): AppError {
  return new AppError('route_not_found', nothingThere)
}

export async function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const shown = await toPublicError(error, request)
  if (shown.retryAfterSeconds !== undefined) reply.header('retry-after', shown.retryAfterSeconds)
  if (shown.kind === 'unauthenticated') reply.header('www-authenticate', describeChallenge(request))
  reply
    .code(getHttpStatus(shown.code))
    .header('content-type', problemType)
    .send(JSON.stringify(toProblem(shown, request.id)))
}

function describeChallenge(request: FastifyRequest): string {
  const { acceptsBasicAuth, describeResource } = request.routeOptions.config
  if (describeResource) return `Bearer resource_metadata="${describeResource(request)}"`
  return `${acceptsBasicAuth ? 'Basic' : 'Bearer'} realm="membrane"`
}

/** The error that the client sees. An unexpected failure is logged and becomes `internal_error`. */
export async function toPublicError(
  error: unknown,
  { log, tenant, requireMigrated }: Pick<FastifyRequest, 'log' | 'tenant' | 'requireMigrated'>,
): Promise<AppError> {
  if (tenant?.reference !== undefined && isSchemaGone(error)) {
    log.warn({ err: error }, 'the tables of a tenant do not exist any more')
    return new AppError('unauthenticated', 'The tenant of this key was dropped.')
  }
  const known = findKnownError(error) ?? (await findMissingMigrations(error, requireMigrated))
  if (!known) log.error({ err: error }, 'unexpected failure')
  else if (known.kind === 'unavailable') log.warn({ err: known, code: known.code }, 'unavailable')
  return known ?? new AppError('internal_error', 'The server failed; the log has the details.')
}

/** On a migrated database a missing table or column is a defect. */
async function findMissingMigrations(
  error: unknown,
  requireMigrated: () => Promise<void>,
): Promise<AppError | undefined> {
  if (!isObjectMissing(error)) return undefined
  return requireMigrated().then(
    () => undefined,
    (reason) => (reason instanceof AppError ? reason : undefined),
  )
}

/** The failure as an AppError, or undefined for a defect. */
function findKnownError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  const refused = findFastifyError(error)
  if (refused) return refused
  const translated = translateFailure(error)
  return translated instanceof AppError ? translated : undefined
}

const refusals: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The body is larger than this server accepts.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'This operation does not accept a body of this Content-Type. Send JSON with Content-Type: application/json; an import accepts more.',
  ],
  FST_ERR_CTP_EMPTY_TYPE: [
    'unsupported_media_type',
    'The body has no Content-Type. Send JSON with Content-Type: application/json; an import accepts more.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'malformed_request',
    'The length of the body differs from Content-Length.',
  ],
  FST_ERR_BAD_URL: ['malformed_request', 'The path is not correctly percent-encoded.'],
  FST_ERR_MAX_PARAM_LENGTH: ['route_not_found', nothingThere],
}

/** An error that Fastify or a plugin raised before the handler of a route. */
function findFastifyError(error: unknown): AppError | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  const [known, message] = refusals[code ?? ''] ?? []
  if (known && message) return new AppError(known, message)
  if (statusCode === 404) return new AppError('route_not_found', nothingThere)
  if (statusCode === undefined || statusCode < 400 || statusCode > 499) return undefined
  return new AppError('malformed_request', 'The request could not be read.')
}
