/** One request as it is sent over the wire. */
export type HostileRequest = {
  operation: string
  method: string
  target: string
  headers: readonly (readonly [string, string])[]
  body?: Buffer
  chunked?: boolean
  /** Invalid HTTP, which is refused before it reaches the operation. */
  broken?: Buffer
  /** The client disconnects before it has sent everything it announced. */
  hangsUp?: boolean
}

/**
 * Describes a request so that it can be repeated; long bodies are cut, as the seed and the number make them again.
 */
export function describeRequest({ method, target, headers, body, broken, ...more }: HostileRequest): string {
  if (broken) return `on the wire ${JSON.stringify(broken.toString('latin1').slice(0, 1_000))}`
  const shown = headers.map(([name, value]) => `${name}: ${value.slice(0, 200)}`)
  const lines = [`${method} ${target.slice(0, 600)}`, ...shown]
  if (more.chunked) lines.push('(chunked)')
  if (body) lines.push(`${body.length} bytes: ${body.toString('utf8').slice(0, 1_500)}`)
  return lines.join('\n')
}
