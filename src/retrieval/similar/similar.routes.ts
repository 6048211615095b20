import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { readCallContext } from '../../http/idempotency/idempotency.ts'
import { answers } from '../../http/problems/problem-responses.ts'
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
        summary: 'Find similar records',
        description:
          'Finds the active records whose vectors are nearest to the vector of a record or a text. Returns only records that the key can read in full. With `MEMBRANE_EMBEDDING_PROVIDER=hash` similarity means shared words and parts of words; the default `static` also knows the meaning of English words.',
        body: ref(SimilarQuery),
        response: answers({ 200: { schema: ref(SimilarRecords), description: 'The similar records.' } }, [
          'record_not_found',
          'record_forgotten',
          'above_ceiling',
          'no_vectors',
          'model_unavailable',
        ]),
      },
    },
    async (request) => similar.find(readCallContext(request), request.body),
  )
}
