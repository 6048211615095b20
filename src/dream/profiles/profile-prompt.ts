import Type from 'typebox'
import { describeEntity } from '../entity-description.ts'
import type { Entity, Known } from '../entity-facts.queries.ts'
import type { DreamQuestion } from '../model-question.ts'
import { memberOf, readText, tellRecords } from '../prompt-lines.ts'

/** What a chat model is asked for the profile of an entity, and what it may answer. */

export type Question = DreamQuestion<string> & {
  /** The records it was made of. */
  told: readonly Known[]
}

/** An entity of which less is known needs no profile. */
export const leastKnown = 5
/** The newest; more would not fit. */
export const mostKnown = 40
/** Characters: some six thousand tokens. */
const longestTold = 24_000
const longestProfile = 4_000

const system = [
  'You write the profile of one entity out of what an agent has recorded about it.',
  'profile: at most two hundred words of plain prose: what or who it is, what is known of it, what has changed.',
  'Where records disagree the newer one holds. Keep names, dates and numbers as they are written.',
].join('\n')

const ProfileAnswer = Type.Object(
  { profile: Type.String({ minLength: 1, maxLength: longestProfile }) },
  { description: 'The profile of an entity.' },
)

/** Undefined where too little of what is known can be told. `known` are the newest first. */
export function questionOf(entity: Entity, known: readonly Known[]): Question | undefined {
  if (known.length < leastKnown) return undefined
  const { told, lines } = tellRecords(known, longestTold)
  if (told.length < leastKnown) return undefined
  const document = { entity: describeEntity(entity), records: lines }
  return { system, document, schema: ProfileAnswer, name: 'profile', read: readProfile, told }
}

function readProfile(answer: unknown): string | undefined {
  return readText(memberOf(answer, 'profile'), longestProfile)
}
