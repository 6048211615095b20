import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../kernel/log.ts'
import { isListening } from '../listen.ts'
import { decideRestart } from './restarts.ts'

type ChildOptions = {
  role: string
  launch(role: string): ChildProcess
  log: Logger
  /** Called when the process is not started again, with the reason. */
  onGiveUp(reason: string): void
  onMessage(message: unknown): void
  /** Whether the process is started again however often it ends. */
  isNeeded?(): boolean
}

export type Child = {
  /** Resolves with true when the process had no work, or finished it. */
  stop(milliseconds: number): Promise<boolean>
  kill(): void
}

/** Keeps one process of a role running: starts it, and restarts it after it ends, until it is stopped. */
export function superviseChild(options: ChildOptions): Child {
  const { role, launch, log, onGiveUp, onMessage, isNeeded = () => false } = options
  let isStopping = false
  let earlyEnds = 0
  let current: ChildProcess
  let restart: NodeJS.Timeout | undefined

  function start(): void {
    let readyAt: number | undefined
    current = launch(role)
    current.on('message', (message) => {
      if (isReady(message)) readyAt ??= performance.now()
      onMessage(message)
    })
    // Without a listener an error of the channel, such as a child that has just ended, would end this process.
    current.on('error', (error) => log.error('child process fault', { child: role, err: error }))
    current.once('exit', (code, signal) => {
      const servedMs = readyAt === undefined ? 0 : performance.now() - readyAt
      if (!isStopping) restartOrGiveUp({ code, signal, servedMs, earlyEnds, isNeeded: isNeeded() })
    })
  }

  function restartOrGiveUp(end: Parameters<typeof decideRestart>[0]): void {
    const verdict = decideRestart(end)
    if ('giveUpReason' in verdict) {
      onGiveUp(`the ${role} cannot run: ${verdict.giveUpReason}`)
      return
    }
    earlyEnds = verdict.earlyEnds
    const { code, signal } = end
    log.error('a child ended and is started again', {
      child: role,
      code,
      signal,
      early_ends: earlyEnds,
      in_ms: verdict.restartAfterMs,
    })
    restart = setTimeout(start, verdict.restartAfterMs)
  }

  start()
  return {
    stop: async (milliseconds) => {
      isStopping = true
      clearTimeout(restart)
      return stopChild(current, milliseconds)
    },
    kill: () => void current.kill('SIGKILL'),
  }
}

/** An API says where it listens, and a worker that it works. */
function isReady(message: unknown): boolean {
  return isListening(message) || (typeof message === 'object' && message !== null && 'working' in message)
}

async function stopChild(child: ChildProcess, milliseconds: number): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return true
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const late = sleep(milliseconds, undefined, { ref: false })
  if ((await Promise.race([ended, late])) === undefined) {
    child.kill('SIGKILL')
    await ended
  }
  // A process that a signal ends has not yet begun to listen for it, nor to work.
  return child.exitCode === 0 || child.signalCode === 'SIGTERM'
}
