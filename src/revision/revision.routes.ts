import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import type { Answer, Once } from '../http/idempotency.ts'
import { answers } from '../http/problem-responses.ts'
import { addRecordAction, answerCreated } from '../records/index.ts'
import type { ReversalService } from './reversal.service.ts'
import {
  Contest,
  Lineage,
  Merger,
  Reversal,
  Revised,
  RevisionPath,
  RevisionReason,
  Succession,
} from './revision.schemas.ts'
import type { RevisionService } from './revision.service.ts'

export type RevisionOptions = { revision: RevisionService; reversal: ReversalService; once: Once }

const tags = ['revision']
const config = { permission: 'records:write', singleRecord: true } as const
const createdAnswer = {
  201: {
    schema: ref(Revised),
    headers: ['ETag', 'Location'],
    description:
      'The new record and its sources with their new versions. The ETag is that of the new record.',
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
  { revision, reversal, once },
) => {
  app.post(
    '/v1/records/:id/supersede',
    {
      config: config,
      schema: {
        operationId: 'supersedeRecord',
        tags,
        summary: 'Replace a record with a new one',
        description:
          'The old record becomes history: its salience is 0 and it is no longer retrieved. The new record has it as a source and is linked to it. If several requests supersede one record, one succeeds and the others get `already_superseded` with the id of the successor. By default the new record has the scope and sensitivity of the old one and the lifecycle policy of its type.',
        params: RevisionPath,
        body: ref(Succession),
        response: answers(createdAnswer, creationErrors),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) =>
        answerRevised(await revision.supersede(call, request.params.id, request.body)),
      ),
  )

  app.post(
    '/v1/records/:id/fork',
    {
      config: config,
      schema: {
        operationId: 'forkRecord',
        tags,
        summary: 'Create a variant of a record',
        description:
          'Both records stay active; the new one is derived from the other. Use it for a fact that holds only under conditions, and put these in its `validity`.',
        params: RevisionPath,
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
          'All records need the same type and scope. The new record is derived from each and also gets their sources, tags (up to 100) and links. The merged records become history.',
        body: ref(Merger),
        response: answers(createdAnswer, ['record_not_found', ...creationErrors]),
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
      'States that there is evidence against a record. A fact becomes contested in its payload, a record of another type gets the status challenged. If `contesting_ref` is the id of a record in the same scope or in none, it is linked as `contested_by`; any other reference is stored as evidence. Contesting again adds more evidence.',
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
      'The record is active again. The evidence against it stays, as history. A record that is not contested does not change.',
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
      'The record becomes history: its salience is 0 and it is no longer retrieved, but it is not deleted and stays readable by its id. If a dream merged other records into it, these are active again.',
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
      'Takes the last supersede, fork, merge, contest or retract of the record back, on all records that it changed, as a new revision: the sources are active again with the salience that they had, and a successor is invalidated. Name it by `operation_id`, which the audit log of each of these records has, or by the version of the record before it. Nothing changes if one of the records was changed since, or if the content of one that would be active again was erased from its scope.',
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
          'Returns the whole tree of superseded, forked and merged records that the key reads in full, including forgotten ones. Of more than 10,000 records it returns the nearest. The lineage of a purged or erased record contains only itself.',
        params: RevisionPath,
        response: answers(
          { 200: { schema: ref(Lineage), description: 'The nodes and edges of the tree.' } },
          ['above_ceiling'],
        ),
      },
    },
    (request) => revision.lineage(request.caller, request.params.id),
  )
}

function answerRevised(revised: Revised): Answer {
  return { ...answerCreated(revised.record), body: revised }
}
