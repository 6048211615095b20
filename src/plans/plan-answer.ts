import { notePredicate, observedPredicate } from '../domain/identity/handles.ts'
import { omitNulls } from '../kernel/omit-nulls.ts'
import { truncate } from '../kernel/truncated-text.ts'
import type { PlanChangeRow } from './plan-changes.queries.ts'
import type { PlanRow } from './plans.queries.ts'
import type { Plan, PlanChange } from './plans.schemas.ts'

export function presentPlan(row: PlanRow): Plan {
  const isPrepared = row.run_status === 'succeeded'
  return omitNulls({
    id: row.id,
    job: row.job,
    options: row.options as Plan['options'],
    scope: row.scope,
    status: row.status,
    digest: isPrepared ? row.digest : null,
    counts: row.counts,
    error: row.status === 'failed' ? (row.error ?? `The preparation was ${row.run_status}.`) : null,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  })
}

export function presentPlanChange({ is_open, ...row }: PlanChangeRow): PlanChange {
  const { record_id, type, action, before, after } = row
  if (!is_open) return { record_id, type, action, redacted: true }
  return omitNulls({ record_id, type, action, before, after, why: explainChange(row) })
}

type Explained = Pick<PlanChangeRow, 'action' | 'before' | 'after' | 'note' | 'payload'>

function explainChange({ action, before, after, note, payload }: Explained): string {
  const explain = sentences[action] ?? (() => `The job would make the change \`${action}\` to this record.`)
  const sentence = explain({ before: before ?? {}, after: after ?? {}, payload })
  return note === null ? sentence : `${sentence} ${capitalise(note)}.`
}

type Values = Readonly<Record<string, unknown>>
type Sentence = (change: { before: Values; after: Values; payload: unknown }) => string

const sentences: Readonly<Record<string, Sentence>> = {
  prune: ({ before }) =>
    `The record would be forgotten: its salience has fallen${showNumber(before['salience'], ' to ')}, below what is kept.`,
  forget: () =>
    'The record would be forgotten: its scope is over its budget, and it is among the least worth keeping.',
  purge: () => 'The record would be deleted for good: it was forgotten, and the time to restore it is over.',
  promote: ({ before, after }) =>
    `The record would be promoted${showMove(before['layer'], after['layer'])}: it is old enough, or was used often.`,
  archive: () => 'The record would be archived: it was not used for long and is worth little.',
  create: ({ after, payload }) => {
    const sources = [after['derived_from'], after['connects']].find(Array.isArray)
    const from = sources ? ` from ${sources.length} ${sources.length === 1 ? 'record' : 'records'}` : ''
    return `A new record would be created${from}${showContent(payload)}.`
  },
  reinforce: () => 'The record would be reinforced: other records say or show the same.',
  compress: () => 'The salience of the episode would be halved: what it taught is kept apart.',
  reduce: ({ before, after }) =>
    `The vector of the record would be stored in fewer bits${showMove(before['bits'], after['bits'])}: the record has faded.`,
  merge: () => 'The record would be merged into a summary with others that say the same.',
  unmerge: () => 'The record would be active again: the summary that it was merged into no longer exists.',
  supersede: () => 'The record would be superseded by a newer description.',
  relate: () => 'The record would get a relation to another one.',
  candidate: () => 'The record and those near it may say the same; nothing would change yet.',
  rescore: ({ before, after }) =>
    `The importance would change${showMove(before['importance'], after['importance'])}, after how the record was used.`,
  probe_challenge: () => 'The record would be challenged: the answer of a model contradicts it.',
  drift_challenge: () => 'The record would be challenged: a file, symbol or script that it names is missing.',
  drift_invalidate: () =>
    'The record would be invalidated: a file, symbol or script that it names is still missing.',
  drift_restore: () =>
    'The record would be active again: the files, symbols and scripts that it names were found again.',
}

function showNumber(value: unknown, before: string): string {
  return typeof value === 'number' ? `${before}${Number(value.toPrecision(3))}` : ''
}

function showMove(from: unknown, to: unknown): string {
  const show = (value: unknown) => (typeof value === 'string' ? value : showNumber(value, ''))
  return show(from) && show(to) ? ` from ${show(from)} to ${show(to)}` : ''
}

const longestContent = 200

/** The text of the new record, in one line. */
function showContent(payload: unknown): string {
  const { kind, subject, predicate, object, canonical_name, skill_name, intent } = (payload ?? {}) as Values
  const isText = predicate === notePredicate || predicate === observedPredicate
  const statement = isText ? [object] : [subject, predicate, object]
  const words = kind === 'semantic' ? statement : [canonical_name ?? skill_name ?? intent]
  const text = words
    .filter((word) => word !== undefined && word !== null)
    .map((word) => (typeof word === 'string' ? word : JSON.stringify(word)))
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .replace(/\.$/, '')
  if (text === '') return ''
  return `: ${text.length > longestContent ? `${truncate(text, longestContent)}…` : text}`
}

function capitalise(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
