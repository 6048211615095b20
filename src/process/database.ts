import { setTimeout as sleep } from 'node:timers/promises'
import {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../db/embedded/embedded.ts'
import type { Logger } from '../kernel/log.ts'
import { decideRestart } from './restarts.ts'

type Options = EmbeddedOptions & { log: (message: string) => void; logger: Logger }

export type SupervisedDatabase = {
  url: string
  /** Resolves with the reason when the server ends again and again, or does not start. */
  lost: Promise<string>
  stop(): Promise<void>
}

/**
 * An embedded server that is started again when it ends by itself, at the same address, so that who uses it need not be
 * told: meanwhile the API answers 503. It is given up as a child process is.
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
      await Promise.race([current?.lost, untilAborted(stopping.signal)])
      if (stopping.signal.aborted) return
      const verdict = decideRestart({
        code: null,
        signal: null,
        livedMs: performance.now() - began,
        earlyEnds: earlyEnds,
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
      // A start that is under way is first finished: only what runs can be stopped.
      await keeping
      await current?.stop()
    },
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
