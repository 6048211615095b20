import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../domain/schema-ref.ts'
import type { Once } from '../../http/idempotency.ts'
import { answers } from '../../http/problem-responses.ts'
import { RecordPath } from '../records.schemas.ts'
import { Erasure, ErasureReceipt } from './erasure.schemas.ts'
import type { ErasureService } from './erasure.service.ts'

export type ErasureOptions = { erasure: ErasureService; once: Once }

export const erasureRoutes: FastifyPluginAsyncTypebox<ErasureOptions> = async (app, { erasure, once }) => {
  app.post(
    '/v1/records/:id/erase',
    {
      config: { permission: 'lifecycle:write', singleRecord: true },
      schema: {
        operationId: 'eraseRecord',
        tags: ['records'],
        summary: 'Erase a record for good',
        description:
          'At once: its row, what it says, its edges and the words of its audit log. What the service derived from it alone goes with it. What rests on other evidence as well stays without this one, and is listed as `kept`. The same content is then refused in the same scope.',
        params: RecordPath,
        body: ref(Erasure),
        response: answers({ 200: { schema: ref(ErasureReceipt), description: 'What is gone.' } }, [
          'record_erased',
          'above_ceiling',
          'outside_trust',
          'deletion_policy_never',
          'tombstone_key_missing',
          'tombstone_key_mismatch',
        ]),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => ({
        status: 200,
        body: await erasure.erase(call, request.params.id, request.body),
      })),
  )
}
