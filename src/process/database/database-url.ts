import { type Config, ConfigError } from '../../config/config.ts'

/** Only the role `all` starts a database of its own. */
export function requireDatabaseUrl({ database }: Config, role: string): string {
  if (database.url !== undefined) return database.url
  throw new ConfigError([`DATABASE_URL must be set for the role ${role}`])
}
