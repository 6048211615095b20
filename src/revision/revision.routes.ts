import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { CallContext } from '../db/transaction.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import type { Once } from '../http/idempotency/idempotency.ts'
import type { Answer } from '../http/idempotency/run-once.ts'
import { answers } from '../http/problems/problem-responses.ts'
import { type AppError, createFaultError } from '../kernel/errors.ts'
import { addRecordAction, answerCreated, RecordPath } from '../records/index.ts'
import type { ReversalService } from './reversal/reversal.service.ts'
import {
  Contest,
  Lineage,
  Merger,
  Replacement,
  Reversal,
  Revised,
  RevisionReason,
  Succession,
} from './revision.schemas.ts'
import type { RevisionService } from './revision.service.ts'

export type RevisionOptions = {
  revision: RevisionService
  reversal: ReversalService
  restating: Restating
  once: Once
}

/** Supersedes a fact by a text in plain words. */
type Restating = {
  restate(
    call: CallContext,
    id: string,
    given: RevisionReason & Pick<Replacement, 'occurred_at' | 'source_type'> & { text: string },
  ): Promise<Revised>
}

const tags = ['revision']
const config = { permission: 'records:write', singleRecord: true } as const
const createdAnswer = {
  201: {
    schema: ref(Revised),
    headers: ['ETag', 'Location'],
    description:
      'The new record, and the revised records with their new versions. The ETag is that of the new record.',
  },
} as const
const revisionErrors = [
  'record_forgotten',
  'above_ceiling',
  'outside_trust',
  'already_superseded',
  'already_retracted',
  'not_revisable',
  'episodic_immutable',
] as const
const creationErrors = [
  ...revisionErrors,
  'type_mismatch',
  'evidence_required',
  'scope_mismatch',
  'sensitivity_lowered',
  'record_exists',
  'erased_content',
  'identifier_taken',
  'tombstone_key_mismatch',
] as const

export const revisionRoutes: FastifyPluginAsyncTypebox<RevisionOptions> = async (
  app,
  { revision, reversal, restating, once },
) => {
  function replace(call: CallContext, id: string, { record, text, ...given }: Replacement): Promise<Revised> {
    if (text !== undefined && record === undefined) return restating.restate(call, id, { ...given, text })
    const { occurred_at: time, source_type: source, ...why } = given
    if (record === undefined || text !== undefined)
      throw createFormError('/record', 'or `text` is required, and not both')
    if (time !== undefined) throw createFormError('/occurred_at', 'can only be given with `text`')
    if (source !== undefined) throw createFormError('/source_type', 'can only be given with `text`')
    return revision.supersede(call, id, { record, ...why })
  }

  app.post(
    '/v1/records/:id/supersede',
    {
      config,
      schema: {
        operationId: 'supersedeRecord',
        tags,
        summary: 'Replace a record with a new one',
        description:
          'The record in the path becomes history: its salience is 0 and it is no longer retrieved. `record` is the new record; for a fact, `text` may say in plain words what is true instead. The new record has it as a source and is linked to it. By default the new record has the scope, sensitivity and tags of the old one, and the lifecycle of the policy of its type. If several requests supersede one record, one succeeds and the others get 409 `already_superseded` with the id of the successor.',
        params: RecordPath,
        body: ref(Replacement),
        response: answers(createdAnswer, creationErrors),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) =>
        answerRevised(await replace(call, request.params.id, request.body)),
      ),
  )

  app.post(
    '/v1/records/:id/fork',
    {
      config,
      schema: {
        operationId: 'forkRecord',
        tags,
        summary: 'Create a variant of a record',
        description:
          'Stores a new record that is derived from the one in the path; both stay active. By default the new record has the scope, sensitivity and tags of that one. Use it for a fact that holds only under conditions, and put these into its `validity`.',
        params: RecordPath,
        body: ref(Succession),
        response: answers(createdAnswer, creationErrors),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) =>
        answerRevised(await revision.fork(call, request.params.id, request.body)),
      ),
  )

  app.post(
    '/v1/records/merge',
    {
      config: { permission: 'records:write', severalRecords: true },
      schema: {
        operationId: 'mergeRecords',
        tags,
        summary: 'Merge several records into a new one',
        description:
          'Stores a new record that is derived from the records in `ids` and has their sources, tags (up to 100) and relations. The records must have the same type and scope, and together at most 32 MiB. They become history. By default the new record has their scope and their highest sensitivity.',
        body: ref(Merger),
        response: answers(createdAnswer, ['record_not_found', 'merge_too_large', ...creationErrors]),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => answerRevised(await revision.merge(call, request.body))),
  )

  addRecordAction(app, once, {
    action: 'contest',
    operationId: 'contestRecord',
    tag: 'revision',
    permission: 'records:write',
    summary: 'Contest a record',
    description:
      'Notes that there is evidence against the record. A fact becomes `contested` in its payload; a record of another type gets the status `challenged`. If `contesting_ref` is the id of a record in the same scope or without a scope, a `contested_by` relation leads to that record; any other reference is stored as evidence. A second contest adds more evidence.',
    body: Contest,
    errors: [...revisionErrors, 'scope_mismatch'],
    run: revision.contest,
  })

  addRecordAction(app, once, {
    action: 'uncontest',
    operationId: 'uncontestRecord',
    tag: 'revision',
    permission: 'records:write',
    summary: 'End a contest in favour of the record',
    description:
      'Makes a contested record active again. The evidence against it stays, as history. If the record is not contested, nothing changes.',
    body: RevisionReason,
    errors: revisionErrors,
    run: revision.uncontest,
  })

  addRecordAction(app, once, {
    action: 'retract',
    operationId: 'retractRecord',
    tag: 'revision',
    permission: 'records:write',
    summary: 'Retract a record',
    description:
      'The record becomes history: its salience is 0 and it is no longer retrieved, but it can still be read by its id. If a dream merged other records into it, those records are active again.',
    body: RevisionReason,
    errors: revisionErrors,
    run: revision.retract,
  })

  addRecordAction(app, once, {
    action: 'revert',
    operationId: 'revertRecord',
    tag: 'revision',
    permission: 'records:write',
    summary: 'Take the last revision back',
    description:
      'Takes back the last supersede, fork, merge, contest or retract of the record, on all records that it changed: the sources are active again with the salience that they had, and a successor is invalidated. The body names the revision by its `operation_id`, which is in the audit log of each of these records, or by the version of the record before it. Returns 409, and nothing changes, if one of the records was changed after the revision, or if the content of a record that would be active again was erased from its scope.',
    body: Reversal,
    errors: ['record_forgotten', 'above_ceiling', 'outside_trust', 'not_undoable', 'erased_content'],
    run: reversal.revert,
  })

  app.get(
    '/v1/records/:id/lineage',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'getLineage',
        tags,
        summary: 'Read the ancestors and successors of a record',
        description:
          'Returns the tree of superseded, forked and merged records around the record, as far as the key can read them in full, including forgotten ones. If there are more than 10,000 records, it returns the nearest ones. The lineage of a purged or erased record contains only the record itself.',
        params: RecordPath,
        response: answers(
          {
            200: {
              schema: ref(Lineage),
              description: 'The records of the tree and the relations between them.',
            },
          },
          ['above_ceiling'],
        ),
      },
    },
    (request) => revision.getLineage(request.caller, request.params.id),
  )
}

function answerRevised(revised: Revised): Answer {
  return { ...answerCreated(revised.record), body: revised }
}

function createFormError(pointer: string, message: string): AppError {
  return createFaultError('The body does not match the schema.', { pointer, message })
}
