import { type Evidence, isObject } from './evidence.ts'
import { outline } from './outline.ts'

/** Enough to know what it is about; the whole is kept beside it. */
const longestOutline = 500

/** What the evidence comes to in a line: in the words of who tells it, or an outline; empty when it says nothing. */
export function summarise({ given, fields }: Evidence): string {
  const { content, summary } = given
  const words = [summary, fields['summary'], fields['text'], fields['message'], content].find(isText)
  return words ?? outlineOf(content)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

/** Without its own name and kind, which are no words of what happened. */
function outlineOf(content: unknown): string {
  if (content === null || typeof content === 'string') return ''
  if (!isObject(content)) return outline(content, longestOutline)
  const { subject, predicate, object } = content
  if (isText(subject) && isText(predicate) && object !== undefined) {
    return [subject, predicate, outline(object, longestOutline)].map((part) => outline(part, 200)).join(' ')
  }
  return outline(content, longestOutline, ['ref', 'event_kind'])
}
