import type { Config } from '../../config/config.ts'
import { type ConnectionOptions, connect } from '../../db/connection.ts'
import { createPositions } from '../../db/positions/positions.ts'
import { createReplicas } from '../../db/replicas/replicas.ts'
import type { Logger } from '../../kernel/log.ts'

type Resources = {
  config: Config
  log: Logger
  url: string
  onStatement: ConnectionOptions['onStatement']
}

/** Connects the API to its database, and to the replicas that answer its reads. */
export function connectApi({ config, log, url, onStatement }: Resources) {
  const { replicaUrls, maxReplicaLagMs: maxLagMs, ...rest } = config.database
  const settings = { ...rest, url, applicationName: 'membrane api', tenants: config.tenants }
  const replicas =
    replicaUrls.length === 0 ? undefined : createReplicas({ ...settings, replicaUrls, maxLagMs, log })
  const connection = connect({ ...settings, log, onStatement, route: replicas?.route })
  const { pool, close } = connection
  return {
    ...connection,
    replicas,
    positions: createPositions(pool),
    /** Requests that wait for any server count as load. */
    waiting: {
      get waitingCount() {
        return pool.waitingCount + (replicas?.waitingCount() ?? 0)
      },
    },
    close: async () => {
      await Promise.all([close(), replicas?.close()])
    },
  }
}
