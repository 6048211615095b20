import { createEdge, type Edge } from '../../domain/edges/edges.ts'
import { type Candidate, chooseEntity } from '../../domain/identity/entity-match.ts'
import { nameHandle } from '../../domain/identity/handles.ts'
import type { Sensitivity } from '../../domain/trust/caller.ts'
import { listPhrases } from '../../domain/words/phrases.ts'
import type { FactGroup } from './fact-groups.ts'

/** Links a new fact to the known entities that it names. It creates no entity. */

/** A longer text is not a name. Of a long object only the first phrases are looked up. */
const maxNameLength = 1_024
const maxPhrases = 24

export type NameLookup = { digest: Buffer; scope: string; sensitivity: Sensitivity }
/** An entity with a requested name. `place` is the index of the lookup. */
export type NamedEntity = Candidate & { place: number }
type Name = { surface: string; predicate: string }

function listNames({ fact: { subject, object } }: FactGroup): Name[] {
  const named = (surface: string, predicate: string) =>
    surface.trim() === '' || surface.length > maxNameLength ? [] : [{ surface, predicate }]
  const text = typeof object === 'string' ? object : ''
  return [
    ...named(subject, 'subject_entity'),
    ...named(text, 'object_entity'),
    ...listPhrases(text, maxPhrases).flatMap((phrase) => named(phrase, mentions)),
  ]
}

type EntityLinker = {
  lookups: readonly NameLookup[]
  /** `found` are the entities for each lookup, by its index. */
  link(group: FactGroup, id: string, found: ReadonlyMap<number, readonly NamedEntity[]>, now: Date): Edge[]
}

/** A name used by many facts is looked up once: most words of a batch occur in many of its summaries. */
export function createEntityLinker(facts: readonly FactGroup[]): EntityLinker {
  const lookups: NameLookup[] = []
  const placesByReaders = new Map<string, Map<string, number>>()
  const digests = new Map<string, Buffer>()

  function getPlaces({ scope, sensitivity }: FactGroup): Map<string, number> {
    const readers = `${sensitivity} ${scope}`
    const places = placesByReaders.get(readers) ?? new Map<string, number>()
    placesByReaders.set(readers, places)
    return places
  }

  function getDigest(surface: string): Buffer {
    const digest = digests.get(surface) ?? nameHandle(surface).digest
    digests.set(surface, digest)
    return digest
  }

  function addLookup(surface: string, { scope, sensitivity }: FactGroup): number {
    return lookups.push({ digest: getDigest(surface), scope, sensitivity }) - 1
  }

  const names = new Map(
    facts.map((each) => {
      const places = getPlaces(each)
      const placed = listNames(each).map((name) => {
        const place = places.get(name.surface) ?? addLookup(name.surface, each)
        places.set(name.surface, place)
        return { ...name, place }
      })
      return [each, placed]
    }),
  )
  return {
    lookups,
    link: (group, id, found, now) => {
      const linked = (names.get(group) ?? []).flatMap(({ surface, predicate, place }) => {
        const candidates = found.get(place)
        const entity = candidates && chooseEntity({ surface, entity_kind: '' }, candidates, group.scope)
        return entity ? [{ target: entity.id, predicate }] : []
      })
      return deduplicateLinks(linked).map(({ target, predicate }) => createEdge(id, predicate, target, now))
    },
  }
}

/** An entity that is the subject or object of the fact is not linked as mentioned too. */
function deduplicateLinks(linked: readonly { target: string; predicate: string }[]) {
  const ends = new Set(linked.filter(({ predicate }) => predicate !== mentions).map(({ target }) => target))
  const each = linked.filter(({ predicate, target }) => predicate !== mentions || !ends.has(target))
  return [...new Map(each.map((link) => [`${link.predicate} ${link.target}`, link])).values()]
}

const mentions = 'mentions_entity'
