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
    /** Resolves with the reason as soon as one of them cannot live. */
    gaveUp: gaveUp.promise,
    /** All at once, so that the deadline is one and not one for each. */
    stop: async (): Promise<boolean> => {
      const clean = await Promise.all(children.map((child) => child.stop(stopTimeoutMs)))
      return clean.every(Boolean)
    },
    kill: (): void => {
      for (const child of children) child.kill()
    },
  }
}
