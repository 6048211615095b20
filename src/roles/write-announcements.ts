import type { RequestTenant } from '../http/auth/tenancy.ts'
import type { Announcements } from '../jobs/queue/announcements.ts'
import type { Reference } from './tenants/opened-tenants.ts'

/** Shorter than a worker looks after a tenant that was announced. */
const announceEveryMs = 20_000

/** Announces to the workers which tenants write, so that they look after these more often for a while. */
export function createWriteAnnouncements(announcements: Announcements) {
  const announced = new Map<Reference, number>()

  function noteWrite({ reference }: RequestTenant): void {
    const now = performance.now()
    if (now - (announced.get(reference) ?? -announceEveryMs) < announceEveryMs) return
    announced.set(reference, now)
    void announcements.ofTenant(reference).announceWrites()
  }

  function tidy(): void {
    const now = performance.now()
    for (const [reference, at] of announced) if (now - at > announceEveryMs) announced.delete(reference)
  }

  return { noteWrite, tidy }
}
