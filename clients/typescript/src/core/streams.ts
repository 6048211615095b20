import type { Deadline } from './deadline.ts'

/**
 * The lines of a body. The deadline starts anew with each part that arrives. A reader that stops early closes the
 * connection.
 */
export async function* readLines(response: Response, deadline: Deadline): AsyncGenerator<string> {
  const reader = response.body?.getReader()
  if (!reader) return
  const decoder = new TextDecoder()
  let rest = ''
  let isOver = false
  try {
    while (!isOver) {
      const { done, value } = await reader.read()
      deadline.restart()
      isOver = done
      const parts = (rest + (done ? decoder.decode() : decoder.decode(value, { stream: true }))).split('\n')
      rest = parts.pop() ?? ''
      yield* parts
    }
    if (rest !== '') yield rest
  } finally {
    if (!isOver) await reader.cancel().catch(() => {})
  }
}

export type ServerEvent = { event: string; data: string }

/** The events of a body of the type text/event-stream. An event that its empty line does not end is incomplete and dropped. */
export async function* readEvents(lines: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let event = 'message'
  let data: string[] = []
  for await (const line of lines) {
    const text = line.replace(/\r$/, '')
    if (text === '') {
      if (data.length > 0) yield { event, data: data.join('\n') }
      event = 'message'
      data = []
      continue
    }
    const colon = text.indexOf(':')
    const [name, value] =
      colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1).replace(/^ /, '')]
    if (name === 'event') event = value
    if (name === 'data') data.push(value)
  }
}
