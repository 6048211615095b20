import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import { answers } from '../http/problems/problem-responses.ts'
import { getTraceContext } from '../http/request-tracing.ts'
import { NewUndo } from '../undo/index.ts'
import { MaintenanceRun, RunPath } from './maintenance.schemas.ts'
import type { MaintenanceService } from './maintenance.service.ts'
import { answerQueued, type QueueingOptions } from './queued-run.routes.ts'

export type UndoOptions = QueueingOptions & { maintenance: MaintenanceService }

export const undoRoutes: FastifyPluginAsyncTypebox<UndoOptions> = async (
  app,
  { maintenance, ...queueing },
) => {
  app.post(
    '/v1/maintenance/runs/:id/undo',
    {
      config: { permission: 'maintenance:run' },
      schema: {
        operationId: 'undoRun',
        tags: ['maintenance'],
        summary: 'Take back what a run did',
        description:
          'Queues a run of the job `undo`. It restores the records that the run forgot, with the salience and deadlines that they had, restores the layer, importance, status and counts that the run changed, and retracts the records that the run created. A record that was changed after the run stays as it is and is listed as `kept`. The undo is a run of its own: it can be undone, and it can be a dry run.',
        params: RunPath,
        body: ref(NewUndo),
        response: answers(
          { 202: { schema: ref(MaintenanceRun), description: 'The queued run.', headers: ['Location'] } },
          ['run_not_found', 'not_undoable'],
        ),
      },
    },
    (request, reply) =>
      answerQueued(queueing, request, reply, {
        path: '/v1/maintenance/runs',
        queue: (call) =>
          maintenance.requestUndo(call, request.params.id, request.body, getTraceContext(request)),
      }),
  )
}
