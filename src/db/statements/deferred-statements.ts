import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely, Transaction } from 'kysely'
import type pg from 'pg'
import type { DB } from '../schema.ts'
import { createTransactionState, startsTransaction, wrapQueries } from './query-wrapper.ts'

const deferring = new AsyncLocalStorage<'begin' | 'statement' | undefined>()

/**
 * Sends a statement of a transaction together with the next one, without waiting for its answer. Only for a statement whose
 * result is not read: it seems to return no rows. If it fails, the next statement or the commit fails with its error, and its
 * time counts as time of that one.
 */
export function sendWithNext<T>(send: () => Promise<T>): Promise<T> {
  return deferring.run('statement', send)
}

/**
 * Begins a transaction together with its first statement, if that is a select. It runs even if the begin fails, so it must
 * change nothing outside of a transaction.
 */
export function beginWithFirst<T>(db: Kysely<DB>, work: (tx: Transaction<DB>) => Promise<T>): Promise<T> {
  const workApart = (tx: Transaction<DB>) => deferring.run(undefined, () => work(tx))
  return deferring.run('begin', () => db.transaction().execute(workApart))
}

/** PostgreSQL runs the statements of a connection one after the other, and none of a transaction after one that failed. */
export function deferStatements(pool: pg.Pool): void {
  wrapQueries(pool, (query, client) => {
    const { stream } = client.connection
    const transaction = createTransactionState()
    let begin: unknown
    let sent: Promise<unknown>[] = []

    function defer(text: unknown, ...rest: unknown[]): void {
      if (sent.length === 0) stream.cork()
      const statement = query(text, ...rest) as Promise<unknown>
      // The next statement reports the failure.
      statement.catch(() => {})
      sent.push(statement)
    }

    function sendOrDefer(text: unknown, ...rest: unknown[]): unknown {
      const wasOpen = transaction.isOpen()
      transaction.note(text)
      if (begin !== undefined) return sendFirst(text, ...rest)
      if (startsTransaction(text) && deferring.getStore() === 'begin') {
        begin = text
        return Promise.resolve(nothing)
      }
      if (wasOpen && transaction.isOpen() && deferring.getStore() === 'statement') {
        defer(text, ...rest)
        return Promise.resolve(nothing)
      }
      return send(text, ...rest)
    }

    async function sendFirst(text: unknown, ...rest: unknown[]): Promise<unknown> {
      const held = begin
      begin = undefined
      if (isSelect(text)) defer(held)
      else await query(held)
      return send(text, ...rest)
    }

    function send(text: unknown, ...rest: unknown[]): unknown {
      const next = query(text, ...rest)
      if (sent.length === 0) return next
      const before = sent
      sent = []
      stream.uncork()
      return isRollback(text) ? next : Promise.all([...before, next]).then(() => next)
    }

    return sendOrDefer
  })
}

const nothing = { command: '', rowCount: 0, rows: [] }

function isSelect(text: unknown): boolean {
  return typeof text === 'string' && /^\s*select\b/.test(text)
}

function isRollback(text: unknown): boolean {
  return typeof text === 'string' && text.startsWith('rollback')
}
