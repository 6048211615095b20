import { setImmediate as takeTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { mapInTurns } from '../../../src/kernel/turns.ts'

/** Keeps the event loop for longer than a turn may take. */
function work(): void {
  const startedMs = performance.now()
  while (performance.now() - startedMs < 25);
}

describe('mapping in turns', () => {
  it('keeps the order and passes the index', async () => {
    expect(await mapInTurns(['a', 'b', 'c'], (each, index) => `${each}${index}`)).toEqual(['a0', 'b1', 'c2'])
    expect(await mapInTurns([], work)).toEqual([])
  })

  it('lets other work have its turn between items that take long', async () => {
    const done: string[] = []
    const mapped = mapInTurns(['first', 'second', 'third'], (each) => {
      work()
      done.push(each)
    })
    await takeTurn()
    done.push('other')
    await mapped
    expect(done.at(-1)).toBe('third')
    expect(done).toContain('other')
  })

  it('ends with the first error', async () => {
    const seen: number[] = []
    const mapped = mapInTurns([1, 2, 3], (each) => {
      seen.push(each)
      if (each === 2) throw new Error('refused')
    })
    await expect(mapped).rejects.toThrow('refused')
    expect(seen).toEqual([1, 2])
  })
})
