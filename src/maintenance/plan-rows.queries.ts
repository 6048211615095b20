import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'

/** Makes the dry run of this id the preparation of a plan. */
export async function insertPlan(
  db: Database,
  { id, expiresAt }: { id: string; expiresAt: Date },
): Promise<void> {
  await db
    .insertInto('plans')
    .values({
      id,
      expires_at: expiresAt,
      digest: sql<string>`encode(sha256(convert_to(${id}, 'UTF8')), 'hex')`,
    })
    .execute()
}
