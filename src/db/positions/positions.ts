import type pg from 'pg'
import { type Position, type PositionRow, parsePosition, positionStatement } from './position.ts'
import {
  createPositionCipher,
  decryptPosition,
  encryptPosition,
  keyCost,
  type PositionCipher,
} from './position-cipher.ts'
import { identityColumns, type ServerIdentity } from './server-identity.ts'

export type Positions = ReturnType<typeof createPositions>

/** Turns positions in the log of this database into tokens for clients, and back; `cost` is that of their key. */
export function createPositions(pool: Pick<pg.Pool, 'query'>, cost = keyCost) {
  let opening: Promise<PositionCipher> | undefined
  let last: (Position & { token: string }) | undefined

  /** Asked for when it is first needed: the API starts without its database. */
  function openCipher(): Promise<PositionCipher> {
    opening ??= readIdentity()
      .then((identity) => createPositionCipher(identity, cost))
      .catch((error: unknown) => {
        opening = undefined
        throw error
      })
    return opening
  }

  async function readIdentity(): Promise<ServerIdentity> {
    const { rows } = await pool.query<ServerIdentity>(`select ${identityColumns}`)
    if (!rows[0]) throw new Error('the database names no identity')
    return rows[0]
  }

  async function readPosition(): Promise<Position> {
    const { rows } = await pool.query<PositionRow>(positionStatement)
    if (!rows[0]) throw new Error('the database names no position')
    return parsePosition(rows[0])
  }

  /** Requests that shared a transaction have the same position. */
  async function encryptOnce(position: Position): Promise<string> {
    if (last?.lsn === position.lsn && last.timeline === position.timeline) return last.token
    const token = encryptPosition(await openCipher(), position)
    last = { ...position, token }
    return token
  }

  return {
    /** The token of a position, or of the current one. */
    encrypt: async (known?: Position): Promise<string> => encryptOnce(known ?? (await readPosition())),
    /** Undefined when the token says nothing about this database. */
    decrypt: async (token: string): Promise<Position | undefined> =>
      decryptPosition(await openCipher(), token),
  }
}
