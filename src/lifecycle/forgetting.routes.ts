import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import { etagOf } from '../http/etag.ts'
import type { Answer, Once } from '../http/idempotency.ts'
import { answers } from '../http/problem-responses.ts'
import { RecordPath, WrittenRecord } from '../records/index.ts'
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
          'Out of every list and retrieval at once. Until `forgotten.purge_at` it can be restored; then its row is deleted, its audit log is not.',
        params: RecordPath,
        querystring: DeletionQuery,
        response: answers({ 200: { ...changed, description: 'The record as forgotten.' } }, [
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
        answerChanged(await forgetting.forget(call, request.params.id, request.query)),
      ),
  )

  app.post(
    '/v1/records/:id/restore',
    {
      config: { permission: 'lifecycle:write', singleRecord: true },
      schema: {
        operationId: 'restoreRecord',
        tags,
        summary: 'Bring a forgotten record back',
        description:
          'At the salience it had when it was forgotten, or 0.1 if that is more, and fading from now on. A maximum age that is over is dropped, which the audit log says. Counts as a use of it.',
        params: RecordPath,
        body: ref(Restoration),
        response: answers({ 200: { ...changed, description: 'The record, alive again.' } }, [
          'record_not_forgotten',
          'record_purged',
          'record_erased',
          'above_ceiling',
          'outside_trust',
        ]),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) =>
        answerChanged(await forgetting.restore(call, request.params.id, request.body)),
      ),
  )
}

function answerChanged(record: WrittenRecord): Answer {
  return { status: 200, body: record, headers: { etag: etagOf(record.version) } }
}
