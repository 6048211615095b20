import type { Database } from '../../db/connection.ts'
import type { CallContext } from '../../db/transaction.ts'
import { writeSearchableText } from '../../domain/payloads/searchable-text.ts'
import { getRank, isOpenTo } from '../../domain/trust/caller.ts'
import type { Embedding } from '../../domain/vectors/similarity.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError, createFaultError } from '../../kernel/errors.ts'
import { findReadableRecord, presentRecord, readFirst } from '../../records/index.ts'
import type { QueryVector, VectorChannel } from '../channels/vector-matches.service.ts'
import { listAnswerConditions } from '../filters.queries.ts'
import { listSearchedScopes, readQuestion } from '../question/question.ts'
import type { SimilarQuery, SimilarRecords } from './similar.schemas.ts'

type Resources = VectorChannel & { db: Database; clock: Clock }
type Model = QueryVector['model']

export type SimilarService = ReturnType<typeof createSimilarService>

export function createSimilarService({ db, clock, queryEmbedder, vectors }: Resources) {
  async function find(call: CallContext, input: SimilarQuery): Promise<SimilarRecords> {
    const now = clock.now()
    const { record_id: id, text, limit = 10 } = input
    if ((id === undefined) === (text === undefined)) throw createBothOrNeitherError()
    const question = readQuestion(input.trust ? { trust: input.trust } : {}, call.caller.trust, now)
    const caller = { ...call.caller, trust: question.trust }
    const stored = id === undefined ? undefined : await findReadableRecord(db, caller, id, now)
    const model = await queryEmbedder.readServingModel()
    if (!model) throw new AppError('no_vectors', 'There are no vectors to search.')
    const vector = stored ? await findVector(stored, model) : await embedText(text ?? '', model)
    if (!vector) return { items: [] }
    const found = await vectors.find({
      model,
      vector,
      conditions: listAnswerConditions(question, 'whole'),
      scopes: listSearchedScopes(question),
      limit: limit + (stored ? 1 : 0),
    })
    const others = found.filter((neighbour) => neighbour.id !== stored?.id).slice(0, limit)
    return { items: await presentRecords(others, question.trust, now) }
  }

  /** A record without a vector is embedded now, unless the model may not read it. */
  async function findVector(stored: Awaited<ReturnType<typeof findReadableRecord>>, model: Model) {
    const known = await vectors.findVector(model, stored.id)
    if (known) return known
    if (getRank(stored.sensitivity) > getRank(model.max_sensitivity)) return undefined
    return embedText(writeSearchableText(stored.payload, stored.tags), model)
  }

  /** Returns undefined for a text without direction. */
  async function embedText(text: string, model: Model): Promise<Embedding | undefined> {
    const input = await queryEmbedder.embedText(text)
    if (input.outcome === 'unanswered') throw new AppError('model_unavailable', 'The model does not answer.')
    return input.outcome === 'embedded' && input.model.id === model.id ? input.vector : undefined
  }

  async function presentRecords(
    found: readonly { id: string; similarity: number }[],
    trust: CallContext['caller']['trust'],
    now: Date,
  ) {
    if (found.length === 0) return []
    const ids = found.map(({ id }) => id)
    const byId = new Map((await readFirst(db, trust, ids)).map((each) => [each.id, each]))
    return found.flatMap(({ id, similarity }) => {
      const record = byId.get(id)
      // A record that was forgotten or hidden between two statements is left out.
      const isThere = record && !record.forgotten_at && isOpenTo(trust, record.sensitivity)
      return isThere ? [{ record: presentRecord(record, now), similarity }] : []
    })
  }

  return { find }
}

function createBothOrNeitherError(): AppError {
  return createFaultError('The request needs exactly one of record_id and text.', {
    pointer: '',
    message: 'must have either record_id or text',
  })
}
