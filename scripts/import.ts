import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname, extname } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { writeSearchableText } from '../src/domain/payloads/searchable-text.ts'
import { truncate } from '../src/kernel/truncated-text.ts'
import { formatLocalUrl } from '../src/process/local-url.ts'
import type { MemoryRecord } from '../src/records/index.ts'
import { listNotes, measurePacked, packFiles } from './note-archive.ts'
import { readArguments, refuse } from './script-arguments.ts'

const usage = `Usage: npm run import -- FILE [--format F] [--scope S] [--dry-run [--full]] [--url URL]

Sends a file, or a folder of notes, to a running service and prints the lines that were not stored.

  --format F   the format of the file, such as mem0; docs/importing.md lists all. Default: recognised by its beginning
  --scope S    the scope of the records. Default: the only scope of the key, or none
  --dry-run    check every line, store nothing, and show the beginning of some records as they would be stored
  --full       show these records whole, as JSON
  --url URL    the address of the service. Default: that of HOST and PORT

The key is read from MEMBRANE_API_KEY. The exit code is 1 if a line is a conflict or invalid.`

const types: Readonly<Record<string, string>> = {
  '.ndjson': 'application/x-ndjson',
  '.jsonl': 'application/x-ndjson',
  '.json': 'application/json',
  '.zip': 'application/zip',
  '.md': 'text/markdown',
  '.db': 'application/vnd.sqlite3',
}

/** The format of a folder. */
const notes = 'basic-memory'
const barWidth = 30
/** In characters. */
const longestSample = 120
/** Characters that control the terminal or change the order of the text. */
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

type Problem = { code: string; detail?: string; errors?: { pointer: string; message: string }[] }

type Sample = Pick<MemoryRecord, 'type' | 'created_at' | 'payload' | 'tags'>

type Report = {
  line?: number
  id?: string
  status?: string
  problem?: Problem
  summary?: Record<'created' | 'unchanged' | 'conflict' | 'invalid', number>
  format?: string
  sample?: Sample[]
}

process.exitCode = await run().catch((error: unknown) => {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  const lines = (cause instanceof Error ? `${message}: ${cause.message}` : message).split('\n')
  for (const line of lines) printLine(line, process.stderr)
  return 1
})

async function run(): Promise<number> {
  const { values, positionals } = readArguments(usage, {
    allowPositionals: true,
    options: {
      format: { type: 'string' },
      scope: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      url: { type: 'string' },
    },
  })
  const [path] = positionals
  if (path === undefined || positionals.length > 1) refuse('One FILE must be named')
  const address = new URL('/v1/import', values.url ?? localUrl(process.env))
  const { scope } = values
  const source = await openSource(path, values.format)
  for (const [name, value] of Object.entries({ format: source.format, scope }))
    if (value !== undefined) address.searchParams.set(name, value)
  if (values['dry-run']) address.searchParams.set('dry_run', 'true')
  const response = await send(address, source)
  return printReport(response, { names: source.names, isDryRun: values['dry-run'], isFull: values.full })
}

function localUrl({ HOST, PORT }: NodeJS.ProcessEnv): string {
  return formatLocalUrl(HOST?.trim() || '127.0.0.1', Number(PORT?.trim() || 8_080))
}

/** What is sent. `names` are the files of an archive that is made here. */
type Source = {
  format: string | undefined
  type: string
  size: number
  chunks: AsyncIterable<Buffer>
  names: readonly string[]
}

async function openSource(path: string, format: string | undefined): Promise<Source> {
  const found = await stat(path).catch(() => {
    throw new Error(`The file ${path} does not exist or cannot be read.`)
  })
  const isNote = extname(path) === '.md' && (format ?? notes) === notes
  if (found.isDirectory() || isNote) return openNotes(path, format, found.isDirectory())
  const type = types[extname(path).toLowerCase()] ?? 'application/octet-stream'
  return { format, type, size: found.size, chunks: createReadStream(path), names: [] }
}

/** Notes are sent as an archive, a single one too, because a note without a title is known by the name of its file. */
async function openNotes(path: string, format: string | undefined, isFolder: boolean): Promise<Source> {
  if ((format ?? notes) !== notes) throw new Error(`A folder can only have the format ${notes}; name a file.`)
  const folder = isFolder ? path : dirname(path)
  const names = isFolder ? await listNotes(path) : [basename(path)]
  if (names.length === 0) throw new Error(`The folder ${path} has no file *.md.`)
  const size = await measurePacked(folder, names)
  return { format: notes, type: 'application/zip', size, chunks: packFiles(folder, names), names }
}

async function send(address: URL, { type, size, chunks }: Source): Promise<Response> {
  const key = process.env['MEMBRANE_API_KEY']?.trim()
  const body = Readable.toWeb(Readable.from(countBytes(chunks, size))) as ReadableStream
  return connectTo(address, {
    method: 'POST',
    headers: {
      'content-type': type,
      ...(key ? { authorization: `Bearer ${key}` } : {}),
    },
    body,
    duplex: 'half',
  } as RequestInit)
}

async function connectTo(address: URL, request: RequestInit): Promise<Response> {
  try {
    return await fetch(address, request)
  } catch (error) {
    const { cause } = error as Error
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED')) throw error
    throw new Error(`No service answers at ${address.origin}. Start one, or name its address with --url.`)
  }
}

/** Yields the bytes and shows how many of them were sent. */
async function* countBytes(chunks: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let sent = 0
  for await (const chunk of chunks) {
    yield chunk
    sent += chunk.length
    showProgress(sent, size)
  }
}

function showProgress(sent: number, size: number): void {
  if (!process.stderr.isTTY) return
  const share = size === 0 ? 1 : Math.min(1, sent / size)
  const bar = '#'.repeat(Math.round(share * barWidth)).padEnd(barWidth, '.')
  process.stderr.write(`\r[${bar}] ${Math.floor(share * 100)} %${share === 1 ? '\n' : ''}`)
}

type Sent = { names: readonly string[]; isDryRun: boolean; isFull: boolean }

async function printReport(response: Response, sent: Sent): Promise<number> {
  if (!response.ok || !response.body)
    throw new Error(`${response.status} ${describeRefusal(await response.text())}`)
  let code = 1
  for await (const line of createInterface({ input: Readable.fromWeb(response.body as never) })) {
    const report = JSON.parse(line) as Report
    if (report.summary) code = printSummary(report, sent)
    else if (report.problem) printLine(describeProblem(report, sent.names))
  }
  return code
}

/** What a file or its name says must not look like another line, and must not be a command to the terminal. */
function printLine(text: string, to: NodeJS.WritableStream = process.stdout): void {
  const shown = text.replace(unprintable, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
  to.write(`${shown}\n`)
}

/** A proxy in front of the service may refuse with something other than a problem. */
function describeRefusal(text: string): string {
  try {
    return explainProblem(JSON.parse(text) as Problem)
  } catch {
    return text
  }
}

function explainProblem({ code, detail, errors = [] }: Problem): string {
  const faults = errors.map(({ pointer, message }) => `${pointer} ${message}`.trimStart()).join('; ')
  return `${code}: ${faults || detail}`
}

function describeProblem({ line, id, status, problem }: Report, names: readonly string[]): string {
  const name = line === undefined ? undefined : names[line - 1]
  const place = line === undefined ? 'The import ended early' : `${name ?? `line ${line}`}: ${status}`
  const record = status === 'conflict' && id !== undefined ? ` (record ${id})` : ''
  return problem === undefined ? place : `${place}: ${explainProblem(problem)}${record}`
}

function describeRecord({ type, created_at: at, payload, tags }: Sample): string {
  const text = writeSearchableText(payload, tags).replace(/\s+/g, ' ').trim()
  return `  ${at.slice(0, 10)} ${type}: ${truncate(text, longestSample)}`
}

function printSummary({ summary, format, sample = [] }: Report, { isDryRun, isFull }: Sent): number {
  if (isDryRun && sample.length > 0) process.stdout.write('The first records as they would be stored:\n')
  for (const record of sample) printLine(isFull ? JSON.stringify(record) : describeRecord(record))
  const numbers = Object.entries(summary ?? {}).map(([status, count]) => `${count} ${status}`)
  if (isDryRun) process.stdout.write('A dry run: nothing was stored.\n')
  printLine(`${format ?? 'membrane'}: ${numbers.join(', ')}`)
  return summary && summary.conflict + summary.invalid === 0 ? 0 : 1
}
