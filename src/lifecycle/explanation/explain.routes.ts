import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { answers } from '../../http/problems/problem-responses.ts'
import { RecordPath } from '../../records/index.ts'
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
          'Returns points from now until the record is pruned or expires, or for eight half-lives, as if the record were neither used nor changed. `crossings` says when half of the salience is left, when it falls below 0.1, and when the record is due for pruning.',
        params: RecordPath,
        querystring: ForecastQuery,
        response: answers({ 200: { schema: ref(Forecast), description: 'The salience from now on.' } }, [
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
          'Returns salience, importance and retention score with every input. For a removed record, `removal` says why it was removed and how to restore it. It also works for forgotten, purged and erased records.',
        params: RecordPath,
        response: answers(
          {
            200: {
              schema: ref(Explanation),
              description: 'Salience, importance and retention score at this moment, with their inputs.',
            },
          },
          ['above_ceiling'],
        ),
      },
    },
    (request) => explain.explain(request.caller, request.params.id),
  )
}
