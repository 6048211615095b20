import { hostileText, hostileValue } from './hostile-values.ts'
import type { Random } from './random.ts'

type Place = readonly (string | number)[]
type Container = Record<string | number, unknown>

const foreign = [
  'version',
  'status',
  'id',
  'salience',
  'constructor',
  'toString',
  'polluted',
  '',
  ' ',
  'a'.repeat(5_000),
]

/** Removes, adds, swaps or retypes some parts of a value. */
export function mutate(value: unknown, random: Random): unknown {
  let changed = structuredClone(value)
  for (let left = 1 + random.below(3); left > 0; left--) changed = mutateOnce(changed, random)
  return changed
}

function mutateOnce(value: unknown, random: Random): unknown {
  const place = random.pick(placesIn(value))
  const step = place.at(-1)
  if (step === undefined) return random.chance(0.7) ? addMember(value, random) : hostileValue(random)
  const inside = place.slice(0, -1).reduce<unknown>((each, at) => (each as Container)[at], value) as Container
  switch (random.below(6)) {
    case 0:
      remove(inside, step)
      break
    case 1:
      inside[step] = [inside[step]]
      break
    case 2:
      inside[step] = addMember(inside[step], random)
      break
    case 3:
      inside[step] = null
      break
    default:
      inside[step] = hostileValue(random)
  }
  return value
}

function placesIn(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [place]
  const inside = Object.entries(value).slice(0, 50)
  return [place, ...inside.flatMap(([name, each]) => placesIn(each, [...place, name]))]
}

function remove(inside: Container, step: string | number): void {
  if (Array.isArray(inside)) inside.splice(Number(step), 1)
  else delete inside[step]
}

function addMember(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return [...value, ...random.pick([alone, many])(random)]
  if (typeof value !== 'object' || value === null) return { value }
  const name = random.chance(0.6) ? random.pick(foreign) : hostileText(random)
  return { ...value, [name]: hostileValue(random) }
}

const alone = (random: Random): unknown[] => [hostileValue(random)]
/** Adds many small items, because many large ones would be gigabytes. */
const many = (random: Random): unknown[] =>
  Array(random.pick([101, 10_001])).fill(random.pick<unknown>(['a', 0, null, {}, '']))
