/** The context of a trace as W3C Trace Context §3.2 writes it; what is invalid is as good as none. */
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

/** Names and numbers only: a trace leaves this machine, and content does not. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export type SpanOptions = {
  kind?: 'server' | 'client' | 'consumer'
  /** What it is a part of when it is not what runs now: a request of elsewhere, or who asked for a run. */
  parent?: TraceContext | undefined
  attributes?: SpanAttributes
}

export type Span = {
  context: TraceContext
  /** What is begun in `work`, and in what it sets going, is a part of this. */
  run<T>(work: () => T): T
  end(outcome?: { attributes?: SpanAttributes; failure?: string | undefined }): void
}

export type FinishedSpan = { durationMs: number; attributes: SpanAttributes; failure?: string | undefined }

/** Tells what belongs together and how long it took. */
export type Tracer = {
  startSpan(name: string, options?: SpanOptions): Span
  /** Of a part of what runs now that is over already; outside of any span it is nothing worth telling. */
  recordSpan(name: string, finished: FinishedSpan): void
}

/** Runs `work` as a span of its own; without a tracer, just so. */
export async function inSpan<T>(
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
