import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { MaskSecrets } from '../domain/schemas/request-fields.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { formatEtag } from '../http/etag.ts'
import type { Once } from '../http/idempotency/idempotency.ts'
import { sendPage } from '../http/paging/paging.ts'
import { answers } from '../http/problems/problem-responses.ts'
import { maskAuditEntry, maskRecord, maskRecords } from './answers/masked-record.ts'
import { AuditPage, AuditQuery } from './audit-log/audit-log.schemas.ts'
import { RecordPatch } from './change/record-patch.schemas.ts'
import { ListQuery, RecordListing } from './listing/list.schemas.ts'
import { answerRecord } from './record-action.routes.ts'
import { RecordPath, SeenRecord, WrittenRecord } from './records.schemas.ts'
import type { RecordsService } from './records.service.ts'

export type RecordsOptions = { records: RecordsService; once: Once }

const tags = ['records']
const changed = { schema: ref(WrittenRecord), headers: ['ETag'] } as const

export const recordsRoutes: FastifyPluginAsyncTypebox<RecordsOptions> = async (app, { records, once }) => {
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
    async (request, reply) => {
      const { mask_secrets: isMasked, ...query } = request.query
      const page = await records.list(request.caller, query)
      return sendPage(request, reply, isMasked ? maskRecords(page) : page)
    },
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
            mask_secrets: MaskSecrets(),
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
      return request.query.mask_secrets ? maskRecord(record) : record
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
    async (request, reply) => {
      const { mask_secrets: isMasked, ...query } = request.query
      const page = await records.readAudit(request.caller, request.params.id, query)
      return sendPage(request, reply, isMasked ? { ...page, items: page.items.map(maskAuditEntry) } : page)
    },
  )
}
