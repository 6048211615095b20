import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../kernel/log.ts'
import { exitCodes } from './operator-error.ts'
import { listenForStop, type StopSignals } from './signals.ts'

export type Service = {
  /** Resolves with the reason when the service cannot continue. */
  failed?: Promise<string>
  /** Resolves with true when all work was finished. */
  stop(): Promise<boolean>
  /** Kills what must not outlive this process, without waiting. */
  kill?(): void
}

type RunOptions = { log: Logger; start(): Promise<Service>; timeoutMs?: number }

/** The longest timeout of a timer, 24 days. */
const foreverMs = 2 ** 31 - 1

/** Runs a service until a signal or its own failure, and returns the exit code. */
export async function runUntilStopped({ log, start, timeoutMs = foreverMs }: RunOptions): Promise<number> {
  const signals = listenForStop()
  const service = await startUnlessStopped(start, signals, timeoutMs)
  if (!service) return exitCodes.failed
  const failed = service.failed?.then((reason) => ({ reason, code: exitCodes.failed }))
  const stopped = signals.stop.then((reason) => ({ reason, code: exitCodes.stopped }))
  const { reason, code } = await Promise.race([stopped, ...(failed ? [failed] : [])])
  log[code === exitCodes.stopped ? 'info' : 'fatal']('stopping', { reason })
  const clean = await Promise.race([
    service.stop(),
    waitUntilLate(timeoutMs),
    signals.force.then(() => false),
  ])
  if (clean) return code
  log.error('stopped before all work was finished')
  service.kill?.()
  return exitCodes.failed
}

/** A start in progress is finished first: only a complete service can be stopped. */
function startUnlessStopped(
  start: () => Promise<Service>,
  signals: StopSignals,
  timeoutMs: number,
): Promise<Service | undefined> {
  const given = signals.stop.then(() => waitUntilLate(timeoutMs))
  return Promise.race([start(), given.then(() => undefined), signals.force.then(() => undefined)])
}

function waitUntilLate(milliseconds: number): Promise<false> {
  return sleep(milliseconds, false as const, { ref: false })
}
