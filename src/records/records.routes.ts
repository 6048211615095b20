import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifySchemaCompiler } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import { formatEtag } from '../http/etag.ts'
import type { Answer, Once } from '../http/idempotency/idempotency.ts'
import { sendPage } from '../http/paging/paging.ts'
import { answers } from '../http/problems/problem-responses.ts'
import { toProblem } from '../http/problems/problems.ts'
import { compileValidator, listFaults } from '../http/validation/validation.ts'
import { AppError } from '../kernel/errors.ts'
import { AuditPage, AuditQuery } from './audit-log/audit-log.schemas.ts'
import { RecordPatch } from './change/record-patch.schemas.ts'
import { prepareCreation } from './creation/prepared-creation.routes.ts'
import { createInvalidError } from './creation/record-draft.ts'
import { ListQuery, RecordListing } from './listing/list.schemas.ts'
import { answerRecord } from './record-action.routes.ts'
import {
  BatchAnswer,
  LooseRecordBatch,
  NewRecord,
  RecordBatch,
  RecordPath,
  SeenRecord,
  WrittenRecord,
} from './records.schemas.ts'
import type { RecordsService } from './records.service.ts'

export type RecordsOptions = { records: RecordsService; once: Once }

const tags = ['records']
const storingRefusals = [
  'record_exists',
  'erased_content',
  'identifier_taken',
  'outside_trust',
  'above_ceiling',
  'record_not_found',
  'scope_required',
  'tombstone_key_mismatch',
] as const
const changed = { schema: ref(WrittenRecord), headers: ['ETag'] } as const

export const recordsRoutes: FastifyPluginAsyncTypebox<RecordsOptions> = async (app, { records, once }) => {
  app.post(
    '/v1/records',
    {
      config: { permission: 'records:write' },
      schema: {
        operationId: 'createRecord',
        tags,
        summary: 'Store a record',
        description:
          'Stores a record and returns it with its id and version. Needs `type` and `payload`; every other field has a ' +
          'default. Defaults of the lifecycle come from the policy of the type (`/v1/policies/{type}`). Fields that only ' +
          'the service writes are refused.',
        body: ref(NewRecord),
        response: answers(
          { 201: { ...changed, headers: ['ETag', 'Location'], description: 'The stored record.' } },
          storingRefusals,
        ),
      },
    },
    (request, reply) => once(request, reply, prepareCreation(records, request.body)),
  )

  app.post(
    '/v1/records/batch',
    {
      config: { permission: 'records:write' },
      validatorCompiler: compileBatchValidator,
      schema: {
        operationId: 'createRecords',
        tags,
        summary: 'Store up to 1,000 records',
        description:
          'Stores each record on its own and returns one result for each, in the order of the request: a record that cannot be stored does not affect the others. With `atomic` it stores all records or none, and the response is the error of the first record that cannot be stored.',
        body: ref(RecordBatch),
        response: answers(
          {
            200: {
              schema: ref(BatchAnswer),
              description: 'One result for each record, in the order of the request.',
            },
            201: { schema: ref(BatchAnswer), description: 'With `atomic`: all records are stored.' },
          },
          storingRefusals,
        ),
      },
    },
    (request, reply) =>
      once(request, reply, async (call): Promise<Answer> => {
        const { records: given, atomic = false } = request.body
        if (atomic) {
          const stored = await records.createAll(call, given)
          return {
            status: 201,
            body: { results: stored.map((record, index) => ({ index, status: 201, record })) },
          }
        }
        const outcomes = await records.createBatch(call, given.map(checkEach))
        const results = outcomes.map((outcome, index) => {
          if (!(outcome instanceof AppError)) return { index, status: 201, record: outcome }
          const problem = toProblem(outcome.at(`/records/${index}`), request.id)
          return { index, status: problem.status, problem }
        })
        return { status: 200, body: { results } }
      }),
  )

  app.get(
    '/v1/records',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'listRecords',
        tags,
        summary: 'List records',
        description:
          'Returns the records that match all filters. A page ends early after 16 MiB of records. Pages sorted by salience show the salience at the time of the first page. Redacted records are left out when the request filters or sorts by a field that they do not show. ' +
          'To poll for changes, pass `next_updated_after` of each answer as the next `updated_after`; ' +
          'a change that you have seen already has the same `version`.',
        querystring: ListQuery,
        response: answers(
          { 200: { schema: ref(RecordListing), description: 'A page of records.', headers: ['Link'] } },
          ['invalid_cursor'],
        ),
      },
    },
    async (request, reply) => sendPage(request, reply, await records.list(request.caller, request.query)),
  )

  app.get(
    '/v1/records/:id',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'getRecord',
        tags,
        summary: 'Read a record',
        description:
          'Returns the record with its salience at this moment. A record one sensitivity level above the ceiling of the key is redacted. Returns 410 for a forgotten record unless `include_forgotten` is set.',
        params: RecordPath,
        querystring: Type.Object(
          {
            include_forgotten: Type.Optional(
              Type.Boolean({ description: 'Return the record even if it is forgotten.' }),
            ),
          },
          { additionalProperties: false },
        ),
        response: answers(
          { 200: { schema: ref(SeenRecord), description: 'The record at this moment.', headers: ['ETag'] } },
          ['record_forgotten', 'record_purged', 'record_erased'],
        ),
      },
    },
    async (request, reply) => {
      const includeForgotten = request.query.include_forgotten ?? false
      const record = await records.read(request.caller, request.params.id, { includeForgotten })
      if ('version' in record) reply.header('etag', formatEtag(record.version))
      return record
    },
  )

  app.patch(
    '/v1/records/:id',
    {
      config: { permission: 'records:write', singleRecord: true },
      schema: {
        operationId: 'patchRecord',
        tags,
        summary: 'Change a record by JSON Merge Patch',
        description:
          'Changes the fields in the body (RFC 7396): null resets a field to its default, and a field of the lifecycle to the policy of the type. A changed decay curve starts at the current salience. Only working and entity records accept a payload, and only while they are active or challenged. A record that is history cannot be pinned. Pinning and unpinning also need `lifecycle:write`; a change of the deletion policy `never` needs `admin`.',
        params: RecordPath,
        body: ref(RecordPatch),
        response: answers({ 200: { ...changed, description: 'The changed record.' } }, [
          'record_forgotten',
          'above_ceiling',
          'outside_trust',
          'episodic_immutable',
          'payload_immutable',
          'record_retracted',
          'erased_content',
          'deletion_policy_never',
          'message_conflict',
          'identifier_taken',
          'tombstone_key_mismatch',
        ]),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => {
        return answerRecord(await records.patch(call, request.params.id, request.body))
      }),
  )

  app.get(
    '/v1/records/:id/audit',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'listAuditEntries',
        tags,
        summary: "Page through a record's audit log",
        description:
          'Returns the audit log, the oldest entry first. A page ends early after 16 MiB of changes. It also works for a purged or erased record.',
        params: RecordPath,
        querystring: AuditQuery,
        response: answers(
          { 200: { schema: ref(AuditPage), description: 'A page of audit entries.', headers: ['Link'] } },
          ['above_ceiling', 'invalid_cursor'],
        ),
      },
    },
    async (request, reply) =>
      sendPage(request, reply, await records.readAudit(request.caller, request.params.id, request.query)),
  )
}

function checkEach(given: NewRecord): NewRecord | AppError {
  const faults = listFaults(NewRecord, given)
  return faults.length === 0 ? given : createInvalidError(faults)
}

/** Without `atomic` each record is checked alone, in the handler, so that one invalid record does not block the others. */
const compileBatchValidator: FastifySchemaCompiler<TSchema> = (route) => {
  const strict = compileValidator(route)
  if (route.httpPart !== 'body') return strict
  const loose = compileValidator({ ...route, schema: LooseRecordBatch })
  return (value) => (isAtomic(value) ? strict(value) : loose(value))
}

function isAtomic(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'atomic' in value && value.atomic === true
}
