import Type, { type Static, type TSchema } from 'typebox'
import type { Interpretation } from '../../domain/interpretation.ts'
import { Unit } from '../../domain/schemas/shapes.ts'
import { RecordType } from '../../domain/schemas/vocabulary.ts'
import { clip } from '../../domain/secrets/outline.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import type { NewCapture } from '../capture.schemas.ts'
import { type Candidates, selectShownCandidates } from './capture-prompt.ts'
import type { Target } from './interpretation-targets.ts'
import { addMention, createMentionList, type Mention, maxNameLength } from './mention-list.ts'
import { maxReferenceLength, maxReferences } from './names-in-content.ts'
import { maxSummaryLength } from './rule-interpretation.ts'

/** The schema of the interpretation by a chat model. */

const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Strings = Type.Array(Type.String())
const target = {
  target_record_id: Maybe(Type.String()),
  target_entity_id: Maybe(Type.String()),
  confidence: Maybe(Unit()),
}

/** Additional properties are allowed, because models add their own. Only the fields named here are read. */
export const ModelAnswer = Type.Object(
  {
    summary: Maybe(Type.String()),
    proposed_type: Maybe(RecordType),
    topical_labels: Maybe(Strings),
    mentions: Maybe(
      Type.Array(
        Type.Object({
          surface: Type.String(),
          entity_kind: Type.String(),
          canonical_entity_id: Maybe(Type.String()),
          confidence: Maybe(Unit()),
          aliases: Maybe(Strings),
        }),
      ),
    ),
    relation_candidates: Maybe(Type.Array(Type.Object({ predicate: Type.String(), ...target }))),
    reference_candidates: Maybe(Type.Array(Type.Object({ ref: Type.String(), ...target }))),
    extraction_confidence: Maybe(Unit()),
  },
  { minProperties: 1 },
)
export type ModelAnswer = Static<typeof ModelAnswer>

type MergeInput = { input: NewCapture; rule: Interpretation; candidates: Candidates }

const maxLabels = 50
const maxLabelLength = 256
const maxRelations = 50
const maxPredicateLength = 128
const maxAliases = 10
/** The confidence of an entry for which the model gives none. */
const defaultConfidence = 0.5

/**
 * Merges the model's answer into the result of the rules. Values given by the caller win. An id counts only if the
 * model was shown it, so text in the evidence cannot make the model refer to an unrelated record.
 */
export function mergeModelAnswer(
  answer: ModelAnswer,
  { input, rule, candidates }: MergeInput,
): Interpretation {
  const known = collectIds(candidates)
  const summary = clip(clean(answer.summary, Number.POSITIVE_INFINITY), maxSummaryLength)
  return {
    status: 'tentative',
    summary: input.summary || summary === '' ? rule.summary : summary,
    proposed_type: input.proposed_type ?? answer.proposed_type ?? rule.proposed_type,
    topical_labels: mergeLabels(answer, rule),
    mentions: mergeMentions(answer, rule, known.entities),
    relation_candidates: mergeRelations(answer, known),
    reference_candidates: mergeReferences(answer, rule, known),
    extraction_confidence: answer.extraction_confidence ?? rule.extraction_confidence,
  }
}

type Ids = ReadonlyMap<string, string>
type Known = { entities: Ids; records: Ids }

function collectIds(candidates: Candidates): Known {
  const { entities, records } = selectShownCandidates(candidates)
  return { entities: mapIds(entities), records: mapIds(records) }
}

function mapIds(candidates: readonly { id: string }[]): Ids {
  return new Map(candidates.map(({ id }) => [id.toLowerCase(), id]))
}

/** Returns text that PostgreSQL accepts. Empty if it is too long, because a clipped name would name something else. */
function clean(text: string | null | undefined, longest: number): string {
  const cleaned = (text ?? '').toWellFormed().replaceAll('\0', '').trim()
  return cleaned.length <= longest ? cleaned : ''
}

function cleanAll(texts: readonly string[] | null | undefined, count: number, longest: number): string[] {
  return (texts ?? [])
    .slice(0, count)
    .map((text) => clean(text, longest))
    .filter((text) => text !== '')
}

/** Keeps every tag and fills the remaining room with the model's labels. */
function mergeLabels(answer: ModelAnswer, rule: Interpretation): string[] {
  const labels = cleanAll(answer.topical_labels, maxLabels, maxLabelLength)
  const room = Math.max(maxLabels, rule.topical_labels.length)
  return [...new Set([...rule.topical_labels, ...labels])].slice(0, room)
}

/** Mentions found by rule come first, so that the model's mentions cannot push them out. */
function mergeMentions(answer: ModelAnswer, rule: Interpretation, entities: Ids): Mention[] {
  const list = createMentionList()
  for (const mention of rule.mentions) addMention(list, { ...mention })
  for (const { surface, entity_kind: kind, ...proposed } of answer.mentions ?? []) {
    const mention = addMention(list, {
      surface: clean(surface, maxNameLength),
      entity_kind: clean(kind, maxLabelLength) || 'Other',
      confidence: proposed.confidence ?? defaultConfidence,
      aliases: [],
    })
    if (!mention) continue
    const aliases = cleanAll(proposed.aliases, maxAliases, maxNameLength)
    mention.aliases = [...new Set([...mention.aliases, ...aliases])].slice(0, maxAliases)
    const id = entities.get((proposed.canonical_entity_id ?? '').toLowerCase())
    if (id !== undefined) mention.canonical_entity_id ??= id
  }
  return list.mentions
}

type ProposedTarget = { target_record_id?: string | null; target_entity_id?: string | null }

function resolveTarget({ target_record_id, target_entity_id }: ProposedTarget, known: Known) {
  const record = known.records.get((target_record_id ?? '').toLowerCase())
  const entity = known.entities.get((target_entity_id ?? '').toLowerCase())
  const target = omitNulls<Target>({ target_record_id: record, target_entity_id: entity })
  return { ...target, resolved: record !== undefined || entity !== undefined }
}

function mergeRelations(answer: ModelAnswer, known: Known): Interpretation['relation_candidates'] {
  return (answer.relation_candidates ?? []).slice(0, maxRelations).flatMap((proposed) => {
    const predicate = clean(proposed.predicate, maxPredicateLength)
    if (predicate === '') return []
    return [
      { predicate, confidence: proposed.confidence ?? defaultConfidence, ...resolveTarget(proposed, known) },
    ]
  })
}

function mergeReferences(answer: ModelAnswer, rule: Interpretation, known: Known) {
  const byRef = new Map(rule.reference_candidates.map((reference) => [reference.ref, reference]))
  for (const proposed of (answer.reference_candidates ?? []).slice(0, maxReferences)) {
    const ref = clean(proposed.ref, maxReferenceLength)
    const found = byRef.get(ref)
    if (ref === '' || (!found && byRef.size >= maxReferences)) continue
    const confidence = Math.max(found?.confidence ?? 0, proposed.confidence ?? defaultConfidence)
    const target = resolveTarget(proposed, known)
    if (!found || target.resolved) byRef.set(ref, { ...found, ref, confidence, ...target })
  }
  return [...byRef.values()]
}
