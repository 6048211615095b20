import { chooseEntity } from '../domain/identity/entity-match.ts'
import type { Interpretation } from '../domain/interpretation.ts'
import type { Payload, SemanticPayload } from '../domain/payloads/payloads.ts'
import type { HandleMatch, KnownRecord } from '../records/index.ts'

type Mention = Interpretation['mentions'][number]
type EntityPayload = Extract<Payload, { kind: 'entity' }>

/** The entity that a mention means: an existing one, or a new one with its place among the entities of that name. */
export type ResolvedMention = { id: string } | { mention: Mention; place: number }

type Entity = KnownRecord & { payload: EntityPayload }

/**
 * Returns one result per mention, in order. Two mentions of one name that cannot be the same entity get different
 * places.
 */
export function resolveMentions(
  mentions: readonly Mention[],
  found: readonly (HandleMatch | undefined)[],
  scope: string,
): ResolvedMention[] {
  const usedPlaces = new Map<HandleMatch, number>()
  return mentions.map((mention, index) => {
    const entityId = mention.canonical_entity_id
    if (entityId !== undefined) return { id: entityId }
    const match = found[index] ?? { nextPlace: 0, known: [] }
    const chosen = chooseEntity(mention, match.known.filter(isEntity), scope)
    if (chosen) return { id: chosen.id }
    const place = usedPlaces.get(match) ?? match.nextPlace
    usedPlaces.set(match, place + 1)
    return { mention, place }
  })
}

/** Returns the entity of any kind that the object of a fact names. It never creates one. */
export function resolveObject(
  fact: SemanticPayload | undefined,
  found: HandleMatch | undefined,
  scope: string,
): string | undefined {
  if (typeof fact?.object !== 'string' || !found) return undefined
  const mention = { surface: fact.object, entity_kind: '' }
  return chooseEntity(mention, found.known.filter(isEntity), scope)?.id
}

function isEntity(known: KnownRecord): known is Entity {
  return known.payload?.kind === 'entity' && known.forgotten_at === null
}

/** The payload of an entity that no stored record names yet. */
export function createEntityPayload({ surface, entity_kind: kind, aliases }: Mention): EntityPayload {
  return {
    kind: 'entity',
    canonical_name: surface,
    primary_type: kind,
    types: [kind],
    identifiers: [],
    aliases: aliases.map((value) => ({ value })),
  }
}
