import type { FastifyRequest } from 'fastify'
import { toProblem, toPublicError } from '../../../http/problems/problems.ts'
import { AppError } from '../../../kernel/errors.ts'
import { maskRecord } from '../../../records/index.ts'
import type { DetectedFormat } from '../../foreign/format-detection.ts'
import type { ImportSummary } from '../import.service.ts'
import { getLineStatus, type LineResult } from '../portion-store.service.ts'
import type { ImportQuery } from './import-report.schemas.ts'

export type ImportRequest = FastifyRequest<{ Querystring: ImportQuery }>

/** The most lines in a report of refused lines alone: it must fit into the buffers of a connection. */
const maxRefused = 1_000

type Rendering = {
  format: DetectedFormat
  /** Aborts when the client has hung up. */
  gone: AbortSignal
}

/** Writes the results of lines, and then the summary or the problem that ended the import, as lines of JSON. */
export async function* renderReport(
  reports: AsyncIterable<LineResult[] | ImportSummary>,
  request: ImportRequest,
  { format, gone }: Rendering,
): AsyncGenerator<string> {
  const isListed = chooseLines(request)
  const { mask_secrets: isMasked } = request.query
  try {
    for await (const report of reports) {
      yield Array.isArray(report)
        ? renderLines(report.filter(isListed), request.id)
        : renderEnding(isMasked ? maskSample(report) : report, {
            ...describeFile(request, format),
            position: await request.encryptPosition(),
          })
    }
  } catch (error) {
    if (gone.aborted) return
    yield toJsonLine({ problem: toProblem(await toPublicError(error, request), request.id) })
  }
}

/** The fields of the summary besides its numbers. */
function describeFile({ query }: ImportRequest, format: DetectedFormat): object {
  return format === 'membrane' ? {} : { format, dry_run: query.dry_run ?? false }
}

function maskSample({ sample, ...summary }: ImportSummary): ImportSummary {
  return sample ? { ...summary, sample: sample.map(maskRecord) } : summary
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
