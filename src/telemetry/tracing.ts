import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  type Span as OpenSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Span, SpanOptions, TraceContext, Tracer } from '../kernel/span.ts'

type TracingSettings = {
  /** The base URL of a collector for OTLP over HTTP, without the path of a signal. */
  endpoint: string
  serviceName: string
  /** The share of traces that start here and are sent. For traces that start elsewhere their sender decides. */
  sampledShare: number
}
type Process = { role: string; version: string; instance: string }

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER }

/** A collector that is unreachable must not delay the end of a process. */
const closeTimeoutMs = 2_000

/** Sends spans in batches and drops those that it cannot send: no request and no run waits for a collector. */
export function startTracing({ endpoint, serviceName, sampledShare }: TracingSettings, process: Process) {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })
  const provider = new TracerProvider({
    resource: describeProcess(serviceName, process),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampledShare) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1_000 })],
  })
  return { tracer: createTracer(provider), close: () => closeWithTimeout(provider) }
}

function createTracer(provider: TracerProvider): Tracer {
  const tracer = provider.getTracer('membrane')
  const running = new AsyncLocalStorage<Context>()
  return {
    startSpan: (name: string, { kind, parent, attributes }: SpanOptions = {}): Span => {
      const outer = parent ? toContext(parent) : (running.getStore() ?? ROOT_CONTEXT)
      const options = {
        kind: kind ? kinds[kind] : SpanKind.INTERNAL,
        ...(attributes ? { attributes } : {}),
      }
      const span = tracer.startSpan(name, options, outer)
      const { traceId, spanId, traceFlags } = span.spanContext()
      const inner = trace.setSpan(outer, span)
      return {
        context: { traceId, spanId, isSampled: (traceFlags & 1) === 1 },
        run: (work) => running.run(inner, work),
        end: ({ attributes: learnt, failure } = {}) => {
          if (learnt) span.setAttributes(learnt)
          markFailure(span, failure)
          span.end()
        },
      }
    },
    recordSpan: (name, { durationMs, attributes, failure }) => {
      const outer = running.getStore()
      if (!outer) return
      const endTime = performance.timeOrigin + performance.now()
      const startTime = endTime - durationMs
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, startTime }, outer)
      markFailure(span, failure)
      span.end(endTime)
    },
  }
}

function markFailure(span: OpenSpan, failure: string | undefined): void {
  if (failure === undefined) return
  span.setAttribute('error.type', failure)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

function toContext({ traceId, spanId, isSampled }: TraceContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: isSampled ? 1 : 0,
    isRemote: true,
  })
}

function describeProcess(serviceName: string, { role, version, instance }: Process) {
  return defaultResource()
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
    .merge(
      resourceFromAttributes({
        'service.name': serviceName,
        'service.version': version,
        'service.instance.id': instance,
        'membrane.role': role,
      }),
    )
}

async function closeWithTimeout(provider: TracerProvider): Promise<void> {
  const late = new Promise<void>((resolve) => {
    setTimeout(resolve, closeTimeoutMs).unref()
  })
  await Promise.race([provider.shutdown().catch(() => {}), late])
}
