import type { Database } from '../../db/connection.ts'
import { createFactHandle } from '../../domain/identity/handles.ts'
import { nilUuid } from '../../kernel/ids.ts'
import { type Entity, findEntity, findEntityFacts } from '../entity-facts.queries.ts'
import type { ModelSession } from '../model-question.ts'
import type { DreamContext } from '../steps.ts'
import { createQuestionDigest } from '../verdict-digest.ts'
import { hasVerdict } from '../verdicts.queries.ts'
import { buildQuestion, maxFacts, type ProfileQuestion } from './profile-prompt.ts'
import {
  findLastProfiledEntity,
  findProfiles,
  findWrittenProfile,
  listWellKnownEntities,
  type Profile,
  type WrittenProfile,
} from './profiles.queries.ts'

/** Columns, counters and the API call a profile a peer card. */
export const step = 'peer_cards'
export const actor = 'dream/peer_cards'

/** The question about an entity, and its current profile. */
export type DueProfile = {
  entity: Entity
  question: ProfileQuestion
  digest: Buffer
  current: Profile | undefined
}

const pageSize = 100
/** The largest id. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * Yields the profiles to ask for. Starts where the last run ended, so that every entity has its turn even if there is more to ask than one run
 * allows.
 */
export async function* listDueProfiles(
  context: DreamContext,
  model: ModelSession,
): AsyncGenerator<DueProfile> {
  const turn = (await findLastProfiledEntity(context.db)) ?? nilUuid
  for (const [after, until] of [
    [turn, lastId],
    [nilUuid, turn],
  ] as const) {
    for await (const id of listIds(context, model, { after, until })) {
      const due = await prepareProfile(context.db, model, { id })
      if (due && !(await hasVerdict(context.db, { step, digest: due.digest }))) yield due
    }
  }
}

async function* listIds(
  context: DreamContext,
  { maxSensitivity: ceiling }: ModelSession,
  { after: first, until }: { after: string; until: string },
): AsyncGenerator<string> {
  let after: string | undefined = first
  while (after !== undefined) {
    await context.throwIfEnded()
    const span = { scope: context.run.scope, ceiling, after, until }
    const page: string[] = await listWellKnownEntities(context.db, { ...span, limit: pageSize })
    yield* page
    after = page.length < pageSize ? undefined : page.at(-1)
  }
}

/**
 * Prepares the question about an entity. Returns undefined if there is nothing to ask: too few facts, no new facts, or a profile that this step did not write.
 */
export async function prepareProfile(
  db: Database,
  model: ModelSession,
  { id, onlyIds }: { id: string; onlyIds?: readonly string[] },
): Promise<DueProfile | undefined> {
  const entity = await findEntity(db, { id, ceiling: model.maxSensitivity })
  const facts = entity ? await findEntityFacts(db, id, { limit: maxFacts, onlyIds }) : []
  const question = entity && buildQuestion(entity, facts)
  if (!question) return undefined
  const { scope, sensitivity } = entity
  const shownIds = question.shownRecords.map((each) => each.id)
  const inputs = [id, scope, sensitivity, ...shownIds, JSON.stringify(question.document)]
  const digest = createQuestionDigest({ step, model: model.model, inputs })
  const written = await findWrittenProfile(db, id)
  if (written?.digest.equals(digest)) return undefined
  const topic = createFactHandle({ subject: id, predicate: 'profile' }).digest
  const profileId = written?.card_id ?? null
  const [current, ...others] = await findProfiles(db, { digest: topic, scope, profileId, author: actor })
  if (others.length > 0 || (current && !isOwn(current, written))) return undefined
  return { entity, question, digest, current }
}

/** An imported profile was written by a dream too, but `peer_cards` has no row for it here. */
function isOwn({ id, pinned, is_dreamt: isDreamt }: Profile, written: WrittenProfile | undefined): boolean {
  return !pinned && (written?.card_id ? written.card_id === id : isDreamt)
}
