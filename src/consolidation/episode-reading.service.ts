import type { Transaction } from '../db/transaction.ts'
import { maskSecrets, maskText } from '../domain/masking.ts'
import { findEpisodes } from './episode-batches.queries.ts'
import type { Episode } from './stages.ts'

/** Returns episodes with their secrets masked. Stages read episodes only through this function. */
export async function readEpisodes(tx: Transaction, ids: readonly string[]): Promise<Episode[]> {
  return (await findEpisodes(tx, ids)).map((episode) => ({
    ...episode,
    tags: episode.tags.map(maskText),
    // A mask replaces a value and keeps the shape of the payload.
    payload: maskSecrets(episode.payload) as Episode['payload'],
  }))
}
