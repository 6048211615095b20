import { isJsonObject } from '../../kernel/json-objects.ts'
import type { NewMessage } from '../new-messages.schemas.ts'
import { findResult, isCall, isResult, readOutput, readResult, textMembers } from './message-calls.ts'
import { readKind } from './part-shapes.ts'

/** The members of a message that are not stored. Of a voice only the transcript is, which is checked with the text. */
const leftOut: readonly string[] = [
  'annotations',
  'audio',
  'createdAt',
  'data',
  'experimental_attachments',
  'function_call',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'providerOptions',
  'resourceId',
  'threadId',
] satisfies (keyof NewMessage)[]

/** The same message without what is left out, and with every other part at its place. */
export function removeLeftOut(message: NewMessage): NewMessage {
  const kept = Object.entries(message).filter(([name]) => !leftOut.includes(name))
  // A message with a type is not checked yet: its lists may be of any type.
  const said = kept.map(([name, value]) => [
    name,
    partLists.has(name) && Array.isArray(value) ? value.map(keepSaid) : value,
  ])
  return Object.fromEntries(said) as NewMessage
}

const partLists: ReadonlySet<string> = new Set(['content', 'parts', 'blocks'])

function keepSaid(given: unknown): unknown {
  const part = readKind(given)
  if (!isJsonObject(part)) return part
  const { type } = part
  if (textMembers.has(type)) return part
  if (isCall(part)) return part['output'] === undefined ? part : { ...part, output: readOutput(part) }
  if (!isResult(part)) return { type }
  const texts = Object.entries(part).filter(([, value]) => typeof value === 'string')
  return { type, ...Object.fromEntries(texts), content: readResult(findResult(part)) }
}
