import type { Database } from '../db/connection.ts'
import type { CallContext } from '../db/transaction.ts'
import { isOpenTo, type Trust } from '../domain/trust/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { type AppError, createFaultError } from '../kernel/errors.ts'
import { isWhole, presentSeen, readFirst, type StoredRecord } from '../records/index.ts'
import { presentEdge } from '../relations/index.ts'
import { type Channels, createChannelSearch, hasContent } from './channels/channel-search.service.ts'
import { type Expanded, expand } from './expansion/expansion.service.ts'
import { listEdgesAmong } from './expansion/expansion.ts'
import { findPastStates } from './instant/past-record.queries.ts'
import { type PastState, presentPast } from './instant/past-record.ts'
import { type Question, readQuestion } from './question/question.ts'
import { type QuestionText, readQuestionText } from './question/question-text.ts'
import type { Retrieval, RetrievedNode, RetrieveQuery, Selection } from './retrieval.schemas.ts'
import { createRootSearch } from './root-search.service.ts'
import type { Roots } from './roots.ts'
import { readTrackRecord, type SelectionCandidate, selectProcedure } from './selection.ts'
import { createSuppressionSearch } from './suppression/suppression.service.ts'

type Resources = Channels & {
  db: Database
  clock: Clock
  selectionThreshold: number
  conversationGapMs: number
}

export type RetrievalService = ReturnType<typeof createRetrievalService>

/** The answer, and the records that count as served once it is sent. */
export type ServedAnswer = { answer: Retrieval; servedIds: string[] }

/** A forgotten record is missed if it would be among the first ten. */
const regretDepth = 10

export function createRetrievalService({ db, clock, selectionThreshold, ...channels }: Resources) {
  const search = createChannelSearch({ db, ...channels })
  const findRoots = createRootSearch({ db, text: channels.text, search })
  const findSuppressed = createSuppressionSearch({ db, search })

  /** `fallsBack: false`: the answer is empty where nothing matches the question. */
  async function retrieve(
    call: CallContext,
    input: RetrieveQuery,
    { fallsBack = true }: { fallsBack?: boolean } = {},
  ): Promise<ServedAnswer> {
    const question = readQuestion(input, call.caller.trust, clock.now())
    if (question.at > question.now) throw createRefusal('/as_of', 'must not be in the future')
    const queryVector = await readVector(input.query_embedding)
    const content = { text: readText(input), queryVector, fallsBack }
    const { node_limit: nodeLimit = 25, root_limit: rootLimit = 10, max_hops: maxHops = 1 } = input
    const [roots, suppressed] = await Promise.all([
      findRoots(question, content, Math.min(rootLimit, nodeLimit)),
      input.explain ? findSuppressed(question, content) : undefined,
    ])
    const expanded = await expand(db, question, roots.candidateNodes, { maxHops, nodeLimit })
    const presented = await presentNodes(question, expanded, input.explain ?? false)
    const ids = presented.nodes.map(({ record }) => record.id)
    const selection = selectAmong(roots, presented.stored, question, selectionThreshold)
    const edges = listEdgesAmong(ids, expanded.followed, input.edge_limit ?? 100)
    const answer = {
      nodes: presented.nodes,
      edges: edges.map(presentEdge),
      root_ids: presented.nodes.filter(({ root }) => root).map(({ record }) => record.id),
      ...(selection ? { selection } : {}),
      ...(suppressed ? { suppressed } : {}),
    }
    return { answer, servedIds: presented.nodes.flatMap(({ record }) => (isWhole(record) ? record.id : [])) }
  }

  async function readVector(numbers: RetrieveQuery['query_embedding']) {
    if (!numbers) return undefined
    const model = await channels.queryEmbedder.readServingModel()
    if (!model) throw createRefusal('/query_embedding', 'cannot be used: no embedding model is serving')
    const { dimensions } = model
    if (numbers.length !== dimensions)
      throw createRefusal(
        '/query_embedding',
        `must have ${dimensions} numbers, like the vectors that are searched`,
      )
    const vector = Float32Array.from(numbers)
    if (!vector.every(Number.isFinite))
      throw createRefusal('/query_embedding', 'must be numbers that fit into 32-bit floats')
    return { model, vector }
  }

  /** Reads only records of the answer, each once. Those that were deleted meanwhile are left out. */
  async function presentNodes(
    question: Question,
    { candidateNodes, rootRecords }: Expanded,
    isExplained: boolean,
  ) {
    const ids = candidateNodes.map(({ id }) => id)
    const { shown, stored } = await presentRecords(question, ids, rootRecords)
    const nodes = candidateNodes.flatMap(({ id, hop, score, signals }): RetrievedNode[] => {
      const record = shown.get(id)
      if (!record) return []
      const explained = isExplained && isWhole(record) ? { signals } : {}
      return [{ record, root: hop === 0, hop, score, ...explained }]
    })
    return { nodes, stored }
  }

  /** Reads records that a search under the conditions of the question has found, without those that were `read` before. */
  async function presentRecords(
    question: Question,
    ids: readonly string[],
    read: readonly StoredRecord[] = [],
  ) {
    const readIds = new Set(read.map(({ id }) => id))
    const others = ids.filter((id) => !readIds.has(id))
    const [found, past] = await Promise.all([
      readFirst(db, question.trust, others),
      question.isPast && ids.length > 0 ? findPastStates(db, ids, question) : [],
    ])
    const stored = [...read, ...found]
    const byId = new Map(stored.filter((each) => !each.forgotten_at).map((each) => [each.id, each]))
    const pastById = new Map(past.map((then) => [then.id, then]))
    const present = Array.from(
      byId,
      ([id, each]) => [id, presentAt(each, question, pastById.get(id))] as const,
    )
    return { shown: new Map(present), stored: byId }
  }

  /**
   * The ids of the first ten records that would answer if nothing had been forgotten, under the same trust. Empty for a
   * question without content: those are answered by salience, and what faded has none.
   */
  async function findWithForgotten(trust: Trust, input: RetrieveQuery): Promise<string[]> {
    const question = { ...readQuestion(input, trust, clock.now()), includesForgotten: true }
    const content = { text: readText(input), queryVector: await readVector(input.query_embedding) }
    if (question.isPast || !hasContent(content)) return []
    const { candidateNodes } = await findRoots(question, content, regretDepth)
    return candidateNodes.map(({ id }) => id)
  }

  return { retrieve, presentRecords, findWithForgotten }
}

function readText({ task_descriptor: asked }: RetrieveQuery): QuestionText | undefined {
  return asked === undefined ? undefined : readQuestionText(asked)
}

function presentAt(stored: StoredRecord, { trust, at }: Question, then: PastState | undefined) {
  const record = presentSeen(trust, stored, at)
  return then && isWhole(record) ? presentPast(record, then, at) : record
}

/** Ranks the procedures among the roots. */
function selectAmong(
  { candidateNodes, fits }: Roots,
  stored: ReadonlyMap<string, StoredRecord>,
  { trust, at }: Question,
  threshold: number,
): Selection | null {
  const procedures = candidateNodes.flatMap(({ id }): SelectionCandidate[] => {
    const record = stored.get(id)
    if (!record || !isOpenTo(trust, record.sensitivity)) return []
    const known = readTrackRecord(record.payload)
    // Without a question it is unknown what fits. With a question, a record without a match does not fit.
    const applicability = fits.size === 0 ? null : (fits.get(id) ?? 0)
    return known ? [{ id, applicability, ...known }] : []
  })
  return selectProcedure(procedures, at, threshold)
}

function createRefusal(pointer: string, message: string): AppError {
  return createFaultError('The retrieval request is not valid.', { pointer, message })
}
