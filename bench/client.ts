import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type Answer = { status: number; text: string }
export type Client = Awaited<ReturnType<typeof createClient>>

type Waiting = { resolve(answer: Answer): void; reject(error: Error): void }
type Connection = { socket: Socket; waiting?: Waiting; received: Buffer }

/**
 * An HTTP/1.1 client with open connections, one request at a time on each. The client of Node uses as much processor
 * time as the service, and on two cores that would count as time of the service.
 */
export async function createClient(baseUrl: string, connections: number) {
  const { hostname, port, host } = new URL(baseUrl)
  const all = await Promise.all(
    Array.from({ length: connections }, () => openConnection(hostname, Number(port))),
  )
  const idle = [...all]

  async function send(
    method: string,
    path: string,
    body?: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const connection = idle.pop()
    if (!connection) throw new Error('more requests at a time than connections')
    if (connection.socket.destroyed) throw new Error('the service closed a connection that was idle')
    const type = body === undefined ? '' : 'content-type: application/json\r\n'
    const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`
    const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const answered = new Promise<Answer>((resolve, reject) => {
      connection.waiting = { resolve, reject }
    })
    connection.socket.write(
      `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${type}${length}${more.join('')}\r\n${body ?? ''}`,
    )
    try {
      return await answered
    } finally {
      idle.push(connection)
    }
  }

  function close(): void {
    for (const { socket } of all) socket.destroy()
  }

  return { send, close }
}

async function openConnection(host: string, port: number): Promise<Connection> {
  const socket = connect(port, host)
  socket.setNoDelay(true)
  await once(socket, 'connect')
  const connection: Connection = { socket, received: Buffer.alloc(0) }
  socket.on('data', (chunk: Buffer) => {
    connection.received =
      connection.received.length === 0 ? chunk : Buffer.concat([connection.received, chunk])
    const answer = readAnswer(connection.received)
    if (!answer) return
    connection.received = Buffer.alloc(0)
    connection.waiting?.resolve(answer)
  })
  const fail = () => connection.waiting?.reject(new Error('the service closed the connection'))
  socket.on('error', fail)
  socket.on('close', fail)
  return connection
}

/** Undefined until the answer is complete. Every answer of the service has a length. */
function readAnswer(received: Buffer): Answer | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = received.toString('latin1', 0, headEnd)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`an answer without its length:\n${head}`)
  const end = headEnd + 4 + Number(length)
  if (received.length < end) return undefined
  return { status: Number(head.slice(9, 12)), text: received.toString('utf8', headEnd + 4, end) }
}
