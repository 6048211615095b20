import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import type { Answer } from '../../http/idempotency/run-once.ts'
import { answers } from '../../http/problems/problem-responses.ts'
import { answerRefused } from '../../http/problems/problems.ts'
import { compileValidator, listFaults } from '../../http/validation/validation.ts'
import { AppError } from '../../kernel/errors.ts'
import { answerCreated } from '../record-action.routes.ts'
import type { RecordsOptions } from '../records.routes.ts'
import { BatchAnswer, LooseRecordBatch, NewRecord, RecordBatch, WrittenRecord } from '../records.schemas.ts'
import type { DraftOutcome } from './draft-outcome.ts'
import { createInvalidError } from './record-draft.ts'

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

/** The routes that store new records. */
export const recordCreationRoutes: FastifyPluginAsyncTypebox<RecordsOptions> = async (
  app,
  { records, once },
) => {
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
          {
            201: {
              schema: ref(WrittenRecord),
              headers: ['ETag', 'Location'],
              description: 'The stored record.',
            },
          },
          storingRefusals,
        ),
      },
    },
    (request, reply) =>
      once(request, reply, {
        isQuick: true,
        prepare: async (call) => {
          const prepared = await records.prepareCreate(call, request.body)
          if (prepared.store) return async (joined) => answerCreated(await prepared.store(joined))
          return {
            share: prepared.share,
            answer: (stored: DraftOutcome) => answerOutcome(prepared.present(stored)),
          }
        },
      }),
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
          return { index, ...answerRefused(outcome.at(`/records/${index}`), request.id) }
        })
        return { status: 200, body: { results } }
      }),
  )
}

function answerOutcome(outcome: WrittenRecord | AppError): Answer | AppError {
  return outcome instanceof AppError ? outcome : answerCreated(outcome)
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
