import { createPool, type PoolOptions, trackConnections } from '../pool.ts'
import type { Position } from '../positions/position.ts'
import { createProbe, type Probed } from './probe.ts'

/** Why a replica answers no reads, in words for an operator. */
export type Absence =
  | 'has not been looked at'
  | 'does not answer'
  | 'is not a standby'
  | 'is of another database'
  | 'follows another timeline'
  | 'is too far behind'

export type Replica = ReturnType<typeof createReplica>
export type Judge = (probed: Probed) => { absence?: Absence; lagMs: number }

type State = { number: number; absence: Absence | undefined; lagMs: number; answered: number }

/** `report` is called when the replica begins or ceases to answer reads. */
export function createReplica(number: number, options: PoolOptions, report: (state: State) => void) {
  const pool = createPool(options)
  const probe = createProbe(options.url, 'replica', `${options.applicationName} probe`)
  const breakConnections = trackConnections(pool)
  let absence: Absence | undefined = 'has not been looked at'
  let lagMs = 0
  let replayed: Position | undefined
  let answered = 0

  const describe = (): State => ({ number, absence, lagMs, answered })

  function become(next: Absence | undefined): void {
    const isChanged = next !== absence
    absence = next
    if (isChanged) report(describe())
  }

  /** Ends the statements that run: on a machine that is gone they would wait for minutes. */
  function markAway(): void {
    become('does not answer')
    replayed = undefined
    breakConnections()
  }

  async function look(judge: Judge): Promise<void> {
    try {
      const probed = await probe.ask()
      const verdict = judge(probed)
      lagMs = verdict.lagMs
      become(verdict.absence)
      replayed = verdict.absence === undefined ? probed : undefined
    } catch {
      markAway()
    }
  }

  return {
    number,
    pool,
    look,
    markAway,
    isUsed: () => absence === undefined,
    /** Whether reads of the replica see everything before the position. */
    hasReplayed: ({ timeline, lsn }: Position) =>
      replayed !== undefined && replayed.timeline === timeline && replayed.lsn >= lsn,
    /** Requests that hold a connection or wait for one. */
    load: () => pool.waitingCount + pool.totalCount - pool.idleCount,
    noteAnswer: () => {
      answered++
    },
    describe,
    close: async () => {
      await Promise.all([pool.end(), probe.close()])
    },
  }
}
