import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { shippedWorthModel } from '../../domain/worth/worth-weights.ts'
import type { Once } from '../../http/idempotency/idempotency.ts'
import { readPage, sendPage } from '../../http/paging/paging.ts'
import { answers } from '../../http/problems/problem-responses.ts'
import { AppError } from '../../kernel/errors.ts'
import {
  WorthModel,
  WorthModelChoice,
  WorthModelPage,
  WorthModelPath,
  WorthModelsQuery,
} from './worth-models.schemas.ts'

const ModelCursor = Type.Object({ id: Type.String() })
const tags = ['lifecycle']
const shipped = { ...shippedWorthModel, source: 'shipped' as const, in_force: true, uses: 0 }

export const worthModelRoutes: FastifyPluginAsyncTypebox<{ once: Once }> = async (app, { once }) => {
  app.get(
    '/v1/worth/models',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'listWorthModels',
        tags,
        summary: 'List the weights that judge new records',
        description:
          'Returns the model of this release, which is always in force: the weights by which the base importance of a new record is estimated. No weights are fitted to the uses of a store; docs/quality.md says what that would gain.',
        querystring: WorthModelsQuery,
        response: answers(
          { 200: { schema: ref(WorthModelPage), description: 'A page of models.', headers: ['Link'] } },
          ['invalid_cursor'],
        ),
      },
    },
    async ({ caller, url, query: { limit = 50, cursor } }, reply) => {
      const page = await readPage({
        caller,
        list: { list: 'worth models' },
        limit,
        cursor,
        position: ModelCursor,
        read: async (after) => (after === undefined || after.id < shipped.id ? [shipped] : []),
      })
      return sendPage({ url }, reply, page)
    },
  )

  app.post(
    '/v1/worth/models/:id/activate',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'activateWorthModel',
        tags,
        summary: 'Put a model of worth into force',
        description:
          'Returns the only model, which is in force already: nothing changes and nothing is logged. Returns 404 for every other id.',
        params: WorthModelPath,
        body: ref(WorthModelChoice),
        response: answers({ 200: { schema: ref(WorthModel), description: 'The model in force.' } }, [
          'worth_model_not_found',
        ]),
      },
    },
    (request, reply) =>
      once(request, reply, async () => {
        if (request.params.id !== shipped.id)
          throw new AppError('worth_model_not_found', 'No model of worth has this id.')
        return { status: 200, body: shipped }
      }),
  )
}
