import type { Transaction } from '../../db/transaction.ts'
import type { Seal } from '../../domain/tombstone-seal.ts'
import type { Change } from '../../jobs/runs.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { PoliciesService } from '../../policies/index.ts'
import { type Draft, insertRecords } from '../../records/index.ts'
import { lockHandles } from '../episode-batches.queries.ts'
import { createEpisodeStage } from '../episode-batches.service.ts'
import { draftKnowledge, recordLesson } from '../facts/fact-draft.ts'
import { insertWitnesses } from '../facts/facts.queries.ts'
import type { Lesson, Outcome, Stage } from '../stages.ts'
import { type Group, groupMoves, type Move, moveOf } from './outcome-counts.ts'
import { type Fate, findFounder, judge, learn } from './practice.ts'
import type { Craft, Tally } from './practice-kind.ts'
import {
  claimPractices,
  countWaiting,
  findCounted,
  findPractices,
  type Waiting,
  writeCounted,
  writeLearnt,
} from './practices.queries.ts'

type Resources = {
  clock: Clock
  ids: Ids
  seal: Seal
  textLanguage: string
  policies: Pick<PoliciesService, 'getAll'>
  size?: number
}

/** By the record that learns of them. */
type Taught = Map<string, Move[]>

/** What is done the same way again and again becomes known, with how often it went well and how often not. */
export function createCounting(
  craft: Craft,
  { ids, seal, textLanguage, policies, ...resources }: Resources,
): Stage {
  return createEpisodeStage(craft.stage, resources, consolidate)

  async function consolidate(tx: Transaction, lesson: Lesson): Promise<Outcome> {
    const { isRehearsal, now, runId } = lesson
    const groups = groupMoves(await findMoves(tx, lesson))
    if (groups.length === 0) return {}
    const keys = groups.map(({ key }) => key)
    if (!isRehearsal) await lockHandles(tx, keys)
    const fates = await judgeAll(tx, groups)
    const unknown = groups.filter((_, place) => fates[place]?.outcome === 'unknown')
    const { born, taught } = await makeKnown(tx, unknown, lesson)
    for (const [place, { moves }] of groups.entries()) {
      const fate = fates[place]
      if (fate?.outcome === 'fed') taught.set(fate.id, [...(taught.get(fate.id) ?? []), ...moves])
    }
    const { reinforced, changes } = await teach(tx, taught, { now, runId })
    await writeCounted(
      tx,
      craft.stage,
      groups.flatMap(({ moves }) => moves),
    )
    return {
      counts: { [craft.figure]: born.length, duplicates_resolved: reinforced },
      changes: [...born.map((id) => ({ record_id: id, action: 'create' })), ...changes],
    }
  }

  async function findMoves(tx: Transaction, { episodes }: Lesson): Promise<Move[]> {
    const counted = await findCounted(
      tx,
      craft.stage,
      episodes.map(({ id }) => id),
    )
    const byEpisode = new Map(counted.map((each) => [each.episode, each]))
    return episodes.flatMap((episode) => {
      const form = craft.read(episode)
      return (form && moveOf(episode, form, byEpisode.get(episode.id))) ?? []
    })
  }

  async function judgeAll(tx: Transaction, groups: readonly Group[]): Promise<Fate[]> {
    const known = await findPractices(
      tx,
      craft,
      groups.map(({ key }) => key),
    )
    const byPlace = Map.groupBy(known, ({ place }) => place)
    return groups.map((_, place) => judge(byPlace.get(place) ?? []))
  }

  /** Stores those that went well often enough; those that were erased stay unknown. */
  async function makeKnown(tx: Transaction, unknown: readonly Group[], lesson: Lesson) {
    const taught: Taught = new Map()
    const hopeful = unknown.filter(({ moves }) => moves.some(({ to }) => to === 'success'))
    if (hopeful.length === 0) return { born: [], taught }
    const keys = hopeful.map(({ key }) => key)
    const waiting = new Map((await countWaiting(tx, craft.stage, keys)).map((each) => [each.place, each]))
    const known = await policies.getAll(tx)
    const drafts = hopeful.flatMap((group, place): Draft[] => {
      const found = waiting.get(place)
      const founded = findFounder(group, tallyOf(found), craft)
      if (!founded) return []
      const id = ids.next()
      taught.set(id, founded.later)
      const sources = [...founded.founding.map(({ episode }) => episode.id), ...(found?.episodes ?? [])]
      return [draft(group, founded, { ...{ id, lesson, policies: known }, sources: [...new Set(sources)] })]
    })
    const stored = drafts.length === 0 ? new Set() : (await insertRecords(tx, drafts, textLanguage, seal)).ids
    for (const id of taught.keys()) if (!stored.has(id)) taught.delete(id)
    return { born: [...taught.keys()], taught }
  }

  function draft(
    { form }: Group,
    { founder, tally }: NonNullable<ReturnType<typeof findFounder>>,
    { id, sources, lesson: { now, runId }, policies }: Founding,
  ): Draft {
    const payload = { ...form.compose(founder), [craft.member]: craft.writeTally(tally) }
    const provenance = {
      sources: sources.slice(0, mostSources).map((ref) => ({ kind: 'event' as const, ref })),
      created_by: craft.actor,
    }
    const birth = { id, actor: craft.actor, now, runId, policies, episodes: [founder] as const }
    const drafted = draftKnowledge({ type: craft.type, payload, provenance }, birth)
    const others = sources.filter((source) => source !== founder.id)
    const edges = others.map((target) => ({
      ...{ source_id: id, predicate: 'derived_from', target_id: target, weight: 1, created_at: now },
    }))
    const descents = others.map((source) => recordLesson(id, source))
    return {
      ...drafted,
      ...{ edges: [...drafted.edges, ...edges], descents: [...drafted.descents, ...descents] },
    }
  }

  /** An edge that is there already says that the episode was counted, here or where both were imported from. */
  async function teach(tx: Transaction, taught: Taught, { now, runId }: Pick<Lesson, 'now' | 'runId'>) {
    const nothing = { reinforced: 0, changes: [] as Change[] }
    const practices = taught.size === 0 ? [] : await claimPractices(tx, [...taught.keys()], craft.member)
    const pairs = practices.flatMap(({ id }) =>
      (taught.get(id) ?? []).flatMap(({ from, episode }) =>
        from ? [] : [{ fact: id, episode: episode.id }],
      ),
    )
    const linked = pairs.length === 0 ? [] : await insertWitnesses(tx, pairs, now)
    const fresh = new Set(linked.map(({ fact, episode }) => `${fact} ${episode}`))
    const learnt = practices.flatMap((practice) => {
      const moves = (taught.get(practice.id) ?? []).filter(
        ({ from, episode }) => from !== undefined || fresh.has(`${practice.id} ${episode.id}`),
      )
      return moves.length === 0 ? [] : [learn(practice, moves, craft, now)]
    })
    if (learnt.length === 0) return nothing
    await writeLearnt(tx, learnt, { actor: craft.actor, member: craft.member, now, runId })
    const changes = learnt.map(({ id, entries, kept }): Change => {
      const isReinforced = entries.some(({ action }) => action === 'reinforce')
      return { record_id: id, action: isReinforced ? 'reinforce' : 'revise', after: kept }
    })
    const actions = learnt.flatMap(({ entries }) => entries.map(({ action }) => action))
    return { reinforced: actions.filter((action) => action === 'reinforce').length, changes }
  }
}

type Founding = {
  id: string
  sources: readonly string[]
  lesson: Lesson
  policies: Parameters<typeof draftKnowledge>[1]['policies']
}

const mostSources = 100

function tallyOf(waiting: Waiting | undefined): Tally {
  return { successes: waiting?.successes ?? 0, failures: waiting?.failures ?? 0, lastAt: null }
}
