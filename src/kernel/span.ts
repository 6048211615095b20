/** The context of a trace as in W3C Trace Context §3.2. An invalid one is ignored. */
export type TraceContext = { traceId: string; spanId: string; isSampled: boolean }

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

export function parseTraceparent(given: string): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', future] = traceparent.exec(given) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && future !== undefined))
    return undefined
  if (isZero(traceId) || isZero(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

function isZero(hex: string): boolean {
  return /^0+$/.test(hex)
}

/** Names and numbers only: spans are sent to another machine, where content must not go. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export type SpanOptions = {
  kind?: 'server' | 'client' | 'consumer'
  /** The parent span when it is not the current one: the span of a client, or of the request that created a run. */
  parent?: TraceContext | undefined
  attributes?: SpanAttributes
}

export type Span = {
  context: TraceContext
  /** Spans that start in `work`, also asynchronously, are children of this span. */
  run<T>(work: () => T): T
  end(outcome?: { attributes?: SpanAttributes; failure?: string | undefined }): void
}

export type FinishedSpan = { durationMs: number; attributes: SpanAttributes; failure?: string | undefined }

/** Records spans: which operations belong together and how long they took. */
export type Tracer = {
  startSpan(name: string, options?: SpanOptions): Span
  /** Records a child of the current span that has ended already; ignored outside of a span. */
  recordSpan(name: string, finished: FinishedSpan): void
}

/** Runs `work` in a span of its own; without a tracer it only runs `work`. */
export async function runInSpan<T>(
  tracer: Tracer | undefined,
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
): Promise<T> {
  if (!tracer) return work()
  const span = tracer.startSpan(name, options)
  try {
    const result = await span.run(work)
    span.end()
    return result
  } catch (error) {
    span.end({ failure: error instanceof Error ? error.name : typeof error })
    throw error
  }
}
