import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../domain/schema-ref.ts'
import { readCallContext } from '../../http/idempotency.ts'
import { answers } from '../../http/problem-responses.ts'
import { SurprisePreview, SurpriseQuery } from './surprise-preview.schemas.ts'
import type { SurprisePreviewService } from './surprise-preview.service.ts'

export const surpriseRoutes: FastifyPluginAsyncTypebox<{ surprisePreview: SurprisePreviewService }> = async (
  app,
  { surprisePreview },
) => {
  app.post(
    '/v1/surprise/preview',
    {
      config: { permission: 'records:read', readOnly: true },
      schema: {
        operationId: 'previewSurprise',
        tags: ['lifecycle'],
        summary: 'Say how surprising a text would be',
        description:
          'Compares it with the five nearest live records of one scope that the key sees whole, as a new record is once it has its vector, and stores nothing. A record is compared by the words it is searched by, and only with what is no more sensitive than itself.',
        body: ref(SurpriseQuery),
        response: answers(
          { 200: { schema: ref(SurprisePreview), description: 'What would become of it.' } },
          ['scope_required', 'no_vectors', 'model_unavailable'],
        ),
      },
    },
    async (request) => surprisePreview.preview(readCallContext(request), request.body),
  )
}
