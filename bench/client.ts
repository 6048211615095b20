import { Agent, request } from 'node:http'

export type Answer = { status: number; text: string }
export type Client = ReturnType<typeof createClient>

/** Connections are kept and never more than `connections`: what is measured is the service, not TCP. */
export function createClient(baseUrl: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' })

  function send(method: string, path: string, body?: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers =
        body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const outgoing = request(new URL(path, baseUrl), { method, agent, headers }, (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        )
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  }

  return { send, close: () => agent.destroy() }
}
