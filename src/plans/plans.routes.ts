import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import { readCallContext } from '../http/idempotency/idempotency.ts'
import { sendPage } from '../http/paging/paging.ts'
import { answers } from '../http/problems/problem-responses.ts'
import { getTraceContext } from '../http/request-tracing.ts'
import { answerQueued, MaintenanceRun, type QueueingOptions } from '../maintenance/index.ts'
import {
  NewPlan,
  Plan,
  PlanApplication,
  PlanChangePage,
  PlanChangesQuery,
  PlanPage,
  PlanPath,
  PlanSummary,
  PlansQuery,
} from './plans.schemas.ts'
import type { PlansService } from './plans.service.ts'

export type PlansOptions = QueueingOptions & { plans: PlansService }

const tags = ['maintenance']
const reads = { permission: 'records:read' } as const
const runs = { permission: 'maintenance:run' } as const

export const plansRoutes: FastifyPluginAsyncTypebox<PlansOptions> = async (
  app,
  { plans, once, announcements },
) => {
  app.route({
    method: 'POST',
    url: '/v1/maintenance/plans',
    config: runs,
    schema: {
      operationId: 'createPlan',
      tags,
      summary: 'Plan a job',
      description:
        'Queues a dry run of the job and keeps the list of its changes as a plan. Read the changes, then apply all or some of them: an application makes only listed changes. The dry run asks a model only with `options: {"ask_model": true}`; the plan then keeps the answers. A plan can be applied until `expires_at` (`MEMBRANE_PLAN_RETENTION`).',
      body: ref(NewPlan),
      response: answers(
        {
          202: {
            schema: ref(Plan),
            description: 'The plan, with the status `preparing`.',
            headers: ['Location'],
          },
        },
        ['outside_trust', 'scope_required'],
      ),
    },
    handler: (request, reply) =>
      answerQueued({ once, announcements }, request, reply, {
        path: '/v1/maintenance/plans',
        queue: (call) => plans.request(call, request.body, getTraceContext(request)),
      }),
  })

  app.route({
    method: 'GET',
    url: '/v1/maintenance/plans',
    config: reads,
    schema: {
      operationId: 'listPlans',
      tags,
      summary: 'List plans',
      description:
        'Lists plans, the newest first. A key that is bound to scopes sees only the plans of its scopes.',
      querystring: PlansQuery,
      response: answers(
        { 200: { schema: ref(PlanPage), description: 'A page of plans.', headers: ['Link'] } },
        ['invalid_cursor'],
      ),
    },
    handler: async (request, reply) =>
      sendPage(request, reply, await plans.list(readCallContext(request), request.query)),
  })

  app.route({
    method: 'GET',
    url: '/v1/maintenance/plans/:id',
    config: reads,
    schema: {
      operationId: 'getPlan',
      tags,
      summary: 'Read a plan',
      description:
        'Returns the status, the digest and the counts of a plan, counted over the records that the key can see.',
      params: PlanPath,
      response: answers({ 200: { schema: ref(Plan), description: 'The plan.' } }),
    },
    handler: (request) => plans.read(readCallContext(request), request.params.id),
  })

  app.route({
    method: 'GET',
    url: '/v1/maintenance/plans/:id/changes',
    config: reads,
    schema: {
      operationId: 'listPlanChanges',
      tags,
      summary: 'List what a plan would change',
      description:
        'Lists the changes of records that the key may see, ordered by record, each with its reason in words. A record one sensitivity level above the ceiling of the key is listed without values.',
      params: PlanPath,
      querystring: PlanChangesQuery,
      response: answers(
        { 200: { schema: ref(PlanChangePage), description: 'A page of changes.', headers: ['Link'] } },
        ['invalid_cursor'],
      ),
    },
    handler: async (request, reply) =>
      sendPage(
        request,
        reply,
        await plans.listChanges(readCallContext(request), request.params.id, request.query),
      ),
  })

  app.route({
    method: 'GET',
    url: '/v1/maintenance/plans/:id/summary',
    config: reads,
    schema: {
      operationId: 'summarisePlan',
      tags,
      summary: 'Summarise a plan',
      description:
        'Groups the changes by action and record type. Returns for each group the number of changes, the salience and size of the records, and the record with the highest `keeping`.',
      params: PlanPath,
      response: answers({ 200: { schema: ref(PlanSummary), description: 'The groups of changes.' } }),
    },
    handler: (request) => plans.summarise(readCallContext(request), request.params.id),
  })

  app.route({
    method: 'DELETE',
    url: '/v1/maintenance/plans/:id',
    config: runs,
    schema: {
      operationId: 'deletePlan',
      tags,
      summary: 'Delete a plan',
      description:
        'Deletes the plan with its list of changes. If its dry run or an application is running, that run ends after its batch. Changes that were applied stay.',
      params: PlanPath,
      response: answers({ 204: { description: 'The plan is deleted.' } }),
    },
    handler: (request, reply) =>
      once(request, reply, async (call) => {
        await plans.drop(call, request.params.id)
        return { status: 204 }
      }),
  })

  app.route({
    method: 'POST',
    url: '/v1/maintenance/plans/:id/apply',
    config: runs,
    schema: {
      operationId: 'applyPlan',
      tags,
      summary: 'Apply a plan',
      description:
        'Queues a run that makes exactly the listed changes, all or the selected ones, and asks no model. A record that was changed after the plan was prepared stays as it is and is listed as `skipped`. Each change is made at most once: the same request again returns the same run, and another selection makes those of its changes that are not made yet.',
      params: PlanPath,
      body: ref(PlanApplication),
      response: answers(
        { 202: { schema: ref(MaintenanceRun), description: 'The queued run.', headers: ['Location'] } },
        ['digest_mismatch', 'plan_expired', 'plan_not_ready'],
      ),
    },
    handler: (request, reply) =>
      answerQueued({ once, announcements }, request, reply, {
        path: '/v1/maintenance/runs',
        queue: (call) => plans.apply(call, request.params.id, request.body, getTraceContext(request)),
      }),
  })
}
