import { setTimeout as sleep } from 'node:timers/promises'
import {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../db/embedded/embedded.ts'
import type { Logger } from '../../kernel/log.ts'
import { decideRestart } from './restarts.ts'

type Options = EmbeddedOptions & { log: (message: string) => void; logger: Logger }

export type SupervisedDatabase = {
  url: string
  /** Resolves with the reason when the server ends repeatedly or does not start. */
  lost: Promise<string>
  stop(): Promise<void>
}

/**
 * Starts the embedded server and restarts it at the same address when it ends by itself, so that its clients need no
 * new URL. The API answers 503 meanwhile. It gives up by the same rule as for a child process.
 */
export async function superviseEmbeddedPostgres({
  logger,
  ...options
}: Options): Promise<SupervisedDatabase> {
  const lost = Promise.withResolvers<string>()
  const stopping = new AbortController()
  const first = await startEmbeddedPostgres(options)
  let current: EmbeddedPostgres | undefined = first

  async function keep(): Promise<void> {
    for (let earlyEnds = 0; ; ) {
      const began = performance.now()
      await Promise.race([current?.lost, awaitAbort(stopping.signal)])
      if (stopping.signal.aborted) return
      const verdict = decideRestart({
        code: null,
        signal: null,
        servedMs: performance.now() - began,
        earlyEnds,
      })
      if ('giveUpReason' in verdict)
        return lost.resolve(`the embedded database ended: ${verdict.giveUpReason}`)
      earlyEnds = verdict.earlyEnds
      const { restartAfterMs } = verdict
      logger.error('the embedded database ended and is started again', { in_ms: restartAfterMs })
      await sleep(restartAfterMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      current = await startEmbeddedPostgres({ ...options, port: first.port }).catch((error) => {
        logger.error('the embedded database does not start', { err: error })
        return undefined
      })
    }
  }

  const keeping = keep()
  return {
    url: first.url,
    lost: lost.promise,
    stop: async () => {
      stopping.abort()
      // A start in progress is finished first: only a running server can be stopped.
      await keeping
      await current?.stop()
    },
  }
}

function awaitAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
