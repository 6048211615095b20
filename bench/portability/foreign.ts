import { Readable } from 'node:stream'
import type { BenchContext } from '../bench-context.ts'
import type { BenchDatabase } from '../database.ts'
import { assert } from '../load.ts'
import { atLeast, atMost, type Result } from '../result.ts'
import { copyIn, copyOut } from './copying.ts'
import { importFile, withApi } from './transfers.ts'

const size = Number(process.env['BENCH_FOREIGN_RECORDS'] ?? 50_000)
const largeBytes = 200_000_000
const maxMegabytes = 200

/** Measures imports of files of other programs, against COPY of the same rows, and the memory that a large file takes. */
export async function benchForeignImport({ withDatabase, note }: BenchContext): Promise<Result[]> {
  const results: Result[] = []
  for (const [format, makeFile] of [
    ['mem0', makeMem0],
    ['mcp-memory', makeMcpMemory],
  ] as const) {
    note(`${size} records of ${format}`)
    const { imported, copied, again } = await withDatabase(async (database) => {
      const imported = await withApi(database, (url) =>
        importFile(url, { file: streamOf(makeFile()), format, size }),
      )
      assert((await countRecords(database)) === size, 'a record is missing')
      const again = await withApi(database, (url) =>
        importFile(url, { file: streamOf(makeFile()), format, size, outcome: 'unchanged' }),
      )
      return { imported, again, copied: await copyOut(database) }
    })
    const limit = await withDatabase((database) => copyIn(database, copied.files))
    const ratio = limit / imported.seconds
    results.push({
      work: `import of ${format}, ${size.toLocaleString('en')} records`,
      measured: { value: size / imported.seconds, unit: 'records/s' },
      limit: { value: size / limit, unit: 'records/s', of: 'COPY of the same rows' },
      ratio,
      mustReach: atLeast(ratio, 0.3),
      details: { again_per_second: size / again.seconds, megabytes: imported.megabytes },
      verified: 'each item is a record, and a second import changes nothing',
    })
  }
  return [...results, await measureLargeFile({ withDatabase, note })]
}

/** Only the memory: most of the file is one field that is lost. */
async function measureLargeFile({
  withDatabase,
  note,
}: Pick<BenchContext, 'withDatabase' | 'note'>): Promise<Result> {
  note('a file of 200 MB')
  const items = 10_000
  const metadata = { padding: 'x'.repeat(largeBytes / items) }
  const file = makeMem0(items, { metadata })
  const { megabytes } = await withDatabase((database) =>
    withApi(database, (url) => importFile(url, { file: streamOf(file), format: 'mem0', size: items })),
  )
  return {
    work: 'memory that an import of 200 MB of mem0 takes',
    measured: { value: megabytes, unit: 'MB' },
    mustReach: atMost(megabytes, maxMegabytes, 'MB'),
    verified:
      'the peak memory of the process minus its memory when it was ready, as the operating system counts it',
  }
}

/** In chunks as a file is read, and not one for each item. */
function streamOf(parts: Iterable<string>): Readable {
  function* chunks(): Generator<string> {
    let chunk = ''
    for (const part of parts) {
      chunk += part
      if (chunk.length < chunkLength) continue
      yield chunk
      chunk = ''
    }
    yield chunk
  }
  return Readable.from(chunks(), { objectMode: false })
}

const chunkLength = 65_536

const texts = [
  'prefers trains over planes',
  'asked for invoices on the first working day',
  'runs the eu-central cluster',
]
const textOf = (index: number) => `Customer ${index} ${texts[index % texts.length]} since week ${index % 52}`

function* makeMem0(items = size, more: object = {}): Generator<string> {
  yield '{"results":['
  for (let index = 0; index < items; index++) {
    const id = `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`
    const created_at = new Date(1_700_000_000_000 + index * 1_000).toISOString()
    const item = { id, memory: textOf(index), user_id: `user-${index % 100}`, created_at, ...more }
    yield `${index === 0 ? '' : ','}${JSON.stringify(item)}`
  }
  yield ']}'
}

/** Each entity has nine observations. */
function* makeMcpMemory(): Generator<string> {
  for (let index = 0; index < size; index += 10) {
    const observations = Array.from({ length: 9 }, (_, nth) => textOf(index + nth))
    yield `${JSON.stringify({ type: 'entity', name: `Customer ${index}`, entityType: 'customer', observations })}\n`
  }
}

async function countRecords({ pool }: BenchDatabase): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('select count(*)::int4 as count from records')
  return rows[0]?.count ?? 0
}
