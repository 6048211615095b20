import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { ref } from '../domain/schema-ref.ts'
import { readJson } from '../http/body.ts'
import { readCallContext } from '../http/idempotency.ts'
import { answers } from '../http/problem-responses.ts'
import { toProblem, toPublicError } from '../http/problems.ts'
import { acceptJsonLines, allowSlowRequest, jsonLinesType, readLines } from '../http/streaming.ts'
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

/** Reports that wait for who still sends: many clients read nothing before they have sent all. */
const waitingReports = 200

export const portabilityRoutes: FastifyPluginAsyncTypebox<PortabilityOptions> = async (
  app,
  { exporter, importer },
) => {
  const closing = new AbortController()
  // A stream would keep the server from closing for as long as it lasts.
  app.addHook('preClose', async () => closing.abort())
  acceptJsonLines(app)

  app.route({
    method: 'GET',
    url: '/v1/export',
    // A HEAD would read the store only to throw it away.
    exposeHeadRoute: false,
    config: { permission: 'records:read' },
    schema: {
      operationId: 'exportRecords',
      tags,
      summary: 'Export records',
      description:
        'Every record that the key sees whole, a line each, in the order of their ids, with its anchors, its whole logs and its relations. Forgotten records only where they are asked for. A stream that breaks off did not reach its end: go on with `after`. An export with `updated_after` set to `Next-Updated-After` of one before holds all that changed since, and can repeat a record.',
      querystring: ExportQuery,
      response: answers({
        200: {
          schema: lines(ExportedRecord),
          description: 'The lines.',
          mediaType: jsonLinesType,
          headers: ['Next-Updated-After'],
        },
      }),
    },
    handler: async (request, reply) => {
      const signal = AbortSignal.any([allowSlowRequest(request, reply), closing.signal])
      // An export that goes on behind an id belongs to the one that it continues.
      if (request.query.after === undefined) {
        reply.header('next-updated-after', await exporter.nextAfter(request.query))
      }
      const exported = exporter.run(readCallContext(request), request.query, signal)
      reply.header('cache-control', 'no-store').type(jsonLinesType)
      return reply.send(Readable.from(await startStream(exported), { highWaterMark: 1 }))
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
        'A record a line, as `POST /v1/records` takes it or as an export gives it. Each is judged by itself and reported in order; what is there already stays as it is, so a stream may be sent again. What the service keeps itself takes `admin`: without it the whole import is refused and nothing stored. Relations may lead to what comes later.',
      querystring: ImportQuery,
      body: ref(ImportedRecord),
      consumes: [jsonLinesType],
      response: answers({
        200: {
          schema: lines(ImportReport),
          description: 'What became of each line.',
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
      const first = await startStream(reports).catch((error) => {
        // Whatever is left of a refused stream is read by nobody.
        source.resume()
        throw error
      })
      reply.header('cache-control', 'no-store').type(jsonLinesType)
      return reply.send(Readable.from(render(first, request, gone), { highWaterMark: waitingReports }))
    },
  })
}

/** An answer in lines, each of which keeps the schema. */
function lines<T extends TSchema>(schema: T) {
  return Type.Unsafe<string | Readable>(ref(schema))
}

/** Lines are judged one by one, so that one which breaks the schema does not refuse the others. */
const compileWithoutBody: FastifySchemaCompiler<TSchema> = (route) =>
  route.httpPart === 'body' ? (value) => ({ value }) : compileValidator(route)

/** What goes wrong before anything was answered is a problem, and not the end of a stream. */
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
