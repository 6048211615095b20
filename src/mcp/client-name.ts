/** The name that a client gives itself, made safe to show in a log of who did what. */

const longest = 64
/** Control characters, and characters that are invisible or change the direction of text. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu

const clientInfoKey = 'io.modelcontextprotocol/clientInfo'

type Members = Readonly<Record<string, unknown>>

/** Undefined where the message has no name; a client of 2025 says it once, which a stateless server cannot remember. */
export function readClientName(message: unknown): string | undefined {
  const name = readMember(
    readMember(readMember(readMember(message, 'params'), '_meta'), clientInfoKey),
    'name',
  )
  if (typeof name !== 'string') return undefined
  const shown = [...name.slice(0, 1_024).replaceAll(unsafe, '').trim()].slice(0, longest).join('').trim()
  return shown === '' ? undefined : shown
}

function readMember(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
  return isObject ? (value as Members)[name] : undefined
}
