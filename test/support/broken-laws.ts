import { createChecking, describeVerdict, isSatisfied } from '../../src/checking/index.ts'
import type { Database } from '../../src/db/connection.ts'
import type { Clock } from '../../src/kernel/clock.ts'

/** What a check has to say of the laws that the store breaks; nothing of one that is whole. */
export async function breachesOf({ db, clock }: { db: Database; clock: Clock }): Promise<string[]> {
  const breaches: string[] = []
  for await (const verdict of createChecking({ db, clock }).check()) {
    if (!isSatisfied(verdict)) breaches.push(describeVerdict(verdict))
  }
  return breaches
}
