import { expect, it } from 'vitest'
import { readAhead } from '../../../src/portability/import/reading-ahead.ts'

it('asks for the next item while the last one is used', async () => {
  const asked: number[] = []
  async function* count() {
    for (let item = 1; item <= 3; item++) {
      asked.push(item)
      yield item
    }
  }
  const seen: [number, number[]][] = []
  for await (const item of readAhead(count())) {
    await Promise.resolve()
    seen.push([item, [...asked]])
  }
  expect(seen).toEqual([
    [1, [1, 2]],
    [2, [1, 2, 3]],
    [3, [1, 2, 3]],
  ])
})

it('throws the error of the source after the items before it', async () => {
  async function* fail() {
    yield 1
    throw new Error('broken')
  }
  const seen: number[] = []
  const reading = async () => {
    for await (const item of readAhead(fail())) seen.push(item)
  }
  await expect(reading()).rejects.toThrow('broken')
  expect(seen).toEqual([1])
})

it('ends at once when its reader stops, also while the next item never comes', async () => {
  async function* stall() {
    yield 1
    await new Promise(() => {})
  }
  for await (const item of readAhead(stall())) {
    expect(item).toBe(1)
    break
  }
})
