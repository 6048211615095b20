import type { MemoryRecord, RedactedRecord, WrittenRecord } from '../../records/index.ts'
import { writeJson, writeStatement } from './shown-text.service.ts'

/** Answers are limited, because they fill the context of a model, and a record may have megabytes. */

const maxCharacters = 50_000
const longestRationale = 200
const longestPayload = 1_000
const maxRelations = 5
const maxEntries = 3
const figures = 4

type Shown = MemoryRecord | RedactedRecord | WrittenRecord
type History = MemoryRecord['audit_log']
type Answer = { record?: Shown; history?: History }

/** The same answer, with a shorter record and history where they are too long. */
export function boundAnswer(answer: Answer): object {
  const { record, history } = answer
  return {
    ...answer,
    ...(record && { record: boundRecord(record) }),
    ...(history && { history: boundHistory(history) }),
  }
}

/** A record that is too long keeps its state and as much of its text as there is room for, and says so. */
export function boundRecord(record: Shown): object {
  if (!('payload' in record) || isShort(record)) return record
  const {
    payload,
    tags: _,
    provenance: _1,
    relations: _2,
    interpretation: _3,
    audit_log: _4,
    ...state
  } = record
  return {
    ...state,
    payload: { kind: payload.kind, text: writeStatement(record, maxCharacters) },
    shortened: `The record is too long for this tool; GET /v1/records/${record.id} has the whole.`,
  }
}

/** The lifecycle of a record after a change. */
export function describeState(record: WrittenRecord): Partial<MemoryRecord> {
  if (!('payload' in record)) return record
  const { id, type, version, layer, salience, importance } = record
  return { id, type, version, layer, salience, importance }
}

/** What an agent needs after it has changed a record, and who changed it. The whole record would fill its context. */
export function describeChanged(record: Shown): object {
  if (!('payload' in record)) return record
  const { id, type, scope, sensitivity, version, status, layer, salience, lifecycle, forgotten } = record
  const { relations, audit_log: history } = record
  return {
    id,
    type,
    scope,
    sensitivity,
    version,
    status,
    layer,
    salience: Number(salience.toPrecision(figures)),
    lifecycle: { pinned: lifecycle.pinned },
    payload: shortenPayload(record),
    relations: relations.slice(0, maxRelations),
    ...(forgotten && { forgotten }),
    audit_log: history.slice(-maxEntries).map(shortenEntry),
  }
}

function shortenPayload(record: MemoryRecord): object {
  const { payload } = record
  const { kind } = payload
  if (payload.kind !== 'semantic') return { kind, text: writeStatement(record, longestPayload) }
  const { subject, predicate, object, evidence, revision } = payload
  const state = revision && { revision }
  const fact = { kind, subject, predicate, object, evidence: evidence.slice(-1), ...state }
  if (writeJson(fact).length <= longestPayload) return fact
  return { kind, text: writeStatement(record, longestPayload), ...state }
}

/** Who did what, and the beginning of why. */
function boundHistory(entries: History): readonly object[] {
  return isShort(entries) ? entries : entries.map(shortenEntry)
}

function shortenEntry({ changes: _, rationale, ...entry }: History[number]): object {
  return { ...entry, rationale: rationale.slice(0, longestRationale).toWellFormed() }
}

function isShort(value: object): boolean {
  return writeJson(value).length <= maxCharacters
}
