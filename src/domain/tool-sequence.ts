/** What the tools of an episode come to, told by how they were used one after the other. */

export type ToolCall = {
  id: string
  tool: string
  timestamp?: string | undefined
  depends_on?: readonly string[] | undefined
}

/** A longer one is the history of a single task, and no skill. */
const longestSequence = 200

/** The names in the order in which they ran, without those that only repeat the one before; none when it is too long. */
export function toolSequenceOf(calls: readonly ToolCall[]): string[] {
  const signature = dropRepeats(orderCalls(calls).map(({ tool }) => tool))
  return signature.length > longestSequence ? [] : signature
}

export function dropRepeats(tools: readonly string[]): string[] {
  return tools.filter((tool, place) => tool !== tools[place - 1])
}

/**
 * By time, as far as it is told, then as listed, but nothing before what it depends on. In a circle the first that
 * is met comes last; what depends on nothing that is there does not wait.
 */
export function orderCalls(calls: readonly ToolCall[]): ToolCall[] {
  const listed = sortByTime(calls)
  // The first of those that share an id is the one that is meant.
  const places = new Map(listed.map(({ id }, place): [string, number] => [id, place]).reverse())
  const needs = listed.map(({ depends_on: ids = [] }) => ids.flatMap((id) => places.get(id) ?? []))
  const isMet = new Set<number>()
  return [...listed.keys()]
    .flatMap((place) => walkFrom(place, needs, isMet))
    .flatMap((place) => listed[place] ?? [])
}

/** Those that have not been met, each behind what it needs. Without recursion: a long chain must not end the stack. */
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

/** A call without a time of its own happened after the one that is listed before it. */
function sortByTime(calls: readonly ToolCall[]): ToolCall[] {
  let latest = Number.NEGATIVE_INFINITY
  const timed = calls.map((call) => {
    if (call.timestamp !== undefined) latest = Date.parse(call.timestamp)
    return { call, at: latest }
  })
  return timed.sort((one, other) => (one.at === other.at ? 0 : one.at - other.at)).map(({ call }) => call)
}
