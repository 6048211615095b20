import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import { sendPage } from '../http/paging.ts'
import { answers } from '../http/problem-responses.ts'
import { RecordPath } from '../records/index.ts'
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
          'Oldest first. A change is listed when the importance moved by more than 0.01 and was stored. The value of this moment is in `/explain`. Works for forgotten, purged and erased records too.',
        params: RecordPath,
        querystring: HistoryQuery,
        response: answers(
          { 200: { schema: ref(ImportanceHistory), description: 'One page.', headers: ['Link'] } },
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
          'Oldest first, for every cause. Works for forgotten, purged and erased records too. For an erased record the reasons are empty.',
        params: RecordPath,
        querystring: HistoryQuery,
        response: answers(
          { 200: { schema: ref(StatusHistory), description: 'One page.', headers: ['Link'] } },
          ['above_ceiling', 'invalid_cursor'],
        ),
      },
    },
    async (request, reply) =>
      sendPage(request, reply, await history.readStatus(request.caller, request.params.id, request.query)),
  )
}
