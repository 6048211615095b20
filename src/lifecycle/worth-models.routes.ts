import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import { shippedWorthModel } from '../domain/worth-weights.ts'
import type { Once } from '../http/idempotency.ts'
import { answers } from '../http/problem-responses.ts'
import { AppError } from '../kernel/errors.ts'
import { WorthModel, WorthModelChoice, WorthModelPage, WorthModelPath } from './worth-models.schemas.ts'

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
          'Returns the weights of this release, which are always in force. Weights fitted to the uses of a store are not part of the product: docs/quality.md says what they gained.',
        response: answers({ 200: { schema: ref(WorthModelPage), description: 'All models.' } }),
      },
    },
    () => ({ items: [shipped] }),
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
          'The only model is in force already, so nothing changes and nothing is logged. Returns 404 for every other id.',
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
