import { gzipSync } from 'node:zlib'
import type { Operation } from '../http/openapi-operations.ts'
import { uuid } from '../texts/uuid.ts'
import { generateValue, type ValueSource } from './generate-value.ts'
import { hostileValue, renderJson } from './hostile-values.ts'
import { mutate } from './mutate-value.ts'

/** 40 MB, compressed to 40 KB. */
const bomb = gzipSync(Buffer.alloc(40_000_000, 32))

const broken = [
  '',
  ' \n',
  'null',
  '[]',
  '"text"',
  '{',
  '{}{}',
  '{"a":1,}',
  "{'a':1}",
  '{"a":1} // comment',
  '\ufeff{}',
  '{"a":"\\ud800"}',
  '{"a":"\\u0000"}',
  '{"type":"semantic","type":"episodic"}',
  '{"a":01}',
  '{"a":NaN}',
  '["a"',
  '{"__proto__":{}}',
].map((text) => Buffer.from(text))

const notText = [
  Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
  Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
  Buffer.from('{"a":1}', 'utf16le'),
  Buffer.alloc(1_000, 0),
]

export type Body = { bytes: Buffer; encoding?: string }

/** Builds a body for an operation: valid, altered, broken, huge or compressed. */
export function buildHostileBody(operation: Operation, drawing: ValueSource): Body | undefined {
  const { random } = drawing
  const dice = random.below(100)
  if (dice < 3) return undefined
  if (dice < 8) return { bytes: random.pick([...broken, ...notText]) }
  if (dice === 8) return { bytes: bomb, encoding: 'gzip' }
  if (dice === 9) return { bytes: vast(random.pick([9_000_000, 10_485_761])) }
  if (dice === 10)
    return { bytes: gzipSync('{}'), encoding: random.pick(['gzip', 'br', 'identity', 'x, gzip']) }
  if (operation.body?.mediaType.includes('ndjson')) return { bytes: linesOf(operation, drawing) }
  return { bytes: Buffer.from(renderJson(hostileJson(operation, drawing))) }
}

function vast(length: number): Buffer {
  return Buffer.from(`{"content":"${'a'.repeat(length)}"}`)
}

function hostileJson(operation: Operation, drawing: ValueSource): unknown {
  const { random } = drawing
  if (!operation.body) return random.pick([{}, hostileValue(random)])
  const dice = random.below(100)
  const input = random.chance(0.5)
    ? buildExampleBody(operation, drawing)
    : generateValue(operation.body.schema, drawing)
  if (dice < 35) return input
  return dice < 97 ? mutate(input, random) : hostileValue(random)
}

/** Builds a body from the document's examples, with ids of existing records. */
export function buildExampleBody({ body }: Operation, { random, id }: ValueSource): unknown {
  const example = body?.examples.length ? random.pick(body.examples) : {}
  if (typeof example === 'string') return example
  return JSON.parse(JSON.stringify(example).replaceAll(uuid, (input) => (random.chance(0.8) ? id() : input)))
}

function linesOf(operation: Operation, drawing: ValueSource): Buffer {
  const { random } = drawing
  const lines = Array.from({ length: 1 + random.below(6) }, () => hostileLine(operation, drawing))
  const ending = random.pick(['\n', '\n', '\r\n', '\n\n'])
  return Buffer.concat(lines.flatMap((line) => [line, Buffer.from(ending)]))
}

function hostileLine(operation: Operation, drawing: ValueSource): Buffer {
  const { random, line } = drawing
  const dice = random.below(20)
  if (dice === 0) return random.pick([...broken, ...notText, Buffer.from('a'.repeat(200_000))])
  if (dice < 3) return Buffer.from(line())
  if (dice < 15) return Buffer.from(renderJson(mutate(parsed(line()), random)))
  return Buffer.from(renderJson(hostileJson(operation, drawing)))
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}
