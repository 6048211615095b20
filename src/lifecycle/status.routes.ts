import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import { etagOf } from '../http/etag.ts'
import { type Once, readCallContext } from '../http/idempotency.ts'
import { linkNext } from '../http/paging.ts'
import { answers } from '../http/problem-responses.ts'
import { WrittenRecord } from '../records/index.ts'
import { StatusHistory, StatusHistoryQuery, StatusPath, Transition } from './status.schemas.ts'
import type { StatusService } from './status.service.ts'

export type StatusOptions = { status: StatusService; once: Once }

const tags = ['lifecycle']

export const statusRoutes: FastifyPluginAsyncTypebox<StatusOptions> = async (app, { status, once }) => {
  app.post(
    '/v1/records/:id/status',
    {
      config: { permission: 'lifecycle:write', singleRecord: true },
      schema: {
        operationId: 'setStatus',
        tags,
        summary: 'Move a record to another status',
        description:
          'Active and challenged lead to each other and to invalidated; invalidated leads back to active. Only a revision or a merge makes a record superseded or merged, and only reverting it brings the record back. A record that an earlier version let a status call make superseded or merged can be set active again. A retracted record that is made active again gets back the salience it had, or 0.1 if that is more, and fades from now on.',
        params: StatusPath,
        body: ref(Transition),
        response: answers(
          { 200: { schema: ref(WrittenRecord), description: 'The record as changed.', headers: ['ETag'] } },
          [
            ...(['record_forgotten', 'record_purged', 'record_erased', 'above_ceiling'] as const),
            ...(['outside_trust', 'invalid_transition'] as const),
          ],
        ),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => {
        const record = await status.move(call, request.params.id, request.body)
        return { status: 200, body: record, headers: { etag: etagOf(record.version) } }
      }),
  )

  app.get(
    '/v1/records/:id/status-history',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'listStatusChanges',
        tags,
        summary: "Page through what became of a record's status",
        description:
          'Oldest first, whatever moved it. Answers for forgotten, purged and erased records too; of an erased one the reasons are blank.',
        params: StatusPath,
        querystring: StatusHistoryQuery,
        response: answers(
          { 200: { schema: ref(StatusHistory), description: 'One page.', headers: ['Link'] } },
          ['above_ceiling', 'invalid_cursor'],
        ),
      },
    },
    async (request, reply) => {
      const page = await status.readHistory(readCallContext(request), request.params.id, request.query)
      if (page.next_cursor !== undefined) reply.header('link', linkNext(request.url, page.next_cursor))
      return page
    },
  )
}
