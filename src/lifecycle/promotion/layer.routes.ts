import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Once } from '../../http/idempotency/idempotency.ts'
import { addRecordAction } from '../../records/index.ts'
import { LayerMove } from './layer.schemas.ts'
import type { LayerService } from './layer.service.ts'

export type LayersOptions = { layers: LayerService; once: Once }

const refusals = [
  'record_forgotten',
  'record_purged',
  'record_erased',
  'above_ceiling',
  'outside_trust',
  'no_further_layer',
] as const

export const layerRoutes: FastifyPluginAsyncTypebox<LayersOptions> = async (app, { layers, once }) => {
  addRecordAction(app, once, {
    action: 'promote',
    operationId: 'promoteRecord',
    tag: 'lifecycle',
    permission: 'lifecycle:write',
    summary: 'Promote a record',
    description:
      'Moves the record to the next layer (working, episodic, semantic), or to the layer named in the body. If that is the current layer, nothing changes. Jobs and uses promote records as well: to episodic after 30 minutes or two uses, to semantic at an importance of 0.7 and five uses.',
    body: LayerMove,
    errors: refusals,
    run: layers.promote,
  })

  addRecordAction(app, once, {
    action: 'demote',
    operationId: 'demoteRecord',
    tag: 'lifecycle',
    permission: 'lifecycle:write',
    summary: 'Demote a record',
    description:
      'Moves the record to the previous layer (semantic, episodic, working), or to the layer named in the body. From then on automatic promotion counts only later age and uses.',
    body: LayerMove,
    errors: refusals,
    run: layers.demote,
  })
}
