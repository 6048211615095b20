import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { parseArgs } from 'node:util'

/**
 * `npm run import -- FILE [--format F] [--scope S] [--dry-run] [--url URL]` sends a file to a running service and prints
 * what was not stored. The key is in MEMBRANE_API_KEY. Exits with 1 when a line is a conflict or invalid.
 */

const usage = 'npm run import -- FILE [--format F] [--scope S] [--dry-run] [--url URL]'

const types: Readonly<Record<string, string>> = {
  '.ndjson': 'application/x-ndjson',
  '.jsonl': 'application/x-ndjson',
  '.json': 'application/json',
  '.zip': 'application/zip',
  '.md': 'text/markdown',
  '.db': 'application/vnd.sqlite3',
}

type Report = {
  line?: number
  id?: string
  status?: string
  problem?: { code: string; detail?: string; errors?: { pointer: string; message: string }[] }
  summary?: Record<'created' | 'unchanged' | 'conflict' | 'invalid', number>
  format?: string
  sample?: unknown[]
}

process.exitCode = await run().catch((error: unknown) => {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}${cause}\n`)
  return 1
})

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      format: { type: 'string' },
      scope: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
    },
  })
  const [path] = positionals
  if (path === undefined || positionals.length > 1) throw new Error(usage)
  const address = new URL('/v1/import', values.url)
  const { format, scope } = values
  for (const [name, value] of Object.entries({ format, scope }))
    if (value !== undefined) address.searchParams.set(name, value)
  if (values['dry-run']) address.searchParams.set('dry_run', 'true')
  return printReport(await send(address, path))
}

async function send(address: URL, path: string): Promise<Response> {
  const { size } = await stat(path)
  const key = process.env['MEMBRANE_API_KEY']
  const body = Readable.toWeb(Readable.from(countBytes(path, size))) as ReadableStream
  return fetch(address, {
    method: 'POST',
    headers: {
      'content-type': types[extname(path).toLowerCase()] ?? 'application/octet-stream',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body,
    duplex: 'half',
  } as RequestInit)
}

/** Yields the bytes of the file and shows how many were sent. */
async function* countBytes(path: string, size: number): AsyncGenerator<Buffer> {
  let sent = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    yield chunk
    sent += chunk.length
    showProgress(sent, size)
  }
}

const barWidth = 30

function showProgress(sent: number, size: number): void {
  if (!process.stderr.isTTY) return
  const share = size === 0 ? 1 : Math.min(1, sent / size)
  const bar = '#'.repeat(Math.round(share * barWidth)).padEnd(barWidth, '.')
  process.stderr.write(`\r[${bar}] ${Math.floor(share * 100)} %${share === 1 ? '\n' : ''}`)
}

async function printReport(response: Response): Promise<number> {
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`)
  let code = 1
  for await (const line of createInterface({ input: Readable.fromWeb(response.body as never) })) {
    const report = JSON.parse(line) as Report
    if (report.summary) code = printSummary(report)
    else if (report.problem) process.stdout.write(`${describeProblem(report)}\n`)
  }
  return code
}

function describeProblem({ line, status, problem }: Report): string {
  const faults = (problem?.errors ?? []).map(({ pointer, message }) => `${pointer} ${message}`).join('; ')
  const place = line === undefined ? 'The import ended early' : `line ${line}: ${status}`
  return `${place}: ${problem?.code}: ${faults || problem?.detail}`
}

function printSummary({ summary, format, sample = [] }: Report): number {
  for (const record of sample) process.stdout.write(`${JSON.stringify(record)}\n`)
  const numbers = Object.entries(summary ?? {}).map(([status, count]) => `${count} ${status}`)
  process.stdout.write(`${format ?? 'membrane'}: ${numbers.join(', ')}\n`)
  return summary && summary.conflict + summary.invalid === 0 ? 0 : 1
}
