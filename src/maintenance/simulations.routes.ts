import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import type { Once } from '../http/idempotency.ts'
import { answers } from '../http/problem-responses.ts'
import { getTraceContext } from '../http/request-tracing.ts'
import type { Announcements } from '../jobs/announcements.ts'
import { NewSimulation } from '../simulation/index.ts'
import { MaintenanceRun } from './maintenance.schemas.ts'
import type { MaintenanceService } from './maintenance.service.ts'

export type SimulationsOptions = {
  maintenance: MaintenanceService
  once: Once
  announcements?: Pick<Announcements, 'announceRun'> | undefined
}

export const simulationsRoutes: FastifyPluginAsyncTypebox<SimulationsOptions> = async (
  app,
  { maintenance, once, announcements },
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
    async (request, reply) => {
      let runId: string | undefined
      await once(request, reply, async (call) => {
        const run = await maintenance.requestSimulation(call, request.body, getTraceContext(request))
        runId = run.id
        return { status: 202, body: run, headers: { location: `/v1/maintenance/runs/${run.id}` } }
      })
      // After the commit, as for every run.
      if (runId !== undefined) void announcements?.announceRun('simulation', runId)
    },
  )
}
