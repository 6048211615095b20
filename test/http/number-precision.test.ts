import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scanJson } from '../../src/http/bodies/body-scan.ts'
import { importLines } from '../support/requests/export-and-import.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

const most = 1_000_000
const scan = (text: string) => scanJson(Buffer.from(text), most)
const pointers = (text: string) => scan(text).numbers.map(({ pointer }) => pointer)

describe('the scan of a JSON body', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '9007199254740993.0',
    '9007199254740993e0',
    '90071992547409930e-1',
    '12345678901234567890',
    '1e400',
    '-1e400',
    `1${'0'.repeat(400)}`,
  ])('finds %s, which JavaScript would change', (text) => {
    expect(pointers(text)).toEqual([''])
    expect(pointers(`{"a":[0,{"b/c~\\u0041":${text}}]}`)).toEqual(['/a/1/b~1c~0A'])
  })

  it.each([
    '9007199254740991',
    '-9007199254740991',
    '9007199254740992',
    '100000000000000000000',
    `1${'0'.repeat(300)}`,
    '1e300',
    '1.7e308',
    '0.12345678901234567890123',
    '123456789.12345678901234567890',
    '1e-400',
    '"9007199254740993"',
    '{"9007199254740993":"\\\\\\"9007199254740993"}',
  ])('accepts %s, which JavaScript keeps or which is no integer', (text) => {
    expect(pointers(text)).toEqual([])
  })

  it('accepts everything that JavaScript writes, and counts fields and items', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(pointers(JSON.stringify(value))).toEqual([])
        expect(pointers(JSON.stringify(value, null, 2))).toEqual([])
      }),
    )
    expect(scan('{"a":[1,2,3],"b":{"c":",:[{"}}').values).toBe(6)
  })

  it('finds a changed number at any position', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.integer(), fc.jsonValue())), fc.nat(), (items, seed) => {
        const at = seed % (items.length + 1)
        const texts = items.map((item) => JSON.stringify(item))
        expect(pointers(`[${texts.toSpliced(at, 0, '9007199254740993').join(',')}]`)).toEqual([`/${at}`])
      }),
    )
  })

  it('terminates on any bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[],:"\\\\-0123456789eE. a') }), (text) => {
        scan(text)
      }),
    )
    expect(scan('['.repeat(1_000_000)).values).toBe(100)
    expect(scanJson(Buffer.from(`[${'1,'.repeat(1_000)}`), 10).values).toBe(11)
  })

  // Reading the zeros once for each of them takes minutes, and the test ends with its timeout.
  it('points at what encloses a number behind many long keys', () => {
    const numbers = Array(100).fill('12345678901234567890').join(',')
    const found = pointers(`${`{"${'k'.repeat(90_000)}":`.repeat(90)}[${numbers}]${'}'.repeat(90)}`)
    expect(found).toEqual(Array(100).fill(`/${'k'.repeat(200)}`.repeat(5)))
  })

  it('terminates for many long fractions', () => {
    const number = `99999999999999999.${'0'.repeat(1_980)}1`
    expect(scan(`[${`${number},`.repeat(20_000)}1]`)).toEqual({ values: 20_001, numbers: [] })
  })
})

describe('an integer that JavaScript would change', () => {
  let api: TestApp
  beforeAll(async () => {
    api = await startTestApp()
  })
  afterAll(() => api.close())

  const fact = (number: string) =>
    `{"type":"semantic","payload":{"kind":"semantic","subject":"s","predicate":"p","object":${number}}}`

  it('is refused anywhere in a body, and nothing is stored', async () => {
    const headers = { 'content-type': 'application/json' }
    for (const number of ['9007199254740993', '1e400', '[{"n":-12345678901234567890}]']) {
      const { body } = await api.request('POST', '/v1/records', { body: fact(number), headers })
      expect(body).toMatchObject({
        status: 422,
        code: 'number_too_large',
        errors: [{ pointer: expect.stringMatching(/^\/payload\/object/) }],
      })
    }
    expect((await api.request('GET', '/v1/records')).body).toMatchObject({ items: [] })
  })

  it('is refused in one import line while the other lines are stored', async () => {
    const { reports } = await importLines(api, `${fact('9007199254740993')}\n${fact('9007199254740991')}\n`)
    expect(reports).toMatchObject([
      { status: 'invalid', problem: { code: 'number_too_large' } },
      { status: 'created' },
    ])
  })

  it('is kept in an export and an import when JavaScript does not change it', async () => {
    await importLines(api, `${fact('1e300')}\n`)
    const exported = await api.request('GET', '/v1/export')
    const { reports } = await importLines(api, exported.text)
    expect(reports.map(({ status }) => status)).toEqual(['unchanged', 'unchanged'])
  })
})
