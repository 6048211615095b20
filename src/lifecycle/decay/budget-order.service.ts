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

type OpenLane = LanePosition & {
  /** Read and not yet taken. */
  read: Candidate[]
  /** No record that is still unread has a lower `keeping`. */
  end: number
  isFinished: boolean
}

/** Where a walk may end: behind the first records of this size and one more, or behind the last whose `keeping` is at most `line`. */
type Bound = { size: number } | { line: number }

type Walk = {
  /** The highest `keeping` that is read. */
  line: number
  /** The size that is still to be read. */
  left: number
  /** How many records were in memory when others were last dropped. */
  kept: number
}

/**
 * The records of a scope that a budget may forget, those with the lowest `keeping` first, in portions. Each lane is read in the
 * order of the index only as far as its records are among the next: the time depends on how many are taken, and on how many used
 * records are passed, because the index does not know uses. The memory depends only on how many are taken.
 */
export async function* walkInBudgetOrder(
  db: Database,
  { protect, ...order }: BudgetOrder,
  bound: Bound,
): AsyncGenerator<Candidate[]> {
  const found = await listBudgetLanes(db, order.scope)
  let lanes: OpenLane[] = found
    .filter(({ type, layer }) => !protect.includes(type) && !protect.includes(layer))
    .map((lane) => ({ ...lane, rank: '-infinity', id: nilUuid, read: [], end: -Infinity, isFinished: false }))
  const limit = Math.max(minOfLane, Math.ceil(chunk / Math.max(1, lanes.length)))
  const walk: Walk = { line: Infinity, left: Infinity, kept: 0 }
  if ('line' in bound) walk.line = bound.line
  else walk.left = bound.size
  while (lanes.length > 0) {
    await readOn(db, lanes, { ...order, limit }, walk)
    lanes = lanes.filter(({ read }) => read.length > 0)
    if (lanes.length === 0) return
    const next = takeNext(lanes)
    walk.left -= next.reduce((sum, { size }) => sum + size, 0)
    yield next
  }
}

/**
 * The `keeping` of the first record that stays when `excess` is forgotten, or of the last one when none stays. Undefined
 * when nothing may be forgotten.
 */
export async function findLine(
  db: Database,
  order: BudgetOrder,
  excess: number,
): Promise<number | undefined> {
  let [missing, line]: [number, number | undefined] = [excess, undefined]
  for await (const candidates of walkInBudgetOrder(db, order, { size: excess })) {
    for (const { keeping, size } of candidates) {
      line = keeping
      if (missing <= 0) return line
      missing -= size
    }
  }
  return line
}

/**
 * Returns the part of `excess` that is taken from records after their grace period. New records with a lower `keeping` make up the
 * rest: they have their place in the order, although they are not forgotten yet. Otherwise every batch of new records would push
 * out records with a higher one.
 */
export async function findShareOfOld(db: Database, order: BudgetOrder, excess: number): Promise<number> {
  let missing = excess
  let share = 0
  for await (const candidates of walkInBudgetOrder(db, { ...order, isInGrace: null }, { size: excess })) {
    for (const { size, is_in_grace: isInGrace } of candidates) {
      if (missing <= 0) return share
      missing -= size
      if (!isInGrace) share += size
    }
  }
  return share
}

/** Reads the lanes until each of them has a record that is certainly the next of its lane. */
async function readOn(
  db: Database,
  lanes: readonly OpenLane[],
  options: Eligibility & { limit: number; hasBytes: boolean },
  walk: Walk,
): Promise<void> {
  for (;;) {
    const open = lanes.filter(
      ({ read, end, isFinished }) => !isFinished && !read.some(({ keeping }) => keeping <= end),
    )
    if (open.length === 0) return
    const positions = open.map(({ type, layer, half_life, rank, id }) => ({
      type,
      layer,
      half_life,
      rank,
      id,
    }))
    const found = await readBudgetLanes(db, { ...options, lanes: positions })
    const rows = Map.groupBy(found, ({ lane }) => open[lane])
    for (const lane of open) addRead(lane, rows.get(lane) ?? [], options.limit)
    dropBeyondBound(lanes, walk)
  }
}

/** All used records of a scope may be read before one is certainly the next: millions would not fit into memory. */
function dropBeyondBound(lanes: readonly OpenLane[], walk: Walk): void {
  const count = lanes.reduce((sum, { read }) => sum + read.length, 0)
  if (count <= 2 * walk.kept) return
  const read = lanes.flatMap((lane) => lane.read).sort(compareKeeping)
  let before = 0
  const last = read.find(({ size }) => {
    before += size
    return before - size >= walk.left
  })
  walk.line = Math.min(walk.line, last?.keeping ?? Infinity)
  for (const lane of lanes) {
    lane.read = lane.read.filter(({ keeping }) => keeping <= walk.line)
    lane.isFinished ||= lane.end > walk.line
  }
  walk.kept = lanes.reduce((sum, lane) => sum + lane.read.length, 0)
}

function addRead(lane: OpenLane, rows: readonly Candidate[], limit: number): void {
  const last = rows.at(-1)
  if (last) Object.assign(lane, { rank: last.rank, id: last.id })
  // The last row need not have the highest value: without a decay_rank, the index has the stored salience, which may be too high.
  lane.end = rows.reduce((highest, { unused_keeping: value }) => Math.max(highest, value), lane.end)
  lane.isFinished = rows.length < limit
  lane.read = [...lane.read, ...rows].sort(compareKeeping)
}

/** Removes from the lanes what is certainly next. */
function takeNext(lanes: readonly OpenLane[]): Candidate[] {
  const horizon = Math.min(...lanes.flatMap(({ end, isFinished }) => (isFinished ? [] : [end])))
  const next = lanes.flatMap(({ read }) => read.filter(({ keeping }) => keeping <= horizon))
  for (const lane of lanes) lane.read = lane.read.filter(({ keeping }) => keeping > horizon)
  return next.sort(compareKeeping)
}

function compareKeeping(left: Candidate, right: Candidate): number {
  return left.keeping - right.keeping || compareTexts(left.id, right.id)
}
