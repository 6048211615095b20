import type { Database } from '../db/connection.ts'
import { hasIdIn } from '../db/fragments/id-condition.ts'
import { dropQuotes, type TextQuery } from '../domain/words/text-query.ts'
import { type CandidateState, findCandidateStates } from './candidates/candidates.queries.ts'
import {
  type ChannelSearch,
  type ChannelSearchOptions,
  type Channels,
  hasContent,
  type SearchInput,
} from './channels/channel-search.service.ts'
import { addFoundInPeriods, findInPeriods } from './channels/period-search.service.ts'
import type { CandidateNode } from './expansion/expansion.ts'
import { listAnswerConditions } from './filters.queries.ts'
import { computeSalienceAtInstant } from './instant/instant-state.queries.ts'
import { isAboutAsker, isAboutQuestions, isAboutReplies, isForAsker } from './question/asker-in-question.ts'
import { type PeriodsInQuestion, readPeriods } from './question/periods/periods-in-question.ts'
import { canShowRedacted, type Question } from './question/question.ts'
import { type QuestionText, readQuestionText } from './question/question-text.ts'
import { listNamedSpeakers } from './question/speakers-in-question.ts'
import { mergeRoots, type Roots } from './roots.ts'
import { rankBySalience } from './salience-ranking.service.ts'
import { type ChannelMatches, fuse, listIds } from './scoring/fusion.ts'
import type { TextStates } from './text/text-search.service.ts'

type MatchSearch = Required<Omit<ChannelSearchOptions, 'limit'>>

type Resources = Pick<Channels, 'text'> & { db: Database; search: ChannelSearch }

/** Of a question that has only a vector. */
const noText = readQuestionText('')

/** Returns the search for the roots of an answer. */
export function createRootSearch({ db, text: textSearch, search }: Resources) {
  async function findRoots(question: Question, input: SearchInput, limit: number): Promise<Roots> {
    if (hasContent(input))
      return (await rankParts(question, input, limit)) ?? rankByContent(question, input, limit)
    const level = canShowRedacted(question) ? 'any' : 'whole'
    return rankBySalience(db, question, { level, limit })
  }

  /** What the questions of a text find, if it asks several and at least one of them finds something. */
  async function rankParts(
    question: Question,
    input: SearchInput,
    limit: number,
  ): Promise<Roots | undefined> {
    const searches = (input.text?.parts ?? []).map((text) =>
      rankByContent(question, { ...input, text, fallsBack: false }, limit),
    )
    const found = await Promise.all(searches)
    return found.some(({ candidateNodes }) => candidateNodes.length > 0)
      ? mergeRoots(found, limit)
      : undefined
  }

  async function rankByContent(question: Question, input: SearchInput, limit: number): Promise<Roots> {
    const { query, asking } = input.text ?? noText
    const onlyIds = await prefilter(question, query)
    if (onlyIds?.length === 0) return rankWithoutMatches(question, input, limit, onlyIds)
    const periods = readPeriods(asking, question.at)
    const states: TextStates = { salience: computeSalienceAtInstant(question), found: new Map() }
    const matches = await findMatches(question, input, { requested: limit, periods, states, onlyIds })
    const ids = listIds(matches)
    if (ids.length === 0) return rankWithoutMatches(question, input, limit, onlyIds)
    const stems = await textSearch.findQueryStems(db, query)
    const rows = await readStates(ids, question, states)
    const named = listNamedIn(input.text ?? noText, new Set(rows.flatMap(({ speaker }) => speaker ?? [])))
    const traits = {
      stems: stems.words.filter((word) => !stems.remarked.has(word)),
      nameStems: await textSearch.findTextStems(db, [...named]),
      named,
      isAboutAsker: isAboutAsker(asking),
      isAboutReplies: isAboutReplies(asking),
      isForAsker: isForAsker(asking),
      isAboutQuestions: isAboutQuestions(asking),
      isOfPeriod: periods?.includes,
      isPeriodAll: periods?.isAll,
    }
    const time = periods && matches.time && addFoundInPeriods(matches.time, rows, periods)
    const candidateNodes = fuse({ ...matches, time }, new Map(rows.map((row) => [row.id, row])), traits)
      .slice(0, limit)
      .map((node): CandidateNode => ({ ...node, hop: 0, isOpen: true }))
    return { candidateNodes, fits: computeFits(matches) }
  }

  /** The records that meet the filters of the question, where they are few. */
  function prefilter(question: Question, query: TextQuery): Promise<string[] | undefined> {
    const { tags, types, kinds, layers, minImportance, minSalience, isPast } = question
    const filters = [kinds, layers, minImportance, minSalience]
    return textSearch.prefilter(db, {
      query,
      conditions: listAnswerConditions(question, 'whole'),
      tags,
      types,
      // The state of every record at a time of the past takes too long to find.
      isFiltered: !isPast && filters.some((filter) => filter !== undefined),
    })
  }

  /** The matches of all channels, and the records of a time that the question names. */
  async function findMatches(
    question: Question,
    input: SearchInput,
    options: MatchSearch,
  ): Promise<ChannelMatches> {
    // In steps of 50, because every depth is a statement of its own, and PostgreSQL keeps a limited number of plans.
    const { requested, periods, onlyIds } = options
    const depth = Math.max(50, 50 * Math.ceil(requested / 25))
    const conditions = [...listAnswerConditions(question, 'whole'), ...(onlyIds ? [hasIdIn(onlyIds)] : [])]
    const searchPeriods = (named: PeriodsInQuestion) => {
      const required = [...conditions, ...textSearch.listRequirements((input.text ?? noText).query)]
      return findInPeriods(db, question, { periods: named, conditions: required, limit: depth })
    }
    const [found, time] = await Promise.all([
      search(input, question, conditions, { ...options, limit: depth }),
      periods && searchPeriods(periods),
    ])
    // A record that only its time finds is kept only if it is among the first.
    const others = new Set(listIds(found))
    return { ...found, time: time?.filter(({ id }, index) => index < depth || others.has(id)) }
  }

  async function rankWithoutMatches(
    question: Question,
    input: SearchInput,
    limit: number,
    onlyIds: readonly string[] | undefined,
  ): Promise<Roots> {
    const { asked, query } = input.text ?? noText
    const unquoted = dropQuotes(asked)
    const stems = await textSearch.findQueryStems(db, query)
    // No record contains the phrase in quotes: records with some of its words are a better answer than none.
    if (stems.phrased.length > 0 && unquoted !== asked)
      return rankByContent(question, { ...input, text: readQuestionText(unquoted) }, limit)
    if (input.fallsBack === false || onlyIds?.length === 0) return { candidateNodes: [], fits: new Map() }
    // No record shares a word with the question: the most salient records are a better answer than none.
    const requirements = [...textSearch.listRequirements(query), ...(onlyIds ? [hasIdIn(onlyIds)] : [])]
    return rankBySalience(db, question, { level: 'whole', limit, requirements })
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

  return findRoots
}

/** The speakers that the sentences that ask name; if none, those that the whole task names. */
function listNamedIn({ asking, included }: QuestionText, speakers: Iterable<string>): ReadonlySet<string> {
  const named = listNamedSpeakers(asking, speakers)
  return named.size > 0 || asking === included ? named : listNamedSpeakers(included, speakers)
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
