import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../domain/schema-ref.ts'
import { readCallContext } from '../../http/idempotency.ts'
import { answers } from '../../http/problem-responses.ts'
import { DriftQuery, DriftReport } from './drift.schemas.ts'
import type { DriftService } from './drift.service.ts'

export const driftRoutes: FastifyPluginAsyncTypebox<{ drift: DriftService }> = async (app, { drift }) => {
  app.post(
    '/v1/maintenance/drift/check',
    {
      config: { permission: 'maintenance:run', readOnly: true },
      schema: {
        operationId: 'checkDrift',
        tags: ['maintenance'],
        summary: 'Hold what records say of files against the files',
        description:
          'Looks for the paths, symbols and npm scripts that live records name beneath the directories of MEMBRANE_DRIFT_ROOTS, in records the key sees whole, and changes nothing. What the `drift` step of a dream would do follows from it.',
        body: ref(DriftQuery),
        response: answers({ 200: { schema: ref(DriftReport), description: 'What is there.' } }, [
          'outside_trust',
          'no_drift_roots',
        ]),
      },
    },
    async (request) => drift.check(readCallContext(request), request.body),
  )
}
