import type { Database } from '../../db/connection.ts'
import { decode, encode } from '../../domain/vectors/vector-codes.ts'
import { walkRun } from '../../jobs/runs/run-walk.ts'
import type { Change, JobWork, RunContext } from '../../jobs/runs/runs.ts'
import type { RetentionSettings } from '../../lifecycle/index.ts'
import {
  type CompressibleVector,
  claimCompressible,
  countVectors,
  findRangeEnd,
  firstPosition,
  queueTooCoarse,
  type VectorPosition,
  writeCompressed,
} from './compression.queries.ts'

/** Vectors examined in one batch. Few of them are due: computing their retention takes most of the time. */
const usualSize = 5_000

const figures = ['to_8_bits', 'to_4_bits', 'to_2_bits', 'bytes_saved', 'to_be_embedded']

type Resources = RetentionSettings & { db: Database; size?: number }

/**
 * The job `compress`: stores the vectors of fading records in fewer bits. The signature stays that of the full
 * vector, so the record is still found. The result depends on the start of the run alone, not on how often the job
 * runs.
 */
export function createCompression({ db, size = usualSize, ...settings }: Resources): JobWork {
  async function run(context: RunContext): Promise<void> {
    await context.setTotal(await countVectors(db), figures)
    const { startedAt: now, scope } = context.run
    await walkRun<VectorPosition>(context, {
      part: 'compression',
      start: firstPosition,
      size,
      doPortion: async (tx, { after, limit }) => {
        const until = await findRangeEnd(tx, { after, limit })
        if (!until) return { last: undefined }
        const range = { after, until, scope, now, settings }
        const compressible = await claimCompressible(tx, range)
        const compressed = compressible.map(compress)
        if (compressed.length > 0) await writeCompressed(tx, compressed)
        const queued = await queueTooCoarse(tx, range)
        const counts = { ...countResults(compressed), to_be_embedded: queued }
        return { last: until, done: until.count, counts, changes: compressed.map(describe) }
      },
      findNext: (tx, after) => findRangeEnd(tx, { after, limit: 1 }),
      getId: ({ record_id: id }) => id,
    })
  }

  return { run }
}

function compress({ code, dimensions, bits, target, ...position }: CompressibleVector) {
  const compressed = encode(decode(code, dimensions, bits), target)
  return { ...position, from: bits, bits: target, code: compressed, saved: code.length - compressed.length }
}

function describe({ record_id, from, bits }: ReturnType<typeof compress>): Change {
  return { record_id, action: 'reduce', before: { bits: from }, after: { bits } }
}

function countResults(compressed: readonly { bits: number; saved: number }[]) {
  const to = (precision: number) => compressed.filter(({ bits }) => bits === precision).length
  const saved = compressed.reduce((sum, each) => sum + each.saved, 0)
  return { to_8_bits: to(8), to_4_bits: to(4), to_2_bits: to(2), bytes_saved: saved }
}
