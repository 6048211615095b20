import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judge, learnChanges, type Version } from '../../../src/db/memory/learnt-changes.ts'
import type { View } from '../../../src/db/memory/seen-changes.ts'
import { hasEnded, readEnd } from '../../../src/db/memory/snapshots.ts'
import { countRuns } from '../../support/long-run.ts'

const viewOf = (snapshot: string, reached = readEnd(snapshot)): View => ({ snapshot, reached, origin: '1/1' })

describe('a row that a server returns', () => {
  const learnt = viewOf('100:104:100')

  it('is news where it is not known, unless it was learnt and has gone since', () => {
    expect(judge([104], undefined, { view: viewOf('100:100:', 105), learnt })).toBe('news')
    expect(judge([90, 104], undefined, { view: viewOf('100:100:', 105), learnt })).toBe('news')
    expect(judge([103], undefined, { view: viewOf('100:100:', 105), learnt })).toBe('known')
  })

  it('is known in the same version', () => {
    expect(judge([104, 90], [104, 90], { view: viewOf('200:200:'), learnt })).toBe('known')
  })

  it('is news where the server has seen the known version, even if its transaction is older', () => {
    expect(judge([100], [103], { view: viewOf('104:104:'), learnt })).toBe('news')
    expect(judge([105, 90], [103, 90], { view: viewOf('104:106:104'), learnt })).toBe('news')
  })

  it('is old where the server cannot have seen the known version', () => {
    // A primary knows that it is open, and a standby that it has not ended.
    expect(judge([105], [103], { view: viewOf('100:106:100,103'), learnt })).toBe('known')
    expect(judge([105], [110], { view: viewOf('100:100:', 106), learnt })).toBe('known')
  })

  it('is old in a version that was learnt', () => {
    expect(judge([102], [103], { view: viewOf('100:100:', 105), learnt })).toBe('known')
  })

  it('is news where the server has reached further than all before, and old where not so far', () => {
    expect(judge([105], [103], { view: viewOf('100:100:', 106), learnt })).toBe('news')
    expect(judge([105, 103], [90, 103], { view: viewOf('100:100:', 106), learnt })).toBe('news')
    const further = { ...learnt, reached: 107 }
    expect(judge([105], [103], { view: viewOf('100:100:', 106), learnt: further })).toBe('known')
  })

  it('is uncertain where the server has reached as far as those before', () => {
    const asFar = { ...learnt, reached: 107 }
    expect(judge([105], [103], { view: viewOf('100:100:', 107), learnt: asFar })).toBe('uncertain')
    expect(judge([105], [103], { view: viewOf('104:104:', 107), learnt: asFar })).toBe('news')
  })
})

type Row = { id: string; version: Version }
type State = {
  rows: ReadonlyMap<string, Version>
  /** The next transaction. */
  begun: number
  open: readonly number[]
  reached: number
  /** The transaction that ended last, and the row that it changed. */
  ended?: { transaction: number; id: string }
}

const first = 100
const ids = ['a', 'b', 'c']
const event = fc.record({
  commits: fc.boolean(),
  nth: fc.nat(),
  id: fc.constantFrom(...ids),
  part: fc.nat(1),
})
type Event = { commits: boolean; nth: number; id: string; part: number }

/** The states of a database while transactions begin, and each changes a row when it ends. All servers go through them. */
function play(events: readonly Event[]): State[] {
  const rows = new Map<string, Version>(ids.map((id) => [id, [first - 2, first - 1]]))
  let state: State = { rows, begun: first, open: [], reached: first }
  const states = [state]
  for (const { commits, nth, id, part } of events) {
    if (commits && state.open.length > 0) {
      const transaction = state.open[nth % state.open.length] as number
      const version = (state.rows.get(id) ?? []).map((each, at) => (at === part ? transaction : each))
      state = {
        ...state,
        rows: new Map([...state.rows, [id, version]]),
        open: state.open.filter((each) => each !== transaction),
        reached: Math.max(state.reached, transaction + 1),
        ended: { transaction, id },
      }
    } else {
      const { ended: _, ...same } = state
      state = { ...same, open: [...state.open, state.begun], begun: state.begun + 1 }
    }
    states.push(state)
  }
  return states
}

function viewAt({ open, reached }: State, isStandby: boolean): View {
  const listed = open.filter((each) => each < reached)
  const oldest = listed[0] ?? reached
  return viewOf(isStandby ? `${oldest}:${oldest}:` : `${oldest}:${reached}:${listed.join(',')}`, reached)
}

function createTable() {
  const rows = new Map<string, Row>()
  const refuse = () => {
    throw new Error('not asked for here')
  }
  return {
    add: (row: Row) => rows.set(row.id, row).size > 0,
    remove: (id: string) => void rows.delete(id),
    findVersion: (id: string) => rows.get(id)?.version,
    countKept: () => rows.size,
    findPlace: refuse,
    getId: refuse,
    countAdded: refuse,
  }
}

/** A memory that was loaded from the primary: each row as of some state from the view on. */
function load(states: readonly State[], at: number, later: readonly number[]) {
  const from = at % states.length
  const table = createTable()
  for (const [nth, id] of ids.entries()) {
    const read = states[Math.min(states.length - 1, from + (later[nth] ?? 0))] as State
    table.add({ id, version: read.rows.get(id) ?? [] })
  }
  return { table, view: viewAt(states[from] as State, false) }
}

/** Answers as of a state to a question that was asked when the memory knew `snapshot`. */
function answer(state: State, snapshot: string, isStandby: boolean) {
  const isUnseen = (each: number) => !hasEnded(snapshot, each) && each < state.reached
  const changed = [...state.rows].flatMap(([id, version]) => (version.some(isUnseen) ? { id, version } : []))
  return { gone: [], changed, unseen: changed.length, view: viewAt(state, isStandby) }
}

const life = {
  events: fc.array(event, { minLength: 1, maxLength: 40 }),
  loaded: fc.nat(),
  later: fc.array(fc.nat(5), { minLength: 3, maxLength: 3 }),
}
const runs = { numRuns: countRuns(10_000) }

describe('what is learnt of servers', () => {
  const anyAnswer = fc.record({ at: fc.nat(), isStandby: fc.boolean(), asked: fc.nat(3) })

  it('is never forgotten for what is older, and in the end is what the primary has', () => {
    fc.assert(
      fc.property(life.events, life.loaded, life.later, fc.array(anyAnswer), (events, at, later, answers) => {
        const states = play(events)
        const loaded = load(states, at, later)
        const asked = [loaded.view.snapshot]
        for (const each of answers) {
          const state = states[each.at % states.length] as State
          // The answers to questions that were asked at the same time come in any order.
          const snapshot = asked.at(-1 - (each.asked % asked.length)) ?? ''
          expect(learnChanges(loaded, answer(state, snapshot, each.isStandby))).toBe(true)
          asked.push(loaded.view.snapshot)
          expectKept(states, loaded)
        }
        const last = states.at(-1) as State
        learnChanges(loaded, answer(last, loaded.view.snapshot, false))
        for (const id of ids) expect(loaded.table.findVersion(id)).toEqual(last.rows.get(id))
      }),
      runs,
    )
  })

  it('is what a standby has as soon as it answers, where it has reached further or nothing is open', () => {
    fc.assert(
      fc.property(life.events, fc.array(fc.nat()), (events, points) => {
        const states = play(events)
        const loaded = load(states, 0, [0, 0, 0])
        for (const point of points.map((each) => each % states.length).sort((one, other) => one - other)) {
          const state = states[point] as State
          const isFurther = state.reached > loaded.view.reached || state.open.length === 0
          learnChanges(loaded, answer(state, loaded.view.snapshot, true))
          if (!isFurther) continue
          for (const id of ids) expect(loaded.table.findVersion(id)).toEqual(state.rows.get(id))
        }
      }),
      runs,
    )
  })
})

/** Learnt changes are not asked for again, so each row is as new as every one of its learnt changes. */
function expectKept(states: readonly State[], { table, view }: ReturnType<typeof load>): void {
  const lost = states.filter(({ ended }, at) => {
    if (!ended || !hasEnded(view.snapshot, ended.transaction)) return false
    const known = table.findVersion(ended.id)?.join()
    return !states.slice(at).some(({ rows }) => rows.get(ended.id)?.join() === known)
  })
  expect(lost).toEqual([])
}
