import type { Random } from './random.ts'

/** A word in everything that is written; a log line with it repeats content that logs must not contain. */
export const marker = 'quetzalcoatlus'

const attacks = [
  "'; drop table records; --",
  "' or '1'='1",
  '1) union select secret_hash from api_keys --',
  '$1',
  '$$; select pg_sleep(9); $$',
  "\\'; select 1; --",
  'a\\',
  '%',
  '_%_',
  '(a+)+$',
  '(?<=x)[\\d',
  '*'.repeat(50),
  '"unbalanced',
  "a & | ! ( ) : * <-> 'b",
  ':*',
  '-"a" or or -',
  'english & !',
  '{{7*7}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an attack on templates
  '${7*7}',
  '<%= 7 %>',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '%2e%2e%2f',
  '\r\nX-Injected: yes',
  '{"$ne": null}',
  '=cmd|calc!A1',
  '{a,b}',
  '{"a","b\\"}',
  'null',
  'undefined',
  'NaN',
  'true',
  '[object Object]',
  '__proto__',
  'constructor',
  'toString',
  '%s%s%n',
]

const unicode = [
  'NUL \0 inside',
  '\ud800',
  'lone \udc00 tail',
  '\ufeffBOM',
  '\u202egnihtemos',
  '\u2066isolate',
  'z\u0335\u0322\u0321a\u0300'.repeat(20),
  '👩‍👩‍👧‍👦',
  '𝕬'.repeat(64),
  'ﷺ',
  'ß ı İ ſ K',
  '\u0000',
  '\u0001\u001f\u007f\u0085',
  '\u2028\u2029',
  '\uffff\ufffe',
  '\u00a0 \u3000\t\n',
  '',
  ' ',
]

const times = [
  '0001-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59.999-14:00',
  '1969-12-31T23:59:59.999999999Z',
  '2016-12-31T23:59:60Z',
  '2026-02-30T00:00:00Z',
  '2026-03-28T09:30:00.123456Z',
  '2026-03-28T09:30:00',
  '2026-03-28',
  '+275760-09-13T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  'infinity',
  '-infinity',
  'now',
  '0',
]

const ids = [
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '0197F3A2-6F6A-7C41-9D52-3F1B8F0F7A11',
  '{0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11}',
  '0197f3a26f6a7c419d523f1b8f0f7a11',
  '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a1',
  'urn:uuid:0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11',
]

/** Replaced in the text of the body, because JSON can express values that JavaScript cannot. */
const tokens = [
  '1e400',
  '-1e400',
  '1e-400',
  '-0',
  '9007199254740993',
  '1'.repeat(400),
  '0.1e1',
  '1E+2',
  '00',
  'NaN',
]
const token = (text: string) => `raw:${text}`

const numbers = [
  0,
  -0,
  1,
  -1,
  0.5,
  1.5,
  1e-9,
  5e-324,
  1e308,
  -1e308,
  1e21,
  1e16,
  1e15,
  2 ** 31,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  2 ** 64,
  32_767,
  32_768,
  1e11,
  1e12,
  1.000000000000001,
  3.4e38,
  3.5e38,
]

/** Draws a hostile text. */
export function hostileText(random: Random): string {
  const kind = random.below(20)
  if (kind < 9) return random.pick(attacks)
  if (kind < 14) return random.pick(unicode)
  if (kind < 16) return random.pick(times)
  if (kind < 18) return random.pick(ids)
  if (kind < 19) return `${marker} `.repeat(1 + random.below(30))
  return random
    .pick(['a', '𝕬', '\u0300', '"', '\\', ' '])
    .repeat(random.pick([129, 257, 2_049, 10_001, 100_000, 100_001]))
}

/** Draws a hostile number. */
export function hostileNumber(random: Random): unknown {
  return random.chance(0.2) ? token(random.pick(tokens)) : random.pick(numbers)
}

export const hostileTime = (random: Random): string => random.pick(times)
export const hostileId = (random: Random): string => random.pick(ids)

/** Draws a hostile value of any type. */
export function hostileValue(random: Random): unknown {
  const kind = random.below(10)
  if (kind < 4) return hostileText(random)
  if (kind < 6) return hostileNumber(random)
  if (kind < 9)
    return random.pick<unknown>([null, true, false, [], {}, [[]], [null], { a: 1 }, [{}], ['a', 1]])
  return random.pick([nested, wide, prototypes])(random)
}

function nested(random: Random): unknown {
  const levels = random.pick([50, 99, 101, 5_000, 100_000])
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
  ] as const)
  return token(`${open.repeat(levels)}1${close.repeat(levels)}`)
}

function wide(random: Random): unknown {
  const width = random.pick([101, 1_001, 10_001, 20_000])
  const item = random.pick<unknown>([0, 'a', null, {}])
  if (random.chance(0.5)) return Array(width).fill(item)
  return Object.fromEntries(Array.from({ length: width }, (_, index) => [`k${index}`, item]))
}

function prototypes(): unknown {
  return token('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')
}

/** Writes JSON in which the tokens are replaced by text that JSON.stringify cannot write. */
export function renderJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return text.replaceAll(/"raw:((?:[^"\\]|\\.)*)"/g, (_, inside: string) => JSON.parse(`"${inside}"`))
}
