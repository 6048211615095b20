import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from '../kernel/errors.ts'
import { changedNothing } from './failures.ts'
import { getWriting, runWriting, type Writing } from './request-scope.ts'
import type { Transaction } from './transaction.ts'

/** Lets a request happen at most once. Its rows are written in the transaction of the request. */
export type Guard<Outcome = unknown> = {
  /** Does the same for the guards of several requests at once. */
  readonly store: AnswerStore
  /** The row that the store writes for this outcome; undefined for none. */
  settle(outcome: Outcome): object | undefined
}

export type AnswerStore = {
  /** Returns for each guard why its request must not run; undefined if it may. */
  admit(tx: Transaction, guards: readonly Guard[]): Promise<readonly (object | undefined)[]>
  save(tx: Transaction, settled: readonly object[]): Promise<void>
}

type Options<Item, Outcome> = {
  /** Opens a transaction for requests with a guard. */
  begin<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** In a transaction of its own, if none is given. */
  runAlone(item: Item, tx?: Transaction): Promise<Outcome>
  /** Does the work of several requests at once. An item whose outcome is undefined runs alone afterwards. */
  runTogether(items: readonly Item[], tx?: Transaction): Promise<readonly (Outcome | undefined)[]>
  /** Whether the next item can run together with these. Absent if every item can. */
  canJoin?(items: readonly Item[], next: Item): boolean
}

type Member<Item, Outcome> = {
  item: Item
  guard: Guard<Outcome> | undefined
  writing: Writing | undefined
  /** Runs something in the context of the request. */
  inContext: <R>(work: () => R) => R
  resolve(outcome: Outcome | Promise<Outcome>): void
  reject(error: unknown): void
}

/** For each member its outcome, or why it did not run; undefined for one that runs alone afterwards. */
type Results<Outcome> = readonly ({ outcome: Outcome } | { reason: object } | undefined)[]

/** A request with more text than this runs alone: those that share its transaction would wait for it. */
export const maxSharedText = 8_192

const most = { items: 16, runs: 2 }
/**
 * How long a run keeps others from starting: by its items, because requests wait until there are as many, and as one of `most.runs`.
 * A run that takes longer waits for a lock.
 */
const countedMs = { items: 20, run: 100 }

/**
 * Lets requests that wait at the same moment share a transaction: its commit, its round trips and the fixed costs of its
 * statements. A request that comes when nothing runs starts at once, alone. One that comes while others run joins the
 * next run, which starts when one of them ends and as many wait as the other has, so that more share the fixed costs. If
 * a run fails, its items run again one by one, so no request sees the error of another.
 */
export function createSharedTransactions<Item, Outcome>(options: Options<Item, Outcome>) {
  const { begin, runAlone, runTogether, canJoin = () => true } = options
  let waiting: Member<Item, Outcome>[] = []
  /** The runs that others wait for. One that is slow has no items. */
  const runs = new Set<{ items: number }>()

  function share(item: Item, guard?: Guard<Outcome>): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const context = { writing: getWriting(), inContext: AsyncLocalStorage.snapshot() }
      waiting.push({ item, guard, ...context, resolve, reject })
      startRuns()
    })
  }

  function startRuns(): void {
    while (mayStart()) {
      const [first, ...others] = takeNext()
      if (!first) return
      const end = countRun(1 + others.length)
      // A statement belongs to the trace of the request that came first.
      const ended = first.inContext(() =>
        others.length === 0 ? runOne(first) : runSeveral([first, ...others]),
      )
      void ended.finally(end)
    }
  }

  function mayStart(): boolean {
    let underWay = 0
    for (const { items } of runs) underWay += items
    return runs.size < most.runs && waiting.length > 0 && waiting.length >= underWay
  }

  /** Counts a run until it ends or is slow. Returns what to call at its end. */
  function countRun(items: number): () => void {
    const counted = { items }
    const dropItems = () => {
      counted.items = 0
      startRuns()
    }
    const dropRun = () => {
      runs.delete(counted)
      startRuns()
    }
    runs.add(counted)
    const timers = [setTimeout(dropItems, countedMs.items), setTimeout(dropRun, countedMs.run)]
    return () => {
      for (const timer of timers) clearTimeout(timer)
      dropRun()
    }
  }

  /** Takes items in the order in which they came, and leaves those that cannot join them for a later run. */
  function takeNext(): Member<Item, Outcome>[] {
    const taken: Member<Item, Outcome>[] = []
    const items: Item[] = []
    waiting = waiting.filter((each) => {
      if (taken.length === most.items || (items.length > 0 && !canJoin(items, each.item))) return true
      taken.push(each)
      items.push(each.item)
      return false
    })
    return taken
  }

  async function runOne(member: Member<Item, Outcome>): Promise<void> {
    try {
      const [result] = await runAll([member])
      if (result) tell(member, result)
    } catch (error) {
      member.reject(error)
    }
  }

  async function runSeveral(members: readonly Member<Item, Outcome>[]): Promise<void> {
    const shared: Writing = { hasCommitted: false }
    const isWriting = members.some(({ writing }) => writing !== undefined)
    const work = () => runAll(members)
    try {
      const results = await (isWriting ? runWriting(shared, work) : work())
      for (const [index, member] of members.entries()) {
        const result = results[index]
        if (result) tell(member, result, shared)
        else startAlone(member)
      }
    } catch (error) {
      const mayRepeat = error instanceof AppError || changedNothing(error)
      members.forEach(mayRepeat ? startAlone : ({ reject }) => reject(error))
    }
  }

  async function runAll(members: readonly Member<Item, Outcome>[]): Promise<Results<Outcome>> {
    const store = members.find(({ guard }) => guard)?.guard?.store
    if (!store) return (await carryOut(members)).map(toResult)
    return begin(async (tx) => {
      const refusals = await findRefusals(tx, store, members)
      const admitted = members.filter((member) => !refusals.has(member))
      const outcomes = await carryOut(admitted, tx)
      const settled = admitted.flatMap(({ guard }, index) => {
        const outcome = outcomes[index]
        return (outcome === undefined ? undefined : guard?.settle(outcome)) ?? []
      })
      if (settled.length > 0) await store.save(tx, settled)
      const results = new Map(admitted.map((member, index) => [member, toResult(outcomes[index])]))
      return members.map((member) => refusals.get(member) ?? results.get(member))
    })
  }

  async function findRefusals(
    tx: Transaction,
    store: AnswerStore,
    members: readonly Member<Item, Outcome>[],
  ): Promise<Map<Member<Item, Outcome>, { reason: object }>> {
    const guarded = members.flatMap((member) => (member.guard ? [{ member, guard: member.guard }] : []))
    const reasons = await store.admit(
      tx,
      guarded.map(({ guard }) => guard),
    )
    return new Map(
      guarded.flatMap(({ member }, index) => {
        const reason = reasons[index]
        return reason ? [[member, { reason }]] : []
      }),
    )
  }

  async function carryOut(members: readonly Member<Item, Outcome>[], tx?: Transaction) {
    const [first, ...others] = members
    if (!first) return []
    if (others.length === 0) return [await runAlone(first.item, tx)]
    const items = members.map(({ item }) => item)
    return runTogether(items, tx)
  }

  function startAlone(member: Member<Item, Outcome>): void {
    void member.inContext(() => runOne(member))
  }

  return share
}

function toResult<Outcome>(outcome: Outcome | undefined): Results<Outcome>[number] {
  return outcome === undefined ? undefined : { outcome }
}

function tell<Outcome>(
  { writing, resolve, reject }: Pick<Member<unknown, Outcome>, 'writing' | 'resolve' | 'reject'>,
  result: NonNullable<Results<Outcome>[number]>,
  shared?: Writing,
): void {
  if (writing && shared) {
    writing.hasCommitted ||= shared.hasCommitted
    writing.position = shared.position
  }
  if ('reason' in result) reject(result.reason)
  else resolve(result.outcome)
}
