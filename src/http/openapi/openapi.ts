import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { inferEnumType, namedSchemas } from '../../domain/schemas/schema-ref.ts'
import { isJsonObject } from '../../kernel/json-objects.ts'
import { compareTexts } from '../../kernel/text-order.ts'
import { takesPosition } from '../read-your-writes.ts'
import { usesIdempotencyKey } from '../route-kind.ts'
import { buildExample } from './example-values.ts'
import { operationTags } from './operation-tags.ts'
import { nameUnionMembers } from './union-members.ts'

const description = `Memory records that fade unless they prove useful: write, revise, retrieve and consolidate them.

Errors are RFC 9457 problems with a stable \`code\`. A repeated POST, PATCH or DELETE with the same \`Idempotency-Key\`
returns the answer of the first. \`POST /v1/import\` takes no such key: a record with an \`id\` is stored only once.

Lists have pages: send \`next_cursor\` as \`cursor\` to read the next one. The answer of a write has the header
\`Membrane-Position\`; a read that sends it back includes the write, even on a replica.

On a server with tenants a key works in its tenant; the header \`Membrane-Tenant\` chooses the tenant for the root key.
Every operation can then return 403 \`tenant_suspended\`, and for the root key 404 \`tenant_not_found\`.`

/** Adds every route that has an operationId to the document. Must be registered before the first route. */
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
      tags: operationTags,
      components: {
        securitySchemes: {
          key: {
            type: 'http',
            scheme: 'bearer',
            description: 'The root key, or a key created with `POST /v1/keys`.',
          },
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
    ...(route.config?.severalRecords ? { 'If-Match': ifMatchOfEach } : {}),
    ...(takesPosition(route) ? { 'Membrane-Position': position } : {}),
  }
  return Object.keys(properties).length === 0 ? undefined : { type: 'object', properties }
}

const idempotencyKey = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[!-~]+$',
  description:
    'Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h).',
}

const ifMatch = {
  type: 'string',
  description:
    'The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed.',
}

const ifMatchOfEach = {
  type: 'string',
  description:
    'The ETags of the records, separated by commas, or `*` for any version. Returns 412 if the version of one of the records is not among them, and 400 if it is malformed.',
}

const position = {
  type: 'string',
  maxLength: 200,
  pattern: '^[!-~]+$',
  description:
    'The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old.',
}

type Media = { schema?: { $ref?: string }; example?: unknown; examples?: unknown }
type Operation = {
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses?: Record<string, { content?: Record<string, Media> }>
  'x-body-optional'?: boolean
}

/** The plugin does not know our named schemas, so they are added to the components here, with their examples. */
function completeDocument(document: object): object {
  const { paths = {}, components } = document as {
    paths?: Record<string, Record<string, Operation>>
    components: object
  }
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path)))
    completeOperation(operation)
  const schemas = Object.fromEntries(
    Object.keys(namedSchemas).map((name) => [name, toOpenApi(namedSchemas[name])]),
  )
  return {
    ...document,
    paths: sortMembers(paths),
    components: { ...components, schemas: sortMembers(nameUnionMembers(schemas)) },
  }
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

/** Sorted, so that the document does not depend on the order in which rooms register. */
function sortMembers<T>(members: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).sort(([one], [other]) => compareTexts(one, other)))
}

/** Keywords whose values are data, not schemas. */
const data = new Set(['const', 'default', 'enum', 'example', 'examples', 'required'])

/**
 * Converts a schema to OpenAPI 3.1: references point into the components, our own keywords are removed, and a pattern
 * that matches any name becomes additionalProperties, which client generators understand.
 */
function toOpenApi(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toOpenApi)
  if (!isJsonObject(schema)) return schema
  const { $id: _, patternProperties, ...rest } = schema
  const converted = Object.entries(rest).flatMap(([key, value]) => {
    // Our own keyword `missing` has an error code as its value. If the value is a schema, it is a property of that
    // name.
    if (key === 'missing' && typeof value === 'string') return []
    if (key === '$ref') return [[key, `#/components/schemas/${value}`]]
    return [[key, data.has(key) ? value : toOpenApi(value)]]
  })
  const anyName = isJsonObject(patternProperties) ? Object.values(patternProperties)[0] : undefined
  return {
    ...Object.fromEntries(converted),
    ...inferEnumType(rest),
    ...(anyName === undefined ? {} : { additionalProperties: toOpenApi(anyName) }),
  }
}
