import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../../src/kernel/errors.ts'
import { createIds, createUuidV7 } from '../../../src/kernel/ids.ts'
import { formatDuration, parseDuration } from '../../../src/kernel/units.ts'

describe('the generator of ids', () => {
  it('returns version 7 UUIDs that sort by time', () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    const ids = createIds({ now: () => new Date(now) })
    const list = Array.from({ length: 50 }, () => {
      now += 1
      return ids.next()
    })
    for (const id of list)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect([...list].sort()).toEqual(list)
    expect(new Set(list).size).toBe(50)
  })

  it('returns different ids, however many of one moment are asked for', () => {
    const ids = createIds({ now: () => new Date(0) })
    expect(new Set(Array.from({ length: 2_000 }, () => ids.next())).size).toBe(2_000)
  })

  it('stores the time in the id', () => {
    const id = createUuidV7(1_767_225_600_123, new Uint8Array(10))
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(1_767_225_600_123)
  })
})

describe('durations', () => {
  it('are parsed as they are formatted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms)
      }),
    )
    expect(formatDuration(3_600_000)).toBe('1h')
  })

  it('are refused without a unit, with a sign or with a fraction', () => {
    for (const text of ['', '5', '-1h', '1.5h', '1 h', '1w', 'h']) expect(parseDuration(text)).toBeUndefined()
  })
})

describe('an error inside a larger body', () => {
  it('has pointers from the root of that body', () => {
    const inner = new AppError('validation_failed', 'no', { errors: [{ pointer: '/type', message: 'bad' }] })
    expect(inner.at('/records/3').errors).toEqual([{ pointer: '/records/3/type', message: 'bad' }])
    expect(new AppError('record_exists', 'taken').at('/records/0').errors).toEqual([
      { pointer: '/records/0', message: 'taken' },
    ])
  })
})
