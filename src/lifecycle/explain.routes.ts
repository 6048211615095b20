import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import { readCallContext } from '../http/idempotency.ts'
import { answers } from '../http/problem-responses.ts'
import { Explanation, Forecast, ForecastQuery, InsightPath } from './explain.schemas.ts'
import type { ExplainService } from './explain.service.ts'

const config = { permission: 'records:read' } as const
const tags = ['lifecycle']

export const explainRoutes: FastifyPluginAsyncTypebox<{ explain: ExplainService }> = async (
  app,
  { explain },
) => {
  app.get(
    '/v1/records/:id/forecast',
    {
      config,
      schema: {
        operationId: 'forecastRecord',
        tags,
        summary: 'Salience over time, if nobody touches the record',
        description:
          'From now to when the record ends, or for eight half-lives; and when it halves, leaves the 0.1 mark, is pruned.',
        params: InsightPath,
        querystring: ForecastQuery,
        response: answers({ 200: { schema: ref(Forecast), description: 'As of now.' } }, [
          'record_forgotten',
          'record_purged',
          'record_erased',
          'above_ceiling',
        ]),
      },
    },
    (request) => explain.forecast(readCallContext(request), request.params.id, request.query.points ?? 24),
  )

  app.get(
    '/v1/records/:id/explain',
    {
      config,
      schema: {
        operationId: 'explainRecord',
        tags,
        summary: 'Every number behind what a record has come to',
        description:
          'Its salience, importance and retention; of one that is gone also why, and what brings it back. Answers for forgotten, purged and erased records too.',
        params: InsightPath,
        response: answers({ 200: { schema: ref(Explanation), description: 'As of now.' } }, [
          'above_ceiling',
        ]),
      },
    },
    (request) => explain.explain(readCallContext(request), request.params.id),
  )
}
