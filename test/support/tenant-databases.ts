import { createConnection, createServer, type Socket } from 'node:net'
import { createEmptyTestDatabase } from './database.ts'
import { administer } from './postgres-processes.ts'

/** Stands for the password where the test server asks for none. */
const unusedPassword = 'a-password-nobody-asks-for'

/** The embedded server also has a Unix socket, which the URL of another machine has not. */
function overTcp(text: string): string {
  const url = new URL(text)
  url.search = ''
  return url.href
}

/** The URL of a database with a password, as tenants need it. */
export function withPassword(text: string): string {
  const url = new URL(text)
  if (url.password === '') url.password = unusedPassword
  return url.href
}

/** A database besides the main one, where tenants can be. To all but the test it is another server. */
export async function createTenantDatabase() {
  const { url, drop } = await createEmptyTestDatabase()
  const full = withPassword(overTcp(url))
  return {
    url: full,
    name: new URL(full).pathname.slice(1),
    password: decodeURIComponent(new URL(full).password),
    drop,
    /** The schemas of tenants. */
    listSchemas: async (): Promise<string[]> => {
      const statement = `select nspname as name from pg_namespace where nspname like 't\\_%' order by 1`
      const [found] = await administer(full, statement)
      return (found?.rows ?? []).map(({ name }) => name)
    },
    run: (...statements: string[]) => administer(full, ...statements),
  }
}

export type TenantDatabase = Awaited<ReturnType<typeof createTenantDatabase>>

/** A way to a server that can be silent, as when its machine is lost: nothing is refused, and nothing comes back. */
export async function startSilentWay(target: string, { at = 0 }: { at?: number } = {}) {
  const { hostname, port } = new URL(target)
  const ends = new Set<Socket>()
  let isSilent = false
  const server = createServer((near) => {
    const far = createConnection(Number(port), hostname)
    for (const end of [near, far]) {
      ends.add(end)
      end.on('error', () => {})
      end.on('close', () => ends.delete(end))
    }
    near.on('data', (data) => isSilent || far.write(data))
    far.on('data', (data) => isSilent || near.write(data))
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no TCP address')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(address.port)
  return {
    url: url.href,
    setSilent: (silent: boolean): void => {
      isSilent = silent
    },
    close: async (): Promise<void> => {
      for (const end of ends) end.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
