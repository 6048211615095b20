import type { ChildProcess } from 'node:child_process'
import type { Logger } from '../kernel/log.ts'
import { keepChild } from './child.ts'

type SupervisorOptions = {
  roles: readonly string[]
  launch(role: string): ChildProcess
  log: Logger
  onMessage(message: unknown): void
  /** How long a child may take to stop before it is killed. */
  patienceMs: number
}

export function superviseChildren({ roles, launch, log, onMessage, patienceMs }: SupervisorOptions) {
  const doomed = Promise.withResolvers<string>()
  const children = roles.map((role) => keepChild({ role, launch, log, onDoomed: doomed.resolve, onMessage }))
  return {
    /** Resolves with the reason as soon as one of them cannot live. */
    doomed: doomed.promise,
    /** All at once, so that the deadline is one and not one for each. */
    stop: async (): Promise<boolean> => {
      const clean = await Promise.all(children.map((child) => child.stop(patienceMs)))
      return clean.every(Boolean)
    },
    kill: (): void => {
      for (const child of children) child.kill()
    },
  }
}
