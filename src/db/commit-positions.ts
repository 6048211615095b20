import type pg from 'pg'
import { type Position, type PositionRow, parsePosition, positionStatement } from './position.ts'
import { getWriting, type Writing } from './request-scope.ts'

type Query = (...args: unknown[]) => unknown

/**
 * Asks for the position in the message of the commit, so that it costs no round trip. A statement outside a transaction
 * may be a write that commits later, so it makes the position unknown again.
 */
export function notePositions(pool: pg.Pool): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as Query
    let isInTransaction = false
    const noting: Query = (text, ...rest) => {
      const writing = getWriting()
      if (startsTransaction(text)) isInTransaction = true
      else if (text === 'commit' || text === 'rollback') isInTransaction = false
      else if (writing && !isInTransaction) writing.position = undefined
      return writing && text === 'commit' ? commit(query, writing) : query(text, ...rest)
    }
    client.query = noting as typeof client.query
  })
}

/** The statements are those that Kysely sends. */
export function startsTransaction(text: unknown): boolean {
  return typeof text === 'string' && (text === 'begin' || text.startsWith('start transaction'))
}

async function commit(query: Query, writing: Writing): Promise<pg.QueryResult> {
  // Without parameters, PostgreSQL takes several statements in one message and answers each.
  const results = (await query(`commit; ${positionStatement}`)) as [
    pg.QueryResult,
    pg.QueryResult<PositionRow>,
  ]
  const [committed, { rows }] = results
  if (committed.command === 'COMMIT') writing.hasCommitted = true
  const [row] = rows
  if (row) writing.position = latest(writing.position, parsePosition(row))
  return committed
}

/** Two transactions of a request may end in any order. */
function latest(one: Position | undefined, other: Position): Position {
  return one && one.timeline === other.timeline && one.lsn > other.lsn ? one : other
}
