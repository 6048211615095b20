import fc from 'fast-check'
import Type from 'typebox'
import { describe, expect, it } from 'vitest'
import { closed, Uuid } from '../../src/domain/schemas/shapes.ts'
import { isLoopbackHost } from '../../src/http/auth/loopback-only.ts'
import { formatEtag, readExpectedVersions } from '../../src/http/etag.ts'
import { computeQueryFingerprint, decodeCursor, encodeCursor } from '../../src/http/paging/cursor.ts'
import { sendPage } from '../../src/http/paging/paging.ts'
import { readRequestId, readTraceId } from '../../src/http/request-tracing.ts'
import { coerceQuery } from '../../src/http/validation/coercion.ts'
import { compileValidator } from '../../src/http/validation/validation.ts'
import { formatCanonicalJson } from '../../src/kernel/canonical-json.ts'
import { AppError } from '../../src/kernel/errors.ts'

const Query = closed({
  limit: Type.Optional(Type.Integer({ minimum: 1, default: 50 })),
  salience: Type.Optional(Type.Number()),
  pinned: Type.Optional(Type.Boolean()),
  tag: Type.Optional(Type.Array(Type.String())),
  q: Type.Optional(Type.String()),
})

function validate(
  httpPart: 'querystring' | 'params',
  schema: Parameters<typeof coerceQuery>[0],
  value: object,
) {
  const validated: unknown = compileValidator({ schema, method: 'GET', url: '/', httpPart })(value)
  return validated as { value?: unknown; error?: AppError }
}

const faultsOf = (query: object) =>
  (validate('querystring', Query, query).error?.errors ?? []).map(
    ({ pointer, message }) => `${pointer} ${message}`,
  )

describe('a query string', () => {
  it('is coerced to the types of its schema and gets its defaults', () => {
    expect(coerceQuery(Query, { salience: '0.5', pinned: 'true', tag: 'a' })).toEqual({
      limit: 50,
      salience: 0.5,
      pinned: true,
      tag: ['a'],
    })
    expect(coerceQuery(Query, { limit: '7', tag: ['a', 'b'] })).toMatchObject({ limit: 7, tag: ['a', 'b'] })
  })

  it.each([
    [{ limit: '5.5' }, '?limit must be an integer'],
    [{ limit: '' }, '?limit must be an integer'],
    [{ limit: '0x10' }, '?limit must be an integer'],
    [{ limit: '1e3' }, '?limit must be an integer'],
    [{ limit: ' 5' }, '?limit must be an integer'],
    [{ limit: '0' }, '?limit must be at least 1'],
    [{ limit: ['1', '2'] }, '?limit must be an integer'],
    [{ salience: 'Infinity' }, '?salience must be a number'],
    [{ pinned: '1' }, '?pinned must be a boolean'],
    [{ limt: '5' }, '?limt unknown parameter; known: limit, salience, pinned, tag, q'],
    [{ tags: 'a' }, '?tags unknown parameter; did you mean tag? known: limit, salience, pinned, tag, q'],
    [{ q: 'a\0b' }, '?q must not contain a NUL character'],
    [{ tag: ['ok', 'a\0b'] }, '?tag must not contain a NUL character'],
  ])('is refused as %j', (query, fault) => {
    expect(faultsOf(query)).toEqual([fault])
  })

  it('ignores properties that every JavaScript object has', () => {
    expect(validate('querystring', Query, JSON.parse('{"constructor":"x"}')).error?.code).toBe(
      'validation_failed',
    )
    expect(coerceQuery(Query, {})).toEqual({ limit: 50 })
  })
})

describe('a path parameter that breaks its schema', () => {
  const codeOf = (schema: Parameters<typeof coerceQuery>[0], value: object) =>
    validate('params', schema, value).error?.code

  it('answers record_not_found for an id', () => {
    expect(codeOf(Type.Object({ id: Uuid() }), { id: 'x' })).toBe('record_not_found')
  })
  it('answers the not-found code that its schema names', () => {
    expect(codeOf(Type.Object({ id: Uuid({ missing: 'key_not_found' }) }), { id: 'x' })).toBe('key_not_found')
  })
  it('answers route_not_found when it is not an id', () => {
    expect(codeOf(Type.Object({ type: Type.Enum(['a']) }), { type: 'b' })).toBe('route_not_found')
  })
  it('answers route_not_found when it holds characters that cannot be stored', () => {
    expect(codeOf(Type.Object({ predicate: Type.String() }), { predicate: '\0' })).toBe('route_not_found')
  })
})

describe('If-Match', () => {
  const expected = (input?: string) =>
    readExpectedVersions({ headers: input === undefined ? {} : { 'if-match': input } })

  it('parses the version that etagOf writes', () => {
    expect(expected(formatEtag(3))).toEqual([3])
  })
  it.each([[undefined], ['*'], [' * ']])('accepts any version as %s', (input) => {
    expect(expected(input)).toBeUndefined()
  })
  it.each(['W/"3"', '""', '"x"', '"-1"', '"99999999999999999999"', '"a,b"', '"é", W/"*"'])(
    'never matches as %s',
    (input) => expect(expected(input)).toEqual([]),
  )
  const long = [`${'"3",'.repeat(9_999)}x`, `"3"${' , '.repeat(9_999)}x`]
  it.each(['3', '"3', '', ',', 'abc', '*, "3"', '"3" "4"', 'w/"3"', '"3 4"', ...long])(
    'is refused as malformed: %s',
    (input) => expect(() => expected(input)).toThrow('If-Match must be'),
  )
  it('takes each strong tag of several', () => {
    expect(expected('"2", W/"9" , "4","x"')).toEqual([2, 4])
    expect(expected(', "2",, "4",')).toEqual([2, 4])
  })
})

describe('a cursor', () => {
  const Position = closed({ value: Type.Number(), id: Uuid() })
  const position = { value: 0.25, id: '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11' }
  const list = computeQueryFingerprint('root', { type: 'semantic', tag: ['a'] })

  it('decodes to its position, with the filters in any order', () => {
    const same = computeQueryFingerprint('root', { tag: ['a'], type: 'semantic' })
    expect(decodeCursor(encodeCursor(list, position), Position, same)).toEqual(position)
  })

  it.each([
    ['another filter', computeQueryFingerprint('root', { type: 'semantic', tag: ['b'] })],
    ['another caller', computeQueryFingerprint('someone', { type: 'semantic', tag: ['a'] })],
  ])('is refused with %s', (_name, other) => {
    expect(() => decodeCursor(encodeCursor(list, position), Position, other)).toThrow(AppError)
  })

  it.each([
    ['the wrong shape', { value: 'x', id: position.id }],
    ['a field more', { ...position, more: 1 }],
  ])('is refused with %s even when its digest is right', (_name, forged) => {
    expect(() => decodeCursor(encodeCursor(list, forged), Position, list)).toThrow(AppError)
  })

  it('is refused with a NUL, which PostgreSQL cannot store', () => {
    const cursor = encodeCursor(list, { predicate: 'a\0' })
    expect(() => decodeCursor(cursor, Type.Object({ predicate: Type.String() }), list)).toThrow(AppError)
  })

  it('is refused when any character is damaged', () => {
    const cursor = encodeCursor(list, position)
    fc.assert(
      fc.property(fc.nat(cursor.length - 2), fc.constantFrom('A', 'z', '_', ''), (at, letter) => {
        const damaged = cursor.slice(0, at) + letter + cursor.slice(at + 1)
        if (damaged === cursor) return
        expect(() => decodeCursor(damaged, Position, list)).toThrow(AppError)
      }),
    )
  })

  it('is refused when it is any other text, without an unexpected error', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => decodeCursor(text, Position, list)).toThrow(AppError)
      }),
    )
  })

  it('replaces the old cursor in the link to the next page', () => {
    const links: [string, string][] = []
    const reply = { header: (name: string, value: string) => links.push([name, value]) }
    sendPage({ url: '/v1/keys?limit=1&cursor=old&tag=a%20b&tag=c' }, reply, { next_cursor: 'new' })
    expect(links).toEqual([['link', '</v1/keys?limit=1&cursor=new&tag=a+b&tag=c>; rel="next"']])
  })
})

describe('canonical JSON', () => {
  it('is the same text for equal values', () => {
    const shuffle = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffle)
      if (typeof value !== 'object' || value === null) return value
      const members = Object.entries(value).map(([key, each]) => [key, shuffle(each)])
      return Object.fromEntries(members.reverse())
    }
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(formatCanonicalJson(shuffle(value))).toBe(formatCanonicalJson(value))
      }),
    )
  })
  it('is another text for other values', () => {
    expect(formatCanonicalJson({ a: 1, b: [1, 2] })).not.toBe(formatCanonicalJson({ a: 1, b: [2, 1] }))
    expect(formatCanonicalJson({ a: '1' })).not.toBe(formatCanonicalJson({ a: 1 }))
  })
})

describe('the request id', () => {
  const given = (value: string) => readRequestId({ headers: { 'x-request-id': value } })

  it('is taken from the client when it is safe in a log line', () => {
    expect(given('abc-1.2_3')).toBe('abc-1.2_3')
  })
  it.each(['', 'a b', 'a"b', 'ü', 'x'.repeat(129)])('is not taken when it is %j', (value) =>
    expect(given(value)).toBeUndefined(),
  )

  const trace = '0af7651916cd43dd8448eb211c80319c'
  const traceIn = (traceparent: string) => readTraceId({ headers: { traceparent } })

  it('uses the trace id of a valid traceparent of any version', () => {
    expect(traceIn(`00-${trace}-b7ad6b7169203331-01`)).toBe(trace)
    expect(traceIn(`01-${trace}-b7ad6b7169203331-01-more`)).toBe(trace)
  })
  it.each([
    `ff-${trace}-b7ad6b7169203331-01`,
    `00-${trace}-b7ad6b7169203331-01-more`,
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-b7ad6b7169203331-01`,
    `00-${trace}-b7ad6b7169203331`,
    'nonsense',
  ])('ignores the traceparent %s', (value) => expect(traceIn(value)).toBeUndefined())
})

describe('the check of a host for loopback', () => {
  it.each(['localhost', 'localhost:8080', 'LOCALHOST:1', '127.0.0.1', '127.1.2.3:80', '[::1]', '[::1]:8080'])(
    'accepts %s',
    (host) => expect(isLoopbackHost(host)).toBe(true),
  )
  it.each([
    '',
    'attacker.example',
    'localhost.attacker.example',
    '127.0.0.1.attacker.example',
    'attacker.example:80',
    'localhost:80@attacker.example',
    '[::2]',
    '::1',
    '0.0.0.0',
    '127.0.0.1 ',
    'localhost:port',
    '[::1]x',
  ])('refuses %j', (host) => expect(isLoopbackHost(host)).toBe(false))
})
