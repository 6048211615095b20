import type { Database } from '../../db/connection.ts'
import { openTo } from '../../db/fragments/visibility.ts'
import type { CallContext } from '../../db/transaction.ts'
import { differsInDetail } from '../../domain/importance/changed-detail.ts'
import { comparedNeighbours, computeSurprise } from '../../domain/importance/surprise.ts'
import { writeJudgedText } from '../../domain/payloads/searchable-text.ts'
import type { Caller } from '../../domain/trust/caller.ts'
import { chooseWriteScope } from '../../domain/trust/write-trust.ts'
import { findThresholds } from '../../domain/vectors/similarity-thresholds.ts'
import { judgeWorth } from '../../domain/worth/worth.ts'
import { AppError, createFaultError } from '../../kernel/errors.ts'
import type { createQueryEmbedder } from '../embedders/query-embedding.service.ts'
import type { createVectorSearch } from '../search/vector-search.service.ts'
import { findMostSimilar } from './decoded-neighbours.ts'
import { findComparedRecords, listComparableConditions } from './surprise-comparison.queries.ts'
import type { SurprisePreview, SurpriseQuery } from './surprise-preview.schemas.ts'

type Resources = {
  db: Database
  queryEmbedder: ReturnType<typeof createQueryEmbedder>
  vectors: ReturnType<typeof createVectorSearch>
}

export type SurprisePreviewService = ReturnType<typeof createSurprisePreviewService>

export function createSurprisePreviewService({ db, queryEmbedder, vectors }: Resources) {
  async function preview({ caller }: CallContext, input: SurpriseQuery): Promise<SurprisePreview> {
    const scope = chooseScope(caller, input.scope)
    if (!(await queryEmbedder.readServingModel()))
      throw new AppError('no_vectors', 'There are no vectors to compare with.')
    const read = await queryEmbedder.embedText(input.text)
    if (read.outcome === 'unanswered') throw new AppError('model_unavailable', 'The model does not answer.')
    if (read.outcome !== 'embedded') throw createNoWordError()
    const { model, vector } = read
    const found = await vectors.findCandidates({
      model,
      vector,
      scopes: [scope],
      limit: comparedNeighbours,
      conditions: [openTo(caller.trust), ...listComparableConditions(scope, caller.trust.maxSensitivity)],
    })
    const neighbours = findMostSimilar(vector, found, comparedNeighbours)
    const base = input.base_importance ?? judgeText(input.text)
    const compare = (isCorrection: boolean) =>
      computeSurprise(base, neighbours, findThresholds(model.provider), isCorrection)
    const first = compare(false)
    const { duplicate_of: of } = first.surprise
    const [nearest] = of === undefined ? [] : await findComparedRecords(db, [of])
    const isCorrection = !!nearest?.payload && differsInDetail(input.text, writeJudgedText(nearest.payload))
    const { base_importance, surprise } = isCorrection ? compare(true) : first
    return { ...surprise, base_importance }
  }

  return { preview }
}

/**
 * A scope that the key does not have is searched all the same: nothing is found there, as in an empty scope.
 */
function chooseScope(caller: Caller, named: string | undefined): string {
  return named ?? chooseWriteScope(caller, undefined)
}

/** The base importance of a fact with this text. */
function judgeText(text: string): number {
  const evidence = { validity: { mode: 'global' as const }, evidence: [] }
  return judgeWorth({ kind: 'semantic', subject: '', predicate: '', object: text, ...evidence }).value
}

function createNoWordError(): AppError {
  return createFaultError('The text contains no word.', {
    pointer: '/text',
    message: 'must contain a word: without one there is no vector',
  })
}
