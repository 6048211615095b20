import { setTimeout as sleep } from 'node:timers/promises'
import type { CallContext } from '../db/transaction.ts'
import type { MaintenanceRun } from './maintenance.schemas.ts'
import type { MaintenanceService } from './maintenance.service.ts'

type Resources = { maintenance: Pick<MaintenanceService, 'read'>; everyMs?: number; heartbeatMs?: number }

/**
 * Yields the run as a server-sent event whenever it has changed, until the run ends or the signal aborts. It reads the
 * database every half second, because the worker is another process. A heartbeat keeps proxies from closing a quiet
 * stream.
 */
export function createRunEvents({ maintenance, everyMs = 500, heartbeatMs = 15_000 }: Resources) {
  return async function* follow(call: CallContext, id: string, signal: AbortSignal): AsyncGenerator<string> {
    let shown = ''
    let quietMs = 0
    while (!signal.aborted) {
      const run = await maintenance.read(call, id)
      const text = JSON.stringify(run)
      if (text !== shown) {
        yield formatEvent(run, text)
        quietMs = 0
      } else if (quietMs >= heartbeatMs) {
        yield ': heartbeat\n\n'
        quietMs = 0
      }
      if (run.finished_at !== undefined) return
      shown = text
      await sleep(everyMs, undefined, { signal }).catch(() => {})
      quietMs += everyMs
    }
  }
}

function formatEvent(run: MaintenanceRun, text: string): string {
  return `event: ${run.finished_at === undefined ? 'progress' : 'finished'}\ndata: ${text}\n\n`
}
