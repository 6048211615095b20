import type { RequestTenant } from '../../http/auth/tenancy.ts'

export type Reference = RequestTenant['reference']

type Options<Opened> = {
  open(tenant: RequestTenant): Opened
  /** Gets what was opened where the tenant was before. */
  onMoved(tenant: RequestTenant, old: Opened): void
}

/** What a process has opened for a tenant is dropped when it was not used for this time, with all that it has cached. */
const idleMs = 600_000

/** What a process opens once for each tenant, and once more for a tenant that was moved. */
export function createOpenedTenants<Opened>({ open, onMoved }: Options<Opened>) {
  const all = new Map<Reference, { id: string; server: string | null; value: Opened; usedAt: number }>()

  function provide(tenant: RequestTenant): Opened {
    const { id, reference, server_url: server } = tenant
    const known = all.get(reference)
    const isCurrent = known?.server === server
    const value = isCurrent ? known.value : open(tenant)
    all.set(reference, { id, server, value, usedAt: performance.now() })
    if (known && !isCurrent) onMoved(tenant, known.value)
    return value
  }

  /** Removes what is due, and returns it. */
  function remove(isDue: (reference: Reference, isIdle: boolean) => boolean): Opened[] {
    const latest = performance.now() - idleMs
    const due = [...all].filter(([reference, { usedAt }]) => isDue(reference, usedAt <= latest))
    for (const [reference] of due) all.delete(reference)
    return due.map(([, { value }]) => value)
  }

  return { provide, remove, findId: (reference: Reference) => all.get(reference)?.id }
}
