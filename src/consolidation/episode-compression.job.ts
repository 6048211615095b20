import type { Transaction } from '../db/transaction.ts'
import type { Clock } from '../kernel/clock.ts'
import { momentBefore } from '../kernel/units.ts'
import { claimNext, type Portion } from './episode-batches.queries.ts'
import { type Step, walk } from './episode-batches.service.ts'
import { type Aged, claimAged, findPresent, writeCompressed } from './episode-compression.queries.ts'
import { type Compressed, compress } from './episode-compression.ts'
import type { Stage } from './stages.ts'

type Resources = { clock: Clock; compressionAgeMs: number; size?: number }

/** Old episodes make room for what was learnt from them: once each. */
export function createCompression({ clock, compressionAgeMs, size }: Resources): Stage {
  return {
    name: 'episodic',
    run: (context) => {
      const { id: runId, startedAt } = context.run
      const until = momentBefore(startedAt, compressionAgeMs)
      const next = (tx: Transaction, portion: Portion) => compressNext(tx, portion, runId)
      return walk(context, { stage: 'episodic', clock, until, next, ...(size === undefined ? {} : { size }) })
    },
  }
}

async function compressNext(tx: Transaction, portion: Portion, runId: string): Promise<Step> {
  const { now } = portion
  const claimed = await claimNext(tx, portion)
  if (claimed.length === 0) return { last: undefined }
  const ids = claimed.map(({ id }) => id)
  const aged = await claimAged(tx, ids)
  const compressed = aged.flatMap((each) => compressOne(each, now))
  const finished = await withoutHeld(tx, ids, aged)
  await writeCompressed(tx, compressed, { finished, now, runId })
  return {
    done: finished.length,
    counts: { episodic_compressed: compressed.length },
    changes: compressed.map(({ id, changes }) => ({
      ...{ record_id: id, action: 'compress' },
      before: { base_salience: changes.base_salience[0], salience: changes.salience[0] },
      after: { base_salience: changes.base_salience[1], salience: changes.salience[1] },
    })),
    last: claimed.at(-1),
  }
}

function compressOne(aged: Aged, now: Date): (Compressed & { id: string })[] {
  const compressed = aged.is_due ? compress(aged, now) : undefined
  return compressed ? [{ ...compressed, id: aged.id }] : []
}

/** What somebody else has in hand stays on the list; what has gone does not. */
async function withoutHeld(tx: Transaction, ids: readonly string[], aged: readonly Aged[]) {
  const claimed = new Set(aged.map(({ id }) => id))
  const others = ids.filter((id) => !claimed.has(id))
  if (others.length === 0) return ids
  const held = await findPresent(tx, others)
  return ids.filter((id) => !held.has(id))
}
