import type pg from 'pg'
import { getWriting, type Writing } from '../request-scope.ts'
import {
  createTransactionState,
  endsTransaction,
  type Query,
  wrapQueries,
} from '../statements/query-wrapper.ts'
import { type Position, type PositionRow, parsePosition, positionStatement } from './position.ts'

/**
 * Asks for the position in the packet of the commit, so that it costs no round trip. A statement outside a transaction may
 * be a write that commits later, so it makes the position unknown; one that surely writes asks for it too.
 */
export function notePositions(pool: pg.Pool): void {
  wrapQueries(pool, (query, client) => {
    const transaction = createTransactionState()
    return (text, ...rest) => {
      const send = () => query(text, ...rest)
      const wasOpen = transaction.isOpen()
      transaction.note(text)
      const writing = getWriting()
      if (!writing) return send()
      if (text === 'commit') return commit(query, writing)
      if (wasOpen || transaction.isOpen() || endsTransaction(text)) return send()
      writing.position = undefined
      return isWrite(text, rest) ? write({ client, query, send }, writing) : send()
    }
  })
}

/** With a callback, `pg` returns no promise. */
function isWrite(text: unknown, rest: readonly unknown[]): boolean {
  const hasCallback = typeof rest.at(-1) === 'function'
  return typeof text === 'string' && !hasCallback && /\b(?:insert|update|delete)\b/.test(text)
}

type Statement = { client: pg.PoolClient; query: Query; send: () => unknown }

/**
 * Sends a statement that commits by itself, and the question for the position behind it. The server reads the question
 * after the commit.
 */
async function write({ client, query, send }: Statement, writing: Writing): Promise<pg.QueryResult> {
  const { stream } = client.connection
  stream.cork()
  const sent = send() as Promise<pg.QueryResult>
  const asked = query(positionStatement) as Promise<pg.QueryResult<PositionRow>>
  stream.uncork()
  // Without an answer it is asked for later.
  const position = asked.then(({ rows }) => rows[0]).catch(() => undefined)
  const result = await sent
  const row = await position
  if (row) writing.position = chooseLatest(writing.position, parsePosition(row))
  return result
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
  if (row) writing.position = chooseLatest(writing.position, parsePosition(row))
  return committed
}

/** Two transactions of a request may end in any order. */
function chooseLatest(one: Position | undefined, other: Position): Position {
  return one && one.timeline === other.timeline && one.lsn > other.lsn ? one : other
}
