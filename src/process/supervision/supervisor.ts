import type { ChildProcess } from 'node:child_process'
import type { Logger } from '../../kernel/log.ts'
import { superviseChild } from './child.ts'

type SupervisorOptions = {
  roles: readonly string[]
  launch(role: string): ChildProcess
  log: Logger
  onMessage(message: unknown): void
  /** How long a child takes to stop at most. */
  stopTimeoutMs: number
  /** Whether a child is started again however often it ends. */
  isNeeded?(): boolean
}

/** Extra time for a child to end by its own timeout before it is killed. */
const graceMs = 2_000

export function superviseChildren({ roles, stopTimeoutMs, ...options }: SupervisorOptions) {
  const gaveUp = Promise.withResolvers<string>()
  const children = roles.map((role) => superviseChild({ ...options, role, onGiveUp: gaveUp.resolve }))
  return {
    /** Resolves with the reason when one of them is not started again. */
    gaveUp: gaveUp.promise,
    /** Stops all at once, so that they share one timeout. */
    stop: async (): Promise<boolean> => {
      const clean = await Promise.all(children.map((child) => child.stop(stopTimeoutMs + graceMs)))
      return clean.every(Boolean)
    },
    kill: (): void => {
      for (const child of children) child.kill()
    },
  }
}
