import { saturate } from '../importance/saturation.ts'
import { isAssistant, isToolOrSystem } from '../payloads/message-roles.ts'
import { isAscii } from '../words/ascii.ts'
import { computeRarity } from '../words/common-words.ts'
import { removeCopied } from './copied-text.ts'
import { separateMachineText } from './machine-text.ts'
import { countNames } from './names-in-text.ts'
import { readOwnText } from './own-text.ts'
import { isQuestion } from './questions.ts'
import {
  correction,
  decision,
  figures,
  firstPerson,
  greeting,
  outcome,
  people,
  preference,
  times,
  wish,
} from './worth-english.ts'
import { chooseOtherWords, greetingElsewhere } from './worth-languages.ts'

/** The signs in a text that it will be needed, by rule. Every part is a number from 0 to 1, `role` from -1. */

export const worthParts = [
  'basis',
  'information',
  'novelty',
  'figures',
  'times',
  'names',
  'identifiers',
  'people',
  'first_person',
  'answer',
  'question',
  'greeting',
  'decision',
  'preference',
  'correction',
  'outcome',
  'role',
  'machine',
  'distilled',
  'detail',
  'advice',
  'request',
  'wish',
  'repeated',
] as const
export type WorthPart = (typeof worthParts)[number]
export type WorthValues = Readonly<Record<WorthPart, number>>
export type WorthWeights = WorthValues

/** What is known of a message beside its text: its writer, and what the messages before it say about it. */
export type ConversationSignals = {
  /** Who wrote it, as the rules take it; none for a record that is no message. */
  role?: string | undefined
  /** The writer and the others of the conversation, whose names say nothing new. */
  speakers?: ReadonlySet<string>
  /** The message before is a question of another writer. */
  isAnswer?: boolean
  /** An assistant writes it to a person. */
  isAdvice?: boolean
  /** A person asks an assistant, and neither states anything nor says anything of itself. */
  isRequest?: boolean
  /** Its writer also writes in words of its own, so that a long text without them is copied. */
  mayCopy?: boolean
  /** The same was said shortly before. */
  isRepeated?: boolean
  /** Words that were said shortly before. */
  known?: ReadonlySet<string>
  /** In a conversation about work: how many words its writer usually writes. */
  usual?: number
}

export type JudgedText = ConversationSignals & {
  text: string
  /** Not what was said, but what was made of it: a fact, a skill, a plan, an entity, a task. */
  isDistilled?: boolean
}

/** In characters. The rest of a longer text is not read: the parts are at their largest value long before. */
const maxRead = 2_000
/** Only the beginning of an assistant's text is judged, so that a long answer is worth no more than a short one. */
const maxReadOfAssistant = 300
/** The rarity of all words together at which a part reaches 1. */
const fullInformation = 400
/** The words of logs, code and assistants count as much as those of one full sentence at most. */
const maxOfMachine = 0.6
/** In characters. Of a longer output the number of words says little. */
const maxOutput = 400
const maxDetailOfOutput = 0.4

export function readWorthParts(judged: JudgedText): WorthValues {
  const { text, isCopied } = readJudged(judged)
  const { prose: ownLines, machineShare } = separateMachineText(text)
  const prose = isCopied ? '' : ownLines
  const words = listWords(text.replace(greeting, ' ').replace(greetingElsewhere, ' '))
  const own = removeKeepRequests(prose)
  const lower = own.toLowerCase()
  const isMachine = isAssistant(judged.role) || isToolOrSystem(judged.role) || machineShare > 0.5
  const information = (known?: ReadonlySet<string>) => {
    let sum = 0
    for (const word of words) if (!known?.has(word)) sum += computeRarity(word)
    return Math.min(isMachine ? maxOfMachine : 1, saturate(sum, fullInformation))
  }
  const all = information()
  const others = chooseOtherWords(lower)
  const count = (full: number, ...patterns: readonly RegExp[]) =>
    saturate(
      patterns.reduce((sum, pattern) => sum + countDistinct(lower, pattern), 0),
      full,
    )
  return {
    basis: 1,
    information: all,
    novelty: judged.known ? information(judged.known) : all,
    figures: count(4, figures, others.figures),
    times: count(3, times, others.times),
    names: saturate(countNames(own, judged.speakers), 4),
    identifiers: saturate(countIdentifiers(own), 3),
    people: count(2, people),
    first_person: count(3, firstPerson, others.first_person),
    answer: judged.isAnswer ? 1 : 0,
    question: isQuestion(prose) ? 1 : 0,
    greeting: greeting.test(text) || greetingElsewhere.test(text) ? Math.min(1, 8 / (1 + words.size)) : 0,
    decision: count(2, decision, others.decision),
    preference: count(2, preference, others.preference),
    correction: count(2, correction, others.correction),
    outcome: count(2, outcome, others.outcome),
    role: readRole(judged.role),
    machine: machineShare,
    distilled: judged.isDistilled ? 1 : 0,
    detail: Math.min(
      isMachine && !isAssistant(judged.role) ? readMaxDetail(judged.text) : 1,
      readDetail(text, judged.usual),
    ),
    advice: judged.isAdvice ? 1 : 0,
    request: judged.isRequest || isCopied ? 1 : 0,
    repeated: judged.isRepeated ? 1 : 0,
    wish: isAssistant(judged.role) ? 0 : count(2, wish, others.wish),
  }
}

function readJudged(judged: JudgedText): { text: string; isCopied: boolean } {
  const { text, role, mayCopy } = judged
  if (!mayCopy || isAssistant(role) || isToolOrSystem(role))
    return { text: cutBeginning(judged), isCopied: false }
  const own = removeCopied(readOwnText(text))
  return { ...own, text: own.text.slice(0, maxRead) }
}

/** Returns the part of a text that the rules read. */
export function cutBeginning({ text, role }: Pick<JudgedText, 'text' | 'role'>): string {
  return (isToolOrSystem(role) ? text : readOwnText(text)).slice(
    0,
    isAssistant(role) ? maxReadOfAssistant : maxRead,
  )
}

function readMaxDetail({ length }: string): number {
  return length > maxOutput ? maxDetailOfOutput : maxOfMachine
}

/** How much is said: the number of different words and figures. The usual number gives 0.5. */
function readDetail(text: string, usual: number | undefined): number {
  if (usual === undefined) return 0
  const own = removeKeepRequests(text)
  const count = listWords(own).size + countDistinct(own, /\d+/g)
  return count / (count + usual)
}

/** The distinct words of a text, in lower case. Scripts without spaces are cut into pairs of characters. */
export function listWords(text: string): Set<string> {
  const read = text.slice(0, maxRead)
  if (isAscii(read)) return new Set(read.toLowerCase().match(asciiWord))
  return new Set(Array.from(read.matchAll(word), ([found]) => normalise(found)))
}

const asciiWord = /[a-z]+(?:'[a-z]+)?/g

const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{1,2}|\p{L}[\p{L}\p{M}]*(?:['’]\p{L}+)?/gu

function normalise(found: string): string {
  return found.replace('’', "'").toLowerCase()
}

/** An instruction to keep the text is not counted as a commitment or a preference. */
function removeKeepRequests(text: string): string {
  return text.replace(keepRequests, ' ')
}
const keepRequests =
  /\b(?:(?:this|that|it) (?:is|was) )?(?:(?:very|extremely|really|so|most|super) )?(?:important|critical|crucial|vital|essential|urgent)\b|\b(?:always|never|don't|do not|must not|please) (?:ever )?(?:forget|remember|delete|discard|erase|lose)\b|\b(?:keep|save|store|remember) (?:this|that|it)\b(?: forever| permanently)?/gi

function countDistinct(text: string, pattern: RegExp): number {
  const found = text.match(pattern)
  return found === null || found.length === 1 ? (found?.length ?? 0) : new Set(found).size
}

/** 1 for a person, -1 for an assistant. */
function readRole(role: string | undefined): number {
  if (role === undefined || isToolOrSystem(role)) return 0
  return isAssistant(role) ? -1 : 1
}

function countIdentifiers(text: string): number {
  if (!isAscii(text)) return countDistinct(text, identifiers)
  // Most texts have none, and looking for their beginnings at each word takes longer than all other patterns.
  return /[\d_/]|[a-z][A-Z]/.test(text) ? countDistinct(text, asciiIdentifiers) : 0
}

/** A word of letters and digits, with an underscore, a path, or capitals inside. The limit keeps a row of dots linear. */
const identifiers =
  /(?<![\p{L}\p{N}])(?:\p{L}+[-_/]?\d[\p{L}\p{N}_-]*|\p{L}+_[\p{L}\p{N}_]+|\p{Ll}+\p{Lu}[\p{L}\p{N}]+|[\w.-]{0,64}\/[\w./-]+)/gu
const asciiIdentifiers =
  /(?<![A-Za-z0-9])(?:[A-Za-z]+[-_/]?\d[A-Za-z0-9_-]*|[A-Za-z]+_[A-Za-z0-9_]+|[a-z]+[A-Z][A-Za-z0-9]+|[\w.-]{0,64}\/[\w./-]+)/g
