import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import type { Once } from '../../http/idempotency/idempotency.ts'
import { sendPage } from '../../http/paging/paging.ts'
import { answers } from '../../http/problems/problem-responses.ts'
import { TombstonePage, TombstonePath, TombstonesQuery } from './tombstones.schemas.ts'
import type { TombstonesService } from './tombstones.service.ts'

export type TombstonesOptions = { tombstones: TombstonesService; once: Once }

const config = { permission: 'admin' } as const
const tags = ['tombstones']

export const tombstonesRoutes: FastifyPluginAsyncTypebox<TombstonesOptions> = async (
  app,
  { tombstones, once },
) => {
  app.get(
    '/v1/tombstones',
    {
      config,
      schema: {
        operationId: 'listTombstones',
        tags,
        summary: 'List tombstones',
        description:
          'Lists tombstones, the newest first, of records that the key could read in full and change. A tombstone does not contain what was erased.',
        querystring: TombstonesQuery,
        response: answers(
          { 200: { schema: ref(TombstonePage), description: 'A page of tombstones.', headers: ['Link'] } },
          ['invalid_cursor'],
        ),
      },
    },
    async (request, reply) => sendPage(request, reply, await tombstones.list(request.caller, request.query)),
  )

  app.delete(
    '/v1/tombstones/:id',
    {
      config,
      schema: {
        operationId: 'deleteTombstone',
        tags,
        summary: 'Lift a tombstone',
        description: 'Deletes the tombstone. The erased content can then be stored in its scope again.',
        params: TombstonePath,
        response: answers({ 204: { description: 'The tombstone is lifted.' } }, ['tombstone_not_found']),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => {
        await tombstones.lift(call, request.params.id)
        return { status: 204 }
      }),
  )
}
