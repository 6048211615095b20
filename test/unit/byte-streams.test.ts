import { expect, it } from 'vitest'
import { peek, readLines } from '../../src/http/bodies/body-lines.ts'
import { CollectedBytes } from '../../src/kernel/collections/collected-bytes.ts'

/** The smallest chunks that a client can send. */
async function* inSingleBytes(text: string): AsyncGenerator<Buffer> {
  const chunk = Buffer.alloc(1)
  for (const byte of Buffer.from(text)) {
    chunk.writeUInt8(byte)
    yield chunk
  }
}

async function* inOneChunk(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

async function listLines(source: AsyncGenerator<Buffer>): Promise<[number, string | undefined][]> {
  const lines: [number, string | undefined][] = []
  for await (const { line, bytes } of readLines(source, 5)) lines.push([line, bytes?.toString()])
  return lines
}

it('a value in parts is copied, so that no part is kept', () => {
  const collected = new CollectedBytes(10)
  const part = Buffer.alloc(1)
  for (const letter of 'abcdefghij') {
    part.write(letter)
    collected.add(part)
  }
  expect(String(collected.take())).toBe('abcdefghij')
  expect([collected.isEmpty, String(collected.take())]).toEqual([true, ''])
})

it('a value with too many bytes is dropped, and the next one is collected', () => {
  const collected = new CollectedBytes(3)
  collected.add(Buffer.from('ab'))
  collected.add(Buffer.from('cd'))
  expect([collected.isTooMany, collected.take()]).toEqual([true, undefined])
  collected.add(Buffer.from('ef'))
  expect(String(collected.take())).toBe('ef')
})

it.each([
  ['in one chunk', inOneChunk],
  ['in single bytes', inSingleBytes],
])('lines %s are numbered with the blank ones, which are left out', async (_, send) => {
  const text = '\n \r\n a\t\n\n\r\nlonger\n   \nb'
  expect(await listLines(send(text))).toEqual([
    [3, ' a\t'],
    [6, undefined],
    [8, 'b'],
  ])
  expect(await listLines(send('a\n\n'))).toEqual([[1, 'a']])
  expect(await listLines(send(' \n'))).toEqual([])
})

it('the beginning of a body in single bytes is looked at a few times only', async () => {
  const seen: number[] = []
  const text = `${'a'.repeat(70)}\n${'b'.repeat(100)}\n${'c'.repeat(1_000)}`
  const { head, chunks } = await peek(inSingleBytes(text), 1_000, (given) => {
    seen.push(given.length)
    return false
  })
  expect(seen).toEqual([1, 2, 4, 8, 16, 32, 64, 71, 142, 284, 568])
  expect(head.toString()).toBe(text.slice(0, 1_000))
  let whole = ''
  for await (const chunk of chunks()) whole += chunk.toString()
  expect(whole).toBe(text)
})

it('the beginning of a body is enough as soon as its first line has ended, or at the end of the body', async () => {
  const hasLine = (given: Buffer) => given.includes('\n')
  const { head } = await peek(inSingleBytes('abc\ndef'), 1_000, hasLine)
  expect(head.toString()).toBe('abc\n')
  expect((await peek(inSingleBytes('abc'), 1_000, hasLine)).head.toString()).toBe('abc')
})
