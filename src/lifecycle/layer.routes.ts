import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import { etagOf } from '../http/etag.ts'
import type { Answer, Once } from '../http/idempotency.ts'
import { answers } from '../http/problem-responses.ts'
import { WrittenRecord } from '../records/index.ts'
import { LayerMove, LayerPath } from './layer.schemas.ts'
import type { LayerService } from './layer.service.ts'

export type LayersOptions = { layers: LayerService; once: Once }

const tags = ['lifecycle']
const config = { permission: 'lifecycle:write', singleRecord: true } as const
const answered = {
  200: { schema: ref(WrittenRecord), description: 'The record as it now stands.', headers: ['ETag'] },
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
        summary: 'Move a record to the next layer, or to the one named',
        description:
          'From working to episodic to semantic, or to any layer that is named. Naming the layer it is in changes nothing. It also comes up by itself: to episodic 30 minutes old or accessed twice, to semantic at an importance of 0.7 and five accesses.',
        params: LayerPath,
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
        summary: 'Move a record to the layer before, or to the one named',
        description:
          'From semantic to episodic to working, or to any layer that is named. Its past no longer carries it up: by itself it comes up again through age and accesses from now on.',
        params: LayerPath,
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
