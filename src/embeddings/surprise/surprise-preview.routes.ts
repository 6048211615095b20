import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { readCallContext } from '../../http/idempotency/idempotency.ts'
import { answers } from '../../http/problems/problem-responses.ts'
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
        summary: 'Preview the surprise of a text',
        description:
          'Compares the text with the five nearest live records of one scope that the key can read in full, in the same way as a new record is compared. Stores nothing. A stored record is compared by its searchable text, and only with records that are not more sensitive than itself.',
        body: ref(SurpriseQuery),
        response: answers(
          { 200: { schema: ref(SurprisePreview), description: 'The surprise that the text would have.' } },
          ['scope_required', 'no_vectors', 'model_unavailable'],
        ),
      },
    },
    async (request) => surprisePreview.preview(readCallContext(request), request.body),
  )
}
