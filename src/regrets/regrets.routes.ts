import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import { sendPage } from '../http/paging/paging.ts'
import { answers } from '../http/problems/problem-responses.ts'
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
          'Lists the forgotten records that answers missed and that the key can read in full, one entry for each record, the last missed first. To find them, a share of the questions (`MEMBRANE_REGRET_SAMPLE`) is tested in the background: the question misses a forgotten record that would have been among the first ten records of its answer, and that the key of the question can read. The questions are not stored. `POST /v1/records/{id}/restore` restores a record and removes its entry.',
        querystring: RegretsQuery,
        response: answers(
          { 200: { schema: ref(RegretPage), description: 'A page of missed records.', headers: ['Link'] } },
          ['invalid_cursor'],
        ),
      },
    },
    async (request, reply) => sendPage(request, reply, await regrets.list(request.caller, request.query)),
  )
}
