import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import type { Transaction } from '../db/transaction.ts'
import { dayMs, subtractMilliseconds } from '../kernel/units.ts'
import type { StepName } from './steps.ts'

type Verdict = { step: StepName; digest: Buffer }

/** Returns whether the same question was asked before without a result. */
export async function hasVerdict(db: Database, { step, digest }: Verdict): Promise<boolean> {
  const found = await db
    .selectFrom('dream_verdicts')
    .where('step', '=', step)
    .where('digest', '=', digest)
    .select('step')
    .executeTakeFirst()
  return found !== undefined
}

export async function upsertVerdict(
  tx: Transaction,
  { step, digest, now }: Verdict & { now: Date },
): Promise<void> {
  await tx
    .insertInto('dream_verdicts')
    .values({ step, digest, decided_at: now })
    .onConflict((conflict) => conflict.columns(['step', 'digest']).doUpdateSet({ decided_at: now }))
    .execute()
}

/** Long enough that a question repeated every night costs almost nothing. After that it may be asked again. */
const keptForMs = 180 * dayMs

export async function deleteOldVerdicts(db: Database, now: Date, limit: number): Promise<number> {
  const before = subtractMilliseconds(now, keptForMs)
  const { numAffectedRows = 0n } = await sql`
    delete from dream_verdicts
    using (
      select step, digest from dream_verdicts where decided_at <= ${before}::timestamptz
      limit ${limit}
      for update skip locked
    ) as old
    where dream_verdicts.step = old.step and dream_verdicts.digest = old.digest
  `.execute(db)
  return Number(numAffectedRows)
}
