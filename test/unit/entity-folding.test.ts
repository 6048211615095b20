import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normaliseName } from '../../src/domain/words/names.ts'
import { isAfter, rankMatches } from '../../src/entities/lookup-order.ts'
import { mergeEntities, type StoredEntity } from '../../src/entities/merged-entity.ts'

const name = fc.constantFrom(
  'Orion',
  'ORION ',
  'orion',
  'Ｏrion',
  'Vega',
  'vega',
  'the  hunter',
  'The Hunter',
)
const payload = fc.record({
  kind: fc.constant('entity' as const),
  canonical_name: name,
  primary_type: fc.constantFrom('Project', 'Service'),
  types: fc.array(fc.constantFrom('Project', 'Service', 'API'), { maxLength: 3 }),
  aliases: fc.array(fc.record({ value: name }), { maxLength: 4 }),
  identifiers: fc.array(
    fc.record({ namespace: fc.constantFrom('git', 'jira'), value: fc.constantFrom('a', 'b', 'Orion') }),
    { maxLength: 3 },
  ),
})
const entity = fc.record({
  payload,
  tags: fc.array(fc.integer({ max: 200, min: 0 }).map(String), { maxLength: 80 }),
  provenance: fc.record({
    sources: fc.array(fc.record({ kind: fc.constant('event' as const), ref: name }), { minLength: 1 }),
  }),
  // The part of a record that a merge reads.
}) as unknown as fc.Arbitrary<StoredEntity>

const namesOf = ({ payload: each }: Pick<StoredEntity, 'payload'>) =>
  [each.canonical_name, ...each.aliases.map(({ value }) => value)].map(normaliseName)

describe('the fold of merged entities', () => {
  it('contains every name, type and identifier, and no others', () => {
    fc.assert(
      fc.property(entity, fc.array(entity, { maxLength: 4 }), (target, sources) => {
        const folded = mergeEntities(target, sources)
        const all = [target, ...sources]
        expect(new Set(namesOf(folded))).toEqual(new Set(all.flatMap(namesOf)))
        const typesOf = ({ payload: each }: Pick<StoredEntity, 'payload'>) => [
          each.primary_type,
          ...each.types,
        ]
        expect(new Set(typesOf(folded))).toEqual(new Set(all.flatMap(typesOf)))
        const marks = new Set(
          all.flatMap((each) => each.payload.identifiers.map((mark) => JSON.stringify(mark))),
        )
        expect(folded.payload.identifiers.map((mark) => JSON.stringify(mark)).sort()).toEqual(
          [...marks].sort(),
        )
        expect(folded.payload.canonical_name).toBe(target.payload.canonical_name)
        expect(folded.tags.length).toBe(Math.min(100, new Set(all.flatMap(({ tags }) => tags)).size))
      }),
    )
  })

  it('is the same when it is repeated', () => {
    fc.assert(
      fc.property(entity, fc.array(entity, { maxLength: 4 }), (target, sources) => {
        const once = { ...target, ...mergeEntities(target, sources) }
        expect(mergeEntities(once, sources)).toEqual(mergeEntities(target, sources))
      }),
    )
  })
})

describe('entities with the same name', () => {
  it('have one order, however they were found', () => {
    const bearer = fc.record({
      id: fc.uuid(),
      scope: fc.constantFrom('', 'team'),
      status: fc.constantFrom('active', 'challenged'),
      created_at: fc.constantFrom(new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')),
      payload,
    })
    const bearers = fc.uniqueArray(bearer, { selector: ({ id }) => id, maxLength: 8 })
    fc.assert(
      fc.property(name, bearers, (term, found) => {
        const ranked = rankMatches(term, found)
        expect(rankMatches(term, found.toReversed())).toEqual(ranked)
        for (const [index, each] of ranked.entries()) {
          expect(ranked.filter((other) => isAfter(other, each))).toEqual(ranked.slice(index + 1))
        }
      }),
    )
  })
})
