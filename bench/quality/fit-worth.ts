import { placeInConversation } from '../../src/domain/worth/worth-context.ts'
import {
  readWorthParts,
  type WorthPart,
  type WorthValues,
  worthParts,
} from '../../src/domain/worth/worth-parts.ts'
import type { Conversation, Corpus } from './corpus.ts'
import { fitLogistic } from './logistic-regression.ts'

/**
 * Fits the weights of src/domain/worth/worth-weights.ts: which parts of a message tell that it is needed later. Only
 * development conversations are read.
 */

/** Fitted to conversations of two people. */
const fittedToChats: readonly WorthPart[] = [
  'information',
  'novelty',
  'figures',
  'times',
  'names',
  'people',
  'first_person',
  'answer',
  'question',
  'greeting',
]
/** Fitted to conversations about work, besides the parts above. */
const fittedToWork: readonly WorthPart[] = ['preference', 'correction', 'outcome']

/**
 * Not fitted, because no corpus has enough of it: a person's words are worth more than an assistant's, and much more where the two
 * chat, the output of tools is kept about as often as it is needed, and a short fact reaches the middle.
 */
const chosen: Partial<Record<WorthPart, number>> = {
  identifiers: 0.3,
  decision: 0.3,
  role: 0.5,
  machine: 0.3,
  distilled: 1.5,
  advice: -2.6,
}

/**
 * Added to the finished weights, because no corpus of the fit asks for them: a request to an assistant that says nothing about the
 * person, what a person needs, wants or sets, and what was just said. With more for a wish, less of LoCoMo is kept.
 */
const added: Partial<Record<WorthPart, number>> = { request: -2, wish: 1, repeated: -1.5 }

/** A penalty on the square of weights, of parts in units of their standard deviation. */
const ridge = { chats: 5, work: 20 } as const
/** The standard deviation of the sum of all contributions, over messages. */
const spread = 1.2

type Example = { values: WorthValues; isNeeded: boolean; group: number }

export function fitWorth(chats: Corpus, work: readonly Corpus[]): Record<WorthPart, number> {
  const weights = { ...emptyWeights(), ...chosen }
  const ofChats = listExamples(chats, 0)
  Object.assign(weights, fitParts(ofChats, fittedToChats, weights, ridge.chats))
  const ofWork = work.flatMap((corpus, group) => listExamples(corpus, group))
  Object.assign(weights, fitParts(ofWork, fittedToWork, weights, ridge.work))
  return { ...standardise(weights, ofChats), ...added }
}

function emptyWeights(): Record<WorthPart, number> {
  return Object.fromEntries(worthParts.map((part) => [part, 0])) as Record<WorthPart, number>
}

function listExamples({ conversations }: Corpus, group: number): Example[] {
  return conversations.filter(({ split }) => split === 'dev').flatMap((each) => listMessages(each, group))
}

function listMessages({ messages, questions }: Conversation, group: number): Example[] {
  const needed = new Set(questions.flatMap(({ evidence }) => evidence))
  const said = messages.map(({ role, name, content }) => ({
    role,
    text: content,
    ...(name === undefined ? {} : { name }),
  }))
  return placeInConversation(said, []).map((judged, index) => ({
    values: readWorthParts(judged),
    isNeeded: needed.has(messages[index]?.id ?? ''),
    group,
  }))
}

/** The other weights stay. Corpora need different shares of their messages, so each has a constant of its own. */
function fitParts(
  examples: readonly Example[],
  parts: readonly WorthPart[],
  weights: Readonly<Record<WorthPart, number>>,
  penalty: number,
): Partial<Record<WorthPart, number>> {
  const groups = new Set(examples.map(({ group }) => group)).size - 1
  const fitted = fitLogistic(
    examples.map(({ values, isNeeded, group }) => ({
      features: [
        ...parts.map((part) => values[part]),
        ...Array.from({ length: groups }, (_, at) => (group === at ? 1 : 0)),
      ],
      offset: sumOf(values, weights),
      outcome: isNeeded,
    })),
    penalty,
  )
  return Object.fromEntries(parts.map((part, at) => [part, fitted[at] ?? 0]))
}

function sumOf(values: WorthValues, weights: Readonly<Record<WorthPart, number>>): number {
  return worthParts.reduce((sum, part) => sum + values[part] * weights[part], 0)
}

/** Scales the weights, and sets `basis` so that the mean message of the chats has the sum 0. */
function standardise(weights: Record<WorthPart, number>, examples: readonly Example[]) {
  const sums = examples.map(({ values }) => sumOf(values, weights))
  const mean = sums.reduce((sum, each) => sum + each, 0) / sums.length
  const deviation = Math.sqrt(sums.reduce((sum, each) => sum + (each - mean) ** 2, 0) / sums.length)
  const factor = spread / deviation
  const scaled = worthParts.map((part) => [part, (weights[part] ?? 0) * factor] as const)
  return Object.fromEntries([
    ...scaled.map(([part, weight]) => [part, Number(weight.toFixed(3))]),
    ['basis', Number((-mean * factor).toFixed(3))],
  ]) as Record<WorthPart, number>
}
