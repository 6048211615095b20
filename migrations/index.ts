import type { Migration } from 'kysely'
import * as records from './0001_records.ts'
import * as access from './0002_access.ts'

/** Append only: what has run somewhere never changes and never moves. */
export const migrations: Record<string, Migration> = {
  '0001_records': records,
  '0002_access': access,
}
