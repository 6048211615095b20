import type { RequestTenant } from '../../http/auth/tenancy.ts'
import type { Poll } from '../../jobs/poll.ts'
import type { Reference } from './opened-tenants.ts'

type Options = { watchTexts(tenant: RequestTenant): Poll; maxWatched?: number | undefined }

/** How long the texts of a tenant are watched after there was something to do. */
const watchedMs = 60_000
const mostWatched = 100

export type TextWatches = ReturnType<typeof createTextWatches>

/** Watches the texts of the tenants that have written last. */
export function createTextWatches({ watchTexts, maxWatched = mostWatched }: Options) {
  const watched = new Map<Reference, { watch: Poll; until: number }>()

  function start(tenant: RequestTenant): void {
    const { reference } = tenant
    const until = performance.now() + watchedMs
    const known = watched.get(reference)
    const [first] = watched.keys()
    // A hundred tenants that write all the time must not keep others from their turn.
    if (!known && watched.size >= maxWatched) void stop((each) => each === first)
    watched.set(reference, { watch: known?.watch ?? watchTexts(tenant), until })
  }

  async function stop(isDue: (reference: Reference, until: number) => boolean): Promise<void> {
    const ended = [...watched].filter(([reference, { until }]) => isDue(reference, until))
    for (const [reference] of ended) watched.delete(reference)
    await Promise.all(ended.map(([, { watch }]) => watch.stop()))
  }

  return {
    start,
    stop,
    stopExpired: () => stop((_, until) => until <= performance.now()),
    has: (reference: Reference) => watched.has(reference),
  }
}
