/** The URL of a server as it may be shown: without user and password. */
export type ServerAddress = { host: string; port: number; name: string }

const usualPort = 5432

/**
 * Undefined for a valid URL. The driver takes what a URL lacks from the environment of the
 * process, such as PGPASSWORD, and reads files that a URL names, so everything is named and nothing else is allowed.
 */
export function findUrlProblem(text: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    return 'must be a URL such as postgres://user:password@host:5432/database'
  const url = new URL(text)
  if (url.username === '' || url.password === '') return 'must contain a user and a password'
  if (!isHost(url.hostname)) return 'must contain the name or the address of a host'
  if (!/^\/[^/]+$/.test(url.pathname) || !isDecodable(text)) return 'must contain the name of one database'
  if (url.hash !== '' || !isKnownQuery(url.searchParams)) return 'may have no parameter but sslmode'
  return undefined
}

/** Not the folder of a socket, which a URL can contain percent-encoded. */
function isHost(name: string): boolean {
  return /^(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\])$/i.test(name)
}

function isDecodable(text: string): boolean {
  try {
    return !decodeURIComponent(text).includes('\0')
  } catch {
    return false
  }
}

const sslModes = new Set(['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'])

function isKnownQuery(query: URLSearchParams): boolean {
  const given = [...query]
  return given.length <= 1 && given.every(([name, value]) => name === 'sslmode' && sslModes.has(value))
}

export function parseServerAddress(text: string): ServerAddress {
  const { hostname, port, pathname } = new URL(text)
  return {
    host: hostname,
    port: port === '' ? usualPort : Number(port),
    name: decodeURIComponent(pathname.slice(1)),
  }
}
