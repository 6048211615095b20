import { createHash } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { IdempotencyKeys } from '../../db/schema.ts'
import type { AnswerStore, Guard } from '../../db/shared-transactions.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { addMilliseconds } from '../../kernel/units.ts'
import { findAnswers, type Owner, type StoredAnswer, storeAnswers, tryLocks } from './idempotency.queries.ts'

/** The key of a request, with its owner. */
export type OwnedKey = Owner & { fingerprint: string }
export type RenderedAnswer = {
  status: number
  headers: Readonly<Record<string, string>>
  body: string | null
}

type KeyGuard = Guard & OwnedKey
type NewAnswer = Insertable<IdempotencyKeys>

/** Thrown instead of running a request whose answer is stored. */
export class Replay {
  readonly stored: StoredAnswer

  constructor(stored: StoredAnswer) {
    this.stored = stored
  }
}

/** Locks the keys of requests, finds the answers that they had before, and keeps those that they get. */
export function createStoredAnswers({ clock, retentionMs }: { clock: Clock; retentionMs: number }) {
  const store: AnswerStore = {
    admit: (tx, guards: readonly KeyGuard[]) => admit(tx, guards),
    save: (tx, answers: readonly NewAnswer[]) => storeAnswers(tx, answers),
  }

  /** Does not wait for a lock: a second request gets 409 at once and holds no connection. */
  async function admit(
    tx: Transaction,
    keys: readonly OwnedKey[],
  ): Promise<(Replay | AppError | undefined)[]> {
    const locks = keys.map(computeLock)
    const held = await tryLocks(tx, locks)
    // A separate statement: its snapshot must be younger than the locks, or it could miss an answer that was
    // committed while a lock was acquired.
    const stored = await findReplays(tx, keys)
    return keys.map((_, index) => {
      // A transaction that has a lock gets it again.
      const isFirst = locks.indexOf(locks[index] ?? 0n) === index
      return held[index] && isFirst ? stored[index] : createStillRunningError()
    })
  }

  async function findReplays(db: Database, keys: readonly OwnedKey[]): Promise<(Replay | undefined)[]> {
    const rows = await findAnswers(db, keys, clock.now())
    const stored = new Map(rows.map((row) => [formatName(row), row]))
    return keys.map((key) => {
      const answer = stored.get(formatName(key))
      return answer && new Replay(answer)
    })
  }

  function toRow({ principal, key, fingerprint }: OwnedKey, answer: RenderedAnswer): NewAnswer {
    const now = clock.now()
    const headers = JSON.stringify(answer.headers)
    return {
      principal,
      key,
      fingerprint,
      ...answer,
      headers,
      created_at: now,
      expires_at: addMilliseconds(now, retentionMs),
    }
  }

  return { store, admit, findReplays, toRow }
}

const formatName = ({ principal, key }: Owner) => `${principal}\n${key}`

function computeLock(owner: Owner): bigint {
  return createHash('sha256').update(formatName(owner)).digest().readBigInt64BE()
}

function createStillRunningError(): AppError {
  return new AppError('request_in_progress', 'A request with this Idempotency-Key is still running.', {
    retryAfterSeconds: 1,
  })
}
