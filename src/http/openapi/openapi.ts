import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { namedSchemas } from '../../domain/schema-ref.ts'
import { usesIdempotencyKey } from '../default-responses.ts'
import { isObject } from '../validation/schema-keywords.ts'
import { buildExample } from './example-values.ts'

const description = `Memory records that fade unless they prove useful: written, revised, retrieved and consolidated.

Errors are RFC 9457 problems; their \`code\` is stable. A repeated POST, PATCH or DELETE with the same
\`Idempotency-Key\` is answered from the first. Lists are paged by opaque cursors.`

/** Collects every route that has an operationId. Must be registered before the first of them. */
export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Membrane',
        version,
        description,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'This server' }],
      components: {
        securitySchemes: {
          key: { type: 'http', scheme: 'bearer', description: 'The root key, or one made at /v1/keys.' },
        },
      },
    },
    convertConstToEnum: false,
    stripBasePath: false,
    transform: ({ schema, url, route }) => ({ schema: describeRoute(schema, route), url }),
    transformObject: (document) =>
      'openapiObject' in document ? completeDocument(document.openapiObject) : {},
  })
}

function describeRoute(schema: FastifySchema | undefined, route: RouteOptions): FastifySchema {
  if (!schema?.operationId) return { hide: true }
  const { isPublic, permission } = route.config ?? {}
  const headers = describeHeaders(route)
  const described = toOpenApi({ ...schema, ...(headers ? { headers } : {}) }) as FastifySchema
  return {
    ...described,
    description: `${schema.description ?? ''}${permission ? `\n\nNeeds \`${permission}\`.` : ''}`,
    security: isPublic ? [] : [{ key: [] }],
    ...(route.config?.bodyOptional ? { 'x-body-optional': true } : {}),
  }
}

function describeHeaders(route: RouteOptions): TSchema | undefined {
  const properties = {
    ...(usesIdempotencyKey(route) ? { 'Idempotency-Key': idempotencyKey } : {}),
    ...(route.config?.singleRecord ? { 'If-Match': ifMatch } : {}),
  }
  return Object.keys(properties).length === 0 ? undefined : { type: 'object', properties }
}

const idempotencyKey = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[!-~]+$',
  description: 'Makes a retry safe: the same key and request are answered from the first time, for a day.',
}

const ifMatch = {
  type: 'string',
  description: 'The ETag of the version to change; 412 when the record has moved on.',
}

type Media = { schema?: { $ref?: string }; example?: unknown; examples?: unknown }
type Operation = {
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses?: Record<string, { content?: Record<string, Media> }>
  'x-body-optional'?: boolean
}

/** The plugin knows nothing of our named schemas: they join here, whole, and bring their examples. */
function completeDocument(document: object): object {
  const { paths = {}, components } = document as {
    paths?: Record<string, Record<string, Operation>>
    components: object
  }
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path)))
    completeOperation(operation)
  const schemas = Object.fromEntries(
    Object.keys(namedSchemas)
      .sort()
      .map((name) => [name, toOpenApi(namedSchemas[name])]),
  )
  return { ...document, paths: sortMembers(paths), components: { ...components, schemas } }
}

function completeOperation(operation: Operation): void {
  const { requestBody, responses = {} } = operation
  if (requestBody && operation['x-body-optional']) requestBody.required = false
  delete operation['x-body-optional']
  for (const content of [requestBody, ...Object.values(responses)]) {
    for (const media of Object.values(content?.content ?? {})) addExample(media)
  }
}

function addExample(media: Media): void {
  const name = media.schema?.$ref?.split('/').at(-1)
  const schema = name === undefined ? undefined : namedSchemas[name]
  if (schema && media.example === undefined && media.examples === undefined)
    media.example = buildExample(schema)
}

/** Rooms register in any order; the document must not change with it. */
function sortMembers<T>(members: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Keywords whose values are data, not schemas. */
const data = new Set(['const', 'default', 'enum', 'example', 'examples', 'required'])

/**
 * A schema as OpenAPI 3.1 takes it: references into the components, our own keywords gone, the one pattern
 * that means any name as the additionalProperties that generators of clients understand.
 */
function toOpenApi(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toOpenApi)
  if (!isObject(schema)) return schema
  const { $id: _, patternProperties, ...rest } = schema
  const converted = Object.entries(rest).flatMap(([key, value]) => {
    // Our own keyword names a code; a schema there is that of a property of this name.
    if (key === 'missing' && typeof value === 'string') return []
    if (key === '$ref') return [[key, `#/components/schemas/${value}`]]
    return [[key, data.has(key) ? value : toOpenApi(value)]]
  })
  const anyName = isObject(patternProperties) ? Object.values(patternProperties)[0] : undefined
  return {
    ...Object.fromEntries(converted),
    ...inferEnumType(rest),
    ...(anyName === undefined ? {} : { additionalProperties: toOpenApi(anyName) }),
  }
}

/** TypeBox leaves the type of an enum to be seen from its values; generated clients do better with it said. */
function inferEnumType({ type, enum: values }: Readonly<Record<string, unknown>>) {
  const isText = Array.isArray(values) && values.every((value) => typeof value === 'string')
  return isText && type === undefined ? { type: 'string' } : {}
}
