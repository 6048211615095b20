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
        summary: 'Retrieve memories for a task',
        description:
          'Searches by text, vectors, names and salience and merges the rankings. The kind of question, salience and importance change the weights. From the best records edges are followed. Every filter applies to every record of the answer, neighbours included, before anything is cut off. Only active records are returned unless `include_status` adds others. A record that the key sees redacted is returned only without a `task_descriptor` or at the end of an edge, and never under a filter on a field that it hides. Each record shows up to twenty of its edges; `/v1/records/{id}/relations` lists all.',
        body: ref(RetrieveQuery),
        response: answers({
          200: { schema: ref(Retrieval), description: 'The retrieved records and edges.' },
        }),
      },
      // After the response: only what was sent is counted, and no caller waits for it.
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
