import { isNote, noTopic, observedPredicate } from '../../../domain/identity/handles.ts'
import type { Payload } from '../../../domain/payloads/payloads.ts'
import { describeValidity } from '../../../domain/payloads/validity.ts'
import { holdsMask, maskFact, maskText } from '../../../domain/secrets/masking.ts'
import { clip, outline } from '../../../domain/secrets/outline.ts'
import { endsSentence } from '../../../domain/words/sentence-end.ts'
import { isUuid } from '../../../kernel/ids.ts'
import { describeEpisode, describeMessage, hasOmittedParts } from './episode-statement.ts'
import { cutExcerptAround } from './excerpt.ts'
import { describePlan, describeSkill } from './procedure-statement.ts'
import { containsWords, join, longestDetail, maxItems, type Write, writeLabelled } from './statement-parts.ts'

/** Says in plain text what a record holds, with secrets masked. */

export type Statement = {
  text: string
  /** False where the text is shortened or a secret is masked. */
  isWhole: boolean
}

type Of<K extends Payload['kind']> = Extract<Payload, { kind: K }>
/** Characters beyond a limit that are examined, because a secret may begin before it. */
const margin = 8_192

export type StatementContext = {
  /** Names of entities by id in lower case, for facts about them. */
  names: ReadonlyMap<string, string>
  /** The beginnings of the words of the question. A text that is too long is cut to the part around them. */
  wordPrefixes: readonly string[]
  /** The scope of the record, which is the subject of a note about nothing else. */
  scope?: string | undefined
}

/** At most `limit` characters. The cost depends on the limit, not on the record, which may have megabytes. */
export function stateRecord(payload: Payload, limit: number, context: StatementContext): Statement {
  let isCut = false
  const write: Write = (value, most = limit + 1) => {
    const part = cutExcerpt(value, most)
    if (part !== undefined) {
      isCut = true
      return part
    }
    const text = outline(shorten(value, most), most)
    isCut ||= text.length >= most
    return text
  }
  const cutExcerpt = (value: unknown, most: number) =>
    typeof value === 'string' && value.length > most
      ? cutExcerptAround(value, context.wordPrefixes, { limit: most, margin })
      : undefined
  const full = maskText(clip(describe(payload, write, context).trim(), limit + margin))
  const text = clip(full, limit)
  const isComplete = !isCut && !hasLongList(payload) && !hasOmittedParts(payload) && !hasHiddenSteps(payload)
  return { text, isWhole: text === full && isComplete && !holdsMask(full) }
}

function shorten(value: unknown, limit: number): unknown {
  return typeof value === 'string' ? value.slice(0, limit + margin) : value
}

function hasLongList(payload: Payload): boolean {
  return Object.values(payload).some((member) => Array.isArray(member) && member.length > maxItems)
}

function describe(payload: Payload, write: Write, context: StatementContext): string {
  switch (payload.kind) {
    case 'entity':
      return describeEntity(payload, write)
    case 'semantic':
      return describeFact(payload, write, context)
    case 'competence':
      return describeSkill(payload, write)
    case 'plan_graph':
      return describePlan(payload, write)
    case 'working':
      return describeTask(payload, write)
    case 'episodic':
      return payload.conversation ? describeMessage(payload, write) : describeEpisode(payload, write)
  }
}

function describeEntity(payload: Of<'entity'>, write: Write): string {
  const { canonical_name: name, primary_type: type, aliases, identifiers, summary } = payload
  const marks = identifiers
    .slice(0, maxItems)
    .map(({ namespace, value }) => write({ [namespace]: value }, longestDetail))
  const about = [
    summary === undefined ? '' : write(summary),
    writeLabelled(
      'also called',
      aliases.map(({ value }) => value),
      write,
    ),
    join(marks, ', '),
  ]
  const kind = type === 'Other' ? '' : ` (${write(type)})`
  return join([`${write(name)}${kind}`, join(about, '; ')], ': ')
}

/** A fact about an entity may name it by its id: its name says more. */
function describeFact(payload: Of<'semantic'>, write: Write, { names, scope }: StatementContext): string {
  const subject = names.get(payload.subject.toLowerCase()) ?? payload.subject
  const statement = stateFact(payload, subject, write, scope)
  const validity = describeValidity(payload.validity, write)
  return join([statement, validity], endsSentence(statement) ? ' Valid ' : ', valid ')
}

function stateFact(
  payload: Of<'semantic'>,
  subject: string,
  write: Write,
  scope: string | undefined,
): string {
  if (isNote(payload)) return describeNote(subject, payload.object, write, scope)
  const { predicate, object } = payload
  // Only a plain value is masked because of what the fact is about. The rest is masked where it is written.
  const value = typeof object === 'object' ? object : maskFact({ subject, predicate, object }).object
  if (predicate === observedPredicate) return join([write(subject), write(value)], ': ')
  return [write(subject), write(predicate), write(value)].join(' ')
}

/** A note is a text in plain words: its topic is added only where the text does not name it, and if it is a name. */
function describeNote(subject: string, text: string, write: Write, scope: string | undefined): string {
  const isNamed = subject === (scope ?? noTopic) || isUuid(subject) || containsWords(text, subject)
  return join([isNamed ? '' : write(subject), write(text)], ': ')
}

function describeTask(payload: Of<'working'>, write: Write): string {
  const { thread_id: thread, state, context_summary: summary, active_constraints: constraints } = payload
  const bounds = constraints
    .slice(0, maxItems)
    .map(({ key, value }) => write({ [key]: value }, longestDetail))
  return join(
    [
      join([`Task ${write(thread)} (${state})`, summary === undefined ? '' : write(summary)], ': '),
      ...describeRemainder(payload, write),
      bounds.length === 0 ? '' : `Constraints: ${bounds.join('; ')}`,
    ],
    '. ',
  )
}

/** What is left to do. The steps of a task that is done would read as if they were still to come. */
function describeRemainder({ state, next_actions, open_questions }: Of<'working'>, write: Write): string[] {
  if (state === 'done') return []
  return [writeLabelled('Next', next_actions, write), writeLabelled('Open', open_questions, write)]
}

function hasHiddenSteps(payload: Payload): boolean {
  return (
    payload.kind === 'working' &&
    payload.state === 'done' &&
    payload.next_actions.length + payload.open_questions.length > 0
  )
}
