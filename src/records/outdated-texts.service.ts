import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/connection.ts'
import { isOutage } from '../db/failures.ts'
import { transact } from '../db/transaction.ts'
import { extractWords } from '../domain/query-words.ts'
import { holdsSecret, searchableText } from '../domain/searchable-text.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/log.ts'
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

/** Of at most 10 MB each, and locked while their texts are computed. */
const defaultBatchSize = 20

/**
 * Computes the search text again of records that an earlier version wrote. A worker that is killed leaves the rest on
 * the list; workers share the list, and a record that somebody writes meanwhile is left to the next look.
 */
export function createTextUpdate({
  db,
  clock,
  log,
  textLanguage,
  everyMs = 5_000,
  size = defaultBatchSize,
}: Resources) {
  /** Once through the list, in the order of the ids. Answers how many records it took from the list. */
  async function updateOutdatedTexts(signal?: AbortSignal): Promise<number> {
    let total = 0
    let ids = await listOutdatedIds(db, { after: null, limit: size })
    while (ids.length > 0 && !signal?.aborted) {
      total += await updateBatch(ids)
      ids = await listOutdatedIds(db, { after: ids.at(-1) ?? null, limit: size })
    }
    return total
  }

  /** One record that fails does not keep the others from it. */
  async function updateBatch(ids: readonly string[]): Promise<number> {
    try {
      return await update(ids)
    } catch (error) {
      if (isOutage(error)) throw error
      if (ids.length > 1) return updateEach(ids)
      log.warn('the search text of a record could not be computed', { err: error, record_id: ids[0] })
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
      const texts = found.map((each) => ({ id: each.record_id, words: extractWords(textOf(each)) }))
      await rewriteTexts(tx, texts, { now: clock.now(), textLanguage })
      return found
    })
    report(found)
    return found.length
  }

  /** For an operator, who may erase them: what reads answer is what was stored. */
  function report(found: readonly OutdatedText[]): void {
    const ids = found.filter(({ payload }) => holdsSecret(payload)).map(({ record_id: id }) => id)
    if (ids.length > 0)
      log.warn('records that are no episodes hold what looks like a secret', { record_ids: ids })
  }

  function watch() {
    const stopping = new AbortController()
    const { signal } = stopping

    async function look(): Promise<void> {
      if (!(await hasOutdatedTexts(db))) return
      const updated = await updateOutdatedTexts(signal)
      if (updated > 0)
        log.info('search texts of an earlier version were computed again', { records: updated })
    }

    async function pollUntilStopped(): Promise<void> {
      while (!signal.aborted) {
        await look().catch((error: unknown) =>
          log.warn('search texts of an earlier version could not be computed again', { err: error }),
        )
        await sleep(everyMs, undefined, { signal }).catch(() => {})
      }
    }

    const watching = pollUntilStopped()
    return {
      stop: (): Promise<void> => {
        stopping.abort()
        return watching
      },
    }
  }

  return { workOff: updateOutdatedTexts, watch }
}

function textOf({ payload, tags }: OutdatedText): string {
  return searchableText(payload, tags)
}
