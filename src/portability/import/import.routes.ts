import { Readable } from 'node:stream'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { peek, readChunks, readLines } from '../../http/bodies/body-lines.ts'
import { readJson, readPartlyStoredJson, requireBodySize } from '../../http/bodies/json-bodies.ts'
import {
  allowSlowRequest,
  jsonLinesType,
  readWhileAllowed,
  startStream,
} from '../../http/bodies/streaming.ts'
import { readCallContext } from '../../http/idempotency/idempotency.ts'
import { answers } from '../../http/problems/problem-responses.ts'
import { compileValidator } from '../../http/validation/validation.ts'
import { type AppError, createFaultError } from '../../kernel/errors.ts'
import { skipByteOrderMark } from '../byte-order-mark.ts'
import { headBytes } from '../foreign/format-detection.ts'
import { maxLineBytes, maxLineValues } from '../line-limits.ts'
import { ImportedRecord, lines } from '../portability.schemas.ts'
import { chooseFormat, showsFormat } from './file-format.ts'
import type { ImportService } from './import.service.ts'
import { createImportSlots } from './import-slots.ts'
import { ForeignFile, ImportQuery, ImportReport } from './report/import-report.schemas.ts'
import { bufferReport } from './report/report-buffer.ts'
import { type ImportRequest, renderReport } from './report/report-lines.routes.ts'

const Bytes = Type.String({ format: 'binary' })
/** The types of files that an import accepts, and what a client sends. The format decides what is in them. */
const filesByType = {
  [jsonLinesType]: ref(ImportedRecord),
  'application/json': ref(ForeignFile),
  'application/zip': Bytes,
  'application/vnd.sqlite3': Bytes,
  'application/octet-stream': Bytes,
  'text/markdown': Type.String(),
}
export const importTypes: readonly string[] = Object.keys(filesByType)

export function addImportRoute(plugin: FastifyInstance, importer: ImportService, closing: AbortSignal): void {
  const takeSlot = createImportSlots()
  plugin.route<{ Querystring: ImportQuery }>({
    method: 'POST',
    url: '/v1/import',
    config: { permission: 'records:write', isIdempotent: true, bodyOptional: true },
    validatorCompiler: compileWithoutBody,
    schema: {
      operationId: 'importRecords',
      tags: ['portability'],
      summary: 'Import records',
      description:
        'Stores one record per line, in the form of `POST /v1/records` or of an export, or the items of a file of another program. Each line succeeds or fails on its own; the report has one line for each, in the same order. An existing record is not changed, so a file can be sent again; only a line without an `id` in the format `membrane` becomes a new record each time. In that format a line with fields that only the service writes, such as `audit_log`, needs `admin`: otherwise the whole import is refused and nothing is stored. A key can run eight imports at once. Relations may lead to records of later lines. docs/importing.md says how each field of the other formats is stored.',
      querystring: ImportQuery,
      body: {
        content: Object.fromEntries(Object.entries(filesByType).map(([type, schema]) => [type, { schema }])),
      },
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
      const signal = AbortSignal.any([gone, closing])
      try {
        reply.raw.once('close', takeSlot(request.caller.principal))
        const { reports, format } = await startImport(request, importer, { source, signal })
        const first = await startStream(reports)
        reply.header('cache-control', 'no-store').type(jsonLinesType)
        return await reply.send(bufferReport(renderReport(first, request, { format, gone })))
      } catch (error) {
        // The rest of a refused stream is read and dropped.
        source.resume()
        throw error
      }
    },
  })
}

type Body = { source: Readable; signal: AbortSignal }

async function startImport(request: ImportRequest, importer: ImportService, { source, signal }: Body) {
  const { format: named, scope, dry_run: dryRun = false } = request.query
  const call = readCallContext(request)
  const running = { dryRun, signal, confirmCaller: request.confirmCaller }
  const mediaType = request.headers['content-type']?.split(';')[0]?.trim()
  const said = { named, scope, mediaType, isLines: mediaType === jsonLinesType }
  const isEnough = (bytes: Buffer) => showsFormat(bytes, said)
  const body = readWhileAllowed(request, readChunks(source))
  const { head, chunks } = await peek(skipByteOrderMark(body), headBytes, isEnough)
  const format = chooseFormat(head, said)
  const readFileLines = () => readLines(chunks(), maxLineBytes)
  if (format !== 'membrane') {
    const foreign = { head, chunks, lines: readFileLines, parse: readForeign }
    return { format, reports: importer.runForeign(call, { file: foreign, format, scope, ...running }) }
  }
  if (scope !== undefined) throw createOwnScopesError()
  const parse = (bytes: Buffer) => readJson(bytes, maxLineValues)
  const lines = readFileLines()
  return {
    format,
    reports: importer.run(call, { lines, parse, checkPlainSize: requireBodySize, ...running }),
  }
}

/** Most numbers that are too large are ids in fields that are lost. A field that must be a number refuses the text. */
function readForeign(bytes: Buffer): unknown {
  return readPartlyStoredJson(bytes, maxLineValues)
}

function createOwnScopesError(): AppError {
  return createFaultError('The parameter does not apply to this format.', {
    pointer: '?scope',
    message:
      'must be absent: the file is read as lines of Membrane, and each names its own scope. If it is another file, name its format, such as texts',
  })
}

/** Lines are validated one by one, so that one invalid line does not refuse the others. */
const compileWithoutBody: FastifySchemaCompiler<TSchema> = (route) =>
  route.httpPart === 'body' ? (value) => ({ value }) : compileValidator(route)
