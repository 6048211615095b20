import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/connection.ts'
import { transact } from '../db/transaction.ts'
import type { Trust } from '../domain/trust/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Report } from '../kernel/log.ts'
import { shareRunning } from '../kernel/shared-runs.ts'
import { insertRegrets, isAnyForgotten } from './regrets.queries.ts'

type Asked<Input> = { trust: Trust; input: Input; report: Report }

type Resources<Input> = {
  db: Database
  clock: Clock
  /** The first ten records that would answer if nothing had been forgotten. */
  findWithForgotten(trust: Trust, input: Input): Promise<string[]>
  /** The share of the questions that are asked again, 0 to 1. */
  regretSample: number
  /** A number from 0 to 1, below 1. */
  random(): number
}

/** Questions are memory content, so they wait in this process only, and not for long. */
const maxWaiting = 100
/**
 * After each question the sampling pauses for nineteen times its duration. So asking again takes about a twentieth of one
 * connection's time, however many questions arrive. Questions that find no room in the queue are not asked again.
 */
const pauseShare = 19
const longestPauseMs = 250

export function createRegretSampling<Input>(resources: Resources<Input>) {
  const { db, clock, findWithForgotten, regretSample, random } = resources
  let waiting: Asked<Input>[] = []
  const stopping = new AbortController()

  /** Called after the response is sent. With too many questions waiting, this one is not asked again. */
  function noteAsked(trust: Trust, input: Input, report: Report): void {
    if (stopping.signal.aborted || random() >= regretSample || waiting.length >= maxWaiting) return
    waiting.push({ trust, input, report })
    void askWaiting()
  }

  const askWaiting = shareRunning(async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const started = performance.now()
      await askAgain(next)
      const pauseMs = Math.min(longestPauseMs, pauseShare * (performance.now() - started))
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })

  async function askAgain({ trust, input, report }: Asked<Input>): Promise<void> {
    try {
      // Where nothing was forgotten, nothing can be missed, and asking again costs several times as much as the question did.
      if (!(await isAnyForgotten(db))) return
      const ids = await findWithForgotten(trust, input)
      if (ids.length > 0) await transact(db, {}, (tx) => insertRegrets(tx, ids, clock.now()))
    } catch (error) {
      report('a question was not asked again over forgotten records', error)
    }
  }

  return {
    noteAsked,
    /** Drops what is waiting and ends the question that is being asked. Call it before the connections are closed. */
    async stop(): Promise<void> {
      stopping.abort()
      waiting = []
      await askWaiting()
    },
  }
}
