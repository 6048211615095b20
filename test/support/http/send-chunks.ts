import { once } from 'node:events'
import { connect } from 'node:net'

/** Sends raw bytes and returns everything that the server sends until it closes the connection. */
export async function sendChunks(url: string, ...chunks: string[]): Promise<string> {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  const heard: Buffer[] = []
  socket.on('data', (chunk) => heard.push(chunk))
  socket.on('error', () => {})
  for (const chunk of chunks) socket.write(chunk)
  await once(socket, 'close')
  return Buffer.concat(heard).toString()
}
