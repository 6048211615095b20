import type { PostgresPoolClient } from 'kysely'
import pg, { type Pool, type PoolClient } from 'pg'
import type { EnterSchema } from '../connection.ts'
import { isOutage, isStatementTimeout } from '../failures.ts'
import type { Reading } from '../request-scope.ts'
import { sqlStates } from '../sql-states.ts'
import { startsTransaction } from '../statements/query-wrapper.ts'
import type { Replica } from './replica.ts'

type Options = {
  reading: Reading
  choose(reading: Reading): Promise<Replica | undefined>
  primary: Pick<Pool, 'connect'>
  /** Makes the connections of a replica enter the schema of the caller. */
  enterSchema: EnterSchema
}
type Held = { client: PoolClient; replica?: Replica }

/**
 * A connection that is opened with its first statement: on the primary for a transaction, on a replica for anything
 * else. If the replica cannot answer, the primary does. A standby changes nothing, so no statement runs twice.
 */
export function createReadClient({ reading, choose, primary, enterSchema }: Options): PostgresPoolClient {
  let held: Held | undefined

  async function open(text: string): Promise<Held> {
    if (startsTransaction(text)) return { client: await primary.connect() }
    const replica = reading.isPrimaryOnly ? undefined : await choose(reading)
    if (!replica) return { client: await primary.connect() }
    try {
      return { client: await enterSchema(replica.pool).connect(), replica }
    } catch (error) {
      if (!isUnanswered(error)) throw error
      if (isOutage(error)) replica.markAway()
      return openPrimary()
    }
  }

  async function openPrimary(): Promise<Held> {
    reading.isPrimaryOnly = true
    return { client: await primary.connect() }
  }

  async function query(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    held ??= await open(text)
    const { client, replica } = held
    try {
      const result = await client.query(text, [...values])
      replica?.noteAnswer()
      return result
    } catch (error) {
      if (!replica || !isUnanswered(error)) throw error
      held = undefined
      client.release(isOutage(error) && !isBeyondReplicas(error))
      held = await openPrimary()
      return held.client.query(text, [...values])
    }
  }

  // Statements only: nothing here reads through a cursor.
  return { query, release: () => held?.client.release() } as unknown as PostgresPoolClient
}

/** The statement is a write, or needs a table that the replica has not replayed or does not have. */
const beyondReplicas: ReadonlySet<string> = new Set([
  sqlStates.readOnlyTransaction,
  sqlStates.undefinedTable,
  sqlStates.undefinedColumn,
  sqlStates.undefinedFunction,
  sqlStates.featureNotSupported,
  sqlStates.objectNotInPrerequisiteState,
])

/** Whether the primary may answer what the replica did not. */
function isUnanswered(error: unknown): boolean {
  if (isStatementTimeout(error)) return false
  return isBeyondReplicas(error) || isOutage(error)
}

function isBeyondReplicas(error: unknown): boolean {
  return error instanceof pg.DatabaseError && beyondReplicas.has(error.code ?? '')
}
