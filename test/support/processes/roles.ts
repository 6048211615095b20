import { resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { prepareQueue } from '../../../src/jobs/queue/queue.ts'
import { openTestDatabase } from '../servers/database.ts'
import { launch, processPatienceMs, type Running, until } from './processes.ts'

const main = resolve(import.meta.dirname, '../../../src/main.ts')

/** A database as the role `migrate` leaves it, in a tenth of the time. It ends with its test. */
export async function openMigratedDatabase(settings: { redisUrl?: string | undefined } = {}) {
  const database = await openTestDatabase()
  onTestFinished(() => database.close())
  await prepareQueue({ redisUrl: settings.redisUrl, databaseUrl: database.url })
  return database
}

/** Starts the product in a role, as an operator does, with only these variables. */
export function launchRole(role: string, variables: Record<string, string>): Running {
  return launch([main, role], { env: { MEMBRANE_RATE_LIMIT: '0', ...variables } })
}

/** Returns the parsed JSON lines of a process's log. */
export function parseLogLines(running: Running): Record<string, unknown>[] {
  return running
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line))
}

/** Waits for a log line of this role, and returns the id of the newest process that is none of `others`. */
export async function findPid(running: Running, role: string, ...others: readonly number[]): Promise<number> {
  return until(
    `a process of the role ${role}`,
    () => {
      const pids = parseLogLines(running)
        // The log lines of the API come from its framework, which writes no role.
        .filter((line) => line['role'] === (role === 'api' ? undefined : role))
        .map((line) => Number(line['pid']))
      return pids.findLast((pid) => !others.includes(pid))
    },
    processPatienceMs,
  )
}

/** Waits until the process says that it is ready, and returns the URL that it prints. */
export async function waitForReadyUrl(running: Running): Promise<string> {
  return (await running.waitForOutput(/Membrane is ready\.\s+API\s+(\S+)/))[1] ?? ''
}
