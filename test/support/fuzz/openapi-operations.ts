import { readFileSync } from 'node:fs'

export type Schema = {
  $ref?: string
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  format?: string
}

export type Parameter = { in: string; name: string; required?: boolean; schema: Schema }
type Media = { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
type Described = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
}

export type Operation = {
  name: string
  method: string
  path: string
  parameters: readonly Parameter[]
  body?: { mediaType: string; schema: Schema; examples: readonly unknown[] }
}

export type Schemas = Readonly<Record<string, Schema>>

type Published = {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Schemas }
}

const published: Published = JSON.parse(
  readFileSync(new URL('../../../openapi/openapi.json', import.meta.url), 'utf8'),
)

export const schemas = published.components.schemas

/** All operations of the published document: a new operation is fuzzed without a change here. */
export const operations: readonly Operation[] = Object.entries(published.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => operationOf(method.toUpperCase(), path, described)),
)

function operationOf(method: string, path: string, described: Described): Operation {
  const [content] = Object.entries(described.requestBody?.content ?? {})
  return {
    name: described.operationId,
    method,
    path,
    parameters: described.parameters ?? [],
    ...(content ? { body: bodyOf(...content) } : {}),
  }
}

function bodyOf(mediaType: string, { schema = {}, example, examples = {} }: Media) {
  const given = [example, ...Object.values(examples).map(({ value }) => value)]
  return { mediaType, schema, examples: given.filter((each) => each !== undefined) }
}

/** Follows the reference of a schema. */
export function resolveSchema(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  return resolveSchema(schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {})
}
