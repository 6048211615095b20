import { useEffect, useState } from 'preact/hooks'
import { api } from '../api/client.js'
import { runEach } from '../api/run-each.js'

/** @import { SeenRecord } from '../api/types.d.ts' */

/** @typedef {ReadonlyMap<string, SeenRecord | null>} KnownRecords null: there is no such record for this key */

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
