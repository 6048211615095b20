import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** An external chat model: a server on loopback that answers as configured and records its requests. */

/** How long a test waits for an answer that comes: far longer than it takes, also while the machine stands still. */
export const patientMs = 20_000
/** How long it waits for one that never comes. */
export const impatientMs = 400

/** A request as the server received it. */
export type ReceivedRequest = {
  path: string
  headers: IncomingHttpHeaders
  text: string
  body: { model?: string; response_format?: unknown; messages: { role: string; content: string }[] }
}
/** How the server answers a request. */
export type Behaviour = (response: ServerResponse, seen: ReceivedRequest) => unknown

/** Starts a chat server on loopback that answers as the test chooses, and keeps the requests it received. */
export async function startChatServer(first: Behaviour = respondWithJson({})) {
  let behaviour = first
  const requests: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    // A client that closes the connection early is no error of this server.
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

/** Answers with this content of the message. */
export function respondWithContent(
  content: unknown,
  usage: unknown = { prompt_tokens: 70, completion_tokens: 5 },
): Behaviour {
  return respond(200, { id: 'c1', choices: [{ index: 0, message: { role: 'assistant', content } }], usage })
}

/** Answers with a message whose content is this value as JSON. */
export function respondWithJson(value: unknown): Behaviour {
  return respondWithContent(JSON.stringify(value))
}

/** Answers with this status and body. */
export function respond(status: number, body: unknown, headers: Record<string, string> = {}): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

/** Waits before it answers. */
export function respondAfter(milliseconds: number, then: Behaviour): Behaviour {
  return async (response, seen) => {
    await sleep(milliseconds)
    await then(response, seen)
  }
}

/** Sends nothing and leaves the connection open. */
export const neverRespond: Behaviour = () => {}

/** Sends the head and the beginning of the body, and leaves the connection open. */
export const stallMidResponse: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"choices": [')
}

/** Closes the connection without an answer. */
export const hangUp: Behaviour = (response) => response.socket?.destroy()

/** Closes the connection in the middle of the body. */
export const hangUpMidResponse: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"choices": [', () => response.socket?.destroy())
}

/** Sends as many bytes as the client reads, up to the limit; with a pause after each chunk when one is given. */
export function flood(limit: number, { chunk = 1_024 * 1_024, pauseMs = 0, status = 200 } = {}): Behaviour {
  return async (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    const text = ' '.repeat(chunk)
    const closed = new Promise((resolve) => response.once('close', resolve))
    for (let sent = 0; sent < limit && !response.destroyed; sent += chunk) {
      if (!response.write(text)) {
        await Promise.race([new Promise((resolve) => response.once('drain', resolve)), closed])
      }
      if (pauseMs > 0) await sleep(pauseMs)
    }
    response.end()
  }
}

/** Refuses a request with a response format, as a server does that does not know schemas. */
export function refuseSchemas(status: number, then: Behaviour): Behaviour {
  return (response, seen) => {
    if (seen.body.response_format === undefined) return then(response, seen)
    return respond(status, { error: { message: 'unknown field response_format' } })(response, seen)
  }
}

/** Answers each request with the next behaviour, and all later ones with the last. */
export function respondInTurn(...behaviours: Behaviour[]): Behaviour {
  let turn = 0
  return (response, seen) => behaviours[Math.min(turn++, behaviours.length - 1)]?.(response, seen)
}
