import type { MemoryRecord } from '../../records/index.ts'
import type { Retrieval } from '../retrieval.schemas.ts'
import { listMissingWords } from './missing-words.ts'
import { fillBudget, type Omitted } from './prompt-budget.ts'
import type { NewerState } from './prompt-context.queries.ts'
import type { ContextQuery, PromptContext } from './prompt-context.schemas.ts'
import { type Entry, toEntry } from './prompt-entries.ts'
import { createJsonLayout, createMarkdownLayout, sortAsWritten } from './prompt-layout.ts'
import { listUnits, type Pair, placeRecords } from './prompt-order.ts'
import { hasNewerState, isContested, isOnlyName } from './record-checks.ts'
import { shortenIds } from './short-references.ts'
import { listWordPrefixes } from './statements/excerpt.ts'
import { estimateTokens, toTokens, toWeight } from './token-estimate.ts'

/** Writes what was found as the text of a prompt. */

/** No line takes more than this share of the text, so that one long record leaves room for others. */
const largestShare = 1 / 3
/** In tokens. Masking and quoting much longer lines would keep other requests waiting. */
const longestLine = 4_000

export type Found = {
  answer: Retrieval
  records: ReadonlyMap<string, MemoryRecord>
  profileIds: readonly string[]
  messagesAround: ReadonlyMap<string, readonly string[]>
  disputes: readonly Pair[]
  newerStates: readonly NewerState[]
  /** Names of entities by id. */
  names: ReadonlyMap<string, string>
}
type PromptOptions = { question: string; maxTokens: number; format: NonNullable<ContextQuery['format']> }

export function writePrompt(found: Found, { question, maxTokens, format }: PromptOptions): PromptContext {
  const { answer, records, profileIds, messagesAround, disputes, newerStates } = found
  const foundIds = answer.nodes.map(({ record }) => record.id)
  const selectedId = answer.selection?.selected[0]
  const places = placeRecords({ profileIds, foundIds, selectedId, messagesAround, disputes, newerStates })
  const maxEntryWeight = toWeight(Math.min(maxTokens * largestShare, longestLine))
  const entries = listEntries(found, selectedId, { maxEntryWeight, wordPrefixes: listWordPrefixes(question) })
  const references = shortenIds([...records.keys()])
  const budget = toWeight(maxTokens)
  const layout = format === 'json' ? createJsonLayout() : createMarkdownLayout(references)
  const { chosen, omitted } = fillBudget(listUnits(entries, places, disputes), layout, budget)
  const text = layout.frameWeight > budget ? '' : layout.write(chosen)
  const getPlace = ({ record_id: id }: Omitted) => places.get(id) ?? 0
  return {
    text,
    token_estimate: estimateTokens(text),
    items: sortAsWritten(chosen).map((entry) => ({
      record_id: entry.id,
      ref: references.get(entry.id) ?? entry.id,
      kind: entry.kind,
      tokens: toTokens(layout.weighEntry(entry)),
      quoted: entry.isWhole,
    })),
    missing_words: listMissingWords(
      question,
      chosen.map((entry) => entry.text),
    ),
    omitted: [...omitted, ...listWithoutEntry(found, entries)].sort(
      (one, other) => getPlace(one) - getPlace(other),
    ),
  }
}

/** The records that are no entry, each with the reason. A skill or a plan that was only read as a neighbour is not listed. */
function listWithoutEntry({ answer, records }: Found, entries: readonly Entry[]): Omitted[] {
  const listedIds = new Set(entries.map(({ id }) => id))
  const foundIds = new Set(answer.nodes.map(({ record }) => record.id))
  return [...records.values()].flatMap((record): Omitted[] => {
    if (listedIds.has(record.id)) return []
    if (hasNewerState(record, records)) return [{ record_id: record.id, reason: 'repetition' }]
    if (isOnlyName(record)) return [{ record_id: record.id, reason: 'only_name' }]
    return foundIds.has(record.id) ? [{ record_id: record.id, reason: 'not_selected' }] : []
  })
}

/**
 * A skill or a plan is an entry only if it is the selected one. An entity of which only the name is known is one only if nothing else
 * was found: the question has the name already.
 */
function listEntries(
  { records, profileIds, disputes, names }: Found,
  selectedId: string | undefined,
  shape: { maxEntryWeight: number; wordPrefixes: readonly string[] },
): Entry[] {
  const contested = [...records.values()].filter(isContested).map(({ id }) => id)
  const context = {
    profileIds: new Set(profileIds),
    disputedIds: new Set([...contested, ...disputes.flat()]),
    names,
    ...shape,
  }
  const entries = [...records.values()].map((record) => toEntry(record, context))
  const fitting = entries.filter(
    ({ id, part }) => (part !== 'how' || id === selectedId) && !hasNewerState(records.get(id), records),
  )
  const informative = fitting.filter(({ id }) => !isOnlyName(records.get(id)))
  return informative.length > 0 ? informative : fitting
}
