/**
 * The records that exist before the captures, in groups of ten: one with a name, three facts about it and six
 * episodes. They follow from their number, so that one statement fills a store of any size and evidence can name its
 * records without a query.
 */
export const groupSize = 10
export const factsOfEach = 3
export const scopes = 10

/** `records` is a multiple of a hundred, so that all scopes have equally many groups. */
export type World = { records: number }

const kinds = ['project', 'tool', 'file'] as const

/** The kinds alternate within a scope too; there are ten of them. */
const kindOf = (group: number) => kinds[group % kinds.length] ?? 'project'

export function scopeOf(group: number): string {
  return `team-${group % scopes}`
}

export function nameOf(group: number): string {
  return `${kindOf(group)}-${group}`
}

/** The key under which evidence names it; it shows the kind. */
export function keyOf(group: number): string {
  return kindOf(group) === 'tool' ? 'tool_name' : kindOf(group)
}

export function factOf(group: number, number: number) {
  return { subject: nameOf(group), predicate: `uses ${number}`, object: `value ${number} of ${group}` }
}

/** One of the scopes of the first ten groups; some are named far more often than others. */
export function drawGroup(random: () => number, { records }: World, scope: number): number {
  const inScope = records / groupSize / scopes
  return scope + scopes * Math.floor(inScope * random() ** 2)
}

/** The same group, or a near one of its scope that is a tool. */
export function toolNear(group: number, { records }: World): number {
  let near = group
  while (kindOf(near) !== 'tool') near = (near + scopes) % (records / groupSize)
  return near
}
