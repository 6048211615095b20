import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import { answers } from '../http/problems/problem-responses.ts'
import { getTraceContext } from '../http/request-tracing.ts'
import { NewSimulation } from '../simulation/index.ts'
import { MaintenanceRun } from './maintenance.schemas.ts'
import type { MaintenanceService } from './maintenance.service.ts'
import { answerQueued, type QueueingOptions } from './queued-run.routes.ts'

export type SimulationsOptions = QueueingOptions & { maintenance: MaintenanceService }

export const simulationsRoutes: FastifyPluginAsyncTypebox<SimulationsOptions> = async (
  app,
  { maintenance, ...queueing },
) => {
  app.post(
    '/v1/maintenance/simulations',
    {
      config: { permission: 'maintenance:run' },
      schema: {
        operationId: 'requestSimulation',
        tags: ['maintenance'],
        summary: 'Simulate other half-lives, budgets or policies',
        description:
          'Queues a run that repeats the recorded uses and changes of the last days with other half-lives, budgets or policies. It changes no record. It counts the records that would have been forgotten, their size, and how many of them were shown, used or missed afterwards: read `stats.curve` of the finished run, which has a point for each value. Only records of the simulated types that are not purged and that the key can read in full are counted. A budget applies to each scope on its own; its simulation covers at most 250,000 records. `POST /v1/maintenance/runs/{id}/cancel` ends the run.',
        body: ref(NewSimulation),
        response: answers(
          { 202: { schema: ref(MaintenanceRun), description: 'The queued run.', headers: ['Location'] } },
          ['outside_trust', 'scope_required'],
        ),
      },
    },
    (request, reply) =>
      answerQueued(queueing, request, reply, {
        path: '/v1/maintenance/runs',
        queue: (call) => maintenance.requestSimulation(call, request.body, getTraceContext(request)),
      }),
  )
}
