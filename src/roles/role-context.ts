import type { Config } from '../config/config.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Logger } from '../kernel/log.ts'

/** The resources of every role. */
export type RoleContext = {
  config: Config
  log: Logger
  clock: Clock
  ids: Ids
  /** The number of an API process among those of its port, if there are several. */
  processNumber: string | undefined
}
