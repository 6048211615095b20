import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { Transaction } from '../../db/transaction.ts'
import { type Draft, insertRecords, type WritingResources } from '../../records/index.ts'
import { draftConsolidated } from '../consolidated-draft.ts'
import type { StageInput } from '../stages.ts'
import { toEvidence, toSource } from './fact-evidence.ts'
import type { FactGroup, Observation } from './fact-groups.ts'
import { findEntities, lockSources } from './facts.queries.ts'
import { createEntityLinker } from './named-entities.ts'
import type { DecidedFact } from './observation-outcome.ts'

export type StoreOptions = Pick<StageInput, 'now' | 'runId' | 'isDryRun' | 'effectsRunId'> & { actor: string }

/** The database writes one portion while the next is drafted. A whole batch at once would take the sum of both times. */
const writtenAtOnce = 500

/** Inserts facts with their first observation as evidence, and returns the ids of the stored ones. */
export function createFactCreation({ ids, seal, textLanguage, policies }: WritingResources) {
  async function create(tx: Transaction, newFacts: readonly DecidedFact[], options: StoreOptions) {
    const createdIds = new Map<DecidedFact, string>()
    if (newFacts.length === 0) return createdIds
    const draft = await prepareDrafts(tx, newFacts, options)
    await lockSources(tx, listFirstEpisodes(newFacts))
    const writes: ReturnType<typeof insertRecords>[] = []
    try {
      for (let from = 0; from < newFacts.length; from += writtenAtOnce) {
        const drafts = newFacts.slice(from, from + writtenAtOnce).flatMap((each): Draft[] => {
          const [first] = each.observations
          if (!first) return []
          const id = ids.next()
          createdIds.set(each, id)
          return [draft(id, each, first)]
        })
        const write = insertRecords(tx, drafts, { textLanguage, seal, effectsRunId: options.effectsRunId })
        // A write can fail before it is awaited. That must not end the process.
        write.catch(() => {})
        writes.push(write)
        await yieldTurn()
      }
    } finally {
      // A write that is still waiting would otherwise run after the rollback, outside of any transaction.
      await Promise.allSettled(writes)
    }
    const stored = new Set((await Promise.all(writes)).flatMap((write) => [...write.ids]))
    for (const [each, id] of createdIds) if (!stored.has(id)) createdIds.delete(each)
    return createdIds
  }

  /** Returns a function that drafts one of the facts. */
  async function prepareDrafts(
    tx: Transaction,
    newFacts: readonly DecidedFact[],
    { actor, now, runId }: StoreOptions,
  ) {
    const allPolicies = await policies.getAll(tx)
    const linker = createEntityLinker(newFacts)
    const entities = linker.lookups.length === 0 ? [] : await findEntities(tx, linker.lookups)
    const found = Map.groupBy(entities, ({ place }) => place)
    return (id: string, each: DecidedFact, first: Observation): Draft => {
      const draftOptions = {
        id,
        actor,
        now,
        runId,
        policies: allPolicies,
        episodes: [first.episode] as const,
      }
      const draft = draftConsolidated(buildRecord(each, first, actor), draftOptions)
      const edges = [...draft.edges, ...linker.link(each, id, found, now)]
      const { row } = draft
      return {
        ...draft,
        edges,
        row: each.outcome === 'challenged' ? { ...row, status: 'challenged' } : row,
      }
    }
  }

  return create
}

function listFirstEpisodes(facts: readonly DecidedFact[]): string[] {
  return facts.flatMap(({ observations: [first] }) => (first ? [first.episode.id] : []))
}

function buildRecord({ fact }: FactGroup, first: Observation, actor: string) {
  return {
    type: 'semantic' as const,
    payload: { kind: 'semantic' as const, ...fact, evidence: [toEvidence(first)] },
    provenance: { sources: [toSource(first)], created_by: actor },
  }
}
