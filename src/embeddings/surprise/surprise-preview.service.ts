import type { CallContext } from '../../db/transaction.ts'
import { openTo } from '../../db/visibility.ts'
import type { Caller } from '../../domain/caller.ts'
import { defaultImportance } from '../../domain/record-defaults.ts'
import { surpriseOf, surprisingNeighbours } from '../../domain/surprise.ts'
import { writableScope } from '../../domain/write-trust.ts'
import { AppError } from '../../kernel/errors.ts'
import type { createQuerying } from '../query-embedding.service.ts'
import type { createVectorSearch } from '../vector-search.service.ts'
import { decodeKept, likest } from './decoded-neighbours.ts'
import { knownIn } from './surprise-comparison.queries.ts'
import type { SurprisePreview, SurpriseQuery } from './surprise-preview.schemas.ts'

type Resources = {
  querying: ReturnType<typeof createQuerying>
  vectors: ReturnType<typeof createVectorSearch>
}

export type PreviewingService = ReturnType<typeof createPreviewing>

export function createPreviewing({ querying, vectors }: Resources) {
  async function preview({ caller }: CallContext, asked: SurpriseQuery): Promise<SurprisePreview> {
    const scope = chooseScope(caller, asked.scope)
    if (!(await querying.servingModel())) throw new AppError('no_vectors', 'There are no vectors to compare.')
    const read = await querying.embedText(asked.text)
    if (read.outcome === 'unanswered') throw new AppError('model_unavailable', 'The model does not answer.')
    if (read.outcome !== 'embedded') throw wordless()
    const { model, vector } = read
    const found = await vectors.findCandidates({
      ...{ model, vector, scopes: [scope], limit: surprisingNeighbours },
      conditions: [openTo(caller.trust), ...knownIn(scope, caller.trust.maxSensitivity)],
    })
    const known = found.map((each) => decodeKept(each, model.dimensions))
    const neighbours = likest(vector, known, surprisingNeighbours)
    const { base_importance, surprise } = surpriseOf(asked.base_importance ?? defaultImportance, neighbours)
    return { ...surprise, base_importance }
  }

  return { preview }
}

/** One that the key lacks is asked about all the same: it finds nothing there, as anywhere that is empty. */
function chooseScope(caller: Caller, named: string | undefined): string {
  return named ?? writableScope(caller, undefined)
}

function wordless(): AppError {
  const errors = [{ pointer: '/text', message: 'must have a word: without one there is no vector' }]
  return new AppError('validation_failed', 'The text says nothing.', { errors })
}
