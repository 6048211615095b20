import { connect } from 'node:net'
import type { HostileRequest } from './hostile-request.ts'

export type Received = {
  status: number
  headers: ReadonlyMap<string, string>
  text: string
  milliseconds: number
}

const patienceMs = 15_000
/** A stream of events has no end. */
const listenMs = 150

/** Sends the bytes of a request on a connection of its own: a client library would refuse most of them. */
export async function sendRawRequest(port: number, attack: HostileRequest): Promise<Received | undefined> {
  const began = performance.now()
  const bytes = await exchange(port, attack)
  const received = readAnswer(bytes)
  return received && { ...received, milliseconds: performance.now() - began }
}

function exchange(port: number, attack: HostileRequest): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    const end = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(Buffer.concat(chunks))
    }
    let timer = setTimeout(end, attack.hangsUp ? listenMs : patienceMs)
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (!isStream(chunk)) return
      clearTimeout(timer)
      timer = setTimeout(end, listenMs)
    })
    // A server may refuse early and close the connection while the client is still sending.
    socket.on('error', end)
    socket.on('close', end)
    socket.write(render(attack))
  })
}

function isStream(chunk: Buffer): boolean {
  return chunk.subarray(0, 1_000).includes('text/event-stream')
}

function render({ method, target, headers, body, chunked, broken }: HostileRequest): Buffer {
  if (broken) return broken
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body ? [chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`] : []),
  ]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  if (!body) return head
  return Buffer.concat([head, ...(chunked ? inChunks(body) : [body])])
}

function inChunks(body: Buffer): Buffer[] {
  const size = Math.max(1, Math.ceil(body.length / 7))
  const chunks: Buffer[] = []
  for (let start = 0; start < body.length; start += size) {
    const chunk = body.subarray(start, start + size)
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
  }
  return [...chunks, Buffer.from('0\r\n\r\n')]
}

function readAnswer(bytes: Buffer): Omit<Received, 'milliseconds'> | undefined {
  const text = bytes.toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1])
  if (end < 0 || !status) return undefined
  const rest = bytes.subarray(end + 4)
  if (status < 200) return readAnswer(rest)
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const isChunked = headers.get('transfer-encoding') === 'chunked'
  return { status, headers, text: (isChunked ? joinChunks(rest) : rest).toString('utf8') }
}

function joinChunks(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const length = Number.parseInt(bytes.subarray(at, Math.max(lineEnd, at)).toString('latin1'), 16)
    if (!(length > 0)) return Buffer.concat(parts)
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + length))
    at = lineEnd + 2 + length + 2
  }
}
