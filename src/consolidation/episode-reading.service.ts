import type { Transaction } from '../db/transaction.ts'
import { maskSecrets, maskText } from '../domain/masking.ts'
import { findEpisodes } from './episode-batches.queries.ts'
import type { Episode } from './stages.ts'

/** The only way in which a stage reads episodes: without their secrets. */
export async function readEpisodes(tx: Transaction, ids: readonly string[]): Promise<Episode[]> {
  return (await findEpisodes(tx, ids)).map((episode) => ({
    ...episode,
    tags: episode.tags.map(maskText),
    // A mask takes the place of a value and leaves the shape of the payload as it is.
    payload: maskSecrets(episode.payload) as Episode['payload'],
  }))
}
