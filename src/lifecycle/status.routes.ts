import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import type { Once } from '../http/idempotency.ts'
import { sendPage } from '../http/paging.ts'
import { answers } from '../http/problem-responses.ts'
import { addRecordAction, RecordPath } from '../records/index.ts'
import { StatusHistory, StatusHistoryQuery, Transition } from './status.schemas.ts'
import type { StatusService } from './status.service.ts'

export type StatusOptions = { status: StatusService; once: Once }

const tags = ['lifecycle']

export const statusRoutes: FastifyPluginAsyncTypebox<StatusOptions> = async (app, { status, once }) => {
  addRecordAction(app, once, {
    ...{ action: 'status', operationId: 'setStatus', tag: 'lifecycle', permission: 'lifecycle:write' },
    summary: 'Set the status of a record',
    description:
      'Active and challenged records can be set to each other and to invalidated. An invalidated record can be set active again; it then gets back the salience it had, but at least 0.1, and fades from now on. Only a revision or a merge makes a record superseded or merged, and only reverting that operation brings it back. A record that an earlier version of this call set to superseded or merged can be set active.',
    body: Transition,
    errors: [
      ...(['record_forgotten', 'record_purged', 'record_erased', 'above_ceiling'] as const),
      ...(['outside_trust', 'invalid_transition'] as const),
    ],
    run: status.move,
  })

  app.get(
    '/v1/records/:id/status-history',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'listStatusChanges',
        tags,
        summary: 'List the status changes of a record',
        description:
          'Oldest first, for every cause. Works for forgotten, purged and erased records too. For an erased record the reasons are empty.',
        params: RecordPath,
        querystring: StatusHistoryQuery,
        response: answers(
          { 200: { schema: ref(StatusHistory), description: 'One page.', headers: ['Link'] } },
          ['above_ceiling', 'invalid_cursor'],
        ),
      },
    },
    async (request, reply) =>
      sendPage(request, reply, await status.readHistory(request.caller, request.params.id, request.query)),
  )
}
