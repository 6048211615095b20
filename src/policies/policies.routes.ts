import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import { readCallContext } from '../http/idempotency.ts'
import { answers } from '../http/problem-responses.ts'
import { Policy, PolicyChoice, PolicyPage, PolicyPath } from './policies.schemas.ts'
import type { PoliciesService } from './policies.service.ts'

export type PoliciesOptions = { policies: PoliciesService }

const tags = ['policies']

export const policiesRoutes: FastifyPluginAsyncTypebox<PoliciesOptions> = async (app, { policies }) => {
  app.get(
    '/v1/policies',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'listPolicies',
        tags,
        summary: 'List the lifecycle policies',
        description: 'One for each type of record.',
        response: answers({ 200: { schema: ref(PolicyPage), description: 'All of them.' } }),
      },
    },
    (request) => policies.list(readCallContext(request)),
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
          'The lifecycle of each new record of the type: created, imported, captured, revised or made by a job. ' +
          'A client that names members of the lifecycle replaces these members alone.',
        params: PolicyPath,
        response: answers({ 200: { schema: ref(Policy), description: 'The policy.' } }),
      },
    },
    (request) => policies.read(readCallContext(request), request.params.type),
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
          'Applies to records that are created from now on, in other processes within a second; existing records ' +
          'keep their own lifecycle. ' +
          'Needs a key with all scopes and the highest ceiling.',
        params: PolicyPath,
        body: ref(PolicyChoice),
        response: answers({ 200: { schema: ref(Policy), description: 'The policy as it now stands.' } }, [
          'outside_trust',
        ]),
      },
    },
    (request) => policies.replace(readCallContext(request), request.params.type, request.body),
  )
}
