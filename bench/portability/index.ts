import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { BenchContext } from '../bench-context.ts'
import { assert } from '../load.ts'
import { makeMemory } from '../records/memories.ts'
import { atLeast, atMost, type Result } from '../result.ts'
import { copyIn, copyOut, digestOf } from './copying.ts'
import { exportToFile, importFile, type Measured, withApi } from './transfers.ts'

export { benchForeignImport } from './foreign.ts'

const size = Number(process.env['BENCH_PORTABILITY_RECORDS'] ?? 1_000_000)
const maxMegabytes = 150
const own = { format: 'membrane', size }

/** Measures an export from one store and an import into another, against COPY of the same rows. */
export async function benchPortability({ withDatabase, note }: BenchContext): Promise<Result[]> {
  const folder = await mkdtemp(join(tmpdir(), 'membrane-portability-'))
  const file = join(folder, 'records.ndjson')
  try {
    return await withDatabase(async (source) => {
      note(`${size} records are imported`)
      await withApi(source, (url) => importFile(url, { ...own, file: Readable.from(makeLines()) }))
      await source.pool.query('vacuum (analyze)')
      note('they are exported')
      const exported = await withApi(source, (url) => exportToFile(url, file))
      const copied = await copyOut(source)
      note('and imported into another store')
      const digest = await digestOf(source)
      const target = await withDatabase(async (database) => {
        const imported = await withApi(database, (url) =>
          importFile(url, { ...own, file: createReadStream(file) }),
        )
        assert((await digestOf(database)) === digest, 'the imported rows differ from the exported ones')
        const again = await withApi(database, (url) =>
          importFile(url, { ...own, file: createReadStream(file), outcome: 'unchanged' }),
        )
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
      work: `${work}, ${size.toLocaleString('en')} records of 1 KB`,
      measured: { value: size / measured.seconds, unit: 'records/s' },
      limit: { value: size / limit, unit: 'records/s', of: 'COPY of the same rows' },
      ratio,
      mustReach: atLeast(ratio, 0.4),
      details,
      verified,
    },
    {
      work: `memory that an ${work} of ${size.toLocaleString('en')} takes`,
      measured: { value: measured.megabytes, unit: 'MB' },
      mustReach: atMost(measured.megabytes, maxMegabytes, 'MB'),
      verified:
        'the peak memory of the process minus its memory when it was ready, as the operating system counts it',
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
