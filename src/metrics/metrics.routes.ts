import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import { readCallContext } from '../http/idempotency/idempotency.ts'
import { answers } from '../http/problems/problem-responses.ts'
import { StoreMetrics } from './metrics.schemas.ts'
import type { SummaryService } from './summary.service.ts'

/** A source of series in the text format of Prometheus. */
type Source = { render(): Promise<string> }

export type ScrapeOptions = { sources: readonly Source[]; isPublic: boolean }

const mediaType = 'text/plain; version=0.0.4; charset=utf-8'

/** Every process that listens serves its own series; the API serves those of the store too. */
export const scrapeRoutes: FastifyPluginAsyncTypebox<ScrapeOptions> = async (app, { sources, isPublic }) => {
  app.route({
    method: 'GET',
    url: '/metrics',
    config: { neverShed: true, ...(isPublic ? { isPublic: true } : { anyCaller: true }) },
    schema: {
      operationId: 'scrapeMetrics',
      tags: ['metrics'],
      summary: 'Get series for Prometheus',
      description:
        'Returns the series of this process, and those of the whole store (`membrane_store_*`), which are the same from ' +
        'every API process. Needs any valid key, or none if `MEMBRANE_METRICS_PUBLIC` is true. It works even while ' +
        'load is shed. Without the database the store series are missing and `membrane_store_reached` is 0.',
      response: answers({
        200: {
          schema: Type.String(),
          description: 'The series, in the text format of Prometheus.',
          mediaType: 'text/plain',
        },
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
      summary: 'Get figures of the memory',
      description:
        'Returns counts and averages of the records that the key can read in full. Counts are exact. In a store of more ' +
        'than 40,000 records, the figures that are marked as sampled are computed from about 20,000 of them.',
      response: answers({ 200: { schema: ref(StoreMetrics), description: 'The counts and averages.' } }),
    },
    handler: (request) => summary.read(readCallContext(request)),
  })
}
