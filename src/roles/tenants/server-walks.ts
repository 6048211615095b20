import type { Logger } from '../../kernel/log.ts'
import type { TenantDatabases, TenantRow } from '../../tenants/index.ts'
import type { Reference } from './opened-tenants.ts'

type Resources = {
  log: Logger
  databases: Pick<TenantDatabases, 'isAway'>
  visit(row: TenantRow, signal: AbortSignal): Promise<void>
  stopWatching(isDue: (reference: Reference) => boolean): Promise<void>
}

/** Visits the tenants of each server, and those to migrate, beside the others, because what is slow must not delay them. */
export function createServerWalks({ log, databases, visit, stopWatching }: Resources) {
  const walking = new Map<string, Promise<void>>()

  async function walk(rows: readonly TenantRow[], signal: AbortSignal): Promise<void> {
    for (const row of rows) {
      if (signal.aborted) return
      await visit(row, signal)
      if (!databases.isAway(row)) continue
      // The others would fail too. The next walk tries again.
      const references = new Set<Reference>(rows.map(({ reference }) => reference))
      return stopWatching((reference) => references.has(reference))
    }
  }

  return {
    /** Does nothing while the last walk over this server is not at its end. */
    start: (server: string, rows: readonly TenantRow[], signal: AbortSignal): void => {
      if (walking.has(server)) return
      const ended = walk(rows, signal)
        .catch((error) => {
          if (!signal.aborted) log.warn('the walk over a server of tenants failed', { err: error })
        })
        .finally(() => walking.delete(server))
      walking.set(server, ended)
    },
    ended: () => Promise.all(walking.values()),
  }
}
