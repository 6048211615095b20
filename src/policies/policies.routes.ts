import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import type { Once } from '../http/idempotency/idempotency.ts'
import { answers } from '../http/problems/problem-responses.ts'
import { budgetsRoutes } from './budgets.routes.ts'
import { Policy, PolicyChoice, PolicyPage, PolicyPath } from './policies.schemas.ts'
import type { PoliciesService } from './policies.service.ts'

export type PoliciesOptions = { policies: PoliciesService; once: Once }

const tags = ['policies']

export const policiesRoutes: FastifyPluginAsyncTypebox<PoliciesOptions> = async (app, { policies, once }) => {
  await app.register(budgetsRoutes, { budgets: policies.budgets, once })

  app.get(
    '/v1/policies',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'listPolicies',
        tags,
        summary: 'List the lifecycle policies',
        description: 'Returns one policy for each record type.',
        response: answers({ 200: { schema: ref(PolicyPage), description: 'The policies of all types.' } }),
      },
    },
    () => policies.list(),
  )

  app.get(
    '/v1/policies/:type',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'getPolicy',
        tags,
        summary: 'Read the lifecycle policy of a type',
        description:
          'Returns the lifecycle of new records of the type, whether a client or a job creates them. ' +
          'A request that sets fields of the lifecycle replaces only these fields.',
        params: PolicyPath,
        response: answers({ 200: { schema: ref(Policy), description: 'The policy.' } }),
      },
    },
    (request) => policies.read(request.params.type),
  )

  app.put(
    '/v1/policies/:type',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'putPolicy',
        tags,
        summary: 'Set the lifecycle policy of a type',
        description:
          'Sets the lifecycle of new records of the type: in this process at once, in others within a second. Existing ' +
          'records keep their lifecycle. Needs a key with all scopes and the highest ceiling.',
        params: PolicyPath,
        body: ref(PolicyChoice),
        response: answers({ 200: { schema: ref(Policy), description: 'The new policy.' } }, [
          'outside_trust',
        ]),
      },
    },
    (request) => policies.replace(request.caller, request.params.type, request.body),
  )
}
