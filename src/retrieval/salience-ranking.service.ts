import type { Database } from '../db/connection.ts'
import type { Conditions } from '../db/fragments/conditions.ts'
import { compareTexts } from '../kernel/text-order.ts'
import { findMostSalient } from '../records/index.ts'
import {
  type CandidateState,
  findCandidateStates,
  findStatusChangedSince,
} from './candidates/candidates.queries.ts'
import type { CandidateNode } from './expansion/expansion.ts'
import { listAnswerConditions, type ReadLevel } from './filters.queries.ts'
import type { Question } from './question/question.ts'
import type { Roots } from './roots.ts'
import { neutralFactors } from './scoring/score-factors.ts'

/** `requirements` are conditions besides those of the question. */
type SalienceSearch = { level: ReadLevel; limit: number; requirements?: Conditions }

/** The most salient records as the roots of an answer. */
export async function rankBySalience(
  db: Database,
  question: Question,
  search: SalienceSearch,
): Promise<Roots> {
  const ids = await listSalient(db, question, search)
  const states = await findCandidateStates(db, ids, question)
  const best = [...states].sort(compareSalience).slice(0, search.limit)
  return { candidateNodes: best.map(toRoot), fits: new Map() }
}

async function listSalient(
  db: Database,
  question: Question,
  { level, requirements = [], limit }: SalienceSearch,
): Promise<string[]> {
  const conditions = [...listAnswerConditions(question, level), ...requirements]
  const { trust, now, at, isPast, minSalience, scopes } = question
  const picked = findMostSalient(
    db,
    {
      trust,
      conditions,
      limit,
      asOf: at,
      isReadableOnly: level === 'whole',
      minSalience: isPast ? undefined : minSalience,
      scopes,
    },
    now,
  )
  const moved = isPast ? findStatusChangedSince(db, question, conditions, limit) : []
  return [...new Set([...(await picked).map(({ id }) => id), ...(await moved)])]
}

/** Ties are ordered newest first, as in lists. */
function compareSalience(one: CandidateState, other: CandidateState): number {
  return other.salience - one.salience || compareTexts(other.id, one.id)
}

function toRoot({ id, salience, isOpen }: CandidateState, index: number): CandidateNode {
  const channels = [{ channel: 'salience' as const, rank: index + 1, weight: 1, contribution: salience }]
  return { id, hop: 0, score: salience, isOpen, signals: { channels, fused: salience, ...neutralFactors } }
}
