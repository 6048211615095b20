import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { BenchContext } from '../bench-context.ts'
import type { BenchDatabase } from '../database.ts'
import { assert } from '../load.ts'
import { startProduct } from '../processes.ts'
import { makeMemory } from '../records/memories.ts'
import { atLeast, atMost, type Result } from '../result.ts'
import { copyIn, copyOut, digestOf } from './copying.ts'

const size = Number(process.env['BENCH_PORTABILITY_RECORDS'] ?? 1_000_000)
const mostMegabytes = 200

type Measured = { seconds: number; megabytes: number }

/** Measures an export from one store and an import into another, against COPY of the same rows. */
export async function benchPortability({ withDatabase, note }: BenchContext): Promise<Result[]> {
  const folder = await mkdtemp(join(tmpdir(), 'membrane-portability-'))
  const file = join(folder, 'records.ndjson')
  try {
    return await withDatabase(async (source) => {
      note(`${size} records are brought in`)
      await withApi(source, (url) => bringIn(url, Readable.from(makeLines())))
      await source.pool.query('vacuum (analyze)')
      note('they are taken out')
      const exported = await withApi(source, (url) => takeOut(url, file))
      const copied = await copyOut(source)
      note('and brought in elsewhere')
      const digest = await digestOf(source)
      const target = await withDatabase(async (database) => {
        const imported = await withApi(database, (url) => bringIn(url, createReadStream(file)))
        assert((await digestOf(database)) === digest, 'what came in is not what went out')
        const again = await withApi(database, (url) => bringIn(url, createReadStream(file), 'unchanged'))
        return { imported, again }
      })
      const copying = await withDatabase((database) => copyIn(database, copied.files))
      for (const each of copied.files.values()) await rm(each, { force: true })
      const bytes = (await stat(file)).size / size
      return [
        ...describe('export', exported, copied.seconds, { bytes_per_line: bytes }),
        ...describe('import', target.imported, copying, { again_per_second: size / target.again.seconds }),
      ]
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function describe(
  work: string,
  measured: Measured,
  limit: number,
  details: Result['details'] & object,
): Result[] {
  const ratio = limit / measured.seconds
  const verified = 'every row of the second store is that of the first'
  return [
    {
      work: `${work}, ${size} records of 1 KB`,
      measured: { value: size / measured.seconds, unit: 'records/s' },
      limit: { value: size / limit, unit: 'records/s', of: 'COPY of the same rows' },
      ratio,
      mustReach: atLeast(ratio, 0.3),
      details,
      verified,
    },
    {
      work: `memory that an ${work} of ${size} takes`,
      measured: { value: measured.megabytes, unit: 'MB' },
      mustReach: atMost(measured.megabytes, mostMegabytes, 'MB'),
      verified:
        'the most that the process ever had less what it had when it was ready, as the system counts it',
    },
  ]
}

/** Ids ordered by time, as in real use; each record supports an earlier one. */
function* makeLines(): Generator<string> {
  const idOf = (index: number) => `01980000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`
  for (let index = 0; index < size; index++) {
    const target_id = idOf(Math.floor(index / 2))
    const relations = index === 0 ? [] : [{ predicate: 'supports', target_id, weight: 0.5 }]
    yield `${JSON.stringify({ ...makeMemory(index), id: idOf(index), relations })}\n`
  }
}

async function withApi(database: BenchDatabase, work: (url: string) => Promise<void>): Promise<Measured> {
  const api = await startProduct('api', { DATABASE_URL: database.url })
  try {
    const before = await readMemory(api.pid, 'VmRSS')
    const started = performance.now()
    await work(api.url)
    const seconds = (performance.now() - started) / 1_000
    return { seconds, megabytes: (await readMemory(api.pid, 'VmHWM')) - before }
  } finally {
    await api.stop()
  }
}

async function readMemory(pid: number, line: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${line}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024
}

async function takeOut(url: string, file: string): Promise<void> {
  const sending = request(`${url}/v1/export`)
  sending.end()
  const answer = await answerTo(sending)
  assert(answer.statusCode === 200, `the export was answered ${answer.statusCode}`)
  await pipeline(answer, createWriteStream(file))
}

async function bringIn(
  url: string,
  lines: Readable,
  outcome: 'created' | 'unchanged' = 'created',
): Promise<void> {
  const sending = request(`${url}/v1/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
  })
  const sent = pipeline(lines, sending)
  const answer = await answerTo(sending)
  let tail = ''
  for await (const chunk of answer.setEncoding('utf8')) tail = `${tail}${chunk}`.slice(-1_000)
  await sent
  const last: unknown = JSON.parse(tail.trim().split('\n').at(-1) ?? '')
  const tally = { created: 0, unchanged: 0, conflict: 0, invalid: 0, [outcome]: size }
  assert(
    JSON.stringify(last) === JSON.stringify({ summary: tally }),
    `the import ended with ${JSON.stringify(last)}`,
  )
}

function answerTo(sending: ReturnType<typeof request>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sending.once('response', resolve)
    sending.once('error', reject)
  })
}
