import fc from 'fast-check'
import Type, { type TSchema } from 'typebox'
import { describe, expect, it } from 'vitest'
import { ref } from '../../src/domain/schemas/schema-ref.ts'
import { closed, durationPattern, notNilPattern, Time, Unit, Uuid } from '../../src/domain/schemas/shapes.ts'
import { isValid } from '../../src/http/validation/schema-faults.ts'
import { listFaults } from '../../src/http/validation/validation.ts'
import { NewRecord } from '../../src/records/index.ts'
import { countRuns } from '../support/long-run.ts'

const Dog = closed({
  kind: Type.Literal('dog'),
  name: Type.String({ minLength: 1 }),
  age: Type.Optional(Type.Integer({ minimum: 0 })),
})
const Cat = closed({ kind: Type.Literal('cat'), lives: Type.Integer({ minimum: 1, maximum: 9 }) })
const Animal = Type.Union([Dog, Cat], { $id: 'FaultsTestAnimal' })
const Owner = closed(
  { id: Uuid(), pets: Type.Array(ref(Animal), { maxItems: 3 }) },
  { $id: 'FaultsTestOwner' },
)
const Visit = closed({
  owner: ref(Owner),
  at: Time(),
  weight: Type.Optional(Unit()),
  note: Type.Optional(Type.Union([Type.String({ maxLength: 5 }), Type.Null()])),
  alias: Type.Optional(Type.Union([Type.String(), closed({ value: Type.String() })])),
  labels: Type.Optional(Type.Record(Type.String(), Type.Integer())),
  mood: Type.Optional(Type.Enum(['calm', 'cross'])),
  colour: Type.Optional(Type.Union([Type.Literal('red'), Type.Literal('blue'), Type.Null()])),
})

const id = '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11'
const visit = (changes: object = {}) => ({
  owner: { id, pets: [] },
  at: '2026-03-28T09:30:00.000Z',
  ...changes,
})
const owning = (...pets: unknown[]) => visit({ owner: { id, pets } })
const faultsOf = (value: unknown, schema: TSchema = Visit) =>
  listFaults(schema, value).map(({ pointer, message }) => `${pointer} ${message}`)

describe('the check of a body', () => {
  it('returns nothing for a valid body', () => {
    expect(faultsOf(owning({ kind: 'dog', name: 'Rex' }, { kind: 'cat', lives: 9 }))).toEqual([])
  })

  it('lists every fault at once, with pointers through references', () => {
    const value = { owner: { id: 'x', pets: [{ kind: 'cat', lives: 10 }], '~a/b': 1 }, weight: '1' }
    expect(faultsOf(value)).toEqual([
      '/at is required',
      '/owner/id must be a UUID',
      '/owner/pets/0/lives must be at most 9',
      '/owner/~0a~1b unknown field; known: id, pets',
      '/weight must be a number',
    ])
  })

  it('lists the known fields once for each kind of object', () => {
    const visited = { id, pets: [], town: '', street: '' }
    expect(faultsOf({ ...visit(), owner: visited, alias: { name: 'x' } })).toEqual([
      '/owner/town unknown field; known: id, pets',
      '/owner/street unknown field',
      '/alias/value is required',
      '/alias/name unknown field; known: value',
    ])
  })

  it.each([
    ['task', ['max_tokens', 'task_descriptor'], 'task_descriptor'],
    ['user_id', ['text', 'scope'], 'scope'],
    ['since', ['created_before', 'created_after'], 'created_after'],
  ])('names the field that other programs call %s', (name, all, meant) => {
    const schema = closed(Object.fromEntries(all.map((each) => [each, Type.Optional(Unit())])))
    expect(listFaults(schema, { [name]: 1 })[0]?.message).toContain(`did you mean ${meant}? known: `)
  })

  it.each<[string, unknown, string[]]>([
    [
      'the meant branch of a union alone',
      owning({ kind: 'dog', age: -1 }),
      ['/owner/pets/0/name is required', '/owner/pets/0/age must be at least 0'],
    ],
    [
      'the allowed kinds when none is meant',
      owning({ kind: 'fox' }),
      ['/owner/pets/0/kind must be one of dog, cat'],
    ],
    ['the missing kind', owning({ name: 'Rex' }), ['/owner/pets/0/kind is required, one of dog, cat']],
    [
      'a kind that is inherited',
      owning(Object.create({ kind: 'dog' })),
      ['/owner/pets/0/kind is required, one of dog, cat'],
    ],
    ['the types of a union', owning(5), ['/owner/pets/0 must be an object']],
    ['a field of a nullable', visit({ note: 'too long' }), ['/note must have at most 5 characters']],
    ['the type of a nullable', visit({ note: 5 }), ['/note must be a string or null']],
    [
      'a branch chosen by its type',
      visit({ alias: { valu: 'x' } }),
      ['/alias/value is required', '/alias/valu unknown field; known: value'],
    ],
    ['the values of an enum', visit({ mood: 'odd' }), ['/mood must be one of calm, cross']],
    [
      'the values of a union of literals',
      visit({ colour: 'green' }),
      ['/colour must be one of red, blue, null'],
    ],
    ['the members of a map', visit({ labels: { a: 1, b: 'x' } }), ['/labels/b must be an integer']],
    [
      'too many items',
      owning(...Array(4).fill({ kind: 'cat', lives: 1 })),
      ['/owner/pets must have at most 3 items'],
    ],
    ['the body itself', null, [' must be an object']],
    ['an array for an object', [], [' must be an object']],
  ])('describes %s', (_name, value, faults) => {
    expect(faultsOf(value)).toEqual(faults)
  })

  it('names the mistake instead of a pattern', () => {
    const Asked = closed({
      id: Uuid({ pattern: notNilPattern }),
      over: Type.String({ pattern: durationPattern }),
    })
    expect(faultsOf({ id: '00000000-0000-0000-0000-000000000000', over: '1w' }, Asked)).toEqual([
      '/id must not be the nil UUID',
      '/over must be a whole number and a unit (ms, s, m, h or d), such as 30d',
    ])
  })

  it('says that a payload is of another type than its record', () => {
    const record = { type: 'semantic', payload: { kind: 'working', subject: 's' } }
    expect(faultsOf(record, NewRecord)).toEqual(['/payload/kind must equal the type, semantic'])
    expect(faultsOf({ ...record, type: 'fact' }, NewRecord)[0]).toMatch(/^\/type must be one of/)
  })

  it('does not coerce values', () => {
    expect(faultsOf(owning({ kind: 'cat', lives: '9' }))).toEqual(['/owner/pets/0/lives must be an integer'])
  })

  it('describes a name that is too long for a pointer', () => {
    const [fault] = listFaults(Visit, visit({ ['k'.repeat(50_000)]: 1 }))
    expect(fault?.pointer).toBe('')
    expect(fault?.message.length).toBeLessThan(100)
  })

  it('lists faults exactly when the check fails', () => {
    const field = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.constant('dog'),
      fc.constant('cat'),
    )
    const pet = fc.record({ kind: field, name: field, lives: field, age: field }, { requiredKeys: [] })
    const value = fc.record(
      {
        owner: fc.oneof(
          field,
          fc.record({ id: fc.oneof(field, fc.uuid()), pets: fc.array(fc.oneof(pet, field)) }),
        ),
        at: field,
        note: field,
        alias: fc.oneof(field, fc.record({ value: field })),
        colour: field,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(value, (input) => {
        expect(listFaults(Visit, input).length > 0).toBe(!isValid(Visit, input))
      }),
      { numRuns: countRuns(500) },
    )
  })

  it('stops at a hundred faults in a hostile body of a million', () => {
    const list = closed({ items: Type.Array(ref(Animal)) })
    const items = Array.from({ length: 300_000 }, (_, index) => ({
      kind: index % 2 ? 'dog' : 'cat',
      x: index,
      y: 1,
    }))
    const started = performance.now()
    expect(listFaults(list, { items })).toHaveLength(100)
    // Listing every fault takes many times as long, even here.
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  it('says once that an array repeats its items, however many are equal', () => {
    const ids = Type.Array(Uuid(), { maxItems: 1_000, uniqueItems: true })
    expect(faultsOf(Array(200_000).fill(id), ids)).toEqual([
      ' must have at most 1000 items',
      ' must not repeat an item',
    ])
  })

  it('finds a fault at the end of a large body', () => {
    const list = closed({ items: Type.Array(ref(Animal)) })
    const items: unknown[] = Array.from({ length: 200_000 }, () => ({ kind: 'cat', lives: 1 }))
    items.push({ kind: 'cat', lives: 0 })
    expect(faultsOf({ items }, list)).toEqual(['/items/200000/lives must be at least 1'])
  })
})

describe('the date-time format', () => {
  const accepted = (text: string) => listFaults(Time(), text).length === 0

  it.each([
    '2026-03-28T09:30:00Z',
    '2026-03-28T09:30:00.123Z',
    '2026-03-28T09:30:00.123456789Z',
    '2024-02-29T23:59:59+05:30',
    '2024-02-29T23:59:59-15:59',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
  ])('accepts %s', (text) => expect(accepted(text)).toBe(true))

  it.each([
    ['a date', '2026-03-28'],
    ['without a zone', '2026-03-28T09:30:00'],
    ['with a space', '2026-03-28 09:30:00Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['no such day', '2026-02-29T00:00:00Z'],
    ['an offset that PostgreSQL cannot read', '2026-03-28T09:30:00+16:00'],
    ['no such hour', '2026-03-28T24:00:00Z'],
    ['the year 0', '0000-01-01T00:00:00Z'],
    ['before the year 1 by its offset', '0001-01-01T00:00:00+12:00'],
    ['past the year 9999 by its offset', '9999-12-31T23:59:59-12:00'],
    ['a bracketed suffix', '2026-03-28T09:30:00Z[Europe/Paris]'],
    ['ten decimals', '2026-03-28T09:30:00.1234567891Z'],
    ['nothing', ''],
  ])('refuses %s', (_name, text) => expect(accepted(text)).toBe(false))

  it('accepts only times that Date can parse', () => {
    const year = fc.integer({ min: 0, max: 10_000 }).map((each) => String(each).padStart(4, '0'))
    const two = fc.integer({ min: 0, max: 61 }).map((each) => String(each).padStart(2, '0'))
    fc.assert(
      fc.property(year, two, two, two, two, two, (y, mo, d, h, mi, s) => {
        const text = `${y}-${mo}-${d}T${h}:${mi}:${s}Z`
        if (accepted(text)) expect(new Date(text).toISOString()).toBe(text.replace('Z', '.000Z'))
      }),
      { numRuns: countRuns(2_000) },
    )
  })
})
