import Type from 'typebox'
import { describeEntity } from '../entity-description.ts'
import type { Entity, Known } from '../entity-facts.queries.ts'
import type { DreamQuestion } from '../model-question.ts'
import { memberOf, readText, tellRecords } from '../prompt-lines.ts'

/** What a chat model is asked of two entities, and what it may answer. */

export type Bridge = { connected: false } | { connected: true; synthesis: string; insight: string }

export type Side = { entity: Entity; known: readonly Known[] }

export type Question = DreamQuestion<Bridge> & {
  /** The records it was made of. */
  told: readonly Known[]
}

/** Of each entity. */
export const mostKnown = 20
/** Characters, of each entity: together some six thousand tokens. */
const longestTold = 12_000
const longestText = 2_000

const system = [
  'You are shown two entities that an agent knows from different contexts, with what it has recorded of each, and say',
  'whether what is recorded connects them: a common cause, a shared part, a way in which the one matters for the other.',
  'connected: true only where the records themselves bear it out; likeness of words is no connection, and false is a',
  'good answer. synthesis: in one or two sentences what connects them; insight: what follows from it for whoever works',
  'with either. Both are empty where nothing connects them.',
].join('\n')

const Text = () => Type.String({ maxLength: longestText })

const BridgeAnswer = Type.Object(
  { connected: Type.Boolean(), synthesis: Text(), insight: Text() },
  { description: 'Whether two entities are connected, and how.' },
)

/** Undefined where of one of them nothing can be told. */
export function questionOf(sides: readonly [Side, Side]): Question | undefined {
  const tellings = sides.map(({ entity, known }) => ({ entity, ...tellRecords(known, longestTold) }))
  if (tellings.some(({ told }) => told.length === 0)) return undefined
  const entities = tellings.map(({ entity, lines }) => ({ ...describeEntity(entity), records: lines }))
  const told = new Map(tellings.flatMap((each) => each.told).map((each) => [each.id, each]))
  return {
    ...{ system, document: { entities }, schema: BridgeAnswer, name: 'synthesis', read: readBridge },
    told: [...told.values()],
  }
}

function readBridge(answer: unknown): Bridge | undefined {
  const connected = memberOf(answer, 'connected')
  if (connected === false) return { connected }
  const synthesis = readText(memberOf(answer, 'synthesis'), longestText)
  const insight = readText(memberOf(answer, 'insight'), longestText)
  if (connected !== true || synthesis === undefined || insight === undefined) return undefined
  return { connected, synthesis, insight }
}
