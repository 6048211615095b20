import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { ref } from '../domain/schema-ref.ts'
import { readJson } from '../http/body.ts'
import { readCallContext } from '../http/idempotency.ts'
import { answers } from '../http/problem-responses.ts'
import { toProblem, toPublicError } from '../http/problems.ts'
import {
  acceptJsonLines,
  allowSlowRequest,
  jsonLinesType,
  readLines,
  whileAllowed,
} from '../http/streaming.ts'
import { compileValidator } from '../http/validation/validation.ts'
import { AppError } from '../kernel/errors.ts'
import type { ExportService } from './export.service.ts'
import {
  getLineStatus,
  type ImportService,
  type ImportSummary,
  type LineResult,
} from './import/import.service.ts'
import { maxLineBytes, maxLineValues } from './line-limits.ts'
import {
  ExportedRecord,
  ExportQuery,
  ImportedRecord,
  ImportQuery,
  ImportReport,
} from './portability.schemas.ts'

export type PortabilityOptions = { exporter: ExportService; importer: ImportService }

const tags = ['portability']

/**
 * Reports that are buffered for a client that still sends: many clients read nothing before they have sent
 * everything.
 */
const waitingReports = 200

export const portabilityRoutes: FastifyPluginAsyncTypebox<PortabilityOptions> = async (
  app,
  { exporter, importer },
) => {
  const closing = new AbortController()
  // A stream would keep the server open as long as it lasts.
  app.addHook('preClose', async () => closing.abort())
  acceptJsonLines(app)

  app.route({
    method: 'GET',
    url: '/v1/export',
    // A HEAD request would read the store and drop the result.
    exposeHeadRoute: false,
    config: { permission: 'records:read' },
    schema: {
      operationId: 'exportRecords',
      tags,
      summary: 'Export records',
      description:
        'Streams every record that the key sees whole as a line of JSON, ordered by id, with its anchors, logs, history and relations. Forgotten records are included with `include_forgotten`. If the connection breaks, continue with `after` set to the last id. For the changes since an earlier export, set `updated_after` to its `Next-Updated-After` header; a record may appear again.',
      querystring: ExportQuery,
      response: answers({
        200: {
          schema: lines(ExportedRecord),
          description: 'The records, one per line.',
          mediaType: jsonLinesType,
          headers: ['Next-Updated-After'],
        },
      }),
    },
    handler: async (request, reply) => {
      const signal = AbortSignal.any([allowSlowRequest(request, reply), closing.signal])
      // A continued export belongs to the one that it continues, whose header is the right one.
      if (request.query.after === undefined) {
        reply.header('next-updated-after', await exporter.getNextUpdatedAfter(request.query))
      }
      const exported = exporter.run(readCallContext(request), request.query, signal)
      reply.header('cache-control', 'no-store').type(jsonLinesType)
      return reply.send(
        Readable.from(await startStream(whileAllowed(request, exported)), { highWaterMark: 1 }),
      )
    },
  })

  app.route({
    method: 'POST',
    url: '/v1/import',
    config: { permission: 'records:write', isIdempotent: true, bodyOptional: true },
    validatorCompiler: compileWithoutBody,
    schema: {
      operationId: 'importRecords',
      tags,
      summary: 'Import records',
      description:
        'Stores one record per line, in the form of `POST /v1/records` or of an export. Each line succeeds or fails by itself, and the report has one line for each in the same order. An existing record is not changed, so a stream can be sent again. A line with fields that only the service writes, such as `audit_log`, needs `admin`: otherwise the whole import is refused and nothing is stored. Relations may lead to records of later lines.',
      querystring: ImportQuery,
      body: ref(ImportedRecord),
      consumes: [jsonLinesType],
      response: answers({
        200: {
          schema: lines(ImportReport),
          description: 'The result of each line, and a summary.',
          mediaType: jsonLinesType,
        },
      }),
    },
    handler: async (request, reply) => {
      const gone = allowSlowRequest(request, reply)
      const source = request.body instanceof Readable ? request.body : Readable.from([])
      const reports = importer.run(readCallContext(request), {
        lines: readLines(source, maxLineBytes),
        parse: (bytes) => readJson(bytes, maxLineValues),
        dryRun: request.query.dry_run ?? false,
        signal: AbortSignal.any([gone, closing.signal]),
      })
      const first = await startStream(whileAllowed(request, reports)).catch((error) => {
        // The rest of a refused stream is read and dropped.
        source.resume()
        throw error
      })
      reply.header('cache-control', 'no-store').type(jsonLinesType)
      return reply.send(Readable.from(render(first, request, gone), { highWaterMark: waitingReports }))
    },
  })
}

/** The schema of a response whose lines each match `schema`. */
function lines<T extends TSchema>(schema: T) {
  return Type.Unsafe<string | Readable>(ref(schema))
}

/** Lines are validated one by one, so that one invalid line does not refuse the others. */
const compileWithoutBody: FastifySchemaCompiler<TSchema> = (route) =>
  route.httpPart === 'body' ? (value) => ({ value }) : compileValidator(route)

/** Waits for the first item, so that a failure before it becomes a problem response and not a broken stream. */
async function startStream<T>(source: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await source.next()
  return (async function* () {
    try {
      if (first.done) return
      yield first.value
      yield* source
    } finally {
      await source.return(undefined)
    }
  })()
}

async function* render(
  reports: AsyncIterable<LineResult[] | ImportSummary>,
  request: FastifyRequest,
  gone: AbortSignal,
): AsyncGenerator<string> {
  try {
    for await (const report of reports) {
      yield Array.isArray(report)
        ? report.map((judged) => renderLine(judged, request.id)).join('')
        : renderEnding(report)
    }
  } catch (error) {
    if (gone.aborted) return
    yield toJsonLine({ problem: toProblem(toPublicError(error, request), request.id) })
  }
}

function renderLine({ line, id, outcome }: LineResult, requestId: string): string {
  return toJsonLine({
    line,
    ...(id === undefined ? {} : { id }),
    status: getLineStatus(outcome),
    ...(outcome instanceof AppError ? { problem: toProblem(outcome, requestId) } : {}),
  })
}

function renderEnding({ tally, loose }: ImportSummary): string {
  return toJsonLine({ summary: tally, ...(loose.count > 0 ? { loose_relations: loose } : {}) })
}

function toJsonLine(report: object): string {
  return `${JSON.stringify(report)}\n`
}
