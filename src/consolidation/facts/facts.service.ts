import type { Transaction } from '../../db/transaction.ts'
import { fullTrust } from '../../domain/caller.ts'
import type { Seal } from '../../domain/tombstone-seal.ts'
import type { Change } from '../../jobs/runs.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { PoliciesService } from '../../policies/index.ts'
import { type Draft, insertRecords } from '../../records/index.ts'
import { findSuccessor } from '../../revision/index.ts'
import { lockHandles } from '../episode-batches.queries.ts'
import type { Lesson } from '../stages.ts'
import { draftKnowledge } from './fact-draft.ts'
import { evidenceOf, mostNamed, reinforceBy, sourceOf } from './fact-evidence.ts'
import { type Gathered, gather, type Told, type Witness } from './fact-groups.ts'
import {
  claimFacts,
  findEntities,
  findFacts,
  findWitnessed,
  insertWitnesses,
  type Pair,
  writeReinforced,
} from './facts.queries.ts'
import { type Fate, judge, type KnownFact, pairOf, withoutHeard } from './known-fact.ts'
import { nameAll } from './named-entities.ts'

type Resources = { ids: Ids; seal: Seal; textLanguage: string; policies: Pick<PoliciesService, 'getAll'> }

/** `refused` says what was erased from its scope. */
export type Kept = { created: number; reinforced: number; refused: number; changes: Change[] }

type Place = Pick<Gathered, 'scope' | 'sensitivity'>
type Telling = Pick<Lesson, 'now' | 'runId' | 'isRehearsal'> & { actor: string }
/** A fact with what becomes of it, and those that it has not heard of yet. */
type Judged = Gathered & { fate: Fate; witnesses: readonly Witness[] }

/** Those who observed a fact, by the record of it. */
type Observed = ReadonlyMap<string, readonly Witness[]>

export type Facts = ReturnType<typeof createFacts>

/** Facts that episodes tell: each made once, and reinforced once by each episode that tells it again. */
export function createFacts({ ids, seal, textLanguage, policies }: Resources) {
  async function keep(tx: Transaction, told: readonly Told[], telling: Telling): Promise<Kept> {
    const gathered = gather(told)
    if (gathered.length === 0) return { created: 0, reinforced: 0, refused: 0, changes: [] }
    if (!telling.isRehearsal) {
      await lockHandles(
        tx,
        gathered.map(({ handle: { digest }, scope }) => ({ digest, scope })),
      )
    }
    const judged = await judgeAll(tx, gathered)
    const unknown = judged.filter(
      ({ fate: { outcome } }) => outcome === 'created' || outcome === 'challenged',
    )
    const born = await create(tx, unknown, telling)
    const { reinforced, changes } = await reinforce(tx, observersOf(judged, born), telling)
    const created = [...born].map(([each, id]) => describeBirth(id, each))
    return {
      ...{ created: born.size, refused: unknown.length - born.size, reinforced },
      changes: [...created, ...changes],
    }
  }

  async function judgeAll(tx: Transaction, gathered: readonly Gathered[]): Promise<Judged[]> {
    const known = groupByPlace(await findFacts(tx, gathered))
    const judged: Judged[] = []
    for (const [place, each] of gathered.entries()) {
      const same = known.get(place) ?? []
      const fate = await followMerged(tx, judge(same), each)
      const isNew = fate.outcome === 'created' || fate.outcome === 'challenged'
      const heard = isNew && same.length > 0 ? await findHeard(tx, same, each) : new Set<string>()
      const witnesses = withoutHeard(each, same, heard)
      if (witnesses.length > 0) judged.push({ ...each, fate, witnesses })
    }
    return judged
  }

  /** Stores those that nobody knows, by the word of their first witness; answers the ids of what was stored. */
  async function create(tx: Transaction, unknown: readonly Judged[], telling: Telling) {
    const born = new Map<Judged, string>()
    if (unknown.length === 0) return born
    const { actor, now, runId } = telling
    const known = await policies.getAll(tx)
    const naming = nameAll(unknown)
    const found = groupByPlace(naming.wanted.length === 0 ? [] : await findEntities(tx, naming.wanted))
    const drafts = unknown.flatMap((each): Draft[] => {
      const [first] = each.witnesses
      if (!first) return []
      const id = ids.next()
      born.set(each, id)
      const birth = { id, actor, now, runId, policies: known, episodes: [first.episode] as const }
      const draft = draftKnowledge(sayFact(each, first, actor), birth)
      const edges = [...draft.edges, ...naming.link(each, id, found, now)]
      const { row } = draft
      return [
        { ...draft, edges, row: each.fate.outcome === 'challenged' ? { ...row, status: 'challenged' } : row },
      ]
    })
    const stored = await insertRecords(tx, drafts, textLanguage, seal)
    for (const [each, id] of born) if (!stored.ids.has(id)) born.delete(each)
    return born
  }

  return { keep }
}

async function reinforce(tx: Transaction, observed: Observed, { actor, now, runId }: Telling) {
  const pairs = [...observed].flatMap(([fact, witnesses]) =>
    witnesses.map(({ episode }): Pair => ({ fact, episode: episode.id })),
  )
  if (pairs.length === 0) return { reinforced: 0, changes: [] }
  const facts = await claimFacts(tx, [...observed.keys()])
  const claimed = new Set(facts.map(({ id }) => id))
  const linkable = pairs.filter(({ fact }) => claimed.has(fact))
  const linked = linkable.length === 0 ? [] : await insertWitnesses(tx, linkable, now)
  const fresh = new Set(linked.map(({ fact, episode }) => pairOf(fact, episode)))
  const reinforced = facts.flatMap((fact) => {
    const witnesses = (observed.get(fact.id) ?? []).filter(({ episode }) =>
      fresh.has(pairOf(fact.id, episode.id)),
    )
    return witnesses.length === 0 ? [] : [reinforceBy(fact, witnesses, now)]
  })
  if (reinforced.length > 0) await writeReinforced(tx, reinforced, { actor, now, runId })
  const changes = reinforced.map(({ id, times, life: { salience } }) => ({
    ...{ record_id: id, action: 'reinforce' },
    before: { salience: times[0]?.before ?? salience },
    after: { salience },
  }))
  return { reinforced: linked.length, changes }
}

/** Not in its words: who may read a run need not be one who may read all that it made. */
function describeBirth(id: string, { witnesses }: Judged): Change {
  const sources = witnesses.slice(0, mostNamed).map(({ episode }) => episode.id)
  return { record_id: id, action: 'create', after: { type: 'semantic', derived_from: sources } }
}

/** Two facts may have been folded into one, and one episode may have told both. */
function observersOf(judged: readonly Judged[], born: ReadonlyMap<Judged, string>): Observed {
  const observed = new Map<string, Witness[]>()
  const hear = (id: string, witnesses: readonly Witness[]) => {
    const all = [...(observed.get(id) ?? []), ...witnesses]
    const unique = new Map(all.map((witness) => [witness.episode.id, witness]))
    if (unique.size > 0) observed.set(id, [...unique.values()])
  }
  for (const each of judged) {
    const id = born.get(each)
    if (id !== undefined) hear(id, each.witnesses.slice(1))
    else if (each.fate.outcome === 'reinforced') hear(each.fate.id, each.witnesses)
  }
  return observed
}

/**
 * As far as what it was folded into still stands; where it ends in what was withdrawn, it was withdrawn with it. What
 * stands for other readers is not changed by what is told here: the fact is new.
 */
async function followMerged(tx: Transaction, fate: Fate, place: Gathered): Promise<Fate> {
  const seen = new Set<string>()
  let current = fate
  while (current.outcome === 'merged' && !seen.has(current.id)) {
    seen.add(current.id)
    const next = await findSuccessor(tx, current.id, fullTrust)
    const [heir] = next === undefined ? [] : await claimFacts(tx, [next])
    if (heir) return isOfPlace(heir, place) ? { outcome: 'reinforced', id: heir.id } : { outcome: 'created' }
    if (next === undefined) return { outcome: 'challenged' }
    current = { outcome: 'merged', id: next }
  }
  return current.outcome === 'merged' ? { outcome: 'challenged' } : current
}

function isOfPlace(one: Place, other: Place): boolean {
  return one.scope === other.scope && one.sensitivity === other.sensitivity
}

async function findHeard(tx: Transaction, same: readonly KnownFact[], { witnesses }: Gathered) {
  const found = await findWitnessed(
    tx,
    same.map(({ id }) => id),
    witnesses.map(({ episode }) => episode.id),
  )
  return new Set(found.map(({ fact, episode }) => pairOf(fact, episode)))
}

function sayFact({ fact }: Gathered, first: Witness, actor: string) {
  return {
    type: 'semantic' as const,
    payload: { kind: 'semantic' as const, ...fact, evidence: [evidenceOf(first)] },
    provenance: { sources: [sourceOf(first)], created_by: actor },
  }
}

function groupByPlace<T extends { place: number }>(found: readonly T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const each of found) groups.set(each.place, [...(groups.get(each.place) ?? []), each])
  return groups
}
