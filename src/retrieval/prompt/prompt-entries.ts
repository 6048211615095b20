import { computePosition } from '../../domain/payloads/message-place.ts'
import { normaliseStatement } from '../../domain/words/names.ts'
import type { MemoryRecord } from '../../records/index.ts'
import { findRecordTime } from '../candidates/record-time.ts'
import type { PromptContext } from './prompt-context.schemas.ts'
import { quoteAsLine } from './quoted-text.ts'
import { type StatementContext, stateRecord } from './statements/record-statement.ts'
import { countMaxCharacters, cutToWeight } from './token-estimate.ts'

/** Turns records into the lines of a prompt: in which part each stands, and what it says. */

/** In the order of the text. */
export const parts = ['who', 'known', 'how', 'under_way', 'happened'] as const
export type Part = (typeof parts)[number]

export type Kind = PromptContext['items'][number]['kind']

export type Entry = {
  id: string
  kind: Kind
  part: Part
  /** `2026-03-28`, in UTC: a client may have written a time with another offset. */
  date: string
  /** One line, quoted. */
  text: string
  isWhole: boolean
  isDisputed: boolean
  /** Of a record that does not hold, or is in doubt: only a question for such records finds it. */
  status?: Exclude<MemoryRecord['status'], 'active'>
  /** Milliseconds; the order of what happened and of disputed facts. */
  at: number
  /** The order of the messages of one conversation in one millisecond. */
  position: number
  conversation?: { scope: string; id: string }
}

export type EntryContext = StatementContext & {
  /** The entities that the question names, and their profiles. */
  profileIds: ReadonlySet<string>
  disputedIds: ReadonlySet<string>
  /** The weight that the text of one entry may have. */
  maxEntryWeight: number
}

export function toEntry(record: MemoryRecord, context: EntryContext): Entry {
  const { id, payload, status, scope = '' } = record
  const kind = chooseKind(record, context)
  const time = readTime(record)
  const statement = stateRecord(payload, countMaxCharacters(context.maxEntryWeight), {
    ...context,
    scope: record.scope,
  })
  const line = quoteAsLine(statement.text)
  const text = cutToWeight(line, context.maxEntryWeight)
  return {
    id,
    kind,
    part: partOfKind[kind],
    text,
    at: Date.parse(time),
    position: (payload.kind === 'episodic' && payload.conversation?.position) || computePosition(time),
    date: new Date(time).toISOString().slice(0, 10),
    isWhole: statement.isWhole && text === line,
    isDisputed: context.disputedIds.has(id),
    ...(status === 'active' ? {} : { status }),
    ...(payload.kind === 'episodic' && payload.conversation
      ? { conversation: { scope, id: payload.conversation.id } }
      : {}),
  }
}

function readTime({ payload, created_at: createdAt }: MemoryRecord): string {
  const times = {
    createdAt,
    ...(payload.kind === 'episodic'
      ? { happenedAt: payload.conversation?.at ?? payload.timeline[0]?.t }
      : {}),
    ...(payload.kind === 'semantic' ? { statedAt: payload.evidence[0]?.timestamp } : {}),
  }
  return findRecordTime(times) ?? createdAt
}

function chooseKind({ id, payload }: MemoryRecord, { profileIds }: EntryContext): Kind {
  if (profileIds.has(id)) return 'profile'
  switch (payload.kind) {
    case 'entity':
    case 'semantic':
      return 'fact'
    case 'competence':
      return 'skill'
    case 'plan_graph':
      return 'plan'
    case 'working':
      return 'state'
    case 'episodic':
      return 'episode'
  }
}

const partOfKind: Record<Kind, Part> = {
  profile: 'who',
  fact: 'known',
  skill: 'how',
  plan: 'how',
  state: 'under_way',
  episode: 'happened',
}

/** A shorter reply, such as "yes", means something else at each place. */
const minWords = 3

/** Equal for entries that say the same; undefined for one that can be said more than once. */
export function getRepetitionKey({
  part,
  text,
  conversation,
  isDisputed,
  status,
}: Entry): string | undefined {
  const wording = normaliseStatement(text)
  // The first word of a message is who says it.
  if (conversation && wording.split(' ').length <= minWords) return undefined
  return `${part} ${isDisputed} ${status ?? ''} ${wording}`
}

/**
 * Equal for a fact and for an event of the same day that only states it: "Observation: the shop is closed." after "the shop is closed".
 * An event of another day says that the fact still held.
 */
export function getFactKey({ part, text, date, conversation }: Entry): string | undefined {
  if (part === 'known') return `fact ${date} ${normaliseStatement(text)}`
  const [, stated] = part === 'happened' && !conversation ? (/^[^:]{1,100}: (.*)$/.exec(text) ?? []) : []
  return stated === undefined ? undefined : `fact ${date} ${normaliseStatement(stated)}`
}
