import { setTimeout as sleep } from 'node:timers/promises'
import { readFromPrimary } from '../db/request-scope.ts'
import type { CallContext } from '../db/transaction.ts'
import type { MaintenanceRun } from './maintenance.schemas.ts'
import type { MaintenanceService } from './maintenance.service.ts'

type Resources = { maintenance: Pick<MaintenanceService, 'read'>; everyMs?: number; heartbeatMs?: number }

export type RunEvents = ReturnType<typeof createRunEvents>

/** One for each tenant: its streams share what is read. */
export function createRunEvents({ maintenance, everyMs = 500, heartbeatMs = 15_000 }: Resources) {
  const read = shareReads(maintenance, everyMs)

  /**
   * Yields the run as a server-sent event whenever it has changed, until the run ends or the signal aborts. It reads the
   * database every half second, because the worker is another process. A heartbeat keeps proxies from closing a quiet
   * stream. The caller of this function must have checked that the run is visible.
   */
  async function* follow(call: CallContext, id: string, signal: AbortSignal): AsyncGenerator<string> {
    // One stream shows what another has read: with replicas that differ, a run could go back in time.
    readFromPrimary()
    let shown = ''
    let quietMs = 0
    while (!signal.aborted) {
      const run = await read(call, id)
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

  return { follow }
}

/** Reads a run at most once in each interval for all callers who may see the same, however many streams follow it. */
function shareReads(
  maintenance: Resources['maintenance'],
  everyMs: number,
): Resources['maintenance']['read'] {
  const recent = new Map<string, Promise<MaintenanceRun>>()
  return (call, id) => {
    const key = JSON.stringify([id, call.caller.trust])
    const known = recent.get(key)
    if (known) return known
    const reading = maintenance.read(call, id)
    recent.set(key, reading)
    setTimeout(() => recent.delete(key), everyMs).unref()
    return reading
  }
}

function formatEvent(run: MaintenanceRun, text: string): string {
  return `event: ${run.finished_at === undefined ? 'progress' : 'finished'}\ndata: ${text}\n\n`
}
