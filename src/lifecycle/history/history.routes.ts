import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { sendPage } from '../../http/paging/paging.ts'
import { answers } from '../../http/problems/problem-responses.ts'
import { RecordPath } from '../../records/index.ts'
import { HistoryQuery, ImportanceHistory, StatusHistory } from './history.schemas.ts'
import type { HistoryService } from './history.service.ts'

export const historyRoutes: FastifyPluginAsyncTypebox<{ history: HistoryService }> = async (
  app,
  { history },
) => {
  app.get(
    '/v1/records/:id/importance-history',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'listImportanceMoves',
        tags: ['lifecycle'],
        summary: 'List the importance changes of a record',
        description:
          'Lists the stored changes of the importance by more than 0.01, the oldest first. `/explain` shows the present value. It also works for forgotten, purged and erased records.',
        params: RecordPath,
        querystring: HistoryQuery,
        response: answers(
          { 200: { schema: ref(ImportanceHistory), description: 'A page of changes.', headers: ['Link'] } },
          ['above_ceiling', 'invalid_cursor'],
        ),
      },
    },
    async (request, reply) =>
      sendPage(
        request,
        reply,
        await history.readImportance(request.caller, request.params.id, request.query),
      ),
  )

  app.get(
    '/v1/records/:id/status-history',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'listStatusChanges',
        tags: ['lifecycle'],
        summary: 'List the status changes of a record',
        description:
          'Lists all changes of the status, the oldest first. It also works for forgotten, purged and erased records. For an erased record the reasons are empty.',
        params: RecordPath,
        querystring: HistoryQuery,
        response: answers(
          { 200: { schema: ref(StatusHistory), description: 'A page of changes.', headers: ['Link'] } },
          ['above_ceiling', 'invalid_cursor'],
        ),
      },
    },
    async (request, reply) =>
      sendPage(request, reply, await history.readStatus(request.caller, request.params.id, request.query)),
  )
}
