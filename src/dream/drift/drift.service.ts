import type { Database } from '../../db/connection.ts'
import type { CallContext } from '../../db/transaction.ts'
import { isAllowed } from '../../domain/caller.ts'
import { requireScope } from '../../domain/write-trust.ts'
import { startPosition } from '../../jobs/table-walk.ts'
import type { Root } from '../../kernel/directories.ts'
import { AppError } from '../../kernel/errors.ts'
import { listOpen } from './drift.queries.ts'
import type { DriftQuery, DriftReport } from './drift.schemas.ts'
import { createTally } from './drift-counts.ts'
import { look } from './record-check.service.ts'
import { createChecker } from './reference-check.service.ts'

type Resources = { db: Database; roots: readonly Root[] }

export type DriftService = ReturnType<typeof createDriftService>

const size = 500
/** A request ends: of a larger store it tells of the first. */
const mostChecked = 10_000

export function createDriftService({ db, roots }: Resources) {
  async function check(call: CallContext, { scope }: DriftQuery): Promise<DriftReport> {
    if (scope !== undefined) requireScope(call.caller, scope)
    if (roots.length === 0) {
      throw new AppError('no_drift_roots', 'MEMBRANE_DRIFT_ROOTS names no directory to look beneath.')
    }
    const { items, ...report } = await lookThrough(call, scope ?? null)
    // What they say is for who may read them; how many there are, for who looks after the store.
    return { ...report, items: isAllowed(call.caller, 'records:read') ? items : [] }
  }

  async function lookThrough(
    { caller: { trust }, tx }: CallContext,
    scope: string | null,
  ): Promise<DriftReport> {
    const [tally, checker] = [createTally(), createChecker()]
    let after: string | undefined = startPosition.id
    while (after !== undefined && tally.checked() < mostChecked) {
      const page = await listOpen(tx ?? db, { trust, scope, after, limit: size })
      for (const claimant of page) tally.add(await look(checker, roots, claimant))
      after = page.length < size ? undefined : page.at(-1)?.id
    }
    return { ...tally.report(), complete: after === undefined }
  }

  return { check }
}
