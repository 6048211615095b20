import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from '../kernel/errors.ts'
import { changedNothing } from './failures.ts'
import { getWriting, runWriting, type Writing } from './request-scope.ts'

type Options<Item, Outcome> = {
  alone(item: Item): Promise<Outcome>
  /** Does the work of several requests at once. An item whose outcome is undefined runs alone afterwards. */
  together(items: readonly Item[]): Promise<readonly (Outcome | undefined)[]>
  /** Whether the next item can run together with these. Absent if every item can. */
  fits?(items: readonly Item[], next: Item): boolean
}

type Member<Item, Outcome> = {
  item: Item
  writing: Writing | undefined
  /** Runs something in the context of the request. */
  inContext: <R>(work: () => R) => R
  resolve(outcome: Outcome | Promise<Outcome>): void
  reject(error: unknown): void
}

/** A request with more text than this runs alone: those that share its transaction would wait for it. */
export const maxSharedText = 8_192

const most = { items: 16, runs: 2 }
/** A run that takes longer, because it waits for a lock, no longer keeps others from starting. */
const patienceMs = 100

/**
 * Lets requests that wait at the same moment share a transaction: its commit, its round trips and the fixed costs of its
 * statements. A request that comes when nothing runs starts at once, alone. One that comes while others run joins the
 * next run. If a run fails, its items run again one by one, so no request sees the error of another.
 */
export function createGathering<Item, Outcome>(options: Options<Item, Outcome>) {
  const { alone, together, fits = () => true } = options
  let waiting: Member<Item, Outcome>[] = []
  let running = 0

  function add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      waiting.push({ item, writing: getWriting(), inContext: AsyncLocalStorage.snapshot(), resolve, reject })
      startRuns()
    })
  }

  function startRuns(): void {
    while (running < most.runs && waiting.length > 0) {
      const [first, ...others] = takeNext()
      if (!first) return
      running += 1
      let isCounted = true
      const finish = () => {
        if (!isCounted) return
        isCounted = false
        running -= 1
        startRuns()
      }
      const timer = setTimeout(finish, patienceMs)
      // A statement belongs to the trace of the request that came first.
      const run = first.inContext(() =>
        others.length === 0 ? runAlone(first) : runTogether([first, ...others]),
      )
      void run.finally(() => {
        clearTimeout(timer)
        finish()
      })
    }
  }

  /** Takes items in the order in which they came, and leaves those that do not fit for a later run. */
  function takeNext(): Member<Item, Outcome>[] {
    const taken: Member<Item, Outcome>[] = []
    const items: Item[] = []
    waiting = waiting.filter((each) => {
      if (taken.length === most.items || (items.length > 0 && !fits(items, each.item))) return true
      taken.push(each)
      items.push(each.item)
      return false
    })
    return taken
  }

  async function runAlone({ item, resolve, reject }: Member<Item, Outcome>): Promise<void> {
    await alone(item).then(resolve, reject)
  }

  async function runTogether(members: readonly Member<Item, Outcome>[]): Promise<void> {
    const shared: Writing = { hasCommitted: false }
    const isWriting = members.some(({ writing }) => writing !== undefined)
    const work = () => together(members.map(({ item }) => item))
    try {
      const outcomes = await (isWriting ? runWriting(shared, work) : work())
      for (const [index, member] of members.entries()) {
        const outcome = outcomes[index]
        if (outcome === undefined) startAlone(member)
        else {
          share(member.writing, shared)
          member.resolve(outcome)
        }
      }
    } catch (error) {
      const mayRepeat = error instanceof AppError || changedNothing(error)
      for (const member of members) mayRepeat ? startAlone(member) : member.reject(error)
    }
  }

  function startAlone(member: Member<Item, Outcome>): void {
    void member.inContext(() => runAlone(member))
  }

  return add
}

function share(writing: Writing | undefined, { hasCommitted, position }: Writing): void {
  if (!writing) return
  writing.hasCommitted ||= hasCommitted
  writing.position = position
}
