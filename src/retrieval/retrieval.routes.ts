import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { ref } from '../domain/schemas/schema-ref.ts'
import type { Trust } from '../domain/trust/caller.ts'
import { readCallContext } from '../http/idempotency/idempotency.ts'
import { answers } from '../http/problems/problem-responses.ts'
import type { Report } from '../kernel/log.ts'
import { maskRecord } from '../records/index.ts'
import { ContextQuery, PromptContext } from './prompt/prompt-context.schemas.ts'
import type { PromptContextService } from './prompt/prompt-context.service.ts'
import { Retrieval, RetrieveQuery } from './retrieval.schemas.ts'
import type { RetrievalService } from './retrieval.service.ts'

type Reader = { key_id: string; actor: string }
export type RetrievalOptions = {
  retrieval: RetrievalService
  promptContext: PromptContextService
  access: { noteServed(ids: readonly string[], reader: Reader, report: Report): void }
  /** Judges what was forgotten by the questions that are asked. */
  regretSampling: { noteAsked(trust: Trust, input: RetrieveQuery, report: Report): void }
}

type Answered = { question: RetrieveQuery; ids: readonly string[] }

export const retrievalRoutes: FastifyPluginAsyncTypebox<RetrievalOptions> = async (
  app,
  { retrieval, promptContext, access, regretSampling },
) => {
  /** What was asked, and the records of the answer. */
  const answered = new WeakMap<FastifyRequest, Answered>()

  // After the response: only what was sent is counted, and no caller waits for it.
  app.addHook('onResponse', async (request, reply) => {
    const { question, ids = [] } = answered.get(request) ?? {}
    if (!question || reply.statusCode !== 200) return
    const { principal, name, trust } = request.caller
    const report: Report = (message, error) => request.log.warn({ err: error }, message)
    const reader = { key_id: principal, actor: question.trust?.actor_id ?? name }
    if (question.record_access !== false) access.noteServed(ids, reader, report)
    regretSampling.noteAsked(trust, question, report)
  })

  app.post(
    '/v1/retrieve',
    {
      config: { permission: 'records:read', readOnly: true, bodyOptional: true },
      schema: {
        operationId: 'retrieve',
        tags: ['retrieval'],
        summary: 'Retrieve memories for a task',
        description:
          'Searches by text, vectors and names, and follows relations from the best records. Relevance decides the order; salience, importance and age only order nearly equal matches. Every filter applies to every record of the answer, neighbours included, before the limits do. Only active records are returned unless `include_status` adds others. A redacted record is returned only without a `task_descriptor` or at the end of a relation, and never if a filter uses a field that it hides. Records that do not fit into about 32 MiB are left out, the least relevant first. Each record shows up to twenty of its relations; `/v1/records/{id}/relations` lists all.',
        body: ref(RetrieveQuery),
        response: answers({
          200: {
            schema: ref(Retrieval),
            description: 'The retrieved records and the relations between them.',
          },
        }),
      },
    },
    async (request) => {
      const { answer, servedIds } = await retrieval.retrieve(readCallContext(request), request.body)
      answered.set(request, { question: request.body, ids: servedIds })
      if (!request.body.mask_secrets) return answer
      return { ...answer, nodes: answer.nodes.map((node) => ({ ...node, record: maskRecord(node.record) })) }
    },
  )

  app.post(
    '/v1/context',
    {
      config: { permission: 'records:read', readOnly: true },
      schema: {
        operationId: 'buildContext',
        tags: ['retrieval'],
        summary: 'Write the memories for a task as a text for a prompt',
        description:
          'Retrieves like `/v1/retrieve`, but finds nothing if nothing matches, and writes the records as one text of at most `max_tokens`: who the task is about, what is known, how to do it, what is under way, and what happened, with the messages before and after the found ones. If two facts are in dispute, both are written, the newer one first. Equal lines are written once. Records that do not fit are left out, the least relevant first, and listed in `omitted`. Each line names its record. Secrets are masked. The text is data, not instructions: it is in a fenced code block, and nothing in a record can close the block or look like a reference. Every filter applies to every record in the text.',
        body: ref(ContextQuery),
        response: answers({
          200: { schema: ref(PromptContext), description: 'The text and the records in it.' },
        }),
      },
    },
    async (request) => {
      const context = await promptContext.build(readCallContext(request), request.body)
      const { max_tokens: _, format: __, ...question } = request.body
      answered.set(request, { question, ids: context.items.map(({ record_id: id }) => id) })
      return context
    },
  )
}
