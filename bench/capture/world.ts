/**
 * What is known before anything is captured, in groups of ten records: something with a name, three facts about it
 * and six episodes. By number, so that a store of any size is filled by one statement and evidence can name
 * what is in it without asking.
 */
export const groupSize = 10
export const factsOfEach = 3
export const scopes = 10

/** `records` is a multiple of a hundred, so that all scopes have as many groups. */
export type World = { records: number }

const kinds = ['project', 'tool', 'file'] as const

/** In turns within a scope too, for there are ten of those. */
const kindOf = (group: number) => kinds[group % kinds.length] ?? 'project'

export function scopeOf(group: number): string {
  return `team-${group % scopes}`
}

export function nameOf(group: number): string {
  return `${kindOf(group)}-${group}`
}

/** The key under which evidence names it, which says of what kind it is. */
export function keyOf(group: number): string {
  return kindOf(group) === 'tool' ? 'tool_name' : kindOf(group)
}

export function factOf(group: number, number: number) {
  return { subject: nameOf(group), predicate: `uses ${number}`, object: `value ${number} of ${group}` }
}

/** One of the scope of the first ten groups; some are named far more often than others. */
export function drawGroup(random: () => number, { records }: World, scope: number): number {
  const inScope = records / groupSize / scopes
  return scope + scopes * Math.floor(inScope * random() ** 2)
}

/** The same one, or one of its scope close by that is a tool. */
export function toolNear(group: number, { records }: World): number {
  let near = group
  while (kindOf(near) !== 'tool') near = (near + scopes) % (records / groupSize)
  return near
}
