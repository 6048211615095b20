import { compareTexts } from '../../kernel/text-order.ts'

/** Puts the newer of two nearly equal statements before the older one, because it is probably what holds now. */

type Scored = { id: string; score: number }
/** `words`: its stems. */
export type Statement = { created_at: Date; words?: readonly string[] | null }

/** The stems of a question, and those of them that are the names of speakers. */
type AskedStems = { stems?: readonly string[]; nameStems?: ReadonlySet<string> }

/** In words. Longer texts are no single statement, and are not compared with others. */
export const longestStatement = 60

/** How many of the best records are compared. Every pair is. */
const maxCompared = 50
const minShared = 2
/** The share of the words of both that two nearly equal statements have in common. */
const minOverlap = 0.5

/**
 * The share of the question's stems, without names of speakers, that the older statement has. "Yes, of course" says nothing that a newer
 * one could replace.
 */
const minQuestionShare = 0.5

/**
 * Gives each statement at least the score of every older one that says nearly the same, and orders by score. A statement
 * that lacks a stem of the question which the older one has is about something else: "Peter lives in Berlin" does not
 * replace "Anna lives in Berlin" where Anna is asked about.
 */
export function putNewerFirst<T extends Scored & { signals: object }>(
  ranked: readonly T[],
  statements: ReadonlyMap<string, Statement>,
  { stems = [], nameStems = new Set() }: AskedStems = {},
): T[] {
  const getTime = ({ id }: Scored) => statements.get(id)?.created_at.getTime() ?? 0
  const asked = new Set(stems)
  // Each message of a speaker has the words of the name, and "Yes" by the one who is asked about says nothing.
  const topic = new Set(stems.filter((word) => !nameStems.has(word)))
  const compared = ranked.slice(0, maxCompared).map((node) => {
    const words = new Set(statements.get(node.id)?.words?.filter(isWordOfText))
    const isOnTopic = countShared(topic, words) >= minQuestionShare * topic.size
    return {
      node,
      time: getTime(node),
      words,
      isOnTopic,
      askedWords: [...words].filter((word) => asked.has(word)),
    }
  })
  const lifted = compared.map(({ node, time, words }, place) => {
    // The list is in order, so the first older one has the highest score of them.
    const older = compared.find(
      (other, at) =>
        at < place &&
        other.time < time &&
        other.isOnTopic &&
        other.askedWords.every((word) => words.has(word)) &&
        isNearlyEqual(words, other.words),
    )?.node
    if (!older || older.score === node.score) return node
    return { ...node, score: older.score, signals: { ...node.signals, raised_by: older.id } }
  })
  return [...lifted, ...ranked.slice(maxCompared)].sort(
    (one, other) =>
      other.score - one.score || getTime(other) - getTime(one) || compareTexts(one.id, other.id),
  )
}

/** Scope and type are indexed as words with a space. */
function isWordOfText(word: string): boolean {
  return !word.includes(' ')
}

function isNearlyEqual(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [few, many] = one.size < other.size ? [one, other] : [other, one]
  if (few.size < minOverlap * many.size) return false
  const shared = countShared(few, many)
  return shared >= minShared && shared >= minOverlap * (few.size + many.size - shared)
}

function countShared(some: ReadonlySet<string>, words: ReadonlySet<string>): number {
  let shared = 0
  for (const word of some) if (words.has(word)) shared += 1
  return shared
}
