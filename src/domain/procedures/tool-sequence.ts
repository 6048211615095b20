/** The sequence of tools in an episode: skills and plans are recognised by it. */

export type ToolCall = {
  id: string
  tool: string
  timestamp?: string | undefined
  depends_on?: readonly string[] | undefined
}

/** A longer sequence is the history of a single task, not a skill. */
const longestSequence = 200

/**
 * The names of the tools in the order of their calls, without direct repetitions; empty when there are too many.
 */
export function listToolSequence(calls: readonly ToolCall[]): string[] {
  const signature = dropRepeats(orderCalls(calls).map(({ tool }) => tool))
  return signature.length > longestSequence ? [] : signature
}

export function dropRepeats(tools: readonly string[]): string[] {
  return tools.filter((tool, place) => tool !== tools[place - 1])
}

/**
 * Orders calls by time where it is known, then as listed, but never before a call they depend on. In a dependency
 * cycle the first call that is reached comes last. A dependency that does not exist is ignored.
 */
export function orderCalls(calls: readonly ToolCall[]): ToolCall[] {
  const listed = sortByTime(calls)
  // If several calls have one id, the first one counts.
  const places = new Map(listed.map(({ id }, place): [string, number] => [id, place]).reverse())
  const needs = listed.map(({ depends_on: ids = [] }) => ids.flatMap((id) => places.get(id) ?? []))
  const isMet = new Set<number>()
  return [...listed.keys()]
    .flatMap((place) => walkFrom(place, needs, isMet))
    .flatMap((place) => listed[place] ?? [])
}

/**
 * The calls that are not visited yet, each after its dependencies. Without recursion: a long chain must not overflow
 * the stack.
 */
function walkFrom(first: number, needs: readonly (readonly number[])[], isMet: Set<number>): number[] {
  if (isMet.has(first)) return []
  isMet.add(first)
  const ordered: number[] = []
  const path = [{ place: first, next: 0 }]
  for (let step = path.at(-1); step; step = path.at(-1)) {
    const needed = needs[step.place]?.[step.next]
    step.next++
    if (needed === undefined) {
      path.pop()
      ordered.push(step.place)
    } else if (!isMet.has(needed)) {
      isMet.add(needed)
      path.push({ place: needed, next: 0 })
    }
  }
  return ordered
}

/** A call without a time counts as later than the call listed before it. */
function sortByTime(calls: readonly ToolCall[]): ToolCall[] {
  let latest = Number.NEGATIVE_INFINITY
  const timed = calls.map((call) => {
    if (call.timestamp !== undefined) latest = Date.parse(call.timestamp)
    return { call, at: latest }
  })
  return timed.sort((one, other) => (one.at === other.at ? 0 : one.at - other.at)).map(({ call }) => call)
}
