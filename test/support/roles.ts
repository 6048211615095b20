import { resolve } from 'node:path'
import { launch, type Running, until } from './processes.ts'

const main = resolve(import.meta.dirname, '../../src/main.ts')

/** The product as an operator starts it, with these variables and no others. */
export function launchRole(role: string, variables: Record<string, string>): Running {
  return launch([main, role], { env: { MEMBRANE_RATE_LIMIT: '0', ...variables } })
}

/** What the log lines of a process say so far; lines that are no JSON are for people. */
export function linesOf(running: Running): Record<string, unknown>[] {
  return running
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line))
}

/** The process that wrote a line in this role, the latest that is none of `others`. */
export async function pidOf(running: Running, role: string, ...others: readonly number[]): Promise<number> {
  return until(`a process of the role ${role}`, () => {
    const pids = linesOf(running)
      // The lines of the API are its framework's, which names the host instead.
      .filter((line) => (role === 'api' ? 'hostname' in line : line['role'] === role))
      .map((line) => Number(line['pid']))
    return pids.findLast((pid) => !others.includes(pid))
  })
}

/** Once it says that it is ready, the URL it says. */
export async function readyUrl(running: Running): Promise<string> {
  return (await running.said(/Membrane is ready\.\s+API\s+(\S+)/))[1] ?? ''
}
