import { listPhrases } from '../../capture/phrases.ts'
import { type Candidate, chooseEntity } from '../../entities/resolution.ts'
import type { Sensitivity } from '../../kernel/caller.ts'
import { nameHandle } from '../../records/handles.ts'
import type { Edge } from '../../relations/inverses.ts'
import type { Gathered } from './gathering.ts'

/** Whom a new fact names, of those that are known already: nobody is made of it. */

/** A name longer than this is no name, and of a long text the first phrases are asked about. */
const longestName = 1_024
const mostPhrases = 24

export type WantedName = { digest: Buffer; scope: string; sensitivity: Sensitivity }
/** An entity that bears a name, `place` being that of the name. */
export type NamedEntity = Candidate & { place: number }
type Name = WantedName & { surface: string; predicate: string }

function namesOf({ fact: { subject, object }, scope, sensitivity }: Gathered): Name[] {
  const named = (surface: string, predicate: string) =>
    surface.trim() === '' || surface.length > longestName
      ? []
      : [{ surface, predicate, scope, sensitivity, digest: nameHandle(surface).digest }]
  const text = typeof object === 'string' ? object : ''
  return [
    ...named(subject, 'subject_entity'),
    ...named(text, 'object_entity'),
    ...listPhrases(text, mostPhrases).flatMap((phrase) => named(phrase, 'mentions_entity')),
  ]
}

function keyOf({ digest, scope, sensitivity }: WantedName): string {
  return JSON.stringify([digest.toString('base64'), scope, sensitivity])
}

export type Naming = {
  wanted: WantedName[]
  /** `found` are those that bear the wanted names, by the place of the name among them. */
  link(gathered: Gathered, id: string, found: ReadonlyMap<number, readonly NamedEntity[]>, now: Date): Edge[]
}

/** One name is asked about once, however many facts name it. */
export function nameAll(facts: readonly Gathered[]): Naming {
  const names = new Map(facts.map((each) => [each, namesOf(each)]))
  const wanted = new Map([...names.values()].flat().map((name) => [keyOf(name), name]))
  const places = new Map([...wanted.keys()].map((key, index) => [key, index]))
  return {
    wanted: [...wanted.values()],
    link: (gathered, id, found, now) => {
      const linked = (names.get(gathered) ?? []).flatMap((name) => {
        const bearers = found.get(places.get(keyOf(name)) ?? -1) ?? []
        const called = { surface: name.surface, entity_kind: '' }
        const entity = chooseEntity(called, bearers, gathered.scope)
        return entity ? [{ target: entity.id, predicate: name.predicate }] : []
      })
      return linkOnce(linked).map(({ target, predicate }) => ({
        ...{ source_id: id, predicate, target_id: target, weight: 1, created_at: now },
      }))
    },
  }
}

/** Who is its subject or its object is not mentioned besides. */
function linkOnce(linked: readonly { target: string; predicate: string }[]) {
  const ends = new Set(linked.filter(({ predicate }) => predicate !== mentions).map(({ target }) => target))
  const each = linked.filter(({ predicate, target }) => predicate !== mentions || !ends.has(target))
  return [...new Map(each.map((link) => [`${link.predicate} ${link.target}`, link])).values()]
}

const mentions = 'mentions_entity'
