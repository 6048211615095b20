import { readFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeErrors } from '../../scripts/errors-document.ts'
import { isJsonObject, type JsonObject } from '../../src/kernel/json-objects.ts'
import { createValidators } from '../support/http/openapi-contract.ts'

type Media = { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }
type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: unknown[]
  parameters?: { in: string; name: string; description?: string }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { description: string; content?: Record<string, Media> }>
}
type Document = {
  openapi: string
  info: { title: string; license: { name: string } }
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  tags: { name: string; description: string }[]
  components: { schemas: Record<string, TSchema> }
}

function jsonMediaOf({ requestBody, responses }: Operation): Media[] {
  const contents = [requestBody, ...Object.values(responses)].flatMap((each) =>
    Object.entries(each?.content ?? {}),
  )
  return contents.filter(([type]) => type.endsWith('json')).map(([, media]) => media)
}

/** All objects of a document except those of its examples. */
function objectsIn(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  if (!isJsonObject(value)) return []
  const { example: _, examples: _1, ...members } = value
  return [members, ...Object.values(members).flatMap(objectsIn)]
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

let document: Document
let operations: [string, Operation][]
beforeAll(async () => {
  document = JSON.parse(read('openapi/openapi.json'))
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method} ${path}`,
      operation,
    ]),
  )
})

function followReference(target: unknown): unknown {
  return document.components.schemas[String(target).replace('#/components/schemas/', '')]
}

/** The objects of all request bodies, and of the schemas to which they refer. */
function listRequestObjects(): JsonObject[] {
  const found = operations.flatMap(([, { requestBody }]) => objectsIn(requestBody))
  const seen = new Set<unknown>([undefined])
  for (const { $ref: target } of found) {
    if (seen.has(target)) continue
    seen.add(target)
    // The array grows during the loop until every reachable schema was seen.
    found.push(...objectsIn(followReference(target)))
  }
  expect(seen.size).toBeGreaterThan(5)
  return found
}

/** Whether a schema, or the one to which it refers, has a description. */
function isDescribed(schema: unknown): boolean {
  if (!isJsonObject(schema)) return false
  return typeof schema['description'] === 'string' || isDescribed(followReference(schema['$ref']))
}

describe('the OpenAPI document', () => {
  it('describes the product at this server', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Membrane', license: { name: 'MIT' } },
      servers: [{ url: '/' }],
    })
  })

  it('documents the permission and the answers of every operation', () => {
    expect(operations.length).toBeGreaterThan(5)
    for (const [name, operation] of operations) {
      for (const member of ['operationId', 'summary', 'description'] as const) {
        expect(operation[member], `${name} ${member}`).toMatch(/\S/)
      }
      expect(operation.tags, name).toHaveLength(1)
      expect(Array.isArray(operation.security), name).toBe(true)
      const statuses = Object.keys(operation.responses)
      expect(statuses, name).toContain('500')
      expect(
        statuses.some((status) => status.startsWith('2')),
        name,
      ).toBe(true)
      if (operation.security.length > 0)
        expect(statuses).toEqual(expect.arrayContaining(['401', '403', '429', '503']))
    }
    const ids = operations.map(([, { operationId }]) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('has a valid example for every body and every answer', () => {
    const media = operations.flatMap(([name, operation]) =>
      jsonMediaOf(operation).map((each) => [name, each] as const),
    )
    expect(media.length).toBeGreaterThan(50)
    const validatorOf = createValidators(document.components)
    for (const [name, { schema, example, examples = {} }] of media) {
      const listed = [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples).map(({ value }) => value),
      ]
      expect(listed, name).not.toHaveLength(0)
      const validator = validatorOf(schema)
      for (const each of listed)
        expect(validator.Errors(each)[1], `${name} ${JSON.stringify(each)}`).toEqual([])
    }
  })

  it('allows no unknown fields in request bodies, but in messages as libraries return them', () => {
    const open = listRequestObjects().filter(
      ({ type, properties, additionalProperties }) =>
        type === 'object' && isJsonObject(properties) && additionalProperties !== false,
    )
    const known = ['ModelMessage', 'StoredContent', 'TypedMessage'].map(
      (name) => objectsIn(document.components.schemas[name])[0],
    )
    expect(open).toHaveLength(known.length)
    expect(open).toEqual(expect.arrayContaining(known))
  })

  it('describes every parameter and every field of a request body', () => {
    const parameters = operations.flatMap(([name, operation]) =>
      (operation.parameters ?? []).map((each) => [`${name} ${each.name}`, each] as const),
    )
    const fields = listRequestObjects().flatMap(({ type, properties }) =>
      type === 'object' && isJsonObject(properties) ? Object.entries(properties) : [],
    )
    expect(parameters.length).toBeGreaterThan(100)
    expect(fields.length).toBeGreaterThan(100)
    expect([...parameters, ...fields].filter(([, each]) => !isDescribed(each))).toEqual([])
  })

  it('offers Idempotency-Key on every POST, PATCH and DELETE that changes something', () => {
    const guarded = operations.filter(([, { parameters = [] }]) =>
      parameters.some(({ name }) => name === 'Idempotency-Key'),
    )
    const mutations = operations.filter(([name]) => /^(post|patch|delete) /.test(name))
    const unguarded = mutations.filter((mutation) => !guarded.includes(mutation)).map(([name]) => name)
    // Operations that only read, and those that are idempotent anyway.
    expect(unguarded).toEqual([
      'post /v1/context',
      'post /v1/import',
      'post /v1/maintenance/drift/check',
      'post /v1/retrieve',
      'post /v1/search/similar',
      'post /v1/surprise/preview',
    ])
    for (const [name, { responses }] of guarded) expect(Object.keys(responses), name).toContain('409')
  })

  it('says what the operations of each tag are for', () => {
    const used = new Set(operations.flatMap(([, { tags }]) => tags))
    expect(document.tags.map(({ name }) => name).toSorted()).toEqual([...used].toSorted())
    for (const { name, description } of document.tags) expect(description, name).toMatch(/\S/)
  })

  it('has a name for each union of several types, and a type for each enum', () => {
    // Generators for languages without unions invent a name for one that is part of another schema, or none.
    const inner = Object.values(document.components.schemas).flatMap((schema) => objectsIn(schema).slice(1))
    const unions = [...inner, ...objectsIn(document.paths)].filter(
      ({ anyOf }) =>
        Array.isArray(anyOf) && !anyOf.some((each) => isJsonObject(each) && each['type'] === 'null'),
    )
    expect(unions).toEqual([])
    const enums = objectsIn(document).filter((schema) => Array.isArray(schema['enum']))
    expect(enums.length).toBeGreaterThan(50)
    expect(enums.filter(({ type }) => typeof type !== 'string')).toEqual([])
  })

  it('names its schemas and has no broken reference', () => {
    const names = Object.keys(document.components.schemas)
    expect(names).toEqual(expect.arrayContaining(['Problem', 'Record', 'Key']))
    const objects = objectsIn(document)
    expect(objects.length).toBeGreaterThan(100)
    const targets = objects.flatMap(({ $ref: target }) => (typeof target === 'string' ? [target] : []))
    expect(targets.length).toBeGreaterThan(100)
    const known = new Set(names.map((name) => `#/components/schemas/${name}`))
    expect(targets.filter((target) => !known.has(target))).toEqual([])
    // A property may have the name `missing`; the keyword names a code.
    const internal = objects.filter(
      (each) => '$id' in each || 'patternProperties' in each || typeof each['missing'] === 'string',
    )
    expect(internal).toEqual([])
  })
})

it('docs/errors.md matches the error catalogue', () => {
  expect(read('docs/errors.md')).toBe(describeErrors())
})
