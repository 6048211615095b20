import { expect, it } from 'vitest'
import { RecordType } from '../../src/domain/schemas/vocabulary.ts'
import { schemas } from '../support/http/openapi-operations.ts'

const path = '#/components/schemas/'

type Union = {
  anyOf: { $ref: string }[]
  discriminator: { propertyName: string; mapping: Record<string, string> }
}

it.each(['Payload', 'NewPayload'])('%s has a named schema for each type of record', (name) => {
  const { anyOf, discriminator } = schemas[name] as unknown as Union
  const mapped = Object.entries(discriminator.mapping)
  expect(discriminator.propertyName).toBe('kind')
  expect(mapped.map(([kind]) => kind).sort()).toEqual([...RecordType.enum].sort())
  expect(mapped.map(([, target]) => target)).toEqual(anyOf.map(({ $ref: target }) => target))
  for (const [kind, target] of mapped)
    expect(schemas[target.slice(path.length)]).toMatchObject({ properties: { kind: { const: kind } } })
})

it('names a new plan graph after both words', () => {
  expect(schemas).toHaveProperty('NewPlanGraphPayload')
})
