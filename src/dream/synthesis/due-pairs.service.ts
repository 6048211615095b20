import type { Database } from '../../db/connection.ts'
import { findServingModel } from '../../embeddings/index.ts'
import { type Entity, findEntity, findEntityFacts } from '../entity-facts.queries.ts'
import type { ModelSession } from '../model-question.ts'
import type { DreamContext } from '../steps.ts'
import { createQuestionDigest } from '../verdict-digest.ts'
import type { Pair } from './entity-pairs.ts'
import { findPairs } from './pair-search.service.ts'
import { findRememberedDigests, findUnrelatedPairs, listScopes } from './synthesis.queries.ts'
import { buildQuestion, type EntityWithFacts, maxFacts, type SynthesisQuestion } from './synthesis-prompt.ts'

export const step = 'synthesis'

/** Per run. */
const maxScopes = 20
const pageSize = 200

/** The question about two entities. */
export type DuePair = { one: Entity; other: Entity; question: SynthesisQuestion; digest: Buffer }

/** Yields one pair after the other, because the result of a pair may be shown with the next. */
export async function* listDuePairs(context: DreamContext, model: ModelSession): AsyncGenerator<DuePair> {
  for await (const pairs of listPairs(context, model)) {
    for (const pair of await findUnasked(context.db, model, pairs)) {
      const due = await preparePair(context.db, model, pair)
      if (due) yield due
    }
  }
}

async function* listPairs(context: DreamContext, model: ModelSession): AsyncGenerator<readonly Pair[]> {
  const { db } = context
  const serving = await findServingModel(db)
  const ceiling = model.maxSensitivity
  if (!serving) return
  for (const scope of await listScopes(db, { scope: context.run.scope, ceiling, limit: maxScopes })) {
    const pairs = await findPairs(db, context, { scope, ceiling, model: serving })
    for (let from = 0; from < pairs.length; from += pageSize) {
      await context.throwIfEnded()
      yield pairs.slice(from, from + pageSize)
    }
  }
}

async function findUnasked(db: Database, model: ModelSession, pairs: readonly Pair[]): Promise<Pair[]> {
  const named = pairs.map((pair) => ({ ...pair, digest: createPairDigest(pair, model) }))
  const digests = named.map(({ digest }) => digest)
  const remembered = await findRememberedDigests(db, digests)
  const fresh = named.filter(({ digest }) => !remembered.has(digest.toString('hex')))
  return fresh.length === 0 ? [] : findUnrelatedPairs(db, fresh)
}

/** Returns undefined if the two may not be connected, or have no fact that can be shown. */
export async function preparePair(
  db: Database,
  model: ModelSession,
  { onlyIds, ...pair }: Pick<Pair, 'one' | 'other'> & { onlyIds?: readonly string[] },
) {
  const one = await readSide(db, model, { id: pair.one, onlyIds })
  const other = await readSide(db, model, { id: pair.other, onlyIds })
  if (!one || !other || one.entity.scope !== other.entity.scope) return undefined
  const question = buildQuestion([one, other])
  return question && { one: one.entity, other: other.entity, question, digest: createPairDigest(pair, model) }
}

async function readSide(
  db: Database,
  { maxSensitivity }: ModelSession,
  { id, onlyIds }: { id: string; onlyIds: readonly string[] | undefined },
): Promise<EntityWithFacts | undefined> {
  const entity = await findEntity(db, { id, ceiling: maxSensitivity })
  return entity && { entity, facts: await findEntityFacts(db, id, { limit: maxFacts, onlyIds }) }
}

/**
 * The digest depends on the entities and not on their facts, so a rejected pair stays rejected when new facts arrive.
 */
function createPairDigest({ one, other }: Pick<Pair, 'one' | 'other'>, { model }: ModelSession): Buffer {
  return createQuestionDigest({ step, model, inputs: [one, other] })
}
