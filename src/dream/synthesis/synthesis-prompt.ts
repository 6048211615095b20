import Type from 'typebox'
import { describeEntity } from '../entity-description.ts'
import type { Entity, EntityFact } from '../entity-facts.queries.ts'
import type { DreamQuestion } from '../model-question.ts'
import { formatRecords, getMember, readText } from '../prompt-lines.ts'

/** The question to a chat model about two entities. */

export type Connection = { connected: false } | { connected: true; synthesis: string; insight: string }

export type EntityWithFacts = { entity: Entity; facts: readonly EntityFact[] }

export type SynthesisQuestion = DreamQuestion<Connection> & {
  /** The records that the synthesis is made from. */
  shownRecords: readonly EntityFact[]
}

/** For each entity. */
export const maxFacts = 20
/** In characters, for each entity: together about six thousand tokens. */
const maxRecordsLength = 12_000
const maxTextLength = 2_000

const system = [
  'You are shown two entities that an agent knows from different contexts, and what it has recorded about each.',
  'Say whether the records connect them: by a common cause, a shared part, or a way in which one matters for the other.',
  'connected: true only if the records themselves show it. Similar words are no connection, and false is a good answer.',
  'synthesis: what connects them, in one or two sentences. insight: what follows from it for a person who works with',
  'either of them. Both are empty if nothing connects them.',
].join('\n')

const Text = () => Type.String({ maxLength: maxTextLength })

const ConnectionAnswer = Type.Object(
  { connected: Type.Boolean(), synthesis: Text(), insight: Text() },
  { description: 'Whether two entities are connected, and how.' },
)

/** Returns undefined if one of the entities has no fact that can be shown. */
export function buildQuestion(
  sides: readonly [EntityWithFacts, EntityWithFacts],
): SynthesisQuestion | undefined {
  const formattedSides = sides.map(({ entity, facts: known }) => ({
    entity,
    ...formatRecords(known, maxRecordsLength),
  }))
  if (formattedSides.some(({ shownRecords }) => shownRecords.length === 0)) return undefined
  const entities = formattedSides.map(({ entity, lines }) => ({ ...describeEntity(entity), records: lines }))
  const shownRecords = new Map(
    formattedSides.flatMap((each) => each.shownRecords).map((each) => [each.id, each]),
  )
  return {
    system,
    document: { entities },
    schema: ConnectionAnswer,
    name: 'synthesis',
    read: readConnection,
    shownRecords: [...shownRecords.values()],
  }
}

function readConnection(answer: unknown): Connection | undefined {
  const connected = getMember(answer, 'connected')
  if (connected === false) return { connected }
  const synthesis = readText(getMember(answer, 'synthesis'), maxTextLength)
  const insight = readText(getMember(answer, 'insight'), maxTextLength)
  if (connected !== true || synthesis === undefined || insight === undefined) return undefined
  return { connected, synthesis, insight }
}
