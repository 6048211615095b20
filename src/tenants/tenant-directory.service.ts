import type { Database } from '../db/connection.ts'
import { requireTenant } from './tenant-errors.ts'
import { findTenant, findTenantByReference, type TenantRow } from './tenants.queries.ts'

/** How long this process may not notice that another one has suspended or dropped a tenant. */
const keptMs = 1_000
const maxKept = 10_000

export type TenantDirectory = ReturnType<typeof createTenantDirectory>

/** Finds tenants by their id and by the reference in their keys, and keeps what it found for a moment. */
export function createTenantDirectory({ db }: { db: Database }) {
  const kept = new Map<string, { row: Promise<TenantRow | undefined>; until: number }>()

  function find(name: string, read: () => Promise<TenantRow | undefined>): Promise<TenantRow | undefined> {
    const known = kept.get(name)
    if (known && performance.now() < known.until) return known.row
    const row = read()
    const entry = { row, until: performance.now() + keptMs }
    // A failed read is repeated, and so is that of a tenant that does not exist. A suspended tenant may be moved, and what the
    // root key writes there afterwards would be lost.
    const drop = () => void (kept.get(name) === entry && kept.delete(name))
    row.then((found) => (found === undefined || found.status === 'suspended') && drop(), drop)
    kept.delete(name)
    kept.set(name, entry)
    const [oldest] = kept.keys()
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
    return row
  }

  return {
    findByReference: (reference: string) =>
      find(`reference ${reference}`, () => findTenantByReference(db, reference)),
    get: async (id: string): Promise<TenantRow> =>
      requireTenant(isTenantId(id) ? await find(`id ${id}`, () => findTenant(db, id)) : undefined),
    /** Called after the commit of a change of a tenant, so that it has effect in this process at once. */
    clear: (): void => kept.clear(),
  }
}

function isTenantId(id: string): boolean {
  return /^[a-z][a-z0-9-]{1,62}$/.test(id)
}
