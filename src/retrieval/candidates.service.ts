import type { RawBuilder, SqlBool } from 'kysely'
import type { Database } from '../db/connection.ts'
import { nameHandle } from '../domain/handles.ts'
import { dropExcluded, dropQuotes } from '../domain/query-words.ts'
import { findMostSalient } from '../records/index.ts'
import {
  type CandidateState,
  findByNames,
  findCandidateStates,
  findNamed,
  findStatusChangedSince,
  findWithheld,
} from './candidates.queries.ts'
import {
  answerConditions,
  lendingConditions,
  matchingConditions,
  withheldConditions,
} from './filters.queries.ts'
import { type ChannelMatches, fuse, neutralFactors } from './fusion.ts'
import type { CandidateNode } from './graph-growth.ts'
import { compareMatches, type Match } from './match.ts'
import { listNames } from './names-in-question.ts'
import { isNearPeriod } from './period-search.queries.ts'
import { findOfPeriods } from './period-search.service.ts'
import { type AskedPeriods, readPeriods } from './periods-in-question.ts'
import { canShowRedacted, type Question, searchedScopes } from './question.ts'
import type { Suppressed } from './retrieval.schemas.ts'
import { findSuppressionReason } from './suppression.ts'
import type { createTextSearch } from './text/text-search.service.ts'
import { createVectorMatches, type GivenVector, type VectorChannel } from './vector-matches.service.ts'

type Conditions = readonly RawBuilder<SqlBool>[]

export type Channels = VectorChannel & { text: ReturnType<typeof createTextSearch> }

/** The content of the question. Without content the most salient records are returned. */
export type SearchInput = {
  text: string | undefined
  /** Replaces the vector of the text. */
  given?: GivenVector | undefined
  /** Whether the most salient records are returned where nothing matches the content; by default they are. */
  fallsBack?: boolean
}

export type Roots = {
  candidateNodes: CandidateNode[]
  /** How well each record fits the question, 0 to 1. Empty when the question has no content. */
  fits: ReadonlyMap<string, number>
}

/** How many matches of each channel are read, and how many records are wanted in the end. */
type Depth = { depth: number; wanted: number; periods?: AskedPeriods | undefined }

const mostEntities = 16
const mostOfAKind = 50
const mostSuppressed = 50

export type CandidateResources = Channels & { db: Database; conversationGapMs: number }

export function createCandidates({
  db,
  text: words,
  queryEmbedder,
  vectors,
  conversationGapMs,
}: CandidateResources) {
  const findByVector = createVectorMatches({ queryEmbedder, vectors })

  async function findRoots(question: Question, input: SearchInput, limit: number, now: Date): Promise<Roots> {
    if (input.text !== undefined || input.given !== undefined)
      return rankByContent(question, input, limit, now)
    return rankBySalience(question, canShowRedacted(question) ? 'any' : 'whole', limit, now)
  }

  async function rankBySalience(
    question: Question,
    seen: 'whole' | 'any',
    limit: number,
    now: Date,
    demands: Conditions = [],
  ): Promise<Roots> {
    const ids = await listSalient(question, { seen, demands, limit }, now)
    const states = await findCandidateStates(db, ids, question)
    return { candidateNodes: [...states].sort(bySalience).slice(0, limit).map(toRoot), fits: new Map() }
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
    const periods = readPeriods(dropExcluded(text), question.at)
    const conditions = answerConditions(question, 'whole')
    const demanded = [...conditions, ...words.demandsOf(text)]
    const [found, time] = await Promise.all([
      search(input, question, conditions, { depth, wanted: limit, periods }),
      periods?.isAll ? findOfPeriods(db, question, { periods, conditions: demanded, limit: depth }, now) : [],
    ])
    const matches = time.length === 0 ? found : { ...found, time }
    const ids = listIds(matches)
    const stems = await words.stemsOf(db, text)
    if (ids.length === 0) {
      const plain = dropQuotes(text)
      // No record contains the phrase in quotes: what has some of its words is a better answer than none.
      if (stems.phrased.length > 0 && plain !== text)
        return rankByContent(question, { ...input, text: plain }, limit, now)
      if (input.fallsBack === false) return { candidateNodes: [], fits: new Map() }
      // No record shares a word with the question: the most salient records are a better answer than none.
      return rankBySalience(question, 'whole', limit, now, words.demandsOf(text))
    }
    const rows = await findCandidateStates(db, ids, question)
    const states = new Map(rows.map((row) => [row.id, row]))
    const asked = { stems: stems.words, ...(periods ? { isOfPeriod: periods.includes } : {}) }
    const candidateNodes = fuse(matches, states, asked)
      .slice(0, limit)
      .map(({ id, score, signals }): CandidateNode => ({ id, hop: 0, score, isOpen: true, signals }))
    return { candidateNodes, fits: computeFits(matches) }
  }

  /** One search per channel, all at the same time. */
  async function search(
    input: SearchInput,
    question: Question,
    conditions: Conditions,
    { depth: limit, wanted, periods }: Depth,
  ): Promise<ChannelMatches> {
    const { text, given } = input
    const asked = dropExcluded(text ?? '')
    const demanded = [...conditions, ...words.demandsOf(text ?? '')]
    const byText =
      text === undefined
        ? undefined
        : searchWordsAndPeriods(text, question, conditions, { depth: limit, wanted, periods })
    // By scope only the live records are listed.
    const scopes = question.includesForgotten ? undefined : searchedScopes(question)
    const [vector, worded, names] = await Promise.all([
      findByVector({ text: asked, given, byText, conditions: demanded, scopes, limit }),
      byText,
      text === undefined ? undefined : searchNames(asked, question, demanded, limit),
    ])
    return {
      ...(vector ? { vector } : {}),
      ...(worded ? { text: worded } : {}),
      ...(names ? { graph: names } : {}),
    }
  }

  /** Of a time that the question names, records with fewer of its words are found too: "What did Anna do in May?" */
  async function searchWordsAndPeriods(
    sentence: string,
    question: Question,
    conditions: Conditions,
    depth: Depth,
  ) {
    const { periods } = depth
    const all = searchWords(sentence, question, conditions, depth)
    if (!periods || periods.isAll) return all
    const near = [...conditions, isNearPeriod(periods.ranges)]
    const found = await Promise.all([all, searchWords(sentence, question, near, depth)])
    return [...new Map(found.flat().map((match) => [match.id, match])).values()].sort(compareMatches)
  }

  function searchWords(
    sentence: string,
    question: Question,
    conditions: Conditions,
    { depth: limit, wanted }: Depth,
  ) {
    const { trust, scopes, types, includesForgotten = false } = question
    const narrower = { ...(scopes ? { scopes } : {}), ...(types ? { types } : {}), includesForgotten }
    const context = { lending: lendingConditions(question), gapMs: conversationGapMs, wanted }
    return words.find(db, { sentence, trust, conditions, limit, context, ...narrower })
  }

  async function searchNames(text: string, question: Question, conditions: Conditions, limit: number) {
    const digests = listNames(text).map((name) => nameHandle(name).digest)
    if (digests.length === 0) return []
    // Most questions name no entity, and this alone takes a quarter of the time.
    const named = await findNamed(db, { question, digests, mostEntities })
    if (named.length === 0) return []
    const ids = await findByNames(db, { question, named, conditions, mostOfAKind, limit })
    return ids.map((id, index): Match => ({ id, score: 1 / (1 + index / 10) }))
  }

  async function listSalient(
    question: Question,
    { seen, demands, limit }: { seen: 'whole' | 'any'; demands: Conditions; limit: number },
    now: Date,
  ): Promise<string[]> {
    const conditions = [...answerConditions(question, seen), ...demands]
    const { trust, at, isPast, minSalience, scopes } = question
    const picked = findMostSalient(
      db,
      {
        ...{ trust, conditions, limit, asOf: at, isReadableOnly: seen === 'whole' },
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
      input.text !== undefined || input.given !== undefined
        ? await search(input, question, withheldConditions(question), {
            depth: mostSuppressed,
            wanted: mostSuppressed,
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
    const conditions = matchingConditions(question, 'whole')
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
function bySalience(one: CandidateState, other: CandidateState): number {
  return other.salience - one.salience || (one.id > other.id ? -1 : 1)
}

function toRoot({ id, salience, isOpen }: CandidateState, index: number): CandidateNode {
  const channels = [{ channel: 'salience' as const, rank: index + 1, weight: 1, contribution: salience }]
  return { id, hop: 0, score: salience, isOpen, signals: { channels, fused: salience, ...neutralFactors } }
}
