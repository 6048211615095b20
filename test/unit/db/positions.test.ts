import { expect, it } from 'vitest'
import { parseLsn, parsePosition } from '../../../src/db/positions/position.ts'
import {
  createPositionCipher,
  decryptPosition,
  encryptPosition,
  isPositionToken,
} from '../../../src/db/positions/position-cipher.ts'
import { createLagHistory } from '../../../src/db/replicas/lag.ts'

const cipher = await createPositionCipher({ cluster: '7711047469779478651', database: '16384' })
const other = await createPositionCipher({ cluster: '7711047469779478652', database: '16384' })

it('a position is what PostgreSQL writes', () => {
  expect(parsePosition({ lsn: '1A/68387E68', timeline: '0000000C' })).toEqual({
    timeline: 12,
    lsn: 0x1a_68387e68n,
  })
})

it('a token opens to its position, for the first and the last place of a log', () => {
  for (const lsn of ['0/0', 'FFFFFFFF/FFFFFFFF'].map(parseLsn)) {
    const token = encryptPosition(cipher, { timeline: 0xffff_ffff, lsn })
    expect(token).toMatch(/^[!-~]{1,200}$/)
    expect(isPositionToken(token)).toBe(true)
    expect(decryptPosition(cipher, token)).toEqual({ timeline: 0xffff_ffff, lsn })
  }
})

it('tokens do not depend on those before them, and a part of one is nothing', () => {
  const positions = ['0/1', '0/2', '0/1', '1/0'].map((lsn) => ({ timeline: 1, lsn: parseLsn(lsn) }))
  const tokens = positions.map((position) => encryptPosition(cipher, position))
  expect(tokens[2]).toBe(tokens[0])
  expect(decryptPosition(cipher, tokens[3]?.slice(0, 12) ?? '')).toBeUndefined()
  expect(tokens.toReversed().map((token) => decryptPosition(cipher, token))).toEqual(positions.toReversed())
})

it('a token says nothing in another database', () => {
  expect(decryptPosition(other, encryptPosition(cipher, { timeline: 1, lsn: 5n }))).toBeUndefined()
})

it('tokens of neighbouring places share no part that tells the distance', () => {
  const [one, next] = [5n, 6n].map((lsn) =>
    Buffer.from(encryptPosition(cipher, { timeline: 1, lsn }).slice(3), 'base64url'),
  )
  const equal = [...(one ?? [])].filter((byte, place) => byte === next?.[place])
  expect(equal.length).toBeLessThan(8)
})

it.each([
  '',
  'p1.',
  'p2.AAAAAAAAAAAAAAAAAAAAAA',
  'p1.AAAAAAAAAAAAAAAAAAAAAAA',
  'p1.AAAAAAAAAAAAAAAAAAAAAB',
  '0/16B3748',
])('%j is no token', (text) => expect(isPositionToken(text)).toBe(false))

it('a replica lags since the primary reached the first place that it misses', () => {
  const history = createLagHistory()
  history.add(100n, 1_000)
  history.add(100n, 2_000)
  history.add(300n, 3_000)
  expect(history.lagOf(300n, 9_000)).toBe(0)
  expect(history.lagOf(299n, 9_000)).toBe(6_000)
  expect(history.lagOf(99n, 9_000)).toBe(8_000)
  history.clear()
  expect(history.lagOf(0n, 9_000)).toBe(0)
})

it('a history of any length stays small and never understates a lag by more than its coarse steps', () => {
  const history = createLagHistory(64)
  for (let at = 1; at <= 10_000; at++) history.add(BigInt(at), at)
  expect(history.lagOf(9_999n, 10_000)).toBe(0)
  expect(history.lagOf(0n, 10_000)).toBeGreaterThan(9_900)
})
