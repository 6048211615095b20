import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import { etagOf } from '../http/etag.ts'
import type { Answer, Once } from '../http/idempotency.ts'
import { answers } from '../http/problem-responses.ts'
import { RecordPath, WrittenRecord } from '../records/index.ts'
import { LayerMove } from './layer.schemas.ts'
import type { LayerService } from './layer.service.ts'

export type LayersOptions = { layers: LayerService; once: Once }

const tags = ['lifecycle']
const config = { permission: 'lifecycle:write', singleRecord: true } as const
const answered = {
  200: { schema: ref(WrittenRecord), description: 'The record after the change.', headers: ['ETag'] },
} as const
const refusals = [
  'record_forgotten',
  'record_purged',
  'record_erased',
  'above_ceiling',
  'outside_trust',
  'no_further_layer',
] as const

export const layerRoutes: FastifyPluginAsyncTypebox<LayersOptions> = async (app, { layers, once }) => {
  app.post(
    '/v1/records/:id/promote',
    {
      config,
      schema: {
        operationId: 'promoteRecord',
        tags,
        summary: 'Promote a record',
        description:
          'Moves the record to the next layer (working, episodic, semantic), or to the layer named in the body. Naming the current layer changes nothing. Records are also promoted automatically: to episodic after 30 minutes or two uses, to semantic at an importance of 0.7 and five uses.',
        params: RecordPath,
        body: ref(LayerMove),
        response: answers(answered, refusals),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) =>
        answer(await layers.promote(call, request.params.id, request.body)),
      ),
  )

  app.post(
    '/v1/records/:id/demote',
    {
      config,
      schema: {
        operationId: 'demoteRecord',
        tags,
        summary: 'Demote a record',
        description:
          'Moves the record to the previous layer (semantic, episodic, working), or to the layer named in the body. Automatic promotion then counts only age and uses from now on.',
        params: RecordPath,
        body: ref(LayerMove),
        response: answers(answered, refusals),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) =>
        answer(await layers.demote(call, request.params.id, request.body)),
      ),
  )
}

function answer(record: WrittenRecord): Answer {
  return { status: 200, body: record, headers: { etag: etagOf(record.version) } }
}
