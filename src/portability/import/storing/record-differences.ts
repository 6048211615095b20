import { isDeepStrictEqual } from 'node:util'
import type { Payload } from '../../../domain/payloads/payloads.ts'
import { AppError, type Fault } from '../../../kernel/errors.ts'
import type { ImportedCopy } from '../drafting/imported-draft.ts'
import type { ExistingRecord } from './import.queries.ts'

export type ComparedRecord = Omit<ExistingRecord, 'id' | 'is_later'> & { is_later?: boolean }

const compared = ['type', 'scope', 'sensitivity', 'confidence', 'tags', 'created_at', 'provenance'] as const

/**
 * Lists the fields in which a line differs from the stored record of its id. A field that the line omits does not
 * differ, and neither do values that time or reads have changed.
 */
function findDifferences(
  known: ComparedRecord,
  { draft: { row }, given, hasHistory, fingerprint }: ImportedCopy,
): Fault[] {
  if (fingerprint !== undefined) {
    const isSameItem = known.provenance.sources[0]?.hash === fingerprint
    return isSameItem ? [] : [{ pointer: '', message: 'differs from the item that was imported before' }]
  }
  const isStated = (name: string) => name === 'scope' || Object.hasOwn(given, name)
  const names: string[] = compared.filter((name) => isStated(name) && !isSame(known[name], row[name]))
  if (isStated('interpretation') && !isSame(known.interpretation, row.interpretation))
    names.push('interpretation')
  if (!isSame(dropUnstatedSuccessor(known.payload, row.payload), row.payload)) names.push('payload')
  const isOtherVersion = known.version !== given.version && known.version !== row.version
  if (hasHistory && isStated('version') && isOtherVersion) names.push('version')
  return names.map((name) => ({ pointer: `/${name}`, message: 'differs from the stored record' }))
}

/**
 * Whether the differences are changes that were made here after the line was exported. The type, the creation and the statement of a
 * record never change, so a line with others was edited.
 */
function isEarlierState(known: ComparedRecord, { draft: { row } }: ImportedCopy): boolean {
  const state = ({ type, created_at, payload }: Pick<ComparedRecord, 'type' | 'created_at' | 'payload'>) => {
    const { subject, predicate, object } = payload.kind === 'semantic' ? payload : {}
    return { type, created_at, subject, predicate, object }
  }
  return known.is_later === true && isSame(state(known), state(row))
}

/** Compares as JSON, where a Date is text and negative zero does not exist. */
function isSame(stored: unknown, given: unknown): boolean {
  return isDeepStrictEqual(asJson(stored), asJson(given))
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null))
}

/** An export may lack the successor, because it is not shown to every caller. */
function dropUnstatedSuccessor(stored: Payload, given: Payload): Payload {
  if (stored.kind !== 'semantic' || given.kind !== 'semantic' || !stored.revision) return stored
  if (given.revision?.superseded_by !== undefined) return stored
  const { superseded_by: _, ...revision } = stored.revision
  return { ...stored, revision }
}

/**
 * The outcome of a line: an AppError when it was neither stored nor equal to the stored record. `earlier`: the record was changed after
 * the line was exported, so not even missing edges of the line are stored.
 */
export type LineOutcome = 'created' | 'unchanged' | 'earlier' | AppError
export type LineOutcomes = Map<ImportedCopy, LineOutcome>

/** The outcome of a line whose id is that of a record. */
export function compareRecords(known: ComparedRecord, copy: ImportedCopy): LineOutcome {
  const errors = findDifferences(known, copy)
  if (errors.length === 0) return 'unchanged'
  return isEarlierState(known, copy) ? 'earlier' : createRecordExistsError(copy, errors)
}

export function createRecordExistsError({ draft }: ImportedCopy, errors: Fault[] = []): AppError {
  const message = `The id ${draft.row.id} is already in use.`
  return new AppError('record_exists', message, errors.length > 0 ? { errors } : {})
}
