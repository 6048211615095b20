import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import type { Once } from '../../http/idempotency/idempotency.ts'
import { answers } from '../../http/problems/problem-responses.ts'
import { addRecordAction, answerRecord, RecordPath, WrittenRecord } from '../../records/index.ts'
import { DeletionQuery, Restoration } from './forgetting.schemas.ts'
import type { ForgettingService } from './forgetting.service.ts'

export type ForgettingOptions = { forgetting: ForgettingService; once: Once }

const tags = ['records']
const changed = { schema: ref(WrittenRecord), headers: ['ETag'] } as const

export const forgettingRoutes: FastifyPluginAsyncTypebox<ForgettingOptions> = async (
  app,
  { forgetting, once },
) => {
  app.delete(
    '/v1/records/:id',
    {
      config: { permission: 'records:write', singleRecord: true },
      schema: {
        operationId: 'deleteRecord',
        tags,
        summary: 'Forget a record',
        description:
          'Hides the record from every list and retrieval. It can be restored until `forgotten.purge_at`. Then it is deleted; its audit log stays. A pinned record needs `force`. A record with the deletion policy `never` cannot be forgotten.',
        params: RecordPath,
        querystring: DeletionQuery,
        response: answers({ 200: { ...changed, description: 'The forgotten record.' } }, [
          'record_forgotten',
          'record_purged',
          'record_erased',
          'above_ceiling',
          'outside_trust',
          'record_pinned',
          'deletion_policy_never',
        ]),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) =>
        answerRecord(await forgetting.forget(call, request.params.id, request.query)),
      ),
  )

  addRecordAction(app, once, {
    action: 'restore',
    operationId: 'restoreRecord',
    tag: 'records',
    permission: 'lifecycle:write',
    summary: 'Restore a forgotten record',
    description:
      'Makes the record visible again. It gets the salience that it had when it was forgotten, but at least 0.1, and fades from now on. A maximum age that has passed is removed, which the audit log shows. Returns 409 if the same content was erased from the scope since then. A record that was stored since with the same text, name or thread stays beside it; a context quotes only the newer one. Counts as a use of the record.',
    body: Restoration,
    errors: [
      'record_not_forgotten',
      'record_purged',
      'record_erased',
      'above_ceiling',
      'outside_trust',
      'erased_content',
    ],
    run: forgetting.restore,
  })
}
