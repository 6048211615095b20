import type { ChildProcess } from 'node:child_process'
import cluster, { type Worker } from 'node:cluster'
import { type CountRequest, createLocalCounter } from '../../http/limits/rate-counter.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/log.ts'
import { isListening } from '../listen.ts'
import type { Service } from '../run-until-stopped.ts'
import { processNumberVariable } from './inheritance.ts'
import { answerSiblings } from './siblings.ts'
import { superviseChildren } from './supervisor.ts'

/** Whether this process starts others that do the work of the role `api`. */
export function startsProcesses({ processes }: { processes: number }): boolean {
  return processes > 1 && cluster.isPrimary
}

type Resources = { processes: number; stopTimeoutMs: number; log: Logger; clock: Clock }

/** Runs several API processes behind one port. Connections are dealt out to them in turn. */
export function startApiProcesses({ processes, stopTimeoutMs, log, clock }: Resources): Service {
  const count: CountRequest = createLocalCounter(clock)
  const workers = new Map<ChildProcess, Worker>()
  const answer = answerSiblings({ count, siblings: () => [...workers.values()] })
  let hasListened = false

  function launch(processNumber: string): ChildProcess {
    const worker = cluster.fork({ [processNumberVariable]: processNumber })
    workers.set(worker.process, worker)
    worker.process.once('exit', () => workers.delete(worker.process))
    worker.on('message', (message: unknown) => answer(worker, message))
    return worker.process
  }

  function onMessage(message: unknown): void {
    if (hasListened || !isListening(message)) return
    hasListened = true
    // The supervisor of `all` prints where the API is.
    process.send?.(message)
  }

  const { gaveUp, stop, kill } = superviseChildren({
    roles: Array.from({ length: processes }, (_, index) => String(index + 1)),
    launch,
    log,
    onMessage,
    stopTimeoutMs,
    // If one of several processes fails, the others serve. If none has served yet, a fault of the configuration is more likely.
    isNeeded: () => hasListened,
  })
  return { failed: gaveUp, stop, kill }
}
