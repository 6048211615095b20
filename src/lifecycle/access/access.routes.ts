import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import type { Once } from '../../http/idempotency/idempotency.ts'
import { answers } from '../../http/problems/problem-responses.ts'
import { RecordPath } from '../../records/index.ts'
import { AccessReceipt, NewAccess } from './access.schemas.ts'
import type { AccessService } from './access.service.ts'

export type AccessOptions = { access: AccessService; once: Once }

export const accessRoutes: FastifyPluginAsyncTypebox<AccessOptions> = async (app, { access, once }) => {
  app.post(
    '/v1/records/:id/access',
    {
      config: { permission: 'lifecycle:write', bodyOptional: true },
      schema: {
        operationId: 'noteAccess',
        tags: ['lifecycle'],
        summary: 'Record that a record was used',
        description:
          'Counts one use of the record. A use raises the importance more than an appearance in an answer. The version of the record does not change.',
        params: RecordPath,
        body: ref(NewAccess),
        response: answers({ 200: { schema: ref(AccessReceipt), description: 'The counted use.' } }, [
          'record_forgotten',
          'record_purged',
          'record_erased',
          'above_ceiling',
        ]),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => ({
        status: 200,
        body: await access.noteUse(call, request.params.id, request.body?.actor),
      })),
  )
}
