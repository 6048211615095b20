import type { Conditions } from '../db/conditions.ts'
import type { Database } from '../db/connection.ts'
import { dropExcluded, dropQuotes } from '../domain/query-words.ts'
import { findMostSalient } from '../records/index.ts'
import {
  type CandidateState,
  findCandidateStates,
  findStatusChangedSince,
  findWithheld,
} from './candidates.queries.ts'
import { type Channels, createChannelSearch, type SearchInput } from './channel-search.service.ts'
import type { CandidateNode } from './expansion.ts'
import {
  computeSalienceAtInstant,
  listAnswerConditions,
  listMatchingConditions,
  listWithheldConditions,
  type ReadLevel,
} from './filters.queries.ts'
import { type ChannelMatches, fuse, neutralFactors } from './fusion.ts'
import type { Match } from './match.ts'
import { findInPeriods } from './period-search.service.ts'
import { type PeriodsInQuestion, readPeriods } from './periods-in-question.ts'
import { canShowRedacted, type Question } from './question.ts'
import type { Suppressed } from './retrieval.schemas.ts'
import { createSpeakerCheck } from './speakers-in-question.ts'
import { findSuppressionReason } from './suppression.ts'
import type { TextStates } from './text/text-search.service.ts'

export type Roots = {
  candidateNodes: CandidateNode[]
  /** How well each record fits the question, 0 to 1. Empty when the question has no content. */
  fits: ReadonlyMap<string, number>
}

/** `requirements` are conditions besides those of the question. */
type SalienceSearch = { level: ReadLevel; limit: number; requirements?: Conditions }

const mostSuppressed = 50

type CandidateResources = Channels & { db: Database; conversationGapMs: number }

export function createCandidates(resources: CandidateResources) {
  const { db, text: words } = resources
  const search = createChannelSearch(resources)

  async function findRoots(question: Question, input: SearchInput, limit: number, now: Date): Promise<Roots> {
    if (input.text !== undefined || input.queryVector !== undefined)
      return rankByContent(question, input, limit, now)
    const level = canShowRedacted(question) ? 'any' : 'whole'
    return rankBySalience(question, { level, limit }, now)
  }

  async function rankBySalience(question: Question, search: SalienceSearch, now: Date): Promise<Roots> {
    const ids = await listSalient(question, search, now)
    const states = await findCandidateStates(db, ids, question)
    const best = [...states].sort(compareSalience).slice(0, search.limit)
    return { candidateNodes: best.map(toRoot), fits: new Map() }
  }

  async function rankByContent(
    question: Question,
    input: SearchInput,
    limit: number,
    now: Date,
  ): Promise<Roots> {
    // In steps of 50, because every depth is a statement of its own, and PostgreSQL keeps a limited number of plans.
    const depth = Math.max(50, 50 * Math.ceil(limit / 25))
    const { text = '' } = input
    const includedText = dropExcluded(text)
    const periods = readPeriods(includedText, question.at)
    const conditions = listAnswerConditions(question, 'whole')
    const searchPeriods = (named: PeriodsInQuestion) =>
      findInPeriods(
        db,
        question,
        { periods: named, conditions: [...conditions, ...words.listRequirements(text)], limit: depth },
        now,
      )
    const states: TextStates = { salience: computeSalienceAtInstant(question), found: new Map() }
    const [found, time] = await Promise.all([
      search(input, question, conditions, { depth, requested: limit, periods, states }),
      periods?.isAll ? searchPeriods(periods) : [],
    ])
    const matches = time.length === 0 ? found : { ...found, time }
    const ids = listIds(matches)
    const stems = await words.findSentenceStems(db, text)
    if (ids.length === 0) {
      const plain = dropQuotes(text)
      // No record contains the phrase in quotes: what has some of its words is a better answer than none.
      if (stems.phrased.length > 0 && plain !== text)
        return rankByContent(question, { ...input, text: plain }, limit, now)
      if (input.fallsBack === false) return { candidateNodes: [], fits: new Map() }
      // No record shares a word with the question: the most salient records are a better answer than none.
      return rankBySalience(
        question,
        { level: 'whole', limit, requirements: words.listRequirements(text) },
        now,
      )
    }
    const rows = await readStates(ids, question, states)
    const signals = {
      stems: stems.words,
      isNamed: createSpeakerCheck(includedText),
      isOfPeriod: periods?.includes,
    }
    const candidateNodes = fuse(matches, new Map(rows.map((row) => [row.id, row])), signals)
      .slice(0, limit)
      .map((node): CandidateNode => ({ ...node, hop: 0, isOpen: true }))
    return { candidateNodes, fits: computeFits(matches) }
  }

  /** The states of candidates. Those that the searches have read are not read again. */
  async function readStates(
    ids: readonly string[],
    question: Question,
    { found, describe }: TextStates,
  ): Promise<CandidateState[]> {
    const known = ids.flatMap((id): CandidateState[] => {
      const state = found.get(id)
      const text = state && describe?.(id)
      return text ? [{ id, ...state, ...text, isOpen: true }] : []
    })
    if (known.length === ids.length) return known
    const knownIds = new Set(known.map(({ id }) => id))
    const others = ids.filter((id) => !knownIds.has(id))
    return [...known, ...(await findCandidateStates(db, others, question))]
  }

  async function listSalient(
    question: Question,
    { level, requirements = [], limit }: SalienceSearch,
    now: Date,
  ): Promise<string[]> {
    const conditions = [...listAnswerConditions(question, level), ...requirements]
    const { trust, at, isPast, minSalience, scopes } = question
    const picked = findMostSalient(
      db,
      {
        trust,
        conditions,
        limit,
        asOf: at,
        isReadableOnly: level === 'whole',
        ...(minSalience === undefined || isPast ? {} : { minSalience }),
        ...(scopes ? { scopes } : {}),
      },
      now,
    )
    const moved = isPast ? findStatusChangedSince(db, question, conditions, limit) : []
    return [...new Set([...(await picked).map(({ id }) => id), ...(await moved)])]
  }

  /** Runs the same search among records that are excluded by status, validity or salience. */
  async function findSuppressed(question: Question, input: SearchInput, now: Date): Promise<Suppressed[]> {
    const matches =
      input.text !== undefined || input.queryVector !== undefined
        ? await search(input, question, listWithheldConditions(question), {
            depth: mostSuppressed,
            requested: mostSuppressed,
          })
        : { graph: await listMatching(question, now) }
    const ids = listIds(matches)
    const rows = ids.length === 0 ? [] : await findWithheld(db, ids, question)
    return rows.flatMap((row) => {
      const reason = findSuppressionReason(row, question)
      return reason === undefined ? [] : [{ id: row.id, reason, status: row.status }]
    })
  }

  /** Without content every record matches. Only the top is examined, so that the cost is bounded. */
  async function listMatching(question: Question, now: Date): Promise<Match[]> {
    const { trust, at, scopes } = question
    const conditions = listMatchingConditions(question, 'whole')
    const request = { trust, conditions, asOf: at, isReadableOnly: true, limit: 4 * mostSuppressed }
    const picked = await findMostSalient(db, { ...request, ...(scopes ? { scopes } : {}) }, now)
    return picked.map(({ id }): Match => ({ id, score: 1 }))
  }

  return { findRoots, findSuppressed }
}

function listIds(matches: ChannelMatches): string[] {
  return [...new Set(Object.values(matches).flatMap((found) => found.map(({ id }) => id)))]
}

/** The higher of the cosine and the text score relative to the best match. */
function computeFits({ text = [], vector = [] }: ChannelMatches): Map<string, number> {
  const fits = new Map<string, number>()
  const best = text[0]?.score ?? 0
  const shares = best > 0 ? text.map(({ id, score }) => ({ id, score: score / best })) : []
  for (const { id, score } of [...shares, ...vector]) {
    fits.set(id, Math.max(fits.get(id) ?? 0, Math.min(1, Math.max(0, score))))
  }
  return fits
}

/** Ties are ordered newest first, as in lists. */
function compareSalience(one: CandidateState, other: CandidateState): number {
  return other.salience - one.salience || (one.id > other.id ? -1 : 1)
}

function toRoot({ id, salience, isOpen }: CandidateState, index: number): CandidateNode {
  const channels = [{ channel: 'salience' as const, rank: index + 1, weight: 1, contribution: salience }]
  return { id, hop: 0, score: salience, isOpen, signals: { channels, fused: salience, ...neutralFactors } }
}
