import type { Database } from '../db/connection.ts'
import type { CallContext } from '../db/transaction.ts'
import { isOpenTo } from '../db/visibility.ts'
import { embeddedEdgesAmongMany } from '../domain/embedded-edges.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { findRecords, presentRecord, redactRecord, type StoredRecord } from '../records/index.ts'
import { findPastStates } from './candidates.queries.ts'
import { type Channels, createCandidates, type Roots } from './candidates.service.ts'
import { expand } from './expansion.service.ts'
import { type CandidateNode, edgesAmong } from './graph-growth.ts'
import { presentPast } from './past-record.ts'
import { type Question, readQuestion } from './question.ts'
import type { Retrieval, RetrievedNode, RetrieveQuery } from './retrieval.schemas.ts'
import { readTrackRecord, type Selection, type SelectionCandidate, selectProcedure } from './selection.ts'

type Resources = Channels & { db: Database; clock: Clock; selectionThreshold: number }

export type RetrievalService = ReturnType<typeof createRetrievalService>

/** The answer, and what of it counts as served once it was sent. */
export type ServedAnswer = { answer: Retrieval; servedIds: string[] }

export function createRetrievalService({ db, clock, selectionThreshold, ...channels }: Resources) {
  const candidates = createCandidates({ db, ...channels })

  async function retrieve(call: CallContext, asked: RetrieveQuery): Promise<ServedAnswer> {
    const now = clock.now()
    const question = readQuestion(asked, call.caller.trust, now)
    if (question.at > now) throw refusal('/as_of', 'must not be in the future')
    const sought = { text: asked.task_descriptor, given: await readVector(asked.query_embedding) }
    const { node_limit: nodeLimit = 25, root_limit: rootLimit = 10, max_hops: maxHops = 1 } = asked
    const [roots, suppressed] = await Promise.all([
      candidates.findRoots(question, sought, Math.min(rootLimit, nodeLimit), now),
      asked.explain ? candidates.findSuppressed(question, sought, now) : undefined,
    ])
    const { sprouts, followed } = await expand(db, question, roots.sprouts, { maxHops, nodeLimit })
    const told = await presentNodes(question, sprouts, asked.explain ?? false)
    const ids = told.nodes.map(({ record }) => record.id)
    const selection = selectAmong(roots, told.stored, question, selectionThreshold)
    const edges = edgesAmong(ids, followed, asked.edge_limit ?? 100)
    const answer = {
      nodes: told.nodes,
      edges: edges.map((edge) => ({ ...edge, created_at: edge.created_at.toISOString() })),
      root_ids: told.nodes.filter(({ root }) => root).map(({ record }) => record.id),
      ...(selection ? { selection } : {}),
      ...(suppressed ? { suppressed } : {}),
    }
    return { answer, servedIds: told.nodes.filter(isWhole).map(({ record }) => record.id) }
  }

  async function readVector(given: RetrieveQuery['query_embedding']) {
    if (!given) return undefined
    const model = await channels.queryEmbedder.servingModel()
    if (!model) throw refusal('/query_embedding', 'must be of the model that serves: none does')
    const { dimensions } = model
    if (given.length !== dimensions)
      throw refusal('/query_embedding', `must have ${dimensions} numbers, as the vectors that are searched`)
    const vector = Float32Array.from(given)
    if (!vector.every(Number.isFinite)) throw refusal('/query_embedding', 'must fit into 32 bits each')
    return { model, vector }
  }

  /** The records are read last, once, and only those that are answered. What went meanwhile is left out. */
  async function presentNodes(question: Question, sprouts: readonly CandidateNode[], isExplained: boolean) {
    const ids = sprouts.map(({ id }) => id)
    const [stored, past] = await Promise.all([
      ids.length === 0 ? [] : findRecords(db, ids, question.trust, embeddedEdgesAmongMany),
      question.isPast && ids.length > 0 ? findPastStates(db, ids, question) : [],
    ])
    const byId = new Map(stored.filter((each) => !each.forgotten_at).map((each) => [each.id, each]))
    const pastById = new Map(past.map((then) => [then.id, then]))
    const nodes = sprouts.flatMap(({ id, hop, score, signals }): RetrievedNode[] => {
      const record = byId.get(id)
      if (!record) return []
      const shown = present(record, question, pastById.get(id))
      const explained = isExplained && !('redacted' in shown) ? { signals } : {}
      return [{ record: shown, root: hop === 0, hop, score, ...explained }]
    })
    return { nodes, stored: byId }
  }

  return { retrieve }
}

function present(
  stored: StoredRecord,
  { trust, at }: Question,
  then: Parameters<typeof presentPast>[1] | undefined,
) {
  if (!isOpenTo(trust, stored.sensitivity)) return redactRecord(stored, at)
  const record = presentRecord(stored, at)
  return then ? presentPast(record, then, at) : record
}

/** Which of the procedures among the roots to follow. */
function selectAmong(
  { sprouts, fits }: Roots,
  stored: ReadonlyMap<string, StoredRecord>,
  { trust, at }: Question,
  threshold: number,
): Selection | null {
  const contenders = sprouts.flatMap(({ id }): SelectionCandidate[] => {
    const record = stored.get(id)
    if (!record || !isOpenTo(trust, record.sensitivity)) return []
    const known = readTrackRecord(record.payload)
    // Nothing asked: nobody can tell what fits. Something asked and not a word in common: it does not.
    const applicability = fits.size === 0 ? null : (fits.get(id) ?? 0)
    return known ? [{ id, applicability, ...known }] : []
  })
  return selectProcedure(contenders, at, threshold)
}

function isWhole({ record }: RetrievedNode): boolean {
  return !('redacted' in record)
}

function refusal(pointer: string, message: string): AppError {
  return new AppError('validation_failed', 'This cannot be retrieved.', { errors: [{ pointer, message }] })
}
