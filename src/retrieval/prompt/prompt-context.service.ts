import type { Database } from '../../db/connection.ts'
import type { CallContext } from '../../db/transaction.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { MemoryRecord } from '../../records/index.ts'
import { listAnswerConditions } from '../filters.queries.ts'
import { readQuestion } from '../question/question.ts'
import { readQuestionText } from '../question/question-text.ts'
import { asksForTasks } from '../question/tasks-in-question.ts'
import type { RetrievedNode } from '../retrieval.schemas.ts'
import type { RetrievalService } from '../retrieval.service.ts'
import type { ContextQuery, PromptContext } from './prompt-context.schemas.ts'
import { createPromptRecordSearch } from './prompt-records.service.ts'
import { writePrompt } from './prompt-writing.ts'
import { hasNewerState, mapWholeRecords } from './record-checks.ts'

type Resources = { db: Database; clock: Clock; retrieval: RetrievalService; conversationGapMs: number }

export type PromptContextService = ReturnType<typeof createPromptContextService>

/** How many roots are searched for a text if the query does not say. */
const usualRoots = 20
/** How many are searched if those leave room. At once these would take a quarter more time, and messages fill the text without them. */
const mostRoots = 40
/** A text that is fuller than this share of its tokens has no room for more roots. */
const roomyShare = 3 / 4

const maxTasks = 20

export function createPromptContextService({ db, clock, retrieval, conversationGapMs }: Resources) {
  const { findProfiles, gatherRecords } = createPromptRecordSearch({ db, retrieval, conversationGapMs })

  /** Writes the text. Short notes leave room in it: then it is written once more with more roots. */
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
      const withTasks = { ...answer, nodes: [...openTasks, ...others] }
      const found = await gatherRecords(question, conditions, withTasks, profileIds)
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
    const records = mapWholeRecords(answer.nodes)
    return answer.nodes.filter(({ record: { id } }) => isOpenTask(records.get(id), records))
  }

  return { build }
}

function isOpenTask(record: MemoryRecord | undefined, records: ReadonlyMap<string, MemoryRecord>): boolean {
  return (
    record?.payload.kind === 'working' && record.payload.state !== 'done' && !hasNewerState(record, records)
  )
}

/** Whether more roots could fill the text. If there are fewer items than roots, nothing more was found. */
function hasRoom({ items, omitted, token_estimate: tokens }: PromptContext, maxTokens: number): boolean {
  return (
    items.length + omitted.length >= usualRoots &&
    tokens < roomyShare * maxTokens &&
    omitted.every(({ reason }) => reason !== 'budget')
  )
}
