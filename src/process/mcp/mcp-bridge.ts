import { describeFaults, type Fault } from '../../kernel/errors.ts'
import { describeMessage, failMessage, type Message, readMessages } from './mcp-message.ts'

type Bridge = {
  /** The address of `/mcp`, with its query. */
  url: string
  key: string | undefined
  input: NodeJS.ReadableStream
  write(line: string): void
}

type Problem = { code: string; detail: string; errors?: Fault[] }

const parseError = -32_700
const serverError = -32_000

/**
 * Passes messages from standard input to a running service and its answers back, one a line, until the input ends. It
 * reads only the parts of a message that a request repeats in its headers.
 */
export async function bridgeMcp({ url, key, input, write }: Bridge): Promise<void> {
  const send = (message: unknown) => write(`${JSON.stringify(message)}\n`)
  const pending = new Set<Promise<void>>()
  let negotiated: string | undefined
  for await (const line of readLines(input)) {
    if (line.trim() === '') continue
    const message = parseLine(line)
    if (!message) {
      send(failMessage(null, parseError, 'The line is not JSON.'))
      continue
    }
    const passed = pass(message, line).catch((error: unknown) => answerFailure(message, describe(error, url)))
    pending.add(passed)
    void passed.finally(() => pending.delete(passed))
  }
  await Promise.all(pending)

  /** The line is sent as it came: `JSON.stringify` would round a large number. */
  async function pass(message: Message, line: string): Promise<void> {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...describeMessage(message, negotiated),
      },
      body: line,
    })
    const mediaType = response.headers.get('content-type') ?? ''
    const messages = readMessages(mediaType, await response.text())
    const [first] = messages
    if (mediaType.startsWith('application/problem+json')) {
      return answerFailure(message, describeProblem(first as Problem), first)
    }
    if (message.method === 'initialize') negotiated = readVersion(first) ?? negotiated
    for (const each of messages) send(each)
  }

  /** A notification gets no answer. */
  function answerFailure({ id }: Message, text: string, data?: unknown): void {
    if (id !== undefined) send(failMessage(id, serverError, text, data))
  }
}

/** Only a line feed ends a message. `readline` would also end one at U+2028, which a text in it may contain. */
async function* readLines(input: NodeJS.ReadableStream): AsyncGenerator<string> {
  let parts: string[] = []
  try {
    for await (const chunk of input.setEncoding('utf8')) {
      const [first = '', ...others] = String(chunk).split('\n')
      parts.push(first)
      for (const next of others) {
        yield parts.join('')
        parts = [next]
      }
    }
  } catch (error) {
    // A signal closes the input.
    if ((error as { code?: unknown }).code === 'ERR_STREAM_PREMATURE_CLOSE') return
    throw error
  }
  yield parts.join('')
}

function parseLine(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function readVersion(answer: unknown): string | undefined {
  const { result } = answer as { result?: { protocolVersion?: unknown } }
  return typeof result?.protocolVersion === 'string' ? result.protocolVersion : undefined
}

/** Many clients show only the text of an error, and not its data. */
function describeProblem({ code, detail, errors = [] }: Problem): string {
  const places = errors.length > 0 ? ` ${describeFaults(errors).join('; ')}.` : ''
  return `${code}: ${detail}${places}`
}

/** `fetch` itself only says that it failed; its cause says why. */
function describe(error: unknown, url: string): string {
  const { message, cause } = error instanceof Error ? error : new Error('unknown')
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : message
  return `No answer from ${new URL(url).origin} (${reason}). Start the service, or name its address with --url.`
}
