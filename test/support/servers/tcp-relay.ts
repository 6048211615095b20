import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A port that leads to a server, as the name of a machine does: the name can be given to another, and a machine can be lost. */
export type TcpRelay = Awaited<ReturnType<typeof openTcpRelay>>

/** Listens at a free port when none is given. */
export async function openTcpRelay(target: string, { at = 0 }: { at?: number } = {}) {
  let { hostname, port } = new URL(target)
  let isSilent = false
  const sockets = new Set<Socket>()
  const disconnect = (): void => {
    for (const socket of sockets) socket.destroy()
  }

  function join(from: Socket, to: Socket): void {
    sockets.add(from)
    from.on('data', (data) => isSilent || to.write(data))
    // Either side may hang up at any moment; what it wrote before still arrives.
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      to.destroySoon()
    })
  }

  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    join(near, far)
    join(far, near)
  }).listen(at, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)

  return {
    /** The address of the target, through this port. */
    url: url.href,
    /** Leads to another server from now on, and ends the connections to the one before. */
    lead: (next: string): void => {
      ;({ hostname, port } = new URL(next))
      disconnect()
    },
    /** A silent server refuses nothing and sends nothing back. */
    setSilent: (silent: boolean): void => {
      isSilent = silent
    },
    close: async (): Promise<void> => {
      disconnect()
      await new Promise((resolve) => server.close(resolve))
    },
    /** The process may end before it is closed. */
    unref: () => server.unref(),
  }
}
