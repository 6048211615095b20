import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import type { Once } from '../http/idempotency.ts'
import { answers } from '../http/problem-responses.ts'
import { answerRecord, WrittenRecord } from '../records/index.ts'
import { Captured, EpisodePath, NewCapture, OutcomeChoice } from './capture.schemas.ts'
import type { CaptureService } from './capture.service.ts'

export type CaptureOptions = { capture: CaptureService; once: Once }

const tags = ['capture']

export const captureRoutes: FastifyPluginAsyncTypebox<CaptureOptions> = async (app, { capture, once }) => {
  app.post(
    '/v1/capture',
    {
      config: { permission: 'records:write' },
      schema: {
        operationId: 'capture',
        tags,
        summary: 'Turn evidence into linked records',
        description:
          'One transaction stores the evidence, the entities it names and the fact it tells, with the edges between them. A fact that stands already is confirmed instead; the same `content.ref` of one source and scope is stored once.',
        body: ref(NewCapture),
        response: answers({ 201: { schema: ref(Captured), description: 'What came of it.' } }, [
          'outside_trust',
          'scope_required',
          'erased_content',
          'record_forgotten',
          'record_not_found',
          'above_ceiling',
          'type_mismatch',
        ]),
      },
    },
    (request, reply) =>
      once(request, reply, {
        prepare: async (call) => {
          const store = await capture.prepare(call, request.body)
          return async (joined) => ({ status: 201, body: await store(joined) })
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
        summary: 'Say how an episode ended',
        description: 'May be corrected; the log keeps what was said before.',
        params: EpisodePath,
        body: ref(OutcomeChoice),
        response: answers(
          {
            200: {
              schema: ref(WrittenRecord),
              description: 'The episode as it now stands.',
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
