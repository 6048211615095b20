import type { Transaction } from '../../db/transaction.ts'
import { nilUuid } from '../../kernel/ids.ts'
import { walkInBatches } from './batch-walk.ts'
import type { BatchResult, RunContext } from './runs.ts'

export type RunWalk<Key> = {
  /** Names the part of the work in a report of a fault. */
  part: string
  start: Key
  size: number
  /** Does the records after a key. Returns the key of the last of them, or undefined at the end. */
  doPortion(
    tx: Transaction,
    portion: { after: Key; limit: number },
  ): Promise<BatchResult & { last: Key | undefined }>
  /** The key of the first record that `doPortion` would do. */
  findNext(tx: Transaction, after: Key): Promise<Key | undefined>
  getId(key: Key): string
}

/** Goes through records in batches of a run. A record that fails by itself is reported and passed over. */
export function walkRun<Key>(
  { inBatch, recordFault }: RunContext,
  { part, start, size, doPortion, findNext, getId }: RunWalk<Key>,
): Promise<void> {
  return walkInBatches<Key>({
    start,
    size,
    doBatch: async (after, limit) => (await inBatch((tx) => doPortion(tx, { after, limit }))).last,
    skipRecord: async (after, error) => {
      const { failed } = await inBatch(async (tx) => ({ counts: {}, failed: await findNext(tx, after) }))
      if (failed !== undefined) await recordFault({ error, recordId: getId(failed), part })
      return failed
    },
  })
}

/** Goes through records in the order of their ids. */
export function walkRunById(
  context: RunContext,
  walk: Omit<RunWalk<string>, 'start' | 'getId'>,
): Promise<void> {
  return walkRun(context, { ...walk, start: nilUuid, getId: (id) => id })
}

/** The key of a record in the order of a table walk. */
export type Position = {
  /** As the database writes it: a JavaScript date has no microseconds, so the walk would meet a record twice. */
  at: string
  id: string
}
export const startPosition: Position = { at: '-infinity', id: nilUuid }

export type Portion = { after: Position; limit: number }

export type TableWalk = {
  part: string
  size: number
  /** Locks the next records in their order, and skips those that others have locked. */
  claim(tx: Transaction, portion: Portion): Promise<readonly Position[]>
  perform(tx: Transaction, ids: readonly string[]): Promise<Omit<BatchResult, 'done'>>
}

/** Claims and does records batch by batch, each batch in a transaction of the run. */
export function walkTable(context: RunContext, { part, size, claim, perform }: TableWalk): Promise<void> {
  return walkRunByPosition(context, {
    part,
    size,
    doPortion: async (tx, portion) => {
      const claimed = await claim(tx, portion)
      if (claimed.length === 0) return { last: undefined }
      const ids = claimed.map(({ id }) => id)
      const result = await perform(tx, ids)
      return { ...result, done: ids.length, last: ids.length < portion.limit ? undefined : claimed.at(-1) }
    },
    findNext: async (tx, after) => (await claim(tx, { after, limit: 1 }))[0],
  })
}

/** Goes through records in the order of their positions. */
export function walkRunByPosition(
  context: RunContext,
  walk: Omit<RunWalk<Position>, 'start' | 'getId'>,
): Promise<void> {
  return walkRun(context, { ...walk, start: startPosition, getId: ({ id }) => id })
}
