import { expect, test } from 'vitest'
import { QueueClient } from '../../src/db/queue-client.ts'
import { openTestDatabase } from '../support/servers/database.ts'

test('a connection of the queue that the server ends fails its statement, and not the process', async () => {
  const database = await openTestDatabase()
  const client = new QueueClient({ connectionString: database.url })
  const faults: unknown[] = []
  const note = (error: unknown) => faults.push(error)
  process.on('uncaughtException', note)
  try {
    await client.connect()
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
    await database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await ended
    await expect(client.query('select 1')).rejects.toThrow()
    expect(faults).toEqual([])
  } finally {
    process.off('uncaughtException', note)
    await database.close()
  }
})
