import Type from 'typebox'
import { describeEntity } from '../entity-description.ts'
import type { Entity, EntityFact } from '../entity-facts.queries.ts'
import type { DreamQuestion } from '../model-question.ts'
import { formatRecords, getMember, readText } from '../prompt-lines.ts'

/** The question to a chat model for the profile of an entity. */

export type ProfileQuestion = DreamQuestion<string> & {
  /** The records that the profile is made from. */
  shownRecords: readonly EntityFact[]
}

/** An entity with fewer facts gets no profile. */
export const minFacts = 5
/** The newest facts; more would not fit into the prompt. */
export const maxFacts = 40
/** In characters: about six thousand tokens. */
const maxRecordsLength = 24_000
const maxProfileLength = 4_000

const system = [
  'You write the profile of one entity from what an agent has recorded about it.',
  'profile: at most two hundred words of plain prose: what or who it is, what is known about it, and what has changed.',
  'Where records disagree, the newer one holds. Keep names, dates and numbers as they are written.',
].join('\n')

const ProfileAnswer = Type.Object(
  { profile: Type.String({ minLength: 1, maxLength: maxProfileLength }) },
  { description: 'The profile of an entity.' },
)

/** Returns undefined if too few facts can be shown. `known` are the facts, the newest first. */
export function buildQuestion(entity: Entity, known: readonly EntityFact[]): ProfileQuestion | undefined {
  if (known.length < minFacts) return undefined
  const { shownRecords, lines } = formatRecords(known, maxRecordsLength)
  if (shownRecords.length < minFacts) return undefined
  const document = { entity: describeEntity(entity), records: lines }
  return { system, document, schema: ProfileAnswer, name: 'profile', read: readProfile, shownRecords }
}

function readProfile(answer: unknown): string | undefined {
  return readText(getMember(answer, 'profile'), maxProfileLength)
}
