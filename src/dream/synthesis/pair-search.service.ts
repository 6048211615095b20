import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { Database } from '../../db/connection.ts'
import type { Sensitivity } from '../../domain/trust/caller.ts'
import { findThresholds } from '../../domain/vectors/similarity-thresholds.ts'
import { decode } from '../../domain/vectors/vector-codes.ts'
import type { DreamContext } from '../steps.ts'
import { createOutline, type EntityOutline, findSimilar, type Pair, sortPairs } from './entity-pairs.ts'
import { findEntityVectors, listMostReferencedEntities } from './synthesis.queries.ts'

/** Every pair is compared, which limits the number of entities: 125,000 pairs at most. */
const maxEntities = 500
const maxFactVectors = 30
/** Entities whose vectors are in memory at the same time. */
const pageSize = 50

type PairFilter = {
  scope: string
  ceiling: Sensitivity
  /** Vectors of different models cannot be compared. */
  model: { id: number; provider: string; dimensions: number }
}

/** Returns the similar pairs of one scope that come from different contexts, whether or not they are already linked. */
export async function findPairs(db: Database, context: DreamContext, filter: PairFilter): Promise<Pair[]> {
  const outlines = await createOutlines(db, context, filter)
  const { connected } = findThresholds(filter.model.provider)
  const pairs: Pair[] = []
  for (const [index, one] of outlines.entries()) {
    pairs.push(...findSimilar(one, outlines.slice(index + 1), connected))
    if (index % pageSize === 0) await yieldTurn()
  }
  return sortPairs(pairs)
}

async function createOutlines(
  db: Database,
  context: DreamContext,
  { scope, ceiling, model }: PairFilter,
): Promise<EntityOutline[]> {
  const ids = await listMostReferencedEntities(db, { scope, ceiling, limit: maxEntities })
  const outlines: EntityOutline[] = []
  for (let from = 0; from < ids.length; from += pageSize) {
    await context.throwIfEnded()
    const pageIds = ids.slice(from, from + pageSize)
    const factVectors = await findEntityVectors(db, {
      ids: pageIds,
      modelId: model.id,
      limit: maxFactVectors,
    })
    const byEntity = Map.groupBy(factVectors, ({ entity_id: id }) => id)
    for (const id of pageIds) {
      const decoded = (byEntity.get(id) ?? []).map(({ code, bits, tags }) => ({
        vector: decode(code, model.dimensions, bits),
        tags,
      }))
      const outline = createOutline(id, decoded)
      if (outline) outlines.push(outline)
    }
  }
  return outlines
}
