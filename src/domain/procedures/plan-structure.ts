import { hash } from 'node:crypto'
import { compareTexts } from '../../kernel/text-order.ts'

/** Identifies a plan by its operations and edges. Node ids and the order of nodes do not matter. */

export type Graph = {
  nodes: readonly { id: string; op: string }[]
  edges: readonly { from: string; to: string; kind: string }[]
}

/** For each node, by its index: the nodes after it and before it, with the kind of the edge. */
type Links = readonly (readonly { place: number; kind: string }[])[]
type Net = { after: Links; before: Links }

/**
 * How many nodes and edges may be visited. A hostile graph that needs more is identified by its colours alone: equal
 * graphs still match, but two different hostile graphs may match too.
 */
const maxWork = 200_000

/**
 * A digest that is equal for graphs that differ only in ids and order, and different for all others. Nodes get colours
 * from their neighbours until no colour can be divided further. Where several nodes still have one colour, each is
 * tried as the first, and the smallest result is taken.
 */
export function digestStructure({ nodes, edges }: Graph): string {
  const places = new Map(nodes.map(({ id }, place) => [id, place]))
  const after = nodes.map((): { place: number; kind: string }[] => [])
  const before = nodes.map((): { place: number; kind: string }[] => [])
  for (const { from, to, kind } of edges) {
    const source = places.get(from)
    const target = places.get(to)
    if (source === undefined || target === undefined) continue
    after[source]?.push({ place: target, kind })
    before[target]?.push({ place: source, kind })
  }
  const net = { after, before }
  const budget = { left: maxWork }
  const whole = [...nodes.keys()]
  const colours = nodes.map(({ op }) => digest(['op', op]))
  const coarse = refine(net, whole, colours, budget)
  const exact = budget.left < 0 ? undefined : describeParts(net, whole, coarse, budget)
  return digest(exact ?? ['coarse', ...coarse.slice().sort()])
}

type Budget = { left: number }

/** Describes nodes whose colours are already refined; undefined when the budget is used up. */
function describeParts(
  net: Net,
  among: readonly number[],
  colours: readonly string[],
  budget: Budget,
): string | undefined {
  const counts = countColours(among, colours)
  const isAlone = (place: number) => counts.get(colours[place] ?? '') === 1
  // A node with a unique colour is described by that colour, so it does not connect parts.
  const alike = among.filter((place) => !isAlone(place))
  const descriptions = among.filter(isAlone).map((place) => colours[place] ?? '')
  for (const part of splitParts(net, alike)) {
    const description = describePart(net, part, colours, budget)
    if (description === undefined) return undefined
    descriptions.push(description)
  }
  return digest(descriptions.sort())
}

function describePart(
  net: Net,
  part: readonly number[],
  colours: readonly string[],
  budget: Budget,
): string | undefined {
  const tried = chooseSmallestColour(part, colours)
  if (part.length === 1 || tried.length <= 1) {
    return digest(['part', ...part.map((place) => colours[place] ?? '').sort()])
  }
  let least: string | undefined
  for (const place of dropInterchangeable(net, tried)) {
    const marked = colours.slice()
    marked[place] = digest(['first', colours[place] ?? ''])
    const description = describeParts(net, part, refine(net, part, marked, budget), budget)
    if (description === undefined || budget.left < 0) return undefined
    if (least === undefined || description < least) least = description
  }
  return least
}

/** The nodes of the colour that the fewest nodes share: each of them costs one try. */
function chooseSmallestColour(part: readonly number[], colours: readonly string[]): number[] {
  const shared = [...countColours(part, colours)].filter(([, count]) => count > 1)
  const [colour] = shared.sort(([one, few], [other, many]) => few - many || compareTexts(one, other))[0] ?? []
  return part.filter((place) => colours[place] === colour)
}

/** Nodes with identical neighbours are interchangeable, so one of them is enough. */
function dropInterchangeable({ after, before }: Net, places: readonly number[]): number[] {
  const formatLinks = (place: number) => [after, before].map((links) => listLinks(links[place])).join('|')
  return [...new Map(places.map((place) => [formatLinks(place), place])).values()]
}

function listLinks(links: Links[number] = []): string {
  return links
    .map(({ place, kind }) => `${place} ${kind}`)
    .sort()
    .join()
}

/** Recolours each node by its own colour and those of its neighbours, until no colour splits any more. */
function refine(net: Net, among: readonly number[], given: readonly string[], budget: Budget): string[] {
  let colours = given.slice()
  for (let known = 0; ; ) {
    const next = colours.slice()
    for (const place of among) {
      const after = net.after[place] ?? []
      const before = net.before[place] ?? []
      budget.left -= 1 + after.length + before.length
      next[place] = digest([
        colours[place],
        listNeighbourColours(colours, after),
        listNeighbourColours(colours, before),
      ])
    }
    const count = countColours(among, next).size
    // One round more than needed to separate the nodes, so that the colours also describe the edges.
    if (count === known || budget.left < 0) return next
    known = count
    colours = next
  }
}

function listNeighbourColours(colours: readonly string[], links: Links[number]): string[] {
  return links.map(({ place, kind }) => `${colours[place]} ${kind}`).sort()
}

/** Groups nodes that are connected, in either direction of the edges. */
function splitParts({ after, before }: Net, places: readonly number[]): number[][] {
  const left = new Set(places)
  const parts: number[][] = []
  for (const first of places) {
    if (!left.delete(first)) continue
    const part = [first]
    for (const place of part) {
      for (const next of [...(after[place] ?? []), ...(before[place] ?? [])]) {
        if (left.delete(next.place)) part.push(next.place)
      }
    }
    parts.push(part)
  }
  return parts
}

function countColours(places: readonly number[], colours: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const place of places) counts.set(colours[place] ?? '', (counts.get(colours[place] ?? '') ?? 0) + 1)
  return counts
}

function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'hex').slice(0, 32)
}
