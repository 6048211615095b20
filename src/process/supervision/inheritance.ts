import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { OperatorError } from '../operator-error.ts'

/** The number of a process among those of its port; its series have it as their label `process`. */
export const processNumberVariable = 'API_PROCESS'

/** Set where a process was started before all of its environment was known. */
const followsVariable = 'ENVIRONMENT_FOLLOWS'

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Starts the program again in another role. Detached: Ctrl-C goes to the whole terminal, and only this process should
 * stop its children.
 */
export function launchRole(entry: string, role: string, environment: Variables): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, entry, role], {
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
    windowsHide: true,
  })
}

/**
 * Starts an API that loads its modules, which takes longer than anything else in a start, and then waits for the rest of its
 * environment.
 */
export function launchEarlyApi(entry: string, environment: Variables): ChildProcess {
  const child = launchRole(entry, 'api', { ...environment, [followsVariable]: 'yes' })
  // The process that takes it over sees that it has ended.
  return child.on('error', () => {})
}

export function sendEnvironment(child: ChildProcess, environment: Variables): void {
  // A process that has just ended needs none.
  child.send({ environment }, () => {})
}

/** Whether this process was started by `launchEarlyApi`. */
export function awaitsEnvironment(environment: Variables): boolean {
  return environment[followsVariable] !== undefined
}

/** Adds what follows to the environment of this process. */
export async function receiveEnvironment(environment: Record<string, string | undefined>): Promise<void> {
  const [message] = await Promise.race([once(process, 'message'), refuseOrphan()])
  delete environment[followsVariable]
  Object.assign(environment, message.environment)
}

async function refuseOrphan(): Promise<never> {
  await once(process, 'disconnect')
  throw new OperatorError('The process that started this one is gone.')
}
