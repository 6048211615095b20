import { nilUuid } from '../../kernel/ids.ts'
import { isBatchFailure } from './batch-failure.ts'

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

/** Goes through ids in portions. Each returns the id after which the next one begins, or undefined at the end. */
export async function walkIds(
  doPortion: (after: string) => Promise<{ last: string | undefined }>,
): Promise<void> {
  let after: string | undefined = nilUuid
  while (after !== undefined) after = (await doPortion(after)).last
}
