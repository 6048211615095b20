import type { Fault } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json-objects.ts'
import type { NewMessage } from '../new-messages.schemas.ts'
import { findName, isCall, textMembers } from './message-calls.ts'
import { readKind } from './part-shapes.ts'
import { completeCall, findParts } from './said-messages.ts'

/** What is missing in a message. Without an error, a misspelt member would lose what was said. */
export function listPartFaults(messages: readonly NewMessage[]): Fault[] {
  return messages.flatMap((message, index) => {
    const { content, tool_calls, refusal, audio, metadata } = message
    const place = `/messages/${index}`
    const { member, parts } = findParts(message)
    if (content === undefined && member === 'content' && !tool_calls && !refusal && !audio)
      return [{ pointer: `${place}/content`, message: 'is required' }]
    return [
      ...(metadata === undefined || isJsonObject(metadata)
        ? []
        : [{ pointer: `${place}/metadata`, message: 'must be an object' }]),
      ...parts.flatMap((part, at) => describePart(readKind(part), `${place}/${member}/${at}`)),
      ...(tool_calls ?? []).flatMap((call, at) =>
        describePart(completeCall(call), `${place}/tool_calls/${at}`),
      ),
    ]
  })
}

function describePart(part: unknown, pointer: string): Fault[] {
  if (!isJsonObject(part) || typeof part['type'] !== 'string')
    return [{ pointer, message: 'must be an object with a `type`, or with a `text`, a call or a result' }]
  const member = textMembers.get(part['type'])
  if (member !== undefined && typeof part[member] !== 'string')
    return [{ pointer: `${pointer}/${member}`, message: 'must be a string' }]
  if (isCall(part) && findName(part) === undefined)
    return [{ pointer, message: 'must have the `name` of the tool' }]
  return []
}
