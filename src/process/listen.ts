import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatLocalUrl } from './local-url.ts'
import { exitCodes, OperatorError } from './operator-error.ts'

type App = {
  server: Server
  listen(address: { host: string; port: number }): Promise<string>
  close(): Promise<void>
}

/** The API of a supervisor that was killed may need a moment to release the port. */
const handoverMs = 3_000

type ListenAddress = { host: string; port: number; variable?: string }

/** Listens and returns the URL at which this machine reaches the server. */
export async function serve(app: App, { host, port, variable = 'PORT' }: ListenAddress): Promise<string> {
  const deadline = performance.now() + handoverMs
  for (;;) {
    try {
      await app.listen({ host, port })
      return buildUrl(app.server, host)
    } catch (error) {
      if (!isAddressFault(error)) throw error
      if (error.code !== 'EADDRINUSE' || performance.now() > deadline)
        throw describeListenFailure(error.code, { host, port, variable })
      await sleep(100)
    }
  }
}

/** Whether a process says with this message where it listens. */
export function isListening(message: unknown): message is { listening: string } {
  return typeof message === 'object' && message !== null && 'listening' in message
}

/** Stops the server after the requests in flight; idle connections are closed instead of awaited. */
export async function drain(app: App): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50)
  try {
    await app.close()
  } finally {
    clearInterval(sweep)
  }
}

function buildUrl(server: Server, host: string): string {
  const address = server.address()
  return formatLocalUrl(host, address !== null && typeof address === 'object' ? address.port : 0)
}

function isAddressFault(error: unknown): error is Error & { code: string } {
  return (
    error instanceof Error &&
    'code' in error &&
    ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND'].includes(String(error.code))
  )
}

function describeListenFailure(
  code: string,
  { host, port, variable }: Required<ListenAddress>,
): OperatorError {
  const why =
    code === 'EADDRINUSE'
      ? `another program listens on ${host}:${port}. Stop it, or set ${variable}`
      : `this machine does not allow listening on ${host}:${port} (${code}). Set HOST or ${variable}`
  return new OperatorError(
    `The ${variable === 'PORT' ? 'API' : 'worker'} cannot start: ${why}.`,
    exitCodes.refused,
  )
}
