import type { Database } from '../db/connection.ts'

/** Logs a use. The change that caused it has already counted it on the record. */
export async function insertUse(
  tx: Database,
  id: string,
  { at, actor }: { at: Date; actor: string },
): Promise<void> {
  await tx.insertInto('access_log').values({ record_id: id, at, kind: 'used', actor }).execute()
}
