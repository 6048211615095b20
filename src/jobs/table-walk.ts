import { isOutage } from '../db/failures.ts'
import type { Transaction } from '../db/transaction.ts'
import { type BatchResult, type RunContext, RunEnded } from './runs.ts'

/** Where a batch starts: after the last key of the one before it. */
export type Position = {
  /** As the database writes it: a JavaScript date would drop the microseconds, and meet a record twice. */
  at: string
  id: string
}
export const startPosition: Position = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' }

export type Portion = { after: Position; limit: number }

export type TableWalk = {
  /** Of the work, for what is told of a fault. */
  part: string
  /** Most records of a batch, which holds their locks until it ends. */
  size: number
  /** The next ones in their order, locked; what others hold is passed over. */
  claim(tx: Transaction, portion: Portion): Promise<readonly Position[]>
  perform(tx: Transaction, ids: readonly string[]): Promise<Omit<BatchResult, 'done'>>
}

/** A batch that fails is tried again in smaller ones, down to the record that makes it fail, and past it. */
export async function walkTable(context: RunContext, asked: TableWalk): Promise<void> {
  let after: Position | undefined = startPosition
  let limit = asked.size
  while (after) {
    const portion: Portion = { after, limit }
    try {
      after = await perform(context, asked, portion)
      limit = Math.min(limit * 2, asked.size)
    } catch (error) {
      if (error instanceof RunEnded || isOutage(error)) throw error
      limit = Math.ceil(portion.limit / 4)
      if (portion.limit === 1) after = await passOver(context, asked, portion, error)
    }
  }
}

async function perform(
  context: RunContext,
  asked: TableWalk,
  portion: Portion,
): Promise<Position | undefined> {
  const { last } = await context.inBatch(
    async (tx): Promise<BatchResult & { last: Position | undefined }> => {
      const claimed = await asked.claim(tx, portion)
      if (claimed.length === 0) return { last: undefined }
      const outcome = await asked.perform(
        tx,
        claimed.map(({ id }) => id),
      )
      return {
        ...outcome,
        done: claimed.length,
        last: claimed.length < portion.limit ? undefined : claimed.at(-1),
      }
    },
  )
  return last
}

async function passOver(
  context: RunContext,
  { claim, part }: TableWalk,
  portion: Portion,
  error: unknown,
): Promise<Position | undefined> {
  const { bad } = await context.inBatch(async (tx) => ({ counts: {}, bad: (await claim(tx, portion))[0] }))
  if (bad) await context.recordFault({ error, recordId: bad.id, part })
  return bad
}
