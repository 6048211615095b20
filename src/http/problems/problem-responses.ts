import Type, { type TSchema } from 'typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { closed } from '../../domain/schemas/shapes.ts'
import { catalogue, type ErrorCode } from '../../kernel/errors.ts'
import { getHttpStatus, problemType } from './problems.ts'

const Fault = closed(
  {
    pointer: Type.String({ description: 'JSON pointer into the body, or `?name` for a query parameter.' }),
    message: Type.String({ description: 'What is wrong there.' }),
  },
  { $id: 'Fault', examples: [{ pointer: '/payload/kind', message: 'is required' }] },
)

const exampleId = '0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9'

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'A URN that identifies the error code.' }),
    title: Type.String({ description: 'The meaning of the code; always the same text.' }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'What went wrong in this request.' }),
    code: Type.Enum(Object.keys(catalogue).sort(), {
      description: 'Stable; docs/errors.md lists all codes.',
    }),
    request_id: Type.String({ description: 'The id of the request, which is in the log as well.' }),
    errors: Type.Optional(
      Type.Array(ref(Fault), { description: 'Every place in the request that is wrong.' }),
    ),
  },
  {
    $id: 'Problem',
    description: 'A problem as in RFC 9457. Some codes add members of their own.',
    examples: [createExample('validation_failed')],
  },
)

type HeaderName =
  | 'ETag'
  | 'Location'
  | 'Link'
  | 'Idempotency-Replayed'
  | 'Membrane-Position'
  | 'Next-Updated-After'

/** A response with a description, and a body unless it has none. */
type DescribedResponse = {
  schema?: TSchema
  description: string
  headers?: readonly HeaderName[]
  mediaType?: string
}

type Success = Readonly<Record<number, DescribedResponse>>

/** The types of the bodies that a handler may send. */
type ResponseTypes<S extends Success> = {
  [K in keyof S]: S[K] extends { schema: infer T } ? T : never
}

const headers: Readonly<Record<HeaderName, { type: string; description: string }>> = {
  ETag: { type: 'string', description: 'The version of the record; send it as If-Match.' },
  Location: { type: 'string', description: 'The path of the new resource.' },
  Link: { type: 'string', description: 'The next page, with `rel="next"`; absent on the last page.' },
  'Membrane-Position': {
    type: 'string',
    description: 'The position of this write. Send it with a read that must include the write.',
  },
  'Next-Updated-After': { type: 'string', description: 'Send this as `updated_after` of the next export.' },
  'Idempotency-Replayed': {
    type: 'string',
    description: '`true` if this is the stored answer to an earlier request with the same key.',
  },
}

/** All responses of an operation: its own, and the problems beyond those that every such route has. */
export function answers<const S extends Success>(
  success: S,
  codes: readonly ErrorCode[] = [],
): ResponseTypes<S> {
  const own = Object.entries(success).map(([status, answer]) => [status, describeSuccess(answer)])
  // The declared type is what a handler sends; at run time each schema is wrapped in a media type and a description.
  return addProblems(Object.fromEntries(own), codes) as ResponseTypes<S>
}

function describeSuccess({ schema, description, mediaType = 'application/json', ...own }: DescribedResponse) {
  const named = (own.headers ?? []).map((name) => [name, headers[name]])
  return {
    description,
    ...(named.length > 0 ? { headers: Object.fromEntries(named) } : {}),
    ...(schema ? { content: { [mediaType]: { schema } } } : { type: 'null' }),
  }
}

type Response = Readonly<Record<string, unknown>>

/** Adds the position of the write to every success. */
export function addPosition(response: Response): Response {
  const name = 'Membrane-Position'
  return Object.fromEntries(
    Object.entries(response).map(([status, answer]) => {
      const described = answer as { headers?: object }
      const named = { ...described, headers: { ...described.headers, [name]: headers[name] } }
      return [status, status.startsWith('2') ? named : answer]
    }),
  )
}

/** Adds problem responses. Codes that share a status become one response with an example for each code. */
export function addProblems(response: Response, codes: readonly ErrorCode[]): Response {
  const merged: Record<string, unknown> = { ...response }
  for (const code of codes) {
    const status = String(getHttpStatus(code))
    const examples = { ...readExamples(merged[status]), [code]: { value: createExample(code) } }
    const named = Object.keys(examples)
      .map((each) => catalogue[each as ErrorCode].meaning)
      .join(' Or: ')
    merged[status] = {
      description: named,
      ...retryHeader(status),
      content: { [problemType]: { schema: ref(Problem), examples } },
    }
  }
  return merged
}

function retryHeader(status: string) {
  if (status !== '429' && status !== '503') return {}
  return { headers: { 'Retry-After': { type: 'integer', description: 'Seconds to wait.' } } }
}

type Examples = Record<string, { value: unknown }>

function readExamples(response: unknown): Examples {
  const { content } = (response ?? {}) as { content?: Record<string, { examples?: Examples }> }
  return content?.[problemType]?.examples ?? {}
}

function createExample(code: ErrorCode): object {
  const { meaning } = catalogue[code]
  const errors =
    code === 'validation_failed' ? { errors: [{ pointer: '/payload/kind', message: 'is required' }] } : {}
  return {
    type: `urn:membrane:problem:${code}`,
    title: meaning,
    status: getHttpStatus(code),
    detail: meaning,
    code,
    request_id: exampleId,
    ...errors,
  }
}
