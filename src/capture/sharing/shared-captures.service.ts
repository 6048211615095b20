import type { Database } from '../../db/connection.ts'
import { createSharedTransactions, maxSharedText } from '../../db/shared-transactions.ts'
import { actFor, type Transaction, transact } from '../../db/transaction.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { PoliciesService } from '../../policies/index.ts'
import { formatLookupKey } from '../../records/index.ts'
import type { Captured } from '../capture.schemas.ts'
import type { DraftedEpisode, EpisodeWriter } from '../episode.service.ts'
import type { InterpretedEpisode } from '../interpretation/interpretation.service.ts'
import { listResolvedIds, parseReferenceIds } from '../interpretation/interpretation-targets.ts'
import { reserveAll } from './reserved-keys.ts'
import { findKnownTogether } from './shared-lookup.service.ts'

type Resources = {
  db: Database
  clock: Clock
  episodes: EpisodeWriter
  policies: Pick<PoliciesService, 'getAll'>
  storeAlone(episode: InterpretedEpisode, tx?: Transaction): Promise<Captured>
}

/**
 * Stores captures that come at the same moment in one transaction, with one lookup and one insert. A capture that
 * depends on another of them is stored alone afterwards.
 */
export function createSharedCaptures({ db, clock, episodes, policies, storeAlone }: Resources) {
  async function storeTogether(
    captures: readonly InterpretedEpisode[],
    joined?: Transaction,
  ): Promise<readonly (Captured | undefined)[]> {
    return transact(db, joined ? { tx: joined } : { readsFirst: true }, async (tx) => {
      const drafted = await draftTogether(tx, captures)
      const kept = drafted.filter((each) => each !== undefined)
      if (kept.length > 0) await episodes.insertAll(tx, kept)
      const captured: (Captured | undefined)[] = []
      for (const each of drafted) {
        if (each) actFor(tx, each.context.caller)
        captured.push(each && (await episodes.finish(tx, each)))
      }
      return captured
    })
  }

  async function draftTogether(
    tx: Transaction,
    captures: readonly InterpretedEpisode[],
  ): Promise<(DraftedEpisode | undefined)[]> {
    // Read before the locks, as a single capture does.
    const now = clock.now()
    const known = await policies.getAll(tx)
    const takenPlaces = new Set<string>()
    const drafted: (DraftedEpisode | undefined)[] = []
    for (const each of await findKnownTogether(tx, captures)) {
      const episode =
        each && (await episodes.draft(tx, { ...each.context, ...each, now, policies: known }, each.plan))
      drafted.push(episode && reserveAll(takenPlaces, listPlaceKeys(episode)) ? episode : undefined)
    }
    return drafted
  }

  return createSharedTransactions<InterpretedEpisode, Captured>({
    begin: (work) => transact(db, { readsFirst: true }, work),
    runAlone: storeAlone,
    runTogether: storeTogether,
    canJoin: ([first], next) => first?.context.sensitivity === next.context.sensitivity,
  })
}

/** The places of the new entities. If another capture stores an entity of the same name, this one must find it. */
function listPlaceKeys({ drafts }: DraftedEpisode): string[] {
  return drafts.flatMap(({ row, handles }) =>
    handles.flatMap(({ digest, place }) =>
      place === null ? [] : [`${formatLookupKey({ digest, scope: row.scope })} ${place}`],
    ),
  )
}

/** Whether a capture is short, and reads nothing before it stores but the records that have its names. */
export function mayShareTransaction({ plan, interpretation }: InterpretedEpisode): boolean {
  const { entities, records } = listResolvedIds(interpretation)
  const namesRecord = parseReferenceIds(interpretation).some((id) => id !== undefined)
  return entities.length + records.length === 0 && !namesRecord && isShort(plan.payload)
}

/** Whether all texts of a value together are short. The cost depends on the limit, not on the value. */
function isShort(value: object): boolean {
  let left = maxSharedText
  const stack: unknown[] = [value]
  while (stack.length > 0 && left >= 0) {
    const next = stack.pop()
    left -= typeof next === 'string' ? next.length : 1
    if (typeof next !== 'object' || next === null) continue
    for (const key in next) {
      if (stack.length > maxSharedText) return false
      stack.push(Reflect.get(next, key))
    }
  }
  return left >= 0
}
