import type { Database } from '../../db/connection.ts'
import { rescore } from '../scoring/queries.ts'
import { promoteEpisodic, promoteWorking } from './queries.ts'

export type Promoted = { episodic: readonly string[]; semantic: readonly string[] }

/**
 * Moves those of the records that have come far enough: at the access that brings them there, so that no job's
 * frequency decides it. The transaction must have locked them.
 */
export async function promoteDue(
  tx: Database,
  { ids, now, runId = null }: { ids: readonly string[]; now: Date; runId?: string | null },
): Promise<Promoted> {
  const episodic = await promoteWorking(tx, { ids, now, runId })
  const semantic = await promoteEpisodic(tx, { ids, now, runId })
  const moved = [...new Set([...episodic, ...semantic])]
  if (moved.length > 0) await rescore(tx, { ids: moved, now, runId })
  return { episodic, semantic }
}
