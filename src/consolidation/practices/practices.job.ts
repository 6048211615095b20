import { saveEffectsByStatement } from '../../db/run-effects.ts'
import type { Transaction } from '../../db/transaction.ts'
import { createEdge } from '../../domain/edges/edges.ts'
import type { Policies } from '../../domain/lifecycle/lifecycle.ts'
import type { Change } from '../../jobs/runs/runs.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type Draft, insertRecords, type WritingResources } from '../../records/index.ts'
import { createDescent, draftConsolidated } from '../consolidated-draft.ts'
import { createEpisodeStage } from '../episode-batches.service.ts'
import { type EpisodeLink, insertEpisodeLinks } from '../episode-links.queries.ts'
import { lockHandles } from '../handle-locks.queries.ts'
import type { Stage, StageInput, StageOutcome } from '../stages.ts'
import { type CountChange, findCountChange, groupChanges, type PracticeGroup } from './outcome-counts.ts'
import {
  decidePracticeOutcome,
  findPracticeCreation,
  type PracticeCreation,
  type PracticeOutcome,
  updatePractice,
} from './practice.ts'
import type { OutcomeCounts, PracticeKind } from './practice-kind.ts'
import {
  claimPractices,
  countPending,
  findCounted,
  findPractices,
  maxNamedSources,
  type PendingCounts,
  writeCounted,
  writeUpdatedPractices,
} from './practices.queries.ts'

type Resources = WritingResources & { clock: Clock; size?: number }

/** Changes of the counts by the id of the practice. */
type ChangesByPractice = Map<string, CountChange[]>

/** Returns the stage that stores what was done repeatedly in the same way, with its successes and failures. */
export function createPracticeStage(
  kind: PracticeKind,
  { ids, seal, textLanguage, policies, ...resources }: Resources,
): Stage {
  return createEpisodeStage(kind.stage, resources, consolidate)

  async function consolidate(tx: Transaction, input: StageInput): Promise<StageOutcome> {
    const groups = groupChanges(await findChanges(tx, input))
    if (groups.length === 0) return {}
    const keys = groups.map(({ key }) => key)
    if (!input.isDryRun) await lockHandles(tx, keys)
    const decisions = await decideAll(tx, groups)
    const newGroups = groups.filter((_, place) => decisions[place]?.outcome === 'created')
    const { createdIds, toUpdate } = await createPractices(tx, newGroups, input)
    for (const [place, { countChanges }] of groups.entries()) {
      const decision = decisions[place]
      if (decision?.outcome === 'updated')
        toUpdate.set(decision.id, [...(toUpdate.get(decision.id) ?? []), ...countChanges])
    }
    const { reinforced, changes } = await updatePractices(tx, toUpdate, input)
    await writeCounted(
      tx,
      kind.stage,
      groups.flatMap(({ countChanges }) => countChanges),
    )
    return {
      counts: { [kind.figure]: createdIds.length, duplicates_resolved: reinforced },
      changes: [
        ...createdIds.map((id) => ({ record_id: id, action: 'create', after: { type: kind.type } })),
        ...changes,
      ],
    }
  }

  async function findChanges(tx: Transaction, { episodes }: StageInput): Promise<CountChange[]> {
    const counted = await findCounted(
      tx,
      kind.stage,
      episodes.map(({ id }) => id),
    )
    const byEpisode = new Map(counted.map((each) => [each.episode, each]))
    return episodes.flatMap((episode) => {
      const pattern = kind.read(episode)
      return (pattern && findCountChange(episode, pattern, byEpisode.get(episode.id))) ?? []
    })
  }

  async function decideAll(tx: Transaction, groups: readonly PracticeGroup[]): Promise<PracticeOutcome[]> {
    const known = await findPractices(
      tx,
      kind,
      groups.map(({ key }) => key),
    )
    const byPlace = Map.groupBy(known, ({ place }) => place)
    return groups.map((_, place) => decidePracticeOutcome(byPlace.get(place) ?? []))
  }

  /** Creates the practices with enough successes. Those that were erased earlier are not created. */
  async function createPractices(tx: Transaction, newGroups: readonly PracticeGroup[], input: StageInput) {
    const toUpdate: ChangesByPractice = new Map()
    const candidates = newGroups.filter(({ countChanges }) => countChanges.some(({ to }) => to === 'success'))
    if (candidates.length === 0) return { createdIds: [], toUpdate }
    const keys = candidates.map(({ key }) => key)
    const pending = new Map((await countPending(tx, kind.stage, keys)).map((each) => [each.place, each]))
    const allPolicies = await policies.getAll(tx)
    const drafts = candidates.flatMap((group, place): Draft[] => {
      const pendingCounts = pending.get(place)
      const creation = findPracticeCreation(group, toOutcomeCounts(pendingCounts), kind)
      if (!creation) return []
      const id = ids.next()
      toUpdate.set(id, creation.laterChanges)
      const counted = creation.countedChanges.map(({ episode }) => episode.id)
      const sources = [...counted, ...(pendingCounts?.episodes ?? [])]
      return [draft(group, creation, { id, input, policies: allPolicies, sources: [...new Set(sources)] })]
    })
    const stored =
      drafts.length === 0 ? new Set() : (await insertRecords(tx, drafts, { textLanguage, seal })).ids
    for (const id of toUpdate.keys()) if (!stored.has(id)) toUpdate.delete(id)
    return { createdIds: [...toUpdate.keys()], toUpdate }
  }

  function draft(
    { pattern }: PracticeGroup,
    { creatingEpisode, counts }: PracticeCreation,
    { id, sources, input: { now, runId }, policies }: DraftInput,
  ): Draft {
    const payload = { ...pattern.compose(creatingEpisode), [kind.countsField]: kind.writeCounts(counts) }
    const provenance = {
      sources: sources.slice(0, maxNamedSources).map((ref) => ({ kind: 'event' as const, ref })),
      created_by: kind.actor,
    }
    const draftOptions = { id, actor: kind.actor, now, runId, policies, episodes: [creatingEpisode] as const }
    const drafted = draftConsolidated({ type: kind.type, payload, provenance }, draftOptions)
    const others = sources.filter((source) => source !== creatingEpisode.id)
    const edges = others.map((target) => createEdge(id, 'derived_from', target, now))
    const descents = others.map((source) => createDescent(id, source))
    return { ...drafted, edges: [...drafted.edges, ...edges], descents: [...drafted.descents, ...descents] }
  }

  /** An existing edge shows that the episode was counted, here or where both were imported from. */
  async function updatePractices(
    tx: Transaction,
    toUpdate: ChangesByPractice,
    { now, runId, effectsRunId }: Pick<StageInput, 'now' | 'runId' | 'effectsRunId'>,
  ) {
    const practices =
      toUpdate.size === 0 ? [] : await claimPractices(tx, [...toUpdate.keys()], kind.countsField)
    const links = practices.flatMap(({ id }) =>
      (toUpdate.get(id) ?? []).flatMap(({ from, episode }): EpisodeLink[] =>
        from ? [] : [{ derived: id, episode: episode.id }],
      ),
    )
    const link = () => insertEpisodeLinks(tx, links, now, effectsRunId)
    const linked = links.length === 0 ? [] : await saveEffectsByStatement(tx, effectsRunId, link)
    const fresh = new Set(linked.map(({ derived, episode }) => `${derived} ${episode}`))
    const updated = practices.flatMap((practice) => {
      const countChanges = (toUpdate.get(practice.id) ?? []).filter(
        ({ from, episode }) => from !== undefined || fresh.has(`${practice.id} ${episode.id}`),
      )
      return countChanges.length === 0 ? [] : [updatePractice(practice, countChanges, kind, now)]
    })
    if (updated.length === 0) return { reinforced: 0, changes: [] }
    await writeUpdatedPractices(tx, updated, { actor: kind.actor, countsField: kind.countsField, now, runId })
    const changes = updated.map(({ id, entries, storedCounts }): Change => {
      const isReinforced = entries.some(({ action }) => action === 'reinforce')
      return { record_id: id, action: isReinforced ? 'reinforce' : 'revise', after: storedCounts }
    })
    const actions = updated.flatMap(({ entries }) => entries.map(({ action }) => action))
    return { reinforced: actions.filter((action) => action === 'reinforce').length, changes }
  }
}

type DraftInput = {
  id: string
  sources: readonly string[]
  input: StageInput
  policies: Policies
}

function toOutcomeCounts({ successes = 0, failures = 0 }: Partial<PendingCounts> = {}): OutcomeCounts {
  return { successes, failures, lastAt: null }
}
