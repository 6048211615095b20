import { readFileSync } from 'node:fs'
import type { Body } from '../requests/record-requests.ts'
import { uuid } from '../texts/uuid.ts'

/** The published document and its operations, with what a test needs to call them. */

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
  examples?: readonly Body[]
}

export type Parameter = { in: string; name: string; required?: boolean; schema: Schema }
type Media = { schema?: Schema }
type Described = {
  operationId: string
  description: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
}

export type Operation = {
  name: string
  method: string
  path: string
  description: string
  parameters: readonly Parameter[]
  body?: { mediaType: string; schema: Schema; examples: readonly Body[] }
}

export type Schemas = Readonly<Record<string, Schema>>

type Published = {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Schemas }
}

/** The document as it is published. */
export const published: Published = JSON.parse(
  readFileSync(new URL('../../../openapi/openapi.json', import.meta.url), 'utf8'),
)

export const schemas = published.components.schemas

export const operations: readonly Operation[] = Object.entries(published.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => operationOf(method.toUpperCase(), path, described)),
)

function operationOf(method: string, path: string, described: Described): Operation {
  const [content] = Object.entries(described.requestBody?.content ?? {})
  return {
    name: described.operationId,
    method,
    path,
    description: described.description,
    parameters: described.parameters ?? [],
    ...(content ? { body: bodyOf(...content) } : {}),
  }
}

/** The schema of a body is a reference, which `resolveSchema` follows. */
function bodyOf(mediaType: string, { schema = {} }: Media) {
  return { mediaType, schema, examples: resolveSchema(schema).examples ?? [] }
}

/** The first example of a body, undefined without one. */
export const exampleOf = ({ body }: Operation): Body | undefined => body?.examples[0]

/** Follows the reference of a schema. */
export function resolveSchema(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  return resolveSchema(schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {})
}

/** Whether the example of a body has ids. */
export const namesRecords = (operation: Operation): boolean =>
  JSON.stringify(exampleOf(operation) ?? {}).search(uuid) !== -1
