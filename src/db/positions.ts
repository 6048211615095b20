import type pg from 'pg'
import {
  createPositionSeal,
  type Identity,
  identityStatement,
  openPosition,
  type Position,
  type PositionRow,
  parsePosition,
  positionStatement,
  type Seal,
  sealPosition,
} from './position.ts'

export type Positions = ReturnType<typeof createPositions>

/** Turns places in the log of this database into tokens for clients, and back. */
export function createPositions(pool: Pick<pg.Pool, 'query'>) {
  let sealing: Promise<Seal> | undefined
  let last: (Position & { token: string }) | undefined

  /** Asked for when it is first needed: the API starts without its database. */
  function openSeal(): Promise<Seal> {
    sealing ??= readIdentity()
      .then(createPositionSeal)
      .catch((error: unknown) => {
        sealing = undefined
        throw error
      })
    return sealing
  }

  async function readIdentity(): Promise<Identity> {
    const { rows } = await pool.query<Identity>(identityStatement)
    if (!rows[0]) throw new Error('the database names no identity')
    return rows[0]
  }

  async function readPosition(): Promise<Position> {
    const { rows } = await pool.query<PositionRow>(positionStatement)
    if (!rows[0]) throw new Error('the database names no position')
    return parsePosition(rows[0])
  }

  /** Requests that shared a transaction have the same position. */
  async function sealOnce(position: Position): Promise<string> {
    if (last?.lsn === position.lsn && last.timeline === position.timeline) return last.token
    const token = sealPosition(await openSeal(), position)
    last = { ...position, token }
    return token
  }

  return {
    /** The token of a position, or of the current one. */
    seal: async (known?: Position): Promise<string> => sealOnce(known ?? (await readPosition())),
    /** Undefined when the token says nothing about this database. */
    open: async (token: string): Promise<Position | undefined> => openPosition(await openSeal(), token),
  }
}
