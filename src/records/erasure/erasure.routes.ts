import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import type { Once } from '../../http/idempotency/idempotency.ts'
import { answers } from '../../http/problems/problem-responses.ts'
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
          'Deletes the record at once and for ever, with its content, relations, vectors and the texts of its audit log. A derived record is erased when all records that it was made from are erased. Later patches and relations do not change this. Records that have other sources as well stay, lose the words that came from this one, and are listed in `kept`. Records about an erased entity stay as they are: erase them first. The same content cannot be stored in the same scope until an admin lifts the tombstone; a message of fewer than five words (or ten letters of a script without spaces) is refused only under its own id. `force` and `cascade: false` need the permission admin.',
        params: RecordPath,
        body: ref(Erasure),
        response: answers(
          { 200: { schema: ref(ErasureReceipt), description: 'What was erased and what was kept.' } },
          [
            'record_erased',
            'above_ceiling',
            'outside_trust',
            'deletion_policy_never',
            'tombstone_key_missing',
            'tombstone_key_mismatch',
          ],
        ),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => ({
        status: 200,
        body: await erasure.erase(call, request.params.id, request.body),
      })),
  )
}
