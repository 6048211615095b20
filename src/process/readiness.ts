import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves with true when the API is ready, and with false when the signal is aborted. */
export async function awaitReady(url: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const ready = await fetch(`${url}/readyz`, { signal }).then(
      (answer) => answer.ok,
      () => false,
    )
    if (ready) return true
    await sleep(50, undefined, { signal }).catch(() => {})
  }
  return false
}
