import type { Item } from './items.ts'

export type Message = { id: string; role: string; name?: string; content: string; at: string | undefined }

/**
 * The messages of a conversation in their order. A message without a time has that of the message before it, or of the
 * conversation.
 */
export function createMessageItems(
  line: number,
  conversation: string,
  messages: readonly Message[],
  begun: string | undefined,
): Item[] {
  const seen = new Map<string | undefined, number>()
  let time = begun
  return messages.map(({ at, ...message }) => {
    time = at ?? time
    const before = seen.get(time) ?? 0
    seen.set(time, before + 1)
    const source = `${conversation}#${message.id}`
    return { line, source, message: { conversation, ...message }, at: time, before }
  })
}

/** Joins the texts of a message; other parts, such as images, are left out. */
export function joinTexts(parts: readonly unknown[]): string {
  return parts.filter((part): part is string => typeof part === 'string' && part.trim() !== '').join('\n')
}
