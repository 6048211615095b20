import type { Interpretation } from '../../domain/interpretation.ts'
import { maskMembers } from '../../domain/secrets/masking.ts'
import { isUuid } from '../../kernel/ids.ts'
import { isContainer } from '../../kernel/json-objects.ts'
import type { Fields } from '../planning/evidence.ts'
import {
  addMention,
  createMentionList,
  isFreeOfSecrets,
  type Mention,
  type MentionList,
  maxMentions,
} from './mention-list.ts'

/** Finds the entities and records that evidence names, by the keys of its fields. */

type Reference = Interpretation['reference_candidates'][number]

/** A longer subject that states no fact is a heading. */
const maxNameWords = 6
export const maxReferences = 50
export const maxReferenceLength = 2_048

const kinds: Readonly<Record<string, string>> = {
  subject: 'Other',
  tool_name: 'Tool',
  tool: 'Tool',
  project: 'Project',
  file: 'File',
  path: 'File',
  service: 'Service',
  repository: 'Repository',
  user: 'Person',
  agent: 'Agent',
}
const generic = 'Other'

/** A subject is often a phrase and not a name. */
const subjectConfidence = 0.6
const keyConfidence = 0.8
const idConfidence = 0.9
const refConfidence = 0.5

/**
 * Returns the record id in a reference, in lower case. Undefined if the reference is a name that only its source
 * knows.
 */
export function parseRecordId(ref: string): string | undefined {
  return isUuid(ref) ? ref.toLowerCase() : undefined
}

/** Limits of the walk: a body of 10 MiB can hold millions of values, and names usually are near the top. */
const maxDepth = 100
const maxVisited = 100_000

type Found = { mentionList: MentionList; references: Reference[] }
type NamesFound = { mentions: Mention[]; references: Reference[] }

/** Walks level by level, so that the deepest values are the ones left out when a limit is reached. */
export function findNames(content: unknown, context: unknown): NamesFound {
  const found: Found = { mentionList: createMentionList(), references: [] }
  let level = [content, context].filter(isContainer)
  let left = maxVisited
  for (let depth = 0; level.length > 0 && depth < maxDepth; depth++) {
    const inside = takeFirst(level, left, (container) =>
      visitContainer(found, container, container === content),
    )
    left -= inside.length
    level = inside.filter(isContainer)
  }
  return { mentions: found.mentionList.mentions, references: found.references }
}

/** Returns at most `count` values of the containers, in order. It opens no container after that. */
function takeFirst(
  containers: readonly object[],
  count: number,
  open: (container: object) => Iterable<unknown>,
) {
  const taken: unknown[] = []
  for (const container of containers) {
    if (taken.length >= count) break
    for (const value of open(container)) {
      taken.push(value)
      if (taken.length >= count) break
    }
  }
  return taken
}

/** Yields the values of a container after the names of its fields were read. */
function* visitContainer(found: Found, container: object, isContent: boolean): Generator<unknown> {
  if (Array.isArray(container)) {
    yield* container
    return
  }
  const fields = container as Fields
  for (const [key = '', member] of maskMembers(container)) {
    // The reference of the evidence itself does not refer to another record.
    if (!isContent || key !== 'ref') readField(found, fields, key, member)
    yield member
  }
}

function readField(found: Found, fields: Fields, key: string, member: unknown): void {
  const name = key.toLowerCase()
  const kind = getEntityKind(fields, name)
  const isReference = name.includes('ref') || name.includes('record_id')
  if (kind === undefined && !isReference) return
  for (const text of listTexts(member)) {
    // An id is not a name: an entity named by an id would duplicate the record with that id.
    const isId = isUuid(text)
    if (isReference || isId) addReference(found.references, text)
    if (kind !== undefined && !isId && isName(fields, name, text))
      addMention(found.mentionList, createMention(text, kind, name))
  }
}

function isName(fields: Fields, key: string, text: string): boolean {
  if (key === 'subject' && isHeading(fields, text)) return false
  if (/^\p{Lu}{2,}$/u.test(text)) return true
  return !noNames.has(text.toLowerCase()) && !/^[-./?_*~]+$/.test(text)
}

/** Pronouns, and what clients write where they have no name. In capitals they can be names: IT, US. */
const noNames = new Set(
  [
    'i me my mine myself you your yourself he him his himself she her herself it its itself we us our they them their',
    'this that these those who someone somebody anyone anybody everyone everybody nobody',
    'ich mich wir uns je moi nous yo nosotros n/a none null nil undefined unknown unnamed anonymous',
  ]
    .join(' ')
    .split(' '),
)

/** The subject of an email is no name. That of a fact is one, however long it is. */
function isHeading(fields: Fields, text: string): boolean {
  if (Object.hasOwn(fields, 'predicate')) return false
  return /^(?:re|fwd?|aw|wg):/i.test(text) || text.split(/\s+/, maxNameWords + 1).length > maxNameWords
}

/** For a key that contains `entity`, the kind is in the sibling field `entity_kind` or `entity_type`. */
function getEntityKind(fields: Fields, name: string): string | undefined {
  if (Object.hasOwn(kinds, name)) return kinds[name]
  if (!name.includes('entity') || /entity_(kind|type)s?$/.test(name)) return undefined
  const [kind] = [fields['entity_kind'], fields['entity_type']].flatMap(listTexts)
  return kind !== undefined && kind.length <= 256 ? kind : generic
}

function listTexts(value: unknown): string[] {
  const texts = Array.isArray(value) ? value.slice(0, maxMentions) : [value]
  return texts.flatMap((text) => (typeof text === 'string' && text.trim() !== '' ? [text.trim()] : []))
}

function createMention(surface: string, kind: string, key: string): Mention {
  const confidence = key === 'subject' ? subjectConfidence : keyConfidence
  return { surface, entity_kind: kind, confidence, aliases: [] }
}

function addReference(references: Reference[], text: string): void {
  if (references.length >= maxReferences || text.length > maxReferenceLength || !isFreeOfSecrets(text)) return
  if (references.some(({ ref }) => ref === text)) return
  references.push({ ref: text, confidence: isUuid(text) ? idConfidence : refConfidence, resolved: false })
}
