import { exitCodes, OperatorError } from './operator-error.ts'

/** The address at which a program on this machine reaches the service that listens on a host and a port. */
export function formatLocalUrl(host: string, port: number): string {
  if (port === 0)
    throw new OperatorError(
      'With PORT=0 the service has no known address; name it with --url.',
      exitCodes.refused,
    )
  const reachable = loopbackOf.get(host) ?? host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** Who listens on all addresses is reached at the loopback address of the same kind. */
const loopbackOf = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])
