import { useEffect, useState } from 'preact/hooks'
import { api } from '../api/client.js'

/** @import { SeenRecord } from '../api/types.d.ts' */

/** @typedef {ReadonlyMap<string, SeenRecord | null>} KnownRecords null: there is no such record for this key */

/** Requests that are sent at the same time: a key may send a limited number in a second. */
const atOnce = 4

/**
 * Sends a request for each item.
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => Promise<unknown>} send must not fail
 */
export async function runEach(items, send) {
  const waiting = items.values()
  async function work() {
    for (const item of waiting) await send(item)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/**
 * Reads records that an answer names only by id, forgotten ones too. Where an id is not in the map, it is still under way.
 * @param {readonly string[]} ids
 * @returns {KnownRecords}
 */
export function useRecords(ids) {
  const [known, setKnown] = useState(/** @type {KnownRecords} */ (new Map()))
  useEffect(() => {
    const controller = new AbortController()
    const unknown = [...new Set(ids)].filter((id) => !known.has(id))
    runEach(unknown, async (id) => {
      const record = await readRecord(id, controller.signal)
      if (!controller.signal.aborted) setKnown((former) => new Map(former).set(id, record))
    })
    return () => controller.abort()
  }, [ids.join()])
  return known
}

/**
 * @param {string} id
 * @param {AbortSignal} signal
 * @returns {Promise<SeenRecord | null>}
 */
async function readRecord(id, signal) {
  const query = { include_forgotten: true, mask_secrets: true }
  return api.get('/v1/records/{id}', { path: { id }, query, signal }).catch(() => null)
}
