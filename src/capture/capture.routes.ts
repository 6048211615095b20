import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import type { Once } from '../http/idempotency/idempotency.ts'
import { answers } from '../http/problems/problem-responses.ts'
import { answerRecord, RecordPath, WrittenRecord } from '../records/index.ts'
import { Captured, NewCapture, OutcomeChoice } from './capture.schemas.ts'
import type { CaptureService } from './capture.service.ts'

type CaptureOptions = { capture: CaptureService; once: Once }

const tags = ['capture']

export const captureRoutes: FastifyPluginAsyncTypebox<CaptureOptions> = async (app, { capture, once }) => {
  app.post(
    '/v1/capture',
    {
      config: { permission: 'records:write' },
      schema: {
        operationId: 'capture',
        tags,
        summary: 'Store evidence as linked records',
        description:
          'Stores the evidence as an episode (or as a working record for a task report), the entities that it names, the fact that it states, and the relations between them, in one transaction. If the fact is already known, it is confirmed instead of stored again. A retry with the same `source`, scope and `content.ref` stores nothing and returns the first result with `deduplicated: true`. Returns 422 if a field of the content does not match its kind.',
        body: ref(NewCapture),
        response: answers(
          { 201: { schema: ref(Captured), description: 'The stored records and relations.' } },
          [
            'outside_trust',
            'scope_required',
            'erased_content',
            'record_forgotten',
            'record_not_found',
            'above_ceiling',
            'type_mismatch',
            'tombstone_key_mismatch',
          ],
        ),
      },
    },
    (request, reply) =>
      once(request, reply, {
        isQuick: !capture.asksModel,
        prepare: async (call) => {
          const prepared = await capture.prepare(call, request.body)
          const answer = (captured: Captured) => ({ status: 201, body: captured })
          if (prepared.share) return { share: prepared.share, answer }
          return async (joined) => answer(await prepared.store(joined))
        },
      }),
  )

  app.post(
    '/v1/records/:id/outcome',
    {
      config: { permission: 'records:write', singleRecord: true },
      schema: {
        operationId: 'setOutcome',
        tags,
        summary: 'Set the outcome of an episode',
        description:
          'Sets whether the episode was a success, a failure or a partial success. A second call corrects the outcome; the audit log keeps the earlier values. Returns 409 if the record is not an episode.',
        params: RecordPath,
        body: ref(OutcomeChoice),
        response: answers(
          {
            200: {
              schema: ref(WrittenRecord),
              description: 'The updated episode.',
              headers: ['ETag'],
            },
          },
          ['record_forgotten', 'above_ceiling', 'outside_trust', 'type_mismatch'],
        ),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => {
        const { outcome, actor, rationale = 'outcome set' } = request.body
        return answerRecord(await capture.setOutcome(call, request.params.id, { outcome, actor, rationale }))
      }),
  )
}
