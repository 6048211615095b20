import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { readCallContext } from '../../http/idempotency/idempotency.ts'
import { answers } from '../../http/problems/problem-responses.ts'
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
        summary: 'Check the files that records name',
        description:
          'Searches the directories of `MEMBRANE_DRIFT_ROOTS` for the paths, symbols and npm scripts that live records name, and reports which of them exist. Checks only records that the key can read in full. Changes nothing: only the `drift` step of a dream changes the status of records. Returns 409 if no directory is configured.',
        body: ref(DriftQuery),
        response: answers({ 200: { schema: ref(DriftReport), description: 'The result of the check.' } }, [
          'outside_trust',
          'no_drift_roots',
        ]),
      },
    },
    async (request) => drift.check(readCallContext(request), request.body),
  )
}
