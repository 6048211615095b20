import { saveEffectsByStatement } from '../../db/run-effects.ts'
import type { Transaction } from '../../db/transaction.ts'
import { fullTrust, hasSameVisibility } from '../../domain/trust/caller.ts'
import type { Change } from '../../jobs/runs/runs.ts'
import { findSuccessor, type WritingResources } from '../../records/index.ts'
import { type EpisodeLink, insertEpisodeLinks } from '../episode-links.queries.ts'
import { lockHandles } from '../handle-locks.queries.ts'
import { createFactCreation, type StoreOptions } from './fact-creation.service.ts'
import { maxNamedSources, reinforceFact } from './fact-evidence.ts'
import { type FactGroup, groupFacts, type Observation, type ObservedFact } from './fact-groups.ts'
import { claimFacts, findFacts, findObservations, writeReinforced } from './facts.queries.ts'
import {
  type DecidedFact,
  decideObservationOutcome,
  excludeSeenObservations,
  formatPairKey,
  isNewFact,
  type KnownFact,
  type ObservationOutcome,
} from './observation-outcome.ts'

type StoredFacts = { created: number; reinforced: number; changes: Change[] }

/** New observations by the id of the fact. */
type ObservationsByFact = ReadonlyMap<string, readonly Observation[]>

export type Facts = ReturnType<typeof createFacts>

/**
 * Returns the store of facts from episodes: each fact is created once and reinforced once per episode that states it
 * again.
 */
export function createFacts(resources: WritingResources) {
  const create = createFactCreation(resources)

  async function store(
    tx: Transaction,
    observedFacts: readonly ObservedFact[],
    options: StoreOptions,
  ): Promise<StoredFacts> {
    const groups = groupFacts(observedFacts)
    if (groups.length === 0) return { created: 0, reinforced: 0, changes: [] }
    if (!options.isDryRun) {
      await lockHandles(
        tx,
        groups.map(({ handle: { digest }, scope }) => ({ digest, scope })),
      )
    }
    const decided = await decideAll(tx, groups)
    const newFacts = decided.filter(isNewFact)
    const { createdIds, reinforced, changes } = await saveEffectsByStatement(
      tx,
      options.effectsRunId,
      async () => {
        const createdIds = await create(tx, newFacts, options)
        return { createdIds, ...(await reinforce(tx, groupObservations(decided, createdIds), options)) }
      },
    )
    const created = [...createdIds].map(([each, id]) => describeCreation(id, each))
    return { created: createdIds.size, reinforced, changes: [...created, ...changes] }
  }

  async function decideAll(tx: Transaction, groups: readonly FactGroup[]): Promise<DecidedFact[]> {
    const known = Map.groupBy(await findFacts(tx, groups), ({ place }) => place)
    const decided: DecidedFact[] = []
    for (const [place, each] of groups.entries()) {
      const same = known.get(place) ?? []
      const decision = await followMergedFact(tx, decideObservationOutcome(same, each), each)
      const seen =
        isNewFact(decision) && same.length > 0
          ? await findSeenObservations(tx, same, each)
          : new Set<string>()
      const observations = excludeSeenObservations(each, same, seen)
      if (observations.length > 0) decided.push({ ...each, ...decision, observations })
    }
    return decided
  }

  return { store }
}

async function reinforce(
  tx: Transaction,
  byFact: ObservationsByFact,
  { actor, now, runId, effectsRunId }: StoreOptions,
) {
  const links = [...byFact].flatMap(([fact, observations]) =>
    observations.map(({ episode }): EpisodeLink => ({ derived: fact, episode: episode.id })),
  )
  if (links.length === 0) return { reinforced: 0, changes: [] }
  const facts = await claimFacts(tx, [...byFact.keys()])
  const claimed = new Set(facts.map(({ id }) => id))
  const linkable = links.filter(({ derived }) => claimed.has(derived))
  const linked = linkable.length === 0 ? [] : await insertEpisodeLinks(tx, linkable, now, effectsRunId)
  const fresh = new Set(linked.map(({ derived, episode }) => formatPairKey(derived, episode)))
  const reinforced = facts.flatMap((fact) => {
    const observations = (byFact.get(fact.id) ?? []).filter(({ episode }) =>
      fresh.has(formatPairKey(fact.id, episode.id)),
    )
    return observations.length === 0 ? [] : [reinforceFact(fact, observations, now)]
  })
  if (reinforced.length > 0) await writeReinforced(tx, reinforced, { actor, now, runId, effectsRunId })
  const changes = reinforced.map(({ id, times, lifecycle: { salience } }) => ({
    record_id: id,
    action: 'reinforce',
    before: { salience: times[0]?.before ?? salience },
    after: { salience },
  }))
  return { reinforced: linked.length, changes }
}

/** Contains no content: a reader of the run may not be allowed to read all records it created. */
function describeCreation(id: string, { observations }: DecidedFact): Change {
  const sources = observations.slice(0, maxNamedSources).map(({ episode }) => episode.id)
  return { record_id: id, action: 'create', after: { type: 'semantic', derived_from: sources } }
}

/** Two facts may have been merged into one, and one episode may state both. */
function groupObservations(
  decided: readonly DecidedFact[],
  createdIds: ReadonlyMap<DecidedFact, string>,
): ObservationsByFact {
  const byFact = new Map<string, Observation[]>()
  const add = (id: string, observations: readonly Observation[]) => {
    const all = [...(byFact.get(id) ?? []), ...observations]
    const unique = new Map(all.map((observation) => [observation.episode.id, observation]))
    if (unique.size > 0) byFact.set(id, [...unique.values()])
  }
  for (const each of decided) {
    const id = createdIds.get(each)
    if (id !== undefined) add(id, each.observations.slice(1))
    else if (each.outcome === 'reinforced') add(each.id, each.observations)
  }
  return byFact
}

/**
 * Follows a merged fact to the record that states it now. If that one is withdrawn, the fact counts as withdrawn. If
 * it has other readers, it is not changed and the fact is new.
 */
async function followMergedFact(
  tx: Transaction,
  decision: ObservationOutcome,
  group: FactGroup,
): Promise<ObservationOutcome> {
  const seen = new Set<string>()
  let current = decision
  while (current.outcome === 'merged' && !seen.has(current.id)) {
    seen.add(current.id)
    const next = await findSuccessor(tx, current.id, fullTrust)
    const [successor] = next === undefined ? [] : await claimFacts(tx, [next])
    if (successor)
      return hasSameVisibility(successor, group)
        ? { outcome: 'reinforced', id: successor.id }
        : { outcome: 'created' }
    if (next === undefined) return { outcome: 'challenged' }
    current = { outcome: 'merged', id: next }
  }
  return current.outcome === 'merged' ? { outcome: 'challenged' } : current
}

async function findSeenObservations(
  tx: Transaction,
  same: readonly KnownFact[],
  { observations }: FactGroup,
) {
  const found = await findObservations(
    tx,
    same.map(({ id }) => id),
    observations.map(({ episode }) => episode.id),
  )
  return new Set(found.map(({ fact, episode }) => formatPairKey(fact, episode)))
}
