import { exitCodes, OperatorError } from './operator-error.ts'

/** The address at which a program on this machine reaches the service that listens on a host and a port. */
export function formatLocalUrl(host: string, port: number): string {
  if (port === 0)
    throw new OperatorError(
      'With PORT=0 the service has no known address; name it with --url.',
      exitCodes.refused,
    )
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
