import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServerFolder, type PostgresServer, startPostgresServer } from '../servers/postgres-server.ts'
import { type ProcessSupervisor, startProcesses } from './process-supervisor.ts'

/** A PostgreSQL server and the processes of the product that use it. */
export type FaultEnvironment = { postgres: PostgresServer; processes: ProcessSupervisor; url: string }

type Options = Partial<Omit<Parameters<typeof startProcesses>[0], 'variables'>> & {
  variables?: Record<string, string>
  /** The data folder of the database, and its settings. */
  folder?: string
  settings?: readonly string[]
}

/** Starts a PostgreSQL server and the processes of the product, for a test that breaks them. */
export async function openFaultEnvironment({
  variables = {},
  folder,
  settings,
  ...stand
}: Options = {}): Promise<FaultEnvironment> {
  const place = folder ?? (await createServerFolder(await mkdtemp(join(tmpdir(), 'membrane-faults-'))))
  const cluster = await startPostgresServer(place, settings)
  const given = { DATABASE_URL: cluster.url, MEMBRANE_TOMBSTONE_KEY: 'a key of the faults', ...variables }
  return {
    postgres: cluster,
    url: cluster.url,
    processes: await startProcesses({ ...stand, variables: given }),
  }
}
