import { assert, createRandom } from '../load.ts'
import type { World } from './world.ts'
import {
  drawGroup,
  factOf,
  factsOfEach,
  groupSize,
  keyOf,
  nameOf,
  scopeOf,
  scopes,
  toolNear,
} from './world.ts'

/** The kinds of captures in a cycle of twenty, in fixed order, so that the expected rows are known exactly. */
const kinds = [
  'event',
  'tool output',
  'event',
  'tool output',
  'event',
  'tool output',
  'event',
  'tool output',
  'event',
  'tool output',
  'new fact',
  'new fact',
  'repeated fact',
  'repeated fact',
  'repeated fact',
  'conflict',
  'new task',
  'known task',
  'new name',
  'new name',
] as const
export type Kind = (typeof kinds)[number]
export const cycle = kinds.length
/** The rows that one cycle stores: an episode for each capture except tasks, and the facts that are new. */
const ofCycle: Readonly<Record<string, number>> = {
  episodic: 18,
  working: 1,
  semantic: 3,
  entity: 2,
  records: 24,
  contents: 24,
  confirmed: 3,
  contested: 1,
  status_changes: 0,
}
/** All known tasks occur in the first cycles, which are not measured. */
export const knownTasks = 20

const wordsOfEach = 24
const vocabulary = 20_000

export const kindOf = (index: number): Kind => kinds[index % cycle] ?? 'event'

/** The same index makes the same evidence in every run. */
export function makeEvidence(index: number, world: World): string {
  const random = createRandom(index + 1)
  const number = Math.floor(index / cycle)
  const kind = kindOf(index)
  const scope = scopeFor(kind, number, random)
  const draw = () => drawGroup(random, world, scope)
  const text = Array.from({ length: wordsOfEach }, () => `word${Math.floor(vocabulary ** random())}`).join(
    ' ',
  )
  return JSON.stringify({
    source: `agent-${Math.floor(20 * random())}`,
    scope: scopeOf(scope),
    tags: [`tag-${Math.floor(100 * random())}`],
    ...describe(kind, { index, number, text, draw, random, world }),
  })
}

/** A task and a contradicting fact are captured in the scope of the known ones. */
function scopeFor(kind: Kind, number: number, random: () => number): number {
  const isPlaced = kind === 'known task' || kind === 'conflict'
  return isPlaced ? number % scopes : Math.floor(scopes * random())
}

type Scene = {
  index: number
  number: number
  text: string
  draw(): number
  random(): number
  world: World
}

function describe(kind: Kind, scene: Scene): object {
  const { index, number, text, draw, random, world } = scene
  const ref = `run-${index}`
  switch (kind) {
    case 'event':
      return happen('event', { ref, text, ...nameSome(scene, 1 + Math.floor(3 * random())) })
    case 'tool output': {
      const args = nameSome(scene, Math.floor(3 * random()))
      return happen('tool_output', { ref, tool_name: nameOf(toolNear(draw(), world)), args, result: text })
    }
    case 'new fact':
      return happen('observation', { ref, text, ...factOf(draw(), 1), predicate: `seen in ${ref}` })
    case 'repeated fact':
      return happen('observation', { ref, text, ...factOf(draw(), 1 + (index % (factsOfEach - 1))) })
    case 'conflict': {
      // The last fact of each group, which nothing repeats, and each once: no capture has an edge to a record of the
      // same round, so their rows can be inserted again in any order.
      const group = number % (world.records / groupSize)
      return happen('observation', {
        ref,
        text,
        ...factOf(group, factsOfEach),
        object: `not so since ${ref}`,
      })
    }
    case 'new task':
      return happen('working_state', report(`thread of ${ref}`, scene))
    case 'known task':
      return happen('working_state', report(`thread ${number % knownTasks}`, scene))
    case 'new name':
      return happen('event', { ref, text, service: `service ${index}`, ...nameSome(scene, 1) })
  }
}

function happen(kind: string, content: object): object {
  return { source_kind: kind, content }
}

/** Known things; one key names one of them. */
function nameSome({ draw }: Scene, count: number): object {
  const groups = Array.from({ length: count }, draw)
  return Object.fromEntries(groups.map((group) => [keyOf(group), nameOf(group)]))
}

function report(thread: string, scene: Scene): object {
  const { text } = scene
  return { thread_id: thread, context_summary: text, next_actions: ['go on'], ...nameSome(scene, 1) }
}

/** Another outcome means that a known thing was not found, or a new one was taken for a known one. */
export function verifyCycles(stored: Readonly<Record<string, number>>, captures: number): void {
  for (const [name, each] of Object.entries(ofCycle)) {
    const expected = (each * captures) / cycle
    assert(stored[name] === expected, `${stored[name]} of ${expected} new rows of ${name}`)
  }
}
