import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static, TSchema } from 'typebox'
import type { CallContext } from '../db/transaction.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import type { Permission } from '../domain/trust/caller.ts'
import { formatEtag } from '../http/etag.ts'
import type { Once } from '../http/idempotency/idempotency.ts'
import type { Answer } from '../http/idempotency/run-once.ts'
import { answers } from '../http/problems/problem-responses.ts'
import type { ErrorCode } from '../kernel/errors.ts'
import { RecordPath, WrittenRecord } from './records.schemas.ts'

type App = Parameters<FastifyPluginAsyncTypebox>[0]

type RecordAction<Body extends TSchema> = {
  /** The last part of the path. */
  action: string
  operationId: string
  tag: string
  summary: string
  description: string
  permission: Permission
  body: Body
  errors: readonly ErrorCode[]
  run(call: CallContext, id: string, body: Static<Body>): Promise<WrittenRecord>
}

/** Adds the route `POST /v1/records/{id}/{action}`, which changes one record and returns it with its ETag. */
export function addRecordAction<Body extends TSchema>(
  app: App,
  once: Once,
  { action, operationId, tag, summary, description, permission, body, errors, run }: RecordAction<Body>,
): void {
  app.post(
    `/v1/records/:id/${action}`,
    {
      config: { permission, singleRecord: true },
      schema: {
        operationId,
        tags: [tag],
        summary,
        description,
        params: RecordPath,
        body: ref(body),
        response: answers(
          { 200: { schema: ref(WrittenRecord), description: 'The changed record.', headers: ['ETag'] } },
          errors,
        ),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) =>
        answerRecord(await run(call, request.params.id, request.body as Static<Body>)),
      ),
  )
}

export function answerRecord(record: WrittenRecord): Answer {
  return { status: 200, body: record, headers: { etag: formatEtag(record.version) } }
}

export function answerCreated(record: WrittenRecord): Answer {
  const headers = { location: `/v1/records/${record.id}`, etag: formatEtag(record.version) }
  return { status: 201, body: record, headers }
}
