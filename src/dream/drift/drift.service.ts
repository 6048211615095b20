import type { Database } from '../../db/connection.ts'
import type { CallContext } from '../../db/transaction.ts'
import type { DriftRoot } from '../../domain/drift-roots.ts'
import { isAllowed } from '../../domain/trust/caller.ts'
import { requireScope } from '../../domain/trust/write-trust.ts'
import { AppError } from '../../kernel/errors.ts'
import { nilUuid } from '../../kernel/ids.ts'
import { listReadable } from './drift.queries.ts'
import type { DriftQuery, DriftReport } from './drift.schemas.ts'
import { createDriftReport } from './drift-report.ts'
import { checkRecord, createChecker } from './reference-check.service.ts'

type Resources = { db: Database; roots: readonly DriftRoot[] }

export type DriftService = ReturnType<typeof createDriftService>

const size = 500
/** A request must end, so in a larger store only this many records are checked. */
const maxChecked = 10_000

export function createDriftService({ db, roots }: Resources) {
  async function check(call: CallContext, { scope }: DriftQuery): Promise<DriftReport> {
    if (scope !== undefined) requireScope(call.caller, scope)
    if (roots.length === 0) {
      throw new AppError('no_drift_roots', 'MEMBRANE_DRIFT_ROOTS names no directory.')
    }
    const { items, ...report } = await checkAll(call, scope ?? null)
    // The counts are for keys that run maintenance; the quoted references only for keys that may read records.
    return { ...report, items: isAllowed(call.caller, 'records:read') ? items : [] }
  }

  async function checkAll(
    { caller: { trust }, tx }: CallContext,
    scope: string | null,
  ): Promise<DriftReport> {
    const report = createDriftReport()
    const checker = createChecker()
    let after: string | undefined = nilUuid
    while (after !== undefined && report.checked() < maxChecked) {
      const page = await listReadable(tx ?? db, { trust, scope, after, limit: size })
      for (const record of page) report.add(await checkRecord(checker, roots, record))
      after = page.length < size ? undefined : page.at(-1)?.id
    }
    return { ...report.report(), complete: after === undefined }
  }

  return { check }
}
