import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

type Value = { stringValue?: string; intValue?: number | string; boolValue?: boolean; doubleValue?: number }
type Attribute = { key: string; value: Value }
type RawSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: Attribute[]
  status?: { code?: number }
}
type Sent = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: RawSpan[] }[]
  }[]
}

export type SeenSpan = {
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  role: unknown
  attributes: Record<string, unknown>
  isFailure: boolean
}

/** Starts a collector that accepts OTLP over HTTP and keeps what it receives. */
export async function startCollector() {
  const spans: SeenSpan[] = []
  const texts: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      texts.push(text)
      if (request.url === '/v1/traces') spans.push(...readSpans(JSON.parse(text)))
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  const { port } = server.address() as AddressInfo
  return { endpoint: `http://127.0.0.1:${port}`, spans, text: () => texts.join('\n') }
}

function readSpans({ resourceSpans }: Sent): SeenSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const role = readAttributes(resource.attributes)['membrane.role']
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId = '', name, attributes, status }) => ({
        traceId,
        spanId,
        parentSpanId,
        name,
        role,
        attributes: readAttributes(attributes),
        isFailure: status?.code === 2,
      })),
    )
  })
}

function readAttributes(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
