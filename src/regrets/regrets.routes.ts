import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import { sendPage } from '../http/paging.ts'
import { answers } from '../http/problem-responses.ts'
import { RegretPage, RegretsQuery } from './regrets.schemas.ts'
import type { RegretsService } from './regrets.service.ts'

export type RegretsOptions = { regrets: RegretsService }

export const regretsRoutes: FastifyPluginAsyncTypebox<RegretsOptions> = async (app, { regrets }) => {
  app.get(
    '/v1/regrets',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'listRegrets',
        tags: ['lifecycle'],
        summary: 'List forgotten records that were missed',
        description:
          'A share of the questions (`MEMBRANE_REGRET_SAMPLE`) is asked again in the background, over the forgotten records that the same key may read. A forgotten record that would have been among the first ten is a regret. Lists one entry for each record, the last regretted first; `POST /v1/records/{id}/restore` brings a record back and ends its entry. The questions are not stored. Lists only records that the key sees whole.',
        querystring: RegretsQuery,
        response: answers({ 200: { schema: ref(RegretPage), description: 'One page.', headers: ['Link'] } }, [
          'invalid_cursor',
        ]),
      },
    },
    async (request, reply) => sendPage(request, reply, await regrets.list(request.caller, request.query)),
  )
}
