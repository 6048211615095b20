import type pg from 'pg'

/** How a connection sends a statement. `pg` takes its arguments in several forms. */
export type Query = (text: unknown, ...rest: unknown[]) => unknown

/** Puts `wrap` around how each connection of the pool sends statements. A later wrapper goes around the earlier ones. */
export function wrapQueries(pool: pg.Pool, wrap: (query: Query, client: pg.PoolClient) => Query): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as Query
    client.query = wrap(query, client) as typeof client.query
  })
}

/** The statements are those that Kysely sends. */
export function startsTransaction(text: unknown): boolean {
  return typeof text === 'string' && (text === 'begin' || text.startsWith('start transaction'))
}

export function endsTransaction(text: unknown): boolean {
  return text === 'rollback' || (typeof text === 'string' && /^commit(?:;|$)/.test(text))
}

/** Whether a connection is in a transaction, from the statements that it sends. */
export function createTransactionState() {
  let isOpen = false
  return {
    isOpen: () => isOpen,
    note(text: unknown): void {
      isOpen = startsTransaction(text) || (isOpen && !endsTransaction(text))
    },
  }
}
