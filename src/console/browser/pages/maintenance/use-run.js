import { useEffect, useState } from 'preact/hooks'
import { followRun } from '../../api/run-events.js'

/** @import { MaintenanceRun } from '../../api/types.d.ts' */

/** @typedef {{ run?: MaintenanceRun, error?: unknown, isLost?: boolean }} Followed */

/**
 * A run as it is now, until it ends; nothing without an id.
 * @param {string | undefined} id
 * @returns {Followed}
 */
export function useRun(id) {
  const [state, setState] = useState(/** @type {Followed} */ ({}))
  useEffect(() => {
    setState({})
    if (id === undefined) return
    const controller = new AbortController()
    const { signal } = controller
    followRun(id, {
      signal,
      show: (run) => setState({ run }),
      warn: () => setState((former) => ({ ...former, isLost: true })),
    }).catch((error) => {
      if (!signal.aborted) setState({ error })
    })
    return () => controller.abort()
  }, [id])
  return state
}
