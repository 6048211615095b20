import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify'
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
import { toProblem, toPublicError } from '../../http/problems/problems.ts'
import { compileValidator } from '../../http/validation/validation.ts'
import { AppError, createFaultError } from '../../kernel/errors.ts'
import { maskRecord } from '../../records/index.ts'
import { skipByteOrderMark } from '../byte-order-mark.ts'
import {
  type DetectedFormat,
  detectFormat,
  findShownFormat,
  headBytes,
  isGzip,
  isUtf16,
} from '../foreign/format-detection.ts'
import { foreignFormats } from '../foreign/formats.ts'
import { maxLineBytes, maxLineValues } from '../line-limits.ts'
import { ImportedRecord, lines } from '../portability.schemas.ts'
import type { ImportService, ImportSummary } from './import.service.ts'
import { ForeignFile, ImportQuery, ImportReport } from './import-report.schemas.ts'
import { createImportSlots } from './import-slots.ts'
import { getLineStatus, type LineResult } from './portion-store.service.ts'
import { bufferReport } from './report-buffer.ts'

/** The most lines in a report of refused lines alone: it must fit into the buffers of a connection. */
const maxRefused = 1_000

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
        const ending = describeEnding(request, format)
        reply.header('cache-control', 'no-store').type(jsonLinesType)
        return await reply.send(bufferReport(render(first, request, { gone, ending })))
      } catch (error) {
        // The rest of a refused stream is read and dropped.
        source.resume()
        throw error
      }
    },
  })
}

/** The least that a reader looks at before it reads. */
const minHead = 256
/** The mark of UTF-16 has two bytes. */
const markBytes = 2

type Body = { source: Readable; signal: AbortSignal }
type ImportRequest = FastifyRequest<{ Querystring: ImportQuery }>

async function startImport(request: ImportRequest, importer: ImportService, { source, signal }: Body) {
  const { format: named, scope, dry_run: dryRun = false } = request.query
  const call = readCallContext(request)
  const running = { dryRun, signal, confirmCaller: request.confirmCaller }
  const mediaType = request.headers['content-type']?.split(';')[0]?.trim()
  const isLines = mediaType === jsonLinesType
  const isEnough = (bytes: Buffer) =>
    named === undefined
      ? isUtf16(bytes) || findShownFormat(bytes) !== undefined || (isLines && bytes.includes('\n'))
      : bytes.length >= (named === 'membrane' ? markBytes : minHead)
  const allowed = readWhileAllowed(request, readChunks(source))
  const { head, chunks } = await peek(skipByteOrderMark(allowed), headBytes, isEnough)
  if (isUtf16(head)) throw createFileError(utf16)
  if (isGzip(head)) throw createFileError(packed)
  const mayBeEmpty =
    named === undefined ? mediaType === undefined || (isLines && scope === undefined) : hasLines(named)
  if (!mayBeEmpty && isEmpty(head)) throw createFileError(empty)
  const format = named ?? detectFormat(head) ?? (isLines || head.length === 0 ? 'membrane' : undefined)
  if (format === undefined) throw createFileError(unknownFormat)
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

/** An export of an empty store, and the file of an empty MCP memory, have no line. */
function hasLines(format: DetectedFormat): boolean {
  return format === 'membrane' || format === 'mcp-memory'
}

/** A shorter beginning than a reader looks at is the whole file. */
function isEmpty(head: Buffer): boolean {
  return head.length < minHead && head.toString().trim() === ''
}

/** Most numbers that are too large are ids in fields that are lost. A field that must be a number refuses the text. */
function readForeign(bytes: Buffer): unknown {
  return readPartlyStoredJson(bytes, maxLineValues)
}

const utf16 = 'The file is in UTF-16. Send it in UTF-8.'
const packed = 'The file is packed with gzip. Unpack it, and send the file in it.'
const empty = 'The file is empty, so nothing was imported. Check the path, or export the file again.'
const unknownFormat = `The beginning of the file shows no known format. If it is one of ${foreignFormats.join(', ')}, name it with the parameter format. Send records of Membrane as lines of JSON, with the Content-Type application/x-ndjson, and a list of {role, content} to POST /v1/conversations/{conversation_id}/messages.`

function createFileError(message: string): AppError {
  return new AppError('unsupported_media_type', message)
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

/** The fields of the summary besides its numbers. */
function describeEnding({ query }: ImportRequest, format: DetectedFormat): object {
  return format === 'membrane' ? {} : { format, dry_run: query.dry_run ?? false }
}

function maskSample({ sample, ...summary }: ImportSummary): ImportSummary {
  return sample ? { ...summary, sample: sample.map(maskRecord) } : summary
}

type Ending = { gone: AbortSignal; ending: object }

async function* render(
  reports: AsyncIterable<LineResult[] | ImportSummary>,
  request: ImportRequest,
  { gone, ending }: Ending,
): AsyncGenerator<string> {
  const isListed = chooseLines(request)
  const { mask_secrets: isMasked } = request.query
  try {
    for await (const report of reports) {
      yield Array.isArray(report)
        ? renderLines(report.filter(isListed), request.id)
        : renderEnding(isMasked ? maskSample(report) : report, {
            ...ending,
            position: await request.encryptPosition(),
          })
    }
  } catch (error) {
    if (gone.aborted) return
    yield toJsonLine({ problem: toProblem(await toPublicError(error, request), request.id) })
  }
}

/** A portion without a line is an empty line: a connection without any byte would be closed. */
function renderLines(lines: readonly LineResult[], requestId: string): string {
  return lines.length === 0 ? '\n' : lines.map((judged) => renderLine(judged, requestId)).join('')
}

function chooseLines({ query }: ImportRequest): (judged: LineResult) => boolean {
  if (query.report !== 'refused') return () => true
  let listed = 0
  return ({ outcome }) => outcome instanceof AppError && ++listed <= maxRefused
}

function renderLine({ line, id, outcome }: LineResult, requestId: string): string {
  return toJsonLine({
    line,
    id,
    status: getLineStatus(outcome),
    problem: outcome instanceof AppError ? toProblem(outcome, requestId) : undefined,
  })
}

function renderEnding({ tally, loose, sample }: ImportSummary, ending: object): string {
  return toJsonLine({
    summary: tally,
    ...ending,
    loose_relations: loose.count > 0 ? loose : undefined,
    sample,
  })
}

function toJsonLine(report: object): string {
  return `${JSON.stringify(report)}\n`
}
