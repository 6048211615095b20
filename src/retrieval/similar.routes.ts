import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import { readCallContext } from '../http/idempotency.ts'
import { answers } from '../http/problem-responses.ts'
import { SimilarQuery, SimilarRecords } from './similar.schemas.ts'
import type { SimilarService } from './similar.service.ts'

export const similarRoutes: FastifyPluginAsyncTypebox<{ similar: SimilarService }> = async (
  app,
  { similar },
) => {
  app.post(
    '/v1/search/similar',
    {
      config: { permission: 'records:read', readOnly: true },
      schema: {
        operationId: 'searchSimilar',
        tags: ['retrieval'],
        summary: 'Find the records most like another, or like a text',
        description:
          'By the vectors of their texts. Active records that the key sees whole; with the built-in embedder likeness is one of words and their parts, not of meaning.',
        body: ref(SimilarQuery),
        response: answers({ 200: { schema: ref(SimilarRecords), description: 'What is alike.' } }, [
          ...(['record_not_found', 'record_forgotten', 'above_ceiling'] as const),
          ...(['no_vectors', 'model_unavailable'] as const),
        ]),
      },
    },
    async (request) => similar.find(readCallContext(request), request.body),
  )
}
