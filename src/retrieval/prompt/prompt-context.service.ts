import type { Database } from '../../db/connection.ts'
import type { Conditions } from '../../db/fragments/conditions.ts'
import type { CallContext } from '../../db/transaction.ts'
import {
  createFactHandle,
  isListPredicate,
  nameHandle,
  observedPredicate,
} from '../../domain/identity/handles.ts'
import { isHistory } from '../../domain/schemas/vocabulary.ts'
import type { Clock } from '../../kernel/clock.ts'
import { isUuid } from '../../kernel/ids.ts'
import { isWhole, type MemoryRecord } from '../../records/index.ts'
import { listAnswerConditions, listContextConditions } from '../filters.queries.ts'
import { listNames } from '../question/names-in-question.ts'
import { type Question, readQuestion } from '../question/question.ts'
import { readQuestionText } from '../question/question-text.ts'
import { asksForTasks } from '../question/tasks-in-question.ts'
import type { Retrieval, RetrievedNode } from '../retrieval.schemas.ts'
import type { RetrievalService } from '../retrieval.service.ts'
import { findMessagesAround } from '../text/surroundings/surroundings.queries.ts'
import {
  type Dispute,
  findByHandles,
  findDisputes,
  findEntityNames,
  findOpposites,
} from './prompt-context.queries.ts'
import type { ContextQuery, PromptContext } from './prompt-context.schemas.ts'
import type { Pair } from './prompt-order.ts'
import { type Found, writePrompt } from './prompt-writing.ts'
import { hasNewerState, isContested, isMessage } from './record-checks.ts'

type Resources = { db: Database; clock: Clock; retrieval: RetrievalService; conversationGapMs: number }

export type PromptContextService = ReturnType<typeof createPromptContextService>

/** How many roots a text has if the query does not say. */
const usualRoots = 20
/** How many it has if those leave room. Finding these at once takes a quarter more time, and messages fill the text without them. */
const mostRoots = 40
/** A text that is fuller than this share of its tokens has no room for more roots. */
const roomyShare = 3 / 4

const maxEntities = 4
/** Entities of a name whose profiles are looked up. */
const maxNamed = 16
const maxDisputes = 100
const maxTasks = 20

export function createPromptContextService({ db, clock, retrieval, conversationGapMs }: Resources) {
  /** If the roots that are usual leave room in the text, as short notes do, more are found. */
  async function build(
    call: CallContext,
    { root_limit, max_tokens: maxTokens = 1_500, format = 'markdown', ...query }: ContextQuery,
  ): Promise<PromptContext> {
    const { task_descriptor: task, node_limit = 50, max_hops = 0 } = query
    const question = readQuestion(query, call.caller.trust, clock.now())
    const conditions = listAnswerConditions(question, 'whole')
    const { asking } = readQuestionText(task)
    const profiles = findProfiles(task, question, conditions)
    const tasks = asksForTasks(task) ? findTasks(call, query) : []
    // Records that have nothing to do with the task are worse than none: a model would take them as related. But "What am I working
    // on?" has no word of the tasks, and who asks for tasks alone means all of them.
    const fallsBack = question.types?.every((type) => type === 'working') ?? false

    async function writeWith(roots: number): Promise<PromptContext> {
      const limits = { root_limit: roots, node_limit, max_hops, edge_limit: 0 }
      const [{ answer }, profileIds, openTasks] = await Promise.all([
        retrieval.retrieve(call, { ...query, ...limits }, { fallsBack }),
        profiles,
        tasks,
      ])
      const ids = new Set(openTasks.map(({ record }) => record.id))
      const others = answer.nodes.filter(({ record }) => !ids.has(record.id))
      const found = await gather(
        question,
        conditions,
        { ...answer, nodes: [...openTasks, ...others] },
        profileIds,
      )
      return writePrompt(found, { question: asking, maxTokens, format })
    }

    if (root_limit !== undefined) return writeWith(root_limit)
    const usual = await writeWith(usualRoots)
    return hasRoom(usual, maxTokens) ? writeWith(mostRoots) : usual
  }

  /** The tasks under way: the newest state of each, unless that is `done`. They have no word of a question for them. */
  async function findTasks(
    call: CallContext,
    { task_descriptor: _, query_embedding: _1, memory_types: types, ...query }: ContextQuery,
  ): Promise<RetrievedNode[]> {
    if (types && !types.includes('working')) return []
    const limits = { root_limit: maxTasks, node_limit: maxTasks, max_hops: 0, edge_limit: 0 }
    const { answer } = await retrieval.retrieve(call, { ...query, memory_types: ['working'], ...limits })
    const records = new Map(
      answer.nodes.flatMap(({ record }) => (isWhole(record) ? [[record.id, record]] : [])),
    )
    return answer.nodes.filter(({ record: { id } }) => isOpenTask(records.get(id), records))
  }

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
  async function gather(
    question: Question,
    conditions: Conditions,
    answer: Retrieval,
    profileIds: readonly string[],
  ): Promise<Found> {
    const records = new Map(
      answer.nodes.flatMap(({ record }) => (isWhole(record) ? [[record.id, record]] : [])),
    )
    const facts = [...records.values()].filter(({ type }) => type === 'semantic')
    const [messagesAround, contradictions] = await Promise.all([
      findAdjacentMessages(conditions, [...records.values()].filter(isMessage)),
      findContradictions(question, conditions, { facts, profileIds }),
    ])
    const otherFacts = contradictions.map(({ other }) => other)
    const added = [...profileIds, ...[...messagesAround.values()].flat(), ...otherFacts]
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
    return { answer, records, profileIds, messagesAround, disputes, names }
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

  return { build }
}

function isOpenTask(record: MemoryRecord | undefined, records: ReadonlyMap<string, MemoryRecord>): boolean {
  return (
    record?.payload.kind === 'working' && record.payload.state !== 'done' && !hasNewerState(record, records)
  )
}

/** Fewer items than roots were asked for: nothing more was found. */
function hasRoom({ items, omitted, token_estimate: tokens }: PromptContext, maxTokens: number): boolean {
  return (
    items.length + omitted.length >= usualRoots &&
    tokens < roomyShare * maxTokens &&
    omitted.every(({ reason }) => reason !== 'budget')
  )
}

/** A fact that was replaced or retracted disputes nothing. */
function isStanding(record: MemoryRecord | undefined): boolean {
  return record !== undefined && !isHistory(record.status)
}

function holdsBesideOthers(payload: MemoryRecord['payload']): boolean {
  if (payload.kind !== 'semantic') return false
  return payload.predicate === observedPredicate || isListPredicate(payload.predicate)
}
