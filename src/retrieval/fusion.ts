import { compareMatches, type Match } from './channels/match.ts'
import { putNewerFirst, type Statement } from './newer-statements.ts'
import type { KnownText, RecordTraits } from './record-traits.ts'
import type { Signals } from './retrieval.schemas.ts'

/** One order out of several channels: relevance decides, salience and importance only among nearly equal matches. */

export type Channel = Signals['channels'][number]['channel']
export type ContentChannel = Exclude<Channel, 'salience'>

/** Matches by channel, best first; undefined for a channel that was not searched. */
export type ChannelMatches = Partial<Record<ContentChannel, readonly Match[] | undefined>>

/** The ids of all matches, each once. */
export function listIds(matches: ChannelMatches): string[] {
  return [...new Set(Object.values(matches).flatMap((found = []) => found.map(({ id }) => id)))]
}

export type ScoreInputs = Statement &
  Partial<RecordTraits & Pick<KnownText, 'speaker'>> & { salience: number; importance: number }

type Placement = Signals['channels'][number]

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

export type FusedNode = { id: string; score: number; signals: Signals }

// docs/decisions/0014 has the figures behind the weights of the channels, and docs/quality-experiments.md those behind the factors.

const channelWeights: Record<ContentChannel, number> = { text: 1, vector: 0.2, graph: 0.3, time: 0.4 }

/** Where the question names nothing but a time, its records are the answer. Otherwise their words are asked for too. */
const periodAloneWeight = 1

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

/** The traits of the question. */
export type QuestionTraits = {
  /** Whether a time is of a period that it names. */
  isOfPeriod?: ((time: Date) => boolean) | undefined
  /** Whether it names nothing but a time. */
  isPeriodAll?: boolean | undefined
  /** Those of some speakers that it names. */
  listNamed?: (speakers: Iterable<string>) => ReadonlySet<string>
  /** Whether it is about the person who asks. */
  isAboutAsker?: boolean
  /** Whether it is about what an assistant told. */
  isAboutReplies?: boolean
  /** Whether it is about the person who asks, or wants help for that person. */
  isForAsker?: boolean
  /** Whether it is about what somebody asked. */
  isAboutQuestions?: boolean
  /** The stems of its words. */
  stems?: readonly string[]
}

/** Returns the candidates of all channels, best first. */
export function fuse(
  matches: ChannelMatches,
  inputs: ReadonlyMap<string, ScoreInputs>,
  question: QuestionTraits = {},
): FusedNode[] {
  const computeFactors = createFactors(inputs, question)
  const weights = question.isPeriodAll ? { ...channelWeights, time: periodAloneWeight } : channelWeights
  const nodes: FusedNode[] = []
  for (const [id, channels] of placeMatches(matches, weights)) {
    const input = inputs.get(id)
    // A record that was forgotten between two statements has no inputs.
    if (!input) continue
    const fused = channels.reduce((sum, { contribution }) => sum + contribution, 0)
    const factors = computeFactors(input)
    const score = Object.values(factors).reduce((product, factor) => product * factor, fused)
    nodes.push({ id, score, signals: { channels, fused, ...factors } })
  }
  return putNewerFirst(nodes.sort(compareMatches), inputs, question.stems)
}

/** In a fixed order of channels: a sum of floats depends on the order of its terms. */
const channelOrder: readonly ContentChannel[] = ['vector', 'text', 'graph', 'time']

function placeMatches(
  matches: ChannelMatches,
  weights: Readonly<Record<ContentChannel, number>>,
): Map<string, Placement[]> {
  const placements = new Map<string, Placement[]>()
  for (const channel of channelOrder) {
    const found = matches[channel] ?? []
    const computeShare = createShareFunction(channel, found)
    const weight = weights[channel]
    for (const [index, { id, score }] of found.entries()) {
      const others = placements.get(id) ?? []
      placements.set(id, others)
      // A name counts once: that a record is linked with it says no more than that the record has its words.
      const counted =
        channel === 'graph' ? (others.find((each) => each.channel === 'text')?.contribution ?? 0) : 0
      const contribution = Math.max(0, weight * computeShare(score) - counted)
      others.push({ channel, rank: index + 1, weight, contribution })
    }
  }
  return placements
}

/** Scores by words are measured from 0, cosines from the lowest that was found: unrelated texts have one above 0. */
function createShareFunction(channel: Channel, found: readonly Match[]): (score: number) => number {
  const best = found[0]?.score ?? 0
  const worst = channel === 'vector' ? (found.at(-1)?.score ?? 0) : 0
  return (score) => (best > worst ? (score - worst) / (best - worst) : 1)
}

/** Returns the factors of one of the candidates, in a fixed order: a product of floats depends on the order of its terms. */
function createFactors(
  inputs: ReadonlyMap<string, ScoreInputs>,
  { isOfPeriod, isForAsker, isAboutQuestions, ...speakers }: QuestionTraits,
): (input: ScoreInputs) => typeof neutralFactors {
  const times = sortTimes(inputs)
  const weighSpeaker = createSpeakerWeight(inputs, speakers)
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
function createSpeakerWeight(
  inputs: ReadonlyMap<string, ScoreInputs>,
  {
    listNamed = () => new Set(),
    isAboutAsker = false,
    isAboutReplies = false,
  }: Pick<QuestionTraits, 'listNamed' | 'isAboutAsker' | 'isAboutReplies'>,
): (input: ScoreInputs) => number {
  const speakers = new Set([...inputs.values()].flatMap(({ speaker }) => speaker ?? []))
  const named = listNamed(speakers)
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
