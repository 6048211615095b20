import type { Database } from '../../db/connection.ts'
import { nilUuid } from '../../kernel/ids.ts'
import { compareTexts } from '../../kernel/text-order.ts'
import {
  type Candidate,
  type Eligibility,
  type LanePosition,
  listBudgetLanes,
  readBudgetLanes,
} from './budget-order.queries.ts'

export type BudgetOrder = Eligibility & { protect: readonly string[]; hasBytes: boolean }

/** How many records are read at once from all lanes together, and at least from each. */
const chunk = 8_000
const minOfLane = 16

type OpenLane = LanePosition & { read: Candidate[]; isFinished: boolean }

/**
 * The records of a scope that a budget may forget, the least worth keeping first, in portions. Each lane is read in the
 * order of the index only as far as its records are among the next: the cost depends on how many are taken.
 */
export async function* walkInBudgetOrder(
  db: Database,
  { protect, ...order }: BudgetOrder,
): AsyncGenerator<Candidate[]> {
  const found = await listBudgetLanes(db, order.scope)
  let lanes: OpenLane[] = found
    .filter(({ type, layer }) => !protect.includes(type) && !protect.includes(layer))
    .map((lane) => ({ ...lane, rank: '-infinity', id: nilUuid, read: [], isFinished: false }))
  const limit = Math.max(minOfLane, Math.ceil(chunk / Math.max(1, lanes.length)))
  while (lanes.length > 0) {
    await readEmptyLanes(db, lanes, { ...order, limit })
    lanes = lanes.filter(({ read }) => read.length > 0)
    const next = takeNext(lanes)
    if (next.length > 0) yield next
  }
}

/**
 * The worth keeping of the first record that stays when `excess` is forgotten, or of the last one when none stays. Undefined
 * when nothing may be forgotten.
 */
export async function findLine(
  db: Database,
  order: BudgetOrder,
  excess: number,
): Promise<number | undefined> {
  let [missing, line]: [number, number | undefined] = [excess, undefined]
  for await (const candidates of walkInBudgetOrder(db, order)) {
    for (const { keeping, size } of candidates) {
      line = keeping
      if (missing <= 0) return line
      missing -= size
    }
  }
  return line
}

/**
 * Returns the part of `excess` that is taken from records after their grace period. New records that are worth less make up the
 * rest: they have their place in the order, although they are not forgotten yet. Otherwise every batch of new records would push
 * out records that are worth more.
 */
export async function findShareOfOld(db: Database, order: BudgetOrder, excess: number): Promise<number> {
  let missing = excess
  let share = 0
  for await (const candidates of walkInBudgetOrder(db, { ...order, isInGrace: null })) {
    for (const { size, is_in_grace: isInGrace } of candidates) {
      if (missing <= 0) return share
      missing -= size
      if (!isInGrace) share += size
    }
  }
  return share
}

async function readEmptyLanes(
  db: Database,
  lanes: readonly OpenLane[],
  options: Eligibility & { limit: number; hasBytes: boolean },
): Promise<void> {
  const empty = lanes.filter(({ read, isFinished }) => read.length === 0 && !isFinished)
  if (empty.length === 0) return
  const positions = empty.map(({ read: _, isFinished: __, ...position }) => position)
  const rows = Map.groupBy(
    await readBudgetLanes(db, { ...options, lanes: positions }),
    ({ lane }) => empty[lane],
  )
  for (const lane of empty) {
    const read = rows.get(lane) ?? []
    const last = read.at(-1)
    if (last) Object.assign(lane, { rank: last.rank, id: last.id })
    lane.isFinished = read.length < options.limit
    // The exact order: without a decay_rank, the index has the stored salience, which may be a little too high.
    lane.read = read.toSorted(compareKeeping)
  }
}

/** Removes from the lanes what is certainly next: nothing unread in a lane is before the last that was read of it. */
function takeNext(lanes: readonly OpenLane[]): Candidate[] {
  const ends = lanes.flatMap(({ read, isFinished }) => (isFinished ? [] : [read.at(-1)?.keeping ?? 0]))
  const horizon = Math.min(...ends)
  const next = lanes.flatMap(({ read }) => read.filter(({ keeping }) => keeping <= horizon))
  for (const lane of lanes) lane.read = lane.read.filter(({ keeping }) => keeping > horizon)
  return next.sort(compareKeeping)
}

function compareKeeping(left: Candidate, right: Candidate): number {
  return left.keeping - right.keeping || compareTexts(left.id, right.id)
}
