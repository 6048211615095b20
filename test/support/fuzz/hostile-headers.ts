import type { FuzzTargets } from './compose-request.ts'

type Header = readonly [string, string]

const contentTypes = [
  'text/plain',
  'application/json; charset=utf-16',
  'application/json; charset=utf-8; charset=latin1',
  'application/merge-patch+json',
  'application/x-ndjson',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/xml',
  'APPLICATION/JSON',
  'application/json, text/html',
  '/',
  '',
  '*/*',
  'a'.repeat(5_000),
]
const idempotencyKeys = [
  '',
  ' ',
  'a',
  'a',
  'a'.repeat(255),
  'a'.repeat(256),
  'two words',
  '\xe9',
  '"a"',
  "'; select 1; --",
  '\t',
]
const matches = [
  '*',
  '"1"',
  '"2"',
  'W/"1"',
  '"1", "2"',
  '1',
  '""',
  '"-1"',
  '"99999999999999999999"',
  '"1e3"',
  '"\xff"',
  'a'.repeat(3_000),
]
const traces = [
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  '00-00000000000000000000000000000000-0000000000000000-00',
  'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'garbage',
  '0'.repeat(4_000),
]
const credentials = [
  '',
  'Bearer',
  'Bearer ',
  'Basic cm9vdDpyb290',
  'Bearer a b',
  `Bearer ${'a'.repeat(8_000)}`,
  'Bearer \xff',
  'Bearer mbk_',
]
const others: readonly Header[] = [
  ['X-Request-Id', 'a'.repeat(5_000)],
  ['X-Request-Id', '\xff\xfe'],
  ['X-Request-Id', "'; --"],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Forwarded-For', '127.0.0.1, ::1'],
  ['X-Forwarded-Host', 'elsewhere'],
  ['Forwarded', 'for=127.0.0.1;host=elsewhere'],
  ['Origin', 'https://elsewhere.example'],
  ['Accept', 'text/html'],
  ['Accept', 'application/xml;q=1, */*;q=0'],
  ['Accept-Encoding', 'br, gzip, *;q=0'],
  ['Range', 'bytes=0-1,5-'],
  ['If-None-Match', '*'],
  ['If-Modified-Since', 'not a date'],
  ['Expect', '100-continue'],
  ['Cookie', 'a=b; '.repeat(500)],
  ['Last-Event-ID', "1' or 1=1"],
  ['Connection', 'close, authorization'],
  ['Upgrade', 'h2c'],
  ['TE', 'trailers'],
  ['Trailer', 'Authorization'],
  ['__proto__', 'polluted'],
  ['constructor', 'polluted'],
  ['Accept-Version', '9.9.9'],
]

/**
 * Adds a few hostile headers, some twice. It seldom changes those of the body, so that most requests still reach
 * the handler.
 */
export function addHostileHeaders(input: readonly Header[], { random }: FuzzTargets): Header[] {
  const headers = input.flatMap((header): Header[] => {
    const [name, value] = header
    if (!random.chance(0.04)) return [header]
    if (random.chance(0.3)) return []
    if (random.chance(0.3)) return [header, header]
    return [
      [name, name === 'Authorization' ? random.pick(credentials) : random.pick([...contentTypes, value])],
    ]
  })
  if (random.chance(0.15)) headers.push(['Idempotency-Key', random.pick(idempotencyKeys)])
  if (random.chance(0.1)) headers.push(['If-Match', random.pick(matches)])
  if (random.chance(0.05)) headers.push(['traceparent', random.pick(traces)])
  if (random.chance(0.1)) headers.push(random.pick(others))
  if (random.chance(0.01)) headers.push(...Array.from({ length: 150 }, (_, nth): Header => [`X-${nth}`, 'a']))
  if (random.chance(0.01)) headers.push(['X-Large', 'a'.repeat(20_000)])
  return random.chance(0.02) ? [...headers, ...headers] : headers
}
