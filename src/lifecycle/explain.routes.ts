import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import { answers } from '../http/problem-responses.ts'
import { RecordPath } from '../records/index.ts'
import { Explanation, Forecast, ForecastQuery } from './explain.schemas.ts'
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
        summary: 'Predict the salience of a record',
        description:
          'Returns points from now until the record is pruned or expires, or for eight half-lives. It assumes that the record is neither used nor changed. `crossings` says when the salience halves, falls below 0.1 and reaches the pruning threshold.',
        params: RecordPath,
        querystring: ForecastQuery,
        response: answers({ 200: { schema: ref(Forecast), description: 'As of now.' } }, [
          'record_forgotten',
          'record_purged',
          'record_erased',
          'above_ceiling',
        ]),
      },
    },
    (request) => explain.forecast(request.caller, request.params.id, request.query.points ?? 24),
  )

  app.get(
    '/v1/records/:id/explain',
    {
      config,
      schema: {
        operationId: 'explainRecord',
        tags,
        summary: 'Explain the numbers of a record',
        description:
          'Returns salience, importance and retention with every input. For a record that is gone it also says why, and how to restore it. Works for forgotten, purged and erased records too.',
        params: RecordPath,
        response: answers({ 200: { schema: ref(Explanation), description: 'As of now.' } }, [
          'above_ceiling',
        ]),
      },
    },
    (request) => explain.explain(request.caller, request.params.id),
  )
}
