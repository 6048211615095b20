import { minImportance } from '../importance/surprise.ts'
import { isPlainMessage } from '../payloads/message-content.ts'
import type { Payload } from '../payloads/payloads.ts'
import { writeJudgedText } from '../payloads/searchable-text.ts'
import {
  type ConversationSignals,
  readWorthParts,
  type WorthPart,
  type WorthValues,
  type WorthWeights,
  worthParts,
} from './worth-parts.ts'
import { shippedWorthWeights, workWorthWeights } from './worth-weights.ts'
import { readSpeaker } from './written-message.ts'

export type { ConversationSignals } from './worth-parts.ts'

/** The worth of a record when it is stored, judged by its content: the base importance where the client sends none. */

/** `code` is how the parts are stored. */
export type Worth = { value: number; code: Buffer }

/** Surprise adds 0.3 at most. With a higher limit, the most valuable records that surprise would all end at 1, as equals. */
const mostImportance = 0.7

/** The code of a record whose importance was named. A record stored before migration 0033 has no code. */
export const namedWorth = Buffer.alloc(0)
/** The first byte says by which weights a record was judged. A part that came later is 0 in an older code. */
const ofTalk = 1
const ofWork = 2
const weightsOf: ReadonlyMap<number | undefined, WorthWeights> = new Map([
  [ofTalk, shippedWorthWeights],
  [ofWork, workWorthWeights],
])
const steps = 125

export function judgeWorth(payload: Payload, signals: ConversationSignals = {}): Worth {
  const values = readWorthParts({
    ...signals,
    ...readWriter(payload, signals),
    isDistilled: payload.kind !== 'episodic',
  })
  const [kind, weights] =
    signals.usual === undefined ? [ofTalk, shippedWorthWeights] : [ofWork, workWorthWeights]
  const code = Buffer.from([kind, ...worthParts.map((part) => Math.round((values[part] + 1) * steps))])
  return { value: weighParts(decode(code), weights), code }
}

/** The judgement behind a code; undefined where an importance was named or nothing was judged. */
export function explainWorth(code: Buffer | null) {
  const weights = weightsOf.get(code?.[0])
  if (!code || !weights) return undefined
  const values = decode(code)
  const parts = worthParts.map((name) => {
    const value = values[name]
    const weight = weights[name]
    return { name, value, weight, contribution: value * weight }
  })
  return { value: weighParts(values, weights), parts }
}

function decode(code: Buffer): WorthValues {
  const entries = worthParts.map((part, at) => [part, (code[at + 1] ?? steps) / steps - 1] as const)
  return Object.fromEntries(entries) as Record<WorthPart, number>
}

/** Grows with the sum of the contributions, and has no two equal values for different sums. */
function weighParts(values: WorthValues, weights: WorthWeights): number {
  const sum = worthParts.reduce((total, part) => total + values[part] * weights[part], 0)
  return minImportance + (mostImportance - minImportance) / (1 + Math.exp(-sum))
}

const roleOfEvent: ReadonlyMap<string, string> = new Map([
  ['tool_output', 'tool'],
  ['agent_turn', 'assistant'],
])

/** The role of who wrote a text, and what they wrote. */
function readWriter(
  payload: Payload,
  signals: ConversationSignals,
): { text: string; role?: string | undefined } {
  const text = writeJudgedText(payload)
  if (payload.kind !== 'episodic') return { text }
  const { conversation, timeline } = payload
  if (conversation && isPlainMessage(payload)) {
    const { role, name } = conversation
    return { text: readSpeaker({ role, name, text }).text, role: signals.role ?? role }
  }
  return { text, role: roleOfEvent.get(timeline[0]?.event_kind ?? '') ?? conversation?.role }
}
