import { isCompatibleKind, isGenericKind } from '../../domain/identity/entity-match.ts'
import type { Interpretation } from '../../domain/interpretation.ts'
import { holdsMask, maskText } from '../../domain/secrets/masking.ts'
import { normaliseName } from '../../domain/words/names.ts'

/** The entities that one piece of evidence names, each once. */

export type Mention = Interpretation['mentions'][number]

export const maxMentions = 50
export const maxNameLength = 1_024

export type MentionList = { mentions: Mention[]; byName: Map<string, Mention[]> }

export function createMentionList(): MentionList {
  return { mentions: [], byName: new Map() }
}

/**
 * Adds a mention once per name and kind. A mention without a specific kind is merged with one that has a kind.
 * Returns the mention in the list, or undefined if the list has no room or the name is invalid.
 */
export function addMention(list: MentionList, mention: Mention): Mention | undefined {
  const name = normaliseName(mention.surface)
  if (name === '' || mention.surface.length > maxNameLength) return undefined
  const namesakes = list.byName.get(name) ?? []
  const known = namesakes.find((each) => isCompatibleKind(each.entity_kind, mention.entity_kind))
  if (known) {
    mergeMention(known, mention)
    return known
  }
  if (list.mentions.length >= maxMentions || !isFreeOfSecrets(mention.surface)) return undefined
  list.byName.set(name, [...namesakes, mention])
  list.mentions.push(mention)
  return mention
}

function mergeMention(known: Mention, mention: Mention): void {
  if (isGenericKind(known.entity_kind)) known.entity_kind = mention.entity_kind
  known.confidence = Math.max(known.confidence, mention.confidence)
}

/** A text that is or contains a secret is not used as a name. */
export function isFreeOfSecrets(text: string): boolean {
  return !holdsMask(text) && maskText(text) === text
}
