import type { PreparedEffect } from '../../http/idempotency/idempotency.ts'
import { AppError } from '../../kernel/errors.ts'
import { answerCreated } from '../record-action.routes.ts'
import type { NewRecord } from '../records.schemas.ts'
import type { RecordsService } from '../records.service.ts'

type Prepared = Awaited<ReturnType<RecordsService['prepareCreate']>>
type Stored = Parameters<NonNullable<Prepared['present']>>[0]

/** Stores a record and answers with it: together with those of other requests, where it depends on no other record. */
export function prepareCreation(records: RecordsService, given: NewRecord): PreparedEffect<Stored> {
  return {
    isQuick: true,
    async prepare(call) {
      const prepared = await records.prepareCreate(call, given)
      if (prepared.store) return async (joined) => answerCreated(await prepared.store(joined))
      const { share, present } = prepared
      return {
        share,
        answer(stored) {
          const outcome = present(stored)
          return outcome instanceof AppError ? outcome : answerCreated(outcome)
        },
      }
    },
  }
}
