import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { Database } from '../../db/connection.ts'
import type { Sensitivity } from '../../domain/caller.ts'
import { decode } from '../../domain/vector-codes.ts'
import type { DreamContext } from '../steps.ts'
import { inOrder, type Outlined, outlineOf, type Pair, pairsOf } from './entity-pairs.ts'
import { findSaid, listBestKnown } from './synthesis.queries.ts'

/** Each is compared with each other one, so these are few: 125,000 pairs at most. */
const mostEntities = 500
const mostSaid = 30
/** Entities whose vectors are held at once. */
const page = 50

type Sought = { scope: string; ceiling: Sensitivity; model: { id: number; dimensions: number } }

/** The pairs of one scope that are alike and come from different contexts, whatever is known between them. */
export async function findPairs(db: Database, context: DreamContext, sought: Sought): Promise<Pair[]> {
  const outlined = await outlineAll(db, context, sought)
  const pairs: Pair[] = []
  for (const [index, one] of outlined.entries()) {
    pairs.push(...pairsOf(one, outlined.slice(index + 1)))
    if (index % page === 0) await yieldTurn()
  }
  return inOrder(pairs)
}

async function outlineAll(
  db: Database,
  context: DreamContext,
  { scope, ceiling, model }: Sought,
): Promise<Outlined[]> {
  const ids = await listBestKnown(db, { scope, ceiling, limit: mostEntities })
  const outlined: Outlined[] = []
  for (let from = 0; from < ids.length; from += page) {
    await context.throwIfEnded()
    const some = ids.slice(from, from + page)
    const said = await findSaid(db, { ids: some, modelId: model.id, most: mostSaid })
    const byEntity = Map.groupBy(said, ({ entity_id: id }) => id)
    for (const id of some) {
      const decoded = (byEntity.get(id) ?? []).map(({ code, bits, tags }) => ({
        ...{ vector: decode(code, model.dimensions, bits), tags },
      }))
      const outline = outlineOf(id, decoded)
      if (outline) outlined.push(outline)
    }
  }
  return outlined
}
