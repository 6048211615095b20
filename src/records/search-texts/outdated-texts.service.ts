import type { Database } from '../../db/connection.ts'
import { transact } from '../../db/transaction.ts'
import { holdsSecret, writeSearchableText } from '../../domain/payloads/searchable-text.ts'
import { extractWords } from '../../domain/words/word-extraction.ts'
import { type Poll, startPoll } from '../../jobs/poll.ts'
import { isBatchFailure } from '../../jobs/runs/batch-failure.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/log.ts'
import {
  findOutdated,
  hasOutdatedTexts,
  listOutdatedIds,
  lockOutdated,
  type OutdatedText,
  rewriteTexts,
} from './outdated-texts.queries.ts'

type Resources = {
  db: Database
  clock: Clock
  log: Logger
  textLanguage: string
  everyMs?: number
  size?: number
}

/** A record has up to 10 MB and stays locked while its text is computed, so a batch is small. */
const defaultBatchSize = 20

/**
 * Computes the search texts of records from an earlier version again. Workers share the list. If a worker is killed, the
 * rest stays on the list. A record that is locked by another writer is tried again in the next pass.
 */
export function createTextUpdate({
  db,
  clock,
  log,
  textLanguage,
  everyMs = 5_000,
  size = defaultBatchSize,
}: Resources) {
  /** Reads the list once, in the order of the ids. Returns how many records it removed from the list. */
  async function updateOutdatedTexts(signal?: AbortSignal): Promise<number> {
    let total = 0
    let ids = await listOutdatedIds(db, { after: null, limit: size })
    while (ids.length > 0 && !signal?.aborted) {
      total += await updateBatch(ids)
      ids = await listOutdatedIds(db, { after: ids.at(-1) ?? null, limit: size })
    }
    return total
  }

  /** If a batch fails, updates each of its records alone, so that one bad record does not block the others. */
  async function updateBatch(ids: readonly string[]): Promise<number> {
    try {
      return await update(ids)
    } catch (error) {
      if (!isBatchFailure(error)) throw error
      if (ids.length > 1) return updateEach(ids)
      log.warn('could not compute the search text of a record', { err: error, record_id: ids[0] })
      return 0
    }
  }

  async function updateEach(ids: readonly string[]): Promise<number> {
    let total = 0
    for (const id of ids) total += await updateBatch([id])
    return total
  }

  async function update(listed: readonly string[]): Promise<number> {
    const found = await transact(db, {}, async (tx) => {
      const ids = await lockOutdated(tx, listed)
      if (ids.length === 0) return []
      const found = await findOutdated(tx, ids)
      const texts = found.map(({ record_id: id, payload, tags }) => ({
        id,
        words: extractWords(writeSearchableText(payload, tags)),
      }))
      await rewriteTexts(tx, texts, { now: clock.now(), textLanguage })
      return found
    })
    reportSecrets(found)
    return found.length
  }

  /** Logs these records for the operator, who may erase them. Stored content is never masked. */
  function reportSecrets(found: readonly OutdatedText[]): void {
    const ids = found.filter(({ payload }) => holdsSecret(payload)).map(({ record_id: id }) => id)
    if (ids.length > 0) log.warn('stored records may contain a secret', { record_ids: ids })
  }

  /** Looks for listed texts in the background, until it is stopped. */
  function watch(): Poll {
    return startPoll({
      everyMs,
      look: async (signal) => {
        if (!(await hasOutdatedTexts(db))) return
        const updated = await updateOutdatedTexts(signal)
        if (updated > 0) log.info('computed search texts of an earlier version again', { records: updated })
      },
      onError: (error) =>
        log.warn('could not compute search texts of an earlier version again', { err: error }),
    })
  }

  return { updateOutdatedTexts, watch, hasWork: () => hasOutdatedTexts(db) }
}
