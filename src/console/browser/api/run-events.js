import { send } from './client.js'
import { rejectKey } from './key.js'
import { Problem, readProblem } from './problem.js'

/** @import { MaintenanceRun } from './types.d.ts' */

const longestPauseMs = 15_000

/**
 * Follows a run until it ends. The browser's own EventSource cannot send the key but in the address, so the stream is read
 * with fetch. A broken connection is opened again: the first event is the whole run.
 * @param {string} id
 * @param {{ show: (run: MaintenanceRun) => void, warn: () => void, signal: AbortSignal }} how `warn` hears of a broken connection
 */
export async function followRun(id, { show, warn, signal }) {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      for await (const run of readRun(id, signal)) {
        failures = 0
        show(run)
        if (run.finished_at !== undefined) return
      }
    } catch (error) {
      if (signal.aborted || (error instanceof Problem && error.status < 500 && error.status !== 429))
        throw error
    }
    if (signal.aborted) return
    warn()
    await new Promise((resolve) => setTimeout(resolve, Math.min(longestPauseMs, 500 * 2 ** failures)))
  }
}

/**
 * @param {string} id
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<MaintenanceRun>}
 */
async function* readRun(id, signal) {
  const response = await send('get', '/v1/maintenance/runs/{id}/events', { path: { id }, signal })
  if (!response.ok || !response.body) {
    if (response.status === 401) rejectKey()
    throw await readProblem(response)
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    let rest = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const events = (rest + part.value).split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) {
        const text = readData(event)
        if (text !== '') yield JSON.parse(text)
      }
    }
  } finally {
    // An unread connection would occupy one of the six that a browser opens.
    reader.cancel().catch(() => {})
  }
}

/** The data of an event; a comment, such as a heartbeat, has none. @param {string} event */
function readData(event) {
  return event
    .split('\n')
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
    .join('\n')
}
