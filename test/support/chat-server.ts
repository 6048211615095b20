import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Somebody else's chat model: a server on loopback that behaves as it is told, and keeps what it was asked. */

export type Seen = {
  path: string
  headers: IncomingHttpHeaders
  text: string
  body: { model?: string; response_format?: unknown; messages: { role: string; content: string }[] }
}
export type Behaviour = (response: ServerResponse, seen: Seen) => unknown

export async function startChatServer(first: Behaviour = answering({})) {
  let behaviour = first
  const requests: Seen[] = []
  const server = createServer((request, response) => {
    // Whoever hangs up while it is answered is no failure of this server.
    response.on('error', () => {})
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const text = Buffer.concat(chunks).toString()
      const seen = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) }
      requests.push(seen)
      await behaviour(response, seen)
    })
  })
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    behave: (next: Behaviour) => {
      behaviour = next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

export type ChatServer = Awaited<ReturnType<typeof startChatServer>>

/** The content of the answer, as it stands. */
export function saying(
  content: unknown,
  usage: unknown = { prompt_tokens: 70, completion_tokens: 5 },
): Behaviour {
  return sending(200, { id: 'c1', choices: [{ index: 0, message: { role: 'assistant', content } }], usage })
}

export function answering(value: unknown): Behaviour {
  return saying(JSON.stringify(value))
}

export function sending(status: number, body: unknown, headers: Record<string, string> = {}): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

export function slowly(milliseconds: number, then: Behaviour): Behaviour {
  return async (response, seen) => {
    await sleep(milliseconds)
    await then(response, seen)
  }
}

/** Neither a byte nor an end. */
export const never: Behaviour = () => {}

/** The head of an answer and some of its body, and then no more. */
export const stalling: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"choices": [')
}

export const hangingUp: Behaviour = (response) => response.socket?.destroy()

export const hangingUpMidway: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"choices": [', () => response.socket?.destroy())
}

/** As much as is taken, up to the limit; a byte every few milliseconds when it is to take its time. */
export function flooding(
  limit: number,
  { chunk = 1_024 * 1_024, pauseMs = 0, status = 200 } = {},
): Behaviour {
  return async (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    const text = ' '.repeat(chunk)
    for (let sent = 0; sent < limit && !response.destroyed; sent += chunk) {
      if (!response.write(text)) {
        await Promise.race([
          new Promise((drained) => response.once('drain', drained)),
          new Promise((closed) => response.once('close', closed)),
        ])
      }
      if (pauseMs > 0) await sleep(pauseMs)
    }
    response.end()
  }
}

/** As a server does that was made before schemas were. */
export function refusingSchemas(status: number, then: Behaviour): Behaviour {
  return (response, seen) => {
    if (seen.body.response_format === undefined) return then(response, seen)
    return sending(status, { error: { message: 'unknown field response_format' } })(response, seen)
  }
}

/** One after the other, the last for ever. */
export function inTurn(...behaviours: Behaviour[]): Behaviour {
  let turn = 0
  return (response, seen) => behaviours[Math.min(turn++, behaviours.length - 1)]?.(response, seen)
}
