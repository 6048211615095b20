import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import { etagOf } from '../http/etag.ts'
import { type Answer, type Once, readCallContext } from '../http/idempotency.ts'
import { answers } from '../http/problem-responses.ts'
import { WrittenRecord } from '../records/index.ts'
import {
  Contest,
  Lineage,
  Merger,
  Revised,
  RevisionPath,
  RevisionReason,
  Succession,
} from './revision.schemas.ts'
import type { RevisionService } from './revision.service.ts'

export type RevisionOptions = { revision: RevisionService; once: Once }

const tags = ['revision']
const config = { permission: 'records:write', singleRecord: true } as const
const recordAnswer = {
  200: { schema: ref(WrittenRecord), description: 'The record as it now stands.', headers: ['ETag'] },
} as const
const createdAnswer = {
  201: {
    ...{ schema: ref(Revised), headers: ['ETag', 'Location'] },
    description: 'The new record, whose ETag this is, and what it came of.',
  },
} as const
const revisionErrors = [
  ...['record_forgotten', 'above_ceiling', 'outside_trust', 'already_superseded', 'already_retracted'],
  ...['not_revisable', 'episodic_immutable'],
] as const
const creationErrors = [
  ...revisionErrors,
  ...['type_mismatch', 'evidence_required', 'scope_mismatch', 'sensitivity_lowered'],
  ...['record_exists', 'erased_content', 'identifier_taken'],
] as const

export const revisionRoutes: FastifyPluginAsyncTypebox<RevisionOptions> = async (app, { revision, once }) => {
  app.post(
    '/v1/records/:id/supersede',
    {
      config: config,
      schema: {
        operationId: 'supersedeRecord',
        tags,
        summary: 'Replace a record by a new one',
        description:
          'The old one becomes history, worth nothing and out of retrieval; the new one names it as a source and is linked to it. Of several who supersede one record, one succeeds; the others learn by what it was superseded. What is left out of the new record: its scope and sensitivity are those of the old one, its lifecycle is the policy of its type.',
        params: RevisionPath,
        body: ref(Succession),
        response: answers(createdAnswer, creationErrors),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) =>
        answerCreated(await revision.supersede(call, request.params.id, request.body)),
      ),
  )

  app.post(
    '/v1/records/:id/fork',
    {
      config: config,
      schema: {
        operationId: 'forkRecord',
        tags,
        summary: 'Derive a variant that stands beside the record',
        description:
          'Both stay active; the new one is derived from the other. A forked fact often holds under conditions, which its validity says.',
        params: RevisionPath,
        body: ref(Succession),
        response: answers(createdAnswer, creationErrors),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) =>
        answerCreated(await revision.fork(call, request.params.id, request.body)),
      ),
  )

  app.post(
    '/v1/records/merge',
    {
      config: { permission: 'records:write' },
      schema: {
        operationId: 'mergeRecords',
        tags,
        summary: 'Make one record of several',
        description:
          'Of one type and one scope. The merged record is derived from each, and has their sources, tags (up to 100) and links as well; the others become history.',
        body: ref(Merger),
        response: answers(createdAnswer, ['record_not_found', ...creationErrors]),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => answerCreated(await revision.merge(call, request.body))),
  )

  app.post(
    '/v1/records/:id/contest',
    {
      config: config,
      schema: {
        operationId: 'contestRecord',
        tags,
        summary: 'Say that something speaks against a record',
        description:
          'A fact becomes contested in its payload, a record of another type challenged in its status. What speaks against it is linked as `contested_by` when it is a record of the same scope or of none; any other reference is kept as evidence. Contesting again adds to it.',
        params: RevisionPath,
        body: ref(Contest),
        response: answers(recordAnswer, [...revisionErrors, 'scope_mismatch']),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) =>
        answerChanged(await revision.contest(call, request.params.id, request.body)),
      ),
  )

  app.post(
    '/v1/records/:id/uncontest',
    {
      config: config,
      schema: {
        operationId: 'uncontestRecord',
        tags,
        summary: 'Settle a contest in favour of the record',
        description:
          'It is active again; what spoke against it stays, as history. A record that is not contested is left as it is.',
        params: RevisionPath,
        body: ref(RevisionReason),
        response: answers(recordAnswer, revisionErrors),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) =>
        answerChanged(await revision.uncontest(call, request.params.id, request.body)),
      ),
  )

  app.post(
    '/v1/records/:id/retract',
    {
      config: config,
      schema: {
        operationId: 'retractRecord',
        tags,
        summary: 'Take a record back',
        description:
          'It becomes history, worth nothing and out of retrieval, but is not deleted: it stays readable by its id. If a dream made it of others that it told as one, these are active again.',
        params: RevisionPath,
        body: ref(RevisionReason),
        response: answers(recordAnswer, revisionErrors),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) =>
        answerChanged(await revision.retract(call, request.params.id, request.body)),
      ),
  )

  app.get(
    '/v1/records/:id/lineage',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'getLineage',
        tags,
        summary: 'What a record came of, and what came of it',
        description:
          'The whole tree of superseded, forked and merged records around it, as far as the key sees it whole, forgotten ones included; of more than 10,000 the nearest. A purged or erased record is alone in its lineage.',
        params: RevisionPath,
        response: answers({ 200: { schema: ref(Lineage), description: 'The tree.' } }, ['above_ceiling']),
      },
    },
    (request) => revision.lineage(readCallContext(request), request.params.id),
  )
}

function answerCreated(revised: Revised): Answer {
  const { id, version } = revised.record
  return {
    ...{ status: 201, body: revised },
    headers: { location: `/v1/records/${id}`, etag: etagOf(version) },
  }
}

function answerChanged(record: WrittenRecord): Answer {
  return { status: 200, body: record, headers: { etag: etagOf(record.version) } }
}
