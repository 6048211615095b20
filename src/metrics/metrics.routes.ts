import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { ref } from '../domain/schema-ref.ts'
import { readCallContext } from '../http/idempotency.ts'
import { answers } from '../http/problem-responses.ts'
import { StoreMetrics } from './metrics.schemas.ts'
import type { SummaryService } from './summary.service.ts'

/** Series in the text of Prometheus. */
type Source = { render(): Promise<string> }

export type ScrapeOptions = { sources: readonly Source[]; isPublic: boolean }

const mediaType = 'text/plain; version=0.0.4; charset=utf-8'

/** Served by every process that listens, each telling of itself; what is told of the store, an API tells. */
export const scrapeRoutes: FastifyPluginAsyncTypebox<ScrapeOptions> = async (app, { sources, isPublic }) => {
  app.route({
    method: 'GET',
    url: '/metrics',
    config: { neverShed: true, ...(isPublic ? { isPublic: true } : { anyCaller: true }) },
    schema: {
      operationId: 'scrapeMetrics',
      tags: ['metrics'],
      summary: 'Series for Prometheus',
      description:
        'What this process does, and what the database knows of the whole store (`membrane_store_*`, the same from ' +
        'every API). Takes any valid key; without one when `MEMBRANE_METRICS_PUBLIC` is true. Answered even when ' +
        'load is shed, and without the database, then with `membrane_store_reached` at 0.',
      response: answers({
        200: { schema: Type.String(), description: 'The series.', mediaType: 'text/plain' },
      }),
    },
    handler: async (_request, reply) => {
      const texts = await Promise.all(sources.map((source) => source.render()))
      return reply.header('content-type', mediaType).send(texts.join('\n'))
    },
  })
}

export type SummaryOptions = { summary: SummaryService }

export const summaryRoutes: FastifyPluginAsyncTypebox<SummaryOptions> = async (app, { summary }) => {
  app.route({
    method: 'GET',
    url: '/v1/metrics',
    config: { permission: 'records:read' },
    schema: {
      operationId: 'getMetrics',
      tags: ['metrics'],
      summary: 'How the memory is doing',
      description:
        'Of the records that the key sees whole. Counts are exact; on a store of more than forty thousand records ' +
        'what is marked as sampled comes from some twenty thousand of them.',
      response: answers({ 200: { schema: ref(StoreMetrics), description: 'The figures.' } }),
    },
    handler: (request) => summary.read(readCallContext(request)),
  })
}
