import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { ref } from '../domain/schema-ref.ts'
import { readCallContext } from '../http/idempotency.ts'
import { answers } from '../http/problem-responses.ts'
import { Retrieval, RetrieveQuery } from './retrieval.schemas.ts'
import type { RetrievalService } from './retrieval.service.ts'

type Report = (message: string, error?: unknown) => void
export type RetrievalOptions = {
  retrieval: RetrievalService
  access: { noteServed(ids: readonly string[], actor: string, report: Report): void }
}

type Serving = { ids: readonly string[]; actor: string }

export const retrievalRoutes: FastifyPluginAsyncTypebox<RetrievalOptions> = async (
  app,
  { retrieval, access },
) => {
  const servings = new WeakMap<FastifyRequest, Serving>()

  app.post(
    '/v1/retrieve',
    {
      config: { permission: 'records:read', readOnly: true, bodyOptional: true },
      schema: {
        operationId: 'retrieve',
        tags: ['retrieval'],
        summary: 'Find what helps with a task',
        description:
          'Candidates by text, names and salience are joined by rank, weighed by what kind of question is asked, by salience and by importance; from the best of them edges are followed. Every filter holds for every record of the answer, neighbours too, and is applied before any cut. Only active records come unless others are asked for. A record that the key sees redacted comes only where no words are asked about, or at the end of an edge, and never under a filter by what it does not show. Of the edges that a record has itself twenty are told here; all are at `/relations`.',
        body: ref(RetrieveQuery),
        response: answers({ 200: { schema: ref(Retrieval), description: 'What was found.' } }),
      },
      // Behind the answer: what is counted is what was sent, and nobody waits for the counting.
      onResponse: async (request, reply) => {
        const serving = servings.get(request)
        if (!serving || reply.statusCode !== 200) return
        access.noteServed(serving.ids, serving.actor, (message, error) =>
          request.log.warn({ err: error }, message),
        )
      },
    },
    async (request) => {
      const { body } = request
      const { answer, servedIds } = await retrieval.retrieve(readCallContext(request), body)
      const actor = body.trust?.actor_id ?? request.caller.name
      if (body.record_access !== false && servedIds.length > 0)
        servings.set(request, { ids: servedIds, actor })
      return answer
    },
  )
}
