import type { Transaction } from '../../db/transaction.ts'
import { fullTrust } from '../../domain/caller.ts'
import type { Seal } from '../../domain/tombstone-seal.ts'
import type { Change } from '../../jobs/runs.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { PoliciesService } from '../../policies/index.ts'
import { type Draft, insertRecords } from '../../records/index.ts'
import { findSuccessor } from '../../revision/index.ts'
import { lockHandles } from '../episode-batches.queries.ts'
import type { StageInput } from '../stages.ts'
import { draftConsolidated } from './fact-draft.ts'
import { maxNamedSources, reinforceFact, toEvidence, toSource } from './fact-evidence.ts'
import { type FactGroup, groupFacts, type Observation, type ObservedFact } from './fact-groups.ts'
import {
  claimFacts,
  type FactObservation,
  findEntities,
  findFacts,
  findObservations,
  insertObservations,
  writeReinforced,
} from './facts.queries.ts'
import {
  decideFactOutcome,
  excludeSeenObservations,
  type FactOutcome,
  type KnownFact,
  pairKey,
} from './known-fact.ts'
import { createEntityLinker } from './named-entities.ts'

type Resources = { ids: Ids; seal: Seal; textLanguage: string; policies: Pick<PoliciesService, 'getAll'> }

/** `refused` counts the facts that were erased from their scope earlier. */
type StoredFacts = { created: number; reinforced: number; refused: number; changes: Change[] }

type Visibility = Pick<FactGroup, 'scope' | 'sensitivity'>
type StoreOptions = Pick<StageInput, 'now' | 'runId' | 'isDryRun'> & { actor: string }
/** A fact with its outcome and the observations that are not linked to it yet. */
type DecidedFact = FactGroup & { outcome: FactOutcome; observations: readonly Observation[] }

/** New observations by the id of the fact. */
type ObservationsByFact = ReadonlyMap<string, readonly Observation[]>

export type Facts = ReturnType<typeof createFacts>

/**
 * Returns the store of facts from episodes: each fact is created once and reinforced once per episode that states it
 * again.
 */
export function createFacts({ ids, seal, textLanguage, policies }: Resources) {
  async function store(
    tx: Transaction,
    observedFacts: readonly ObservedFact[],
    options: StoreOptions,
  ): Promise<StoredFacts> {
    const groups = groupFacts(observedFacts)
    if (groups.length === 0) return { created: 0, reinforced: 0, refused: 0, changes: [] }
    if (!options.isDryRun) {
      await lockHandles(
        tx,
        groups.map(({ handle: { digest }, scope }) => ({ digest, scope })),
      )
    }
    const decided = await decideAll(tx, groups)
    const newFacts = decided.filter(
      ({ outcome: { outcome } }) => outcome === 'created' || outcome === 'challenged',
    )
    const createdIds = await create(tx, newFacts, options)
    const { reinforced, changes } = await reinforce(tx, groupObservations(decided, createdIds), options)
    const created = [...createdIds].map(([each, id]) => describeCreation(id, each))
    return {
      ...{ created: createdIds.size, refused: newFacts.length - createdIds.size, reinforced },
      changes: [...created, ...changes],
    }
  }

  async function decideAll(tx: Transaction, groups: readonly FactGroup[]): Promise<DecidedFact[]> {
    const known = groupByPlace(await findFacts(tx, groups))
    const decided: DecidedFact[] = []
    for (const [place, each] of groups.entries()) {
      const same = known.get(place) ?? []
      const factOutcome = await resolveMergedFact(tx, decideFactOutcome(same), each)
      const isNew = factOutcome.outcome === 'created' || factOutcome.outcome === 'challenged'
      const seen = isNew && same.length > 0 ? await findSeenObservations(tx, same, each) : new Set<string>()
      const observations = excludeSeenObservations(each, same, seen)
      if (observations.length > 0) decided.push({ ...each, outcome: factOutcome, observations })
    }
    return decided
  }

  /**
   * Inserts the facts that do not exist, with their first observation as evidence, and returns the ids of the stored
   * ones.
   */
  async function create(tx: Transaction, newFacts: readonly DecidedFact[], options: StoreOptions) {
    const createdIds = new Map<DecidedFact, string>()
    if (newFacts.length === 0) return createdIds
    const { actor, now, runId } = options
    const known = await policies.getAll(tx)
    const linker = createEntityLinker(newFacts)
    const found = groupByPlace(linker.lookups.length === 0 ? [] : await findEntities(tx, linker.lookups))
    const drafts = newFacts.flatMap((each): Draft[] => {
      const [first] = each.observations
      if (!first) return []
      const id = ids.next()
      createdIds.set(each, id)
      const draftOptions = { id, actor, now, runId, policies: known, episodes: [first.episode] as const }
      const draft = draftConsolidated(buildRecord(each, first, actor), draftOptions)
      const edges = [...draft.edges, ...linker.link(each, id, found, now)]
      const { row } = draft
      return [
        {
          ...draft,
          edges,
          row: each.outcome.outcome === 'challenged' ? { ...row, status: 'challenged' } : row,
        },
      ]
    })
    const stored = await insertRecords(tx, drafts, textLanguage, seal)
    for (const [each, id] of createdIds) if (!stored.ids.has(id)) createdIds.delete(each)
    return createdIds
  }

  return { store }
}

async function reinforce(tx: Transaction, byFact: ObservationsByFact, { actor, now, runId }: StoreOptions) {
  const pairs = [...byFact].flatMap(([fact, observations]) =>
    observations.map(({ episode }): FactObservation => ({ fact, episode: episode.id })),
  )
  if (pairs.length === 0) return { reinforced: 0, changes: [] }
  const facts = await claimFacts(tx, [...byFact.keys()])
  const claimed = new Set(facts.map(({ id }) => id))
  const linkable = pairs.filter(({ fact }) => claimed.has(fact))
  const linked = linkable.length === 0 ? [] : await insertObservations(tx, linkable, now)
  const fresh = new Set(linked.map(({ fact, episode }) => pairKey(fact, episode)))
  const reinforced = facts.flatMap((fact) => {
    const observations = (byFact.get(fact.id) ?? []).filter(({ episode }) =>
      fresh.has(pairKey(fact.id, episode.id)),
    )
    return observations.length === 0 ? [] : [reinforceFact(fact, observations, now)]
  })
  if (reinforced.length > 0) await writeReinforced(tx, reinforced, { actor, now, runId })
  const changes = reinforced.map(({ id, times, lifecycle: { salience } }) => ({
    ...{ record_id: id, action: 'reinforce' },
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
    else if (each.outcome.outcome === 'reinforced') add(each.outcome.id, each.observations)
  }
  return byFact
}

/**
 * Follows a merged fact to the record that states it now. If that one is withdrawn, the fact counts as withdrawn. If
 * it has other readers, it is not changed and the fact is new.
 */
async function resolveMergedFact(
  tx: Transaction,
  factOutcome: FactOutcome,
  place: FactGroup,
): Promise<FactOutcome> {
  const seen = new Set<string>()
  let current = factOutcome
  while (current.outcome === 'merged' && !seen.has(current.id)) {
    seen.add(current.id)
    const next = await findSuccessor(tx, current.id, fullTrust)
    const [successor] = next === undefined ? [] : await claimFacts(tx, [next])
    if (successor)
      return hasSameVisibility(successor, place)
        ? { outcome: 'reinforced', id: successor.id }
        : { outcome: 'created' }
    if (next === undefined) return { outcome: 'challenged' }
    current = { outcome: 'merged', id: next }
  }
  return current.outcome === 'merged' ? { outcome: 'challenged' } : current
}

function hasSameVisibility(one: Visibility, other: Visibility): boolean {
  return one.scope === other.scope && one.sensitivity === other.sensitivity
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
  return new Set(found.map(({ fact, episode }) => pairKey(fact, episode)))
}

function buildRecord({ fact }: FactGroup, first: Observation, actor: string) {
  return {
    type: 'semantic' as const,
    payload: { kind: 'semantic' as const, ...fact, evidence: [toEvidence(first)] },
    provenance: { sources: [toSource(first)], created_by: actor },
  }
}

function groupByPlace<T extends { place: number }>(found: readonly T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const each of found) groups.set(each.place, [...(groups.get(each.place) ?? []), each])
  return groups
}
