import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import type { Once } from '../../http/idempotency/idempotency.ts'
import type { Answer } from '../../http/idempotency/run-once.ts'
import { answers } from '../../http/problems/problem-responses.ts'
import { answerRefused } from '../../http/problems/problems.ts'
import { AppError } from '../../kernel/errors.ts'
import { addRecordAction } from '../../records/index.ts'
import { BulkAnswer, BulkPenalty, BulkReason, Penalty, Reason } from './reinforcement.schemas.ts'
import type { OutcomeOfOne, ReinforcementService } from './reinforcement.service.ts'

export type ReinforcementOptions = { reinforcement: ReinforcementService; once: Once }

const tags = ['lifecycle']
const config = { permission: 'lifecycle:write' } as const
const ofEach =
  'of each record in `ids`, in one transaction. Returns one result per record, in the order of `ids`: its new values, ' +
  'or the problem that stopped it. A problem with one record does not stop the others. If the records of the answer have more than 16 MiB, the later ones have only `id` and `version`.'
const bulkAnswered = {
  200: { schema: ref(BulkAnswer), description: 'One result per record, in the order of `ids`.' },
} as const
const refusals = ['record_forgotten', 'above_ceiling', 'outside_trust', 'record_retracted'] as const

export const reinforcementRoutes: FastifyPluginAsyncTypebox<ReinforcementOptions> = async (
  app,
  { reinforcement, once },
) => {
  addRecordAction(app, once, {
    action: 'reinforce',
    operationId: 'reinforceRecord',
    tag: 'lifecycle',
    permission: 'lifecycle:write',
    summary: 'Reinforce a record',
    description:
      'Adds `reinforcement_gain` to the current salience, up to `max_salience`, and starts decay again from now. Counts as a use of the record. Returns 409 `record_retracted` for a record that is history.',
    body: Reason,
    errors: refusals,
    run: reinforcement.reinforce,
  })

  addRecordAction(app, once, {
    action: 'penalize',
    operationId: 'penalizeRecord',
    tag: 'lifecycle',
    permission: 'lifecycle:write',
    summary: 'Penalize a record',
    description:
      'Subtracts `amount` from the current salience, but not below `min_salience`. Decay does not start again, and the deadline of a linear curve stays. Returns 409 `record_retracted` for a record that is history.',
    body: Penalty,
    errors: refusals,
    run: reinforcement.penalize,
  })

  addRecordAction(app, once, {
    action: 'pin',
    operationId: 'pinRecord',
    tag: 'lifecycle',
    permission: 'lifecycle:write',
    summary: 'Pin a record',
    description:
      'The record keeps its current salience: it neither fades nor is pruned. If it is pinned already, nothing changes.',
    body: Reason,
    errors: refusals,
    run: reinforcement.pin,
  })

  addRecordAction(app, once, {
    action: 'unpin',
    operationId: 'unpinRecord',
    tag: 'lifecycle',
    permission: 'lifecycle:write',
    summary: 'Unpin a record',
    description: 'The record fades again, from the salience that it had while it was pinned.',
    body: Reason,
    errors: refusals,
    run: reinforcement.unpin,
  })

  app.post(
    '/v1/records/reinforce',
    {
      config,
      schema: {
        operationId: 'reinforceRecords',
        tags,
        summary: 'Reinforce up to 1,000 records',
        description: `Adds \`reinforcement_gain\` to the salience ${ofEach}`,
        body: ref(BulkReason),
        response: answers(bulkAnswered),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => {
        const { ids, ...reason } = request.body
        return answerEach(await reinforcement.reinforceAll(call, ids, reason), request.id)
      }),
  )

  app.post(
    '/v1/records/penalize',
    {
      config,
      schema: {
        operationId: 'penalizeRecords',
        tags,
        summary: 'Penalize up to 1,000 records',
        description: `Subtracts \`amount\` from the salience ${ofEach}`,
        body: ref(BulkPenalty),
        response: answers(bulkAnswered),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => {
        const { ids, ...penalty } = request.body
        return answerEach(await reinforcement.penalizeAll(call, ids, penalty), request.id)
      }),
  )
}

function answerEach(outcomes: readonly OutcomeOfOne[], requestId: string): Answer {
  const results = outcomes.map(({ id, outcome }) => ({
    id,
    ...(outcome instanceof AppError ? answerRefused(outcome, requestId) : { status: 200, record: outcome }),
  }))
  return { status: 200, body: { results } }
}
