import type { Database } from '../../../db/connection.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Lexicon } from '../plan.ts'
import { readLexicon } from './queries.ts'

const keptMs = 60_000

type Held = { lexicon: Lexicon; pages: number; at: number }

/**
 * The lexicon as it was at most a minute ago, read anew beside the requests: it takes some hundred milliseconds.
 * A request waits for it only when there is none, or the store has doubled or halved since.
 */
export function createLexiconKeeper({ clock }: { clock: Clock }) {
  let held: Held | undefined
  let reading: Promise<Held> | undefined

  function renew(db: Database, pages: number): Promise<Held> {
    reading ??= readLexicon(db)
      .then((lexicon) => (held = { lexicon, pages, at: clock.now().getTime() }))
      .finally(() => (reading = undefined))
    return reading
  }

  async function lexiconFor(db: Database, pages: number): Promise<Lexicon> {
    const isNear = held !== undefined && pages < 2 * held.pages && held.pages < 2 * pages
    if (!held || !isNear) return (await renew(db, pages)).lexicon
    const age = clock.now().getTime() - held.at
    // A clock set back must not keep a lexicon for ever. What fails is tried again by the next search.
    if (age > keptMs || age < 0) renew(db, pages).catch(() => undefined)
    return held.lexicon
  }

  return { lexiconFor }
}
