import type { Statement } from './newer-statements.ts'
import type { KnownText, RecordTraits } from './record-traits.ts'

/**
 * The factors by which the score of a candidate is multiplied: what kind of record it is, and what the question asks about.
 * docs/quality-experiments.md has the figures behind them.
 */

export type ScoreInputs = Statement &
  Partial<RecordTraits & Pick<KnownText, 'speaker'>> & { salience: number; importance: number }

export const neutralFactors = {
  time_factor: 1,
  speaker_factor: 1,
  name_factor: 1,
  evidence_factor: 1,
  guidance_factor: 1,
  asking_factor: 1,
  salience_factor: 1,
  importance_factor: 1,
  recency_factor: 1,
  question_factor: 1,
}

/** How far each prior can move a score, both ways. Together they never lift a record over one that is 1.13 times as relevant. */
const priorSpan = { salience: 0.02, importance: 0.02, recency: 0.02 }

/** For a record of a time that the question names. */
const timeFactor = 1.5

/** For a message of another speaker, where the question names one. Messages to that speaker contain the name as well. */
const otherSpeakerFactor = 2 / 3

/** For a message of an assistant, if the question is about the person who asks: the answer is in the messages of that person. */
const assistantFactor = 3 / 4

/** For a message of an assistant, if the question is about what the assistant told. */
const replyFactor = 4 / 3

/** For an entity of which only the name is known: a person who asks with that name knows it already. */
const onlyNameFactor = 0.5

/** For an episode that states a fact and nothing else: the fact is a record of its own, and says the same. */
const factEvidenceFactor = 0.5

/**
 * For an instruction that holds from now on, a preference, or what a person says of themselves, if the question asks for help: it
 * shares few words with the question.
 */
const guidanceFactor = 1.7

/**
 * For a message that only asks: an earlier question rarely answers a new one, and its words also count for the answer that follows.
 */
const askingFactor = 0.5

/** What a question asks about, as far as its words say it. */
export type QuestionTraits = {
  /** Whether a time is of a period that it names. */
  isOfPeriod?: ((time: Date) => boolean) | undefined
  /** Whether it names nothing but a time. */
  isPeriodAll?: boolean | undefined
  /** The speakers that it names. */
  named?: ReadonlySet<string>
  /** Whether it is about the person who asks. */
  isAboutAsker?: boolean
  /** Whether it is about what an assistant told. */
  isAboutReplies?: boolean
  /** Whether it is about the person who asks, or wants help for that person. */
  isForAsker?: boolean
  /** Whether it is about a question that was asked before. */
  isAboutQuestions?: boolean
  /** The stems of its words, without those of remarks. */
  stems?: readonly string[]
  /** The stems of the names of the speakers that it names. */
  nameStems?: ReadonlySet<string>
}

/** Returns the factors of one of the candidates, in a fixed order: a product of floats depends on the order of its terms. */
export function createFactors(
  inputs: ReadonlyMap<string, ScoreInputs>,
  { isOfPeriod, isForAsker, isAboutQuestions, ...speakers }: QuestionTraits,
): (input: ScoreInputs) => typeof neutralFactors {
  const times = sortTimes(inputs)
  const weighSpeaker = createSpeakerWeight(speakers)
  return (input) => ({
    time_factor: isOfPeriod?.(input.created_at) ? timeFactor : 1,
    speaker_factor: weighSpeaker(input),
    name_factor: input.isOnlyName ? onlyNameFactor : 1,
    evidence_factor: input.statesOnlyFact ? factEvidenceFactor : 1,
    guidance_factor: isForAsker && input.isGuidance ? guidanceFactor : 1,
    asking_factor: input.onlyAsks && !isAboutQuestions ? askingFactor : 1,
    salience_factor: computeFactor(Math.min(1, input.salience), priorSpan.salience),
    importance_factor: computeFactor(input.importance, priorSpan.importance),
    recency_factor: computeFactor(rankTime(times, input.created_at.getTime()), priorSpan.recency),
    question_factor: 1,
  })
}

/** Returns the factor of who wrote a message. Where the question names one of the speakers, it is about that one. */
function createSpeakerWeight({
  named = new Set(),
  isAboutAsker = false,
  isAboutReplies = false,
}: Pick<QuestionTraits, 'named' | 'isAboutAsker' | 'isAboutReplies'>): (input: ScoreInputs) => number {
  return ({ speaker, isOfAssistant }) => {
    if (speaker && named.size > 0 && !named.has(speaker)) return otherSpeakerFactor
    if (!isOfAssistant) return 1
    if (isAboutReplies) return replyFactor
    return isAboutAsker ? assistantFactor : 1
  }
}

/** From 1 - span for 0 to 1 + span for 1. */
function computeFactor(share: number, span: number): number {
  return 1 + span * (2 * share - 1)
}

function sortTimes(inputs: ReadonlyMap<string, ScoreInputs>): number[] {
  return [...new Set(Array.from(inputs.values(), (input) => input.created_at.getTime()))].sort(
    (a, b) => a - b,
  )
}

/** The newest of some times in ascending order is 1, the oldest 0: only the order of two statements matters, not their ages. */
function rankTime(times: readonly number[], time: number): number {
  return times.length < 2 ? 1 : times.indexOf(time) / (times.length - 1)
}
