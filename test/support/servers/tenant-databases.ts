import { createEmptyTestDatabase } from './database.ts'
import { administer, urlOf } from './postgres-processes.ts'

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

/** Replaces a database by a copy of another, as a dump and its restore do. */
export async function copyTenantDatabase(from: TenantDatabase, to: TenantDatabase): Promise<void> {
  const main = urlOf(from.url, 'postgres')
  const end = (name: string) =>
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`
  await administer(main, end(from.name), end(to.name), `drop database ${to.name} with (force)`)
  await administer(main, end(from.name), `create database ${to.name} template ${from.name}`)
}
