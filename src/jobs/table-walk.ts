import { isOutage, isStatementTimeout } from '../db/failures.ts'
import type { Transaction } from '../db/transaction.ts'
import { nilUuid } from '../kernel/ids.ts'
import { type BatchResult, type RunContext, RunEnded } from './runs.ts'

export type BatchWalk<Position> = {
  start: Position
  /** The most records of a batch, which keeps them locked until it ends. */
  size: number
  /** Does one batch in a transaction. Returns the position of its last record, or undefined at the end. */
  doBatch(after: Position, limit: number): Promise<Position | undefined>
  /** Reports the first record after a position, which fails by itself. Returns the position of that record. */
  skipRecord(after: Position, error: unknown): Promise<Position | undefined>
}

/** Goes through records in batches. A batch that fails is tried again in smaller ones, down to the record that fails. */
export async function walkInBatches<Position>(walk: BatchWalk<Position>): Promise<void> {
  let after: Position | undefined = walk.start
  let limit = walk.size
  while (after !== undefined) {
    const from: Position = after
    const tried = limit
    try {
      after = await walk.doBatch(from, tried)
      limit = Math.min(tried * 2, walk.size)
    } catch (error) {
      if (!isBatchFailure(error)) throw error
      limit = Math.ceil(tried / 4)
      if (tried === 1) after = await walk.skipRecord(from, error)
    }
  }
}

type Draining = {
  size: number
  /** Does the first records of a list and takes them off it. Returns whether more may be left. */
  doBatch(limit: number): Promise<boolean>
  /** Reports that the first record fails, and takes it off the list. Returns whether the work can go on. */
  skipFirst(error: unknown): Promise<boolean>
}

/** Empties a list in batches, each of which removes what it has done. A batch that fails is tried again in smaller ones. */
export function drainInBatches({ size, doBatch, skipFirst }: Draining): Promise<void> {
  return walkInBatches<true>({
    start: true,
    size,
    doBatch: async (_, limit) => (await doBatch(limit)) || undefined,
    skipRecord: async (_, error) => (await skipFirst(error)) || undefined,
  })
}

/** False for the end of the run and for an outage, which no smaller batch avoids. A smaller one may be within the time limit. */
export function isBatchFailure(error: unknown): boolean {
  return !(error instanceof RunEnded) && (!isOutage(error) || isStatementTimeout(error))
}

/** Goes through ids in portions. Each returns the id after which the next one begins, or undefined at the end. */
export async function walkIds(
  doPortion: (after: string) => Promise<{ last: string | undefined }>,
): Promise<void> {
  let after: string | undefined = nilUuid
  while (after !== undefined) after = (await doPortion(after)).last
}

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
