import { createChecking, describeVerdict, isSatisfied } from '../../../src/checking/index.ts'
import type { Database } from '../../../src/db/connection.ts'
import type { Clock } from '../../../src/kernel/clock.ts'

/** Checks the store and returns one line for each law that it breaks; an empty list for a valid store. */
export async function listBrokenLaws({ db, clock }: { db: Database; clock: Clock }): Promise<string[]> {
  const breaches: string[] = []
  for await (const verdict of createChecking({ db, clock }).check()) {
    if (!isSatisfied(verdict)) breaches.push(describeVerdict(verdict))
  }
  return breaches
}
