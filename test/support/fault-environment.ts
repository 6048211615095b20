import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cluster, openCluster, openFolder } from './postgres-server.ts'
import { openStand, type Stand } from './process-supervisor.ts'

export type Ground = { cluster: Cluster; stand: Stand; url: string }

type Options = Partial<Omit<Parameters<typeof openStand>[0], 'variables'>> & {
  variables?: Record<string, string>
  /** Where the database keeps its data, and what it is told. */
  folder?: string
  settings?: readonly string[]
}

/** A database and the processes of the product, all of them this test's to break. */
export async function openGround({
  variables = {},
  folder,
  settings,
  ...stand
}: Options = {}): Promise<Ground> {
  const place = folder ?? (await openFolder(await mkdtemp(join(tmpdir(), 'membrane-faults-'))))
  const cluster = await openCluster(place, settings)
  const given = { DATABASE_URL: cluster.url, MEMBRANE_TOMBSTONE_KEY: 'a key of the faults', ...variables }
  return { cluster, url: cluster.url, stand: await openStand({ ...stand, variables: given }) }
}
