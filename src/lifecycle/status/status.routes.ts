import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Once } from '../../http/idempotency/idempotency.ts'
import { addRecordAction } from '../../records/index.ts'
import { Transition } from './status.schemas.ts'
import type { StatusService } from './status.service.ts'

export type StatusOptions = { status: StatusService; once: Once }

export const statusRoutes: FastifyPluginAsyncTypebox<StatusOptions> = async (app, { status, once }) => {
  addRecordAction(app, once, {
    action: 'status',
    operationId: 'setStatus',
    tag: 'lifecycle',
    permission: 'lifecycle:write',
    summary: 'Set the status of a record',
    description:
      'An active record can be set to challenged or invalidated, a challenged one to active or invalidated, and an invalidated one to active. A record that was invalidated gets back the salience that it had, but at least 0.1, and fades from now on. Only a revision or a merge makes a record superseded or merged, and only `/revert` takes that back. A record that an earlier version of this call set to superseded or merged can be set to active. Returns 409 if the content was erased from the scope.',
    body: Transition,
    errors: [
      'record_forgotten',
      'record_purged',
      'record_erased',
      'above_ceiling',
      'outside_trust',
      'invalid_transition',
      'erased_content',
    ],
    run: status.move,
  })
}
