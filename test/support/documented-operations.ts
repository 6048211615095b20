import { readFileSync } from 'node:fs'
import type { Body } from './record-requests.ts'

/** The operations of the published document, with what a test needs to call them. */

const document: Body = JSON.parse(
  readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8'),
)

/** Matches each id in a text. */
export const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

export type Operation = {
  name: string
  method: string
  path: string
  description: string
  parameters: Body[]
  mediaType: string
  /** The schema of the body, undefined without a body. */
  schema: Body | undefined
  /** The first example of a body, undefined without a body. */
  example: Body | undefined
}

function describeOperation(path: string, method: string, operation: Body): Operation {
  const { operationId: name, description, parameters = [], requestBody } = operation
  const [[mediaType, content] = ['application/json', undefined]] = Object.entries<Body>(
    requestBody?.content ?? {},
  )
  const reference: string | undefined = content?.schema?.$ref
  const schema = reference ? document.components.schemas[reference.split('/').pop() ?? ''] : content?.schema
  const example = schema?.examples?.[0]
  return { name, method: method.toUpperCase(), path, description, parameters, mediaType, schema, example }
}

export const documentedOperations: readonly Operation[] = Object.entries<Body>(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries<Body>(methods).map(([method, operation]) => describeOperation(path, method, operation)),
)
