import { asFields, createFieldError, type Fields, pick, readTime, readWord, requireText } from '../fields.ts'
import type { Reader, Reading } from '../items.ts'
import { createMessagePlacing, type MessagePlacing } from '../messages.ts'
import { readJsonLines } from '../part-reading.ts'

const roles = new Map<unknown, string>([
  ['user_message', 'user'],
  ['agent_message', 'assistant'],
])

/** A session file. Its messages have no ids, and lines are only added to it, so a message is known by its line. */
export const readCodex: Reader = (file) => {
  const place = createMessagePlacing()
  let session: string | undefined
  return readJsonLines(file, (value, line) => {
    const fields = asFields(value)
    const type = requireText(fields, 'type')
    // A session that was forked has the first line of the other one too.
    if (type === 'session_meta') session ??= requireText(asFields(pick(fields, 'payload'), 'payload'), 'id')
    return type === 'event_msg' ? readEvent(fields, line, session, place) : []
  })
}

/** What is shown to the person. The items for the model repeat it, and have what the program added. */
function readEvent(
  fields: Fields,
  line: number,
  session: string | undefined,
  place: MessagePlacing,
): Reading[] {
  const event = asFields(pick(fields, 'payload'), 'payload')
  const role = roles.get(event['type'])
  const content = role === undefined ? undefined : readWord(event, 'message')
  if (role === undefined || content === undefined || (readWord(event, 'kind') ?? 'plain') !== 'plain')
    return []
  if (session === undefined) throw createFieldError('', 'must come after the line of the type session_meta')
  return [place(line, session, { id: String(line), role, content, at: readTime(fields, 'timestamp') })]
}
