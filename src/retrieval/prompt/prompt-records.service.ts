import type { Database } from '../../db/connection.ts'
import type { Conditions } from '../../db/fragments/conditions.ts'
import {
  createFactHandle,
  isListPredicate,
  nameHandle,
  observedPredicate,
} from '../../domain/identity/handles.ts'
import { isHistory } from '../../domain/schemas/vocabulary.ts'
import { isUuid } from '../../kernel/ids.ts'
import { isWhole, type MemoryRecord } from '../../records/index.ts'
import { listContextConditions } from '../filters.queries.ts'
import { listNames } from '../question/names-in-question.ts'
import type { Question } from '../question/question.ts'
import type { Retrieval } from '../retrieval.schemas.ts'
import type { RetrievalService } from '../retrieval.service.ts'
import { findMessagesAround } from '../text/surroundings/surroundings.queries.ts'
import {
  type Dispute,
  findByHandles,
  findDisputes,
  findEntityNames,
  findNewerStates,
  findOpposites,
} from './prompt-context.queries.ts'
import type { Pair } from './prompt-order.ts'
import type { Found } from './prompt-writing.ts'
import { isContested, isMessage, mapWholeRecords } from './record-checks.ts'

type Resources = { db: Database; retrieval: RetrievalService; conversationGapMs: number }

const maxEntities = 4
/** Entities of a name whose profiles are looked up. */
const maxNamed = 16
const maxDisputes = 100

/** Returns the searches for the records that stand in a prompt beside those of the answer. */
export function createPromptRecordSearch({ db, retrieval, conversationGapMs }: Resources) {
  /**
   * The entities that the question names, each with its profile, and profiles of names without an entity. A profile is shown
   * although a filter excludes its entity.
   */
  async function findProfiles(text: string, question: Question, conditions: Conditions): Promise<string[]> {
    const names = listNames(text)
    if (names.length === 0) return []
    const digests = names.map((name) => nameHandle(name).digest)
    const named = { type: 'entity' as const, digests, scopes: question.scopes }
    const [shown, others] = await Promise.all([
      findByHandles(db, { ...named, conditions, limit: maxEntities }),
      findByHandles(db, { ...named, conditions: listContextConditions(question), limit: maxNamed }),
    ])
    const profiles = [...new Set([...shown, ...others, ...names])].map(
      (subject) => createFactHandle({ subject, predicate: 'profile' }).digest,
    )
    const facts = { type: 'semantic' as const, digests: profiles, conditions, limit: maxEntities }
    return [...shown, ...(await findByHandles(db, facts))]
  }

  /** Everything that could stand in the text. What retrieval did not find is found under the same conditions. */
  async function gatherRecords(
    question: Question,
    conditions: Conditions,
    answer: Retrieval,
    profileIds: readonly string[],
  ): Promise<Found> {
    const records = mapWholeRecords(answer.nodes)
    const facts = [...records.values()].filter(({ type }) => type === 'semantic')
    const tasks = [...records.values()].filter(({ type }) => type === 'working').map(({ id }) => id)
    const [messagesAround, contradictions, newerStates] = await Promise.all([
      findAdjacentMessages(conditions, [...records.values()].filter(isMessage)),
      findContradictions(question, conditions, { facts, profileIds }),
      // Its newest state may have no word of the question.
      tasks.length === 0 ? [] : findNewerStates(db, tasks, conditions),
    ])
    const otherFacts = contradictions.map(({ other }) => other)
    const newest = newerStates.map(({ newer }) => newer)
    const added = [...profileIds, ...[...messagesAround.values()].flat(), ...otherFacts, ...newest]
    const missing = [...new Set(added)].filter((id) => !records.has(id))
    const { shown } = await retrieval.presentRecords(question, missing)
    for (const record of shown.values()) if (isWhole(record)) records.set(record.id, record)
    const disputes = contradictions
      .filter(
        (each) =>
          each.is_stated || isContested(records.get(each.one)) || isContested(records.get(each.other)),
      )
      .filter(({ one, other }) => isStanding(records.get(one)) && isStanding(records.get(other)))
      .map(({ one, other }): Pair => [one, other])
    // The other side of a contest that has ended is an ordinary fact, and was not asked about.
    const undisputed = otherFacts.filter((id) => !disputes.flat().includes(id))
    for (const id of undisputed) if (missing.includes(id) && !profileIds.includes(id)) records.delete(id)
    const names = await nameSubjects(question, [...records.values()])
    return { answer, records, profileIds, messagesAround, disputes, newerStates, names }
  }

  /**
   * The facts that contradict a found one: by an edge, or by another value of its topic, unless it is a profile, an observed
   * event, or one of a list.
   */
  async function findContradictions(
    question: Question,
    conditions: Conditions,
    { facts, profileIds }: { facts: readonly MemoryRecord[]; profileIds: readonly string[] },
  ): Promise<Dispute[]> {
    const all = [...facts.map(({ id }) => id), ...profileIds]
    const ordinary = facts
      .filter(({ id, payload }) => !profileIds.includes(id) && !holdsBesideOthers(payload))
      .map(({ id }) => id)
    const [byEdge, byTopic] = await Promise.all([
      all.length === 0 ? [] : findDisputes(db, all, question, { conditions, limit: maxDisputes }),
      ordinary.length === 0 ? [] : findOpposites(db, ordinary, conditions),
    ])
    return [...byEdge, ...byTopic]
  }

  /** The names of the entities that facts are about, if they name them by their ids. */
  async function nameSubjects(
    question: Question,
    records: readonly MemoryRecord[],
  ): Promise<Map<string, string>> {
    const subjects = records.flatMap(({ payload }) => (payload.kind === 'semantic' ? [payload.subject] : []))
    const ids = subjects.filter(isUuid)
    const named = ids.length === 0 ? [] : await findEntityNames(db, ids, listContextConditions(question))
    return new Map(named.map(({ id, name }) => [id, name]))
  }

  /** The messages directly before and after, in the same session. */
  async function findAdjacentMessages(conditions: Conditions, messages: readonly MemoryRecord[]) {
    const ids = messages.map(({ id }) => id)
    const around = ids.length === 0 ? [] : await findMessagesAround(db, ids, conditions, 1)
    return new Map(
      around.map(({ message, ids: near, times }) => {
        const at = times[near.indexOf(message)]?.getTime() ?? 0
        const isNear = (_: string, index: number) =>
          Math.abs((times[index]?.getTime() ?? 0) - at) <= conversationGapMs
        return [message, near.filter(isNear).filter((id) => id !== message)]
      }),
    )
  }

  return { findProfiles, gatherRecords }
}

/** A fact that was replaced or retracted disputes nothing. */
function isStanding(record: MemoryRecord | undefined): boolean {
  return record !== undefined && !isHistory(record.status)
}

function holdsBesideOthers(payload: MemoryRecord['payload']): boolean {
  if (payload.kind !== 'semantic') return false
  return payload.predicate === observedPredicate || isListPredicate(payload.predicate)
}
