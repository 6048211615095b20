import type { ChildProcess } from 'node:child_process'
import type { Logger } from '../kernel/log.ts'
import { superviseChild } from './child.ts'

type SupervisorOptions = {
  roles: readonly string[]
  launch(role: string): ChildProcess
  log: Logger
  onMessage(message: unknown): void
  /** How long a child may take to stop before it is killed. */
  stopTimeoutMs: number
}

export function superviseChildren({ roles, launch, log, onMessage, stopTimeoutMs }: SupervisorOptions) {
  const gaveUp = Promise.withResolvers<string>()
  const children = roles.map((role) =>
    superviseChild({ role, launch, log, onGiveUp: gaveUp.resolve, onMessage }),
  )
  return {
    /** Resolves with the reason when one of them is not started again. */
    gaveUp: gaveUp.promise,
    /** Stops all at once, so that they share one timeout. */
    stop: async (): Promise<boolean> => {
      const clean = await Promise.all(children.map((child) => child.stop(stopTimeoutMs)))
      return clean.every(Boolean)
    },
    kill: (): void => {
      for (const child of children) child.kill()
    },
  }
}
