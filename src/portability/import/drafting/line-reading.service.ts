import type { Seal } from '../../../domain/identity/tombstone-seal.ts'
import type { Policies } from '../../../domain/lifecycle/lifecycle.ts'
import type { Caller, Sensitivity } from '../../../domain/trust/caller.ts'
import { listFaults } from '../../../http/validation/validation.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { AppError } from '../../../kernel/errors.ts'
import { type Ids, isUuid } from '../../../kernel/ids.ts'
import { isJsonObject } from '../../../kernel/json-objects.ts'
import { claimsRevision } from '../../../records/index.ts'
import { type Line, maxLineBytes } from '../../line-limits.ts'
import { ImportedRecord, reservedNames } from '../../portability.schemas.ts'
import { normaliseNames } from './field-names.ts'
import { draftPlainRecord, draftWithHistory, type ImportedCopy, writeAhead } from './imported-draft.ts'

/** Parses bytes to JSON that can be stored; throws an AppError otherwise. */
export type Parse = (bytes: Buffer) => unknown
/** A line with a history has room for it. This refuses any other that is larger than the body of a create may be. */
export type CheckSize = (bytes: Buffer) => void

/** A parsed line: the draft to store, or why there is none. The report leaves out a record that another only mentions. */
export type ParsedLine = { line: number; size: number; id?: string | undefined; isMention?: boolean } & (
  | { copy: ImportedCopy }
  | { error: AppError }
)

/** The policies supply the lifecycle fields that a line omits. */
type LineContext = { caller: Caller; policies: Policies; parse: Parse; checkPlainSize: CheckSize }

type Resources = { clock: Clock; ids: Ids; seal: Seal; defaultSensitivity: Sensitivity }

export function createLineReader({ clock, ids, seal, defaultSensitivity }: Resources) {
  return function readLine(line: Line, { caller, policies, parse, checkPlainSize }: LineContext): ParsedLine {
    const place = { line: line.line, size: line.bytes?.length ?? 0 }
    let id: string | undefined
    try {
      const value = readValue(line, parse)
      id = readId(value)
      const given = readRecord(value)
      const context = { caller, now: clock.now(), id: given.id ?? ids.next(), defaultSensitivity, policies }
      const isPlain = !hasReservedFields(given)
      if (isPlain && line.bytes) checkPlainSize(line.bytes)
      const copy = isPlain
        ? draftPlainRecord(given, context)
        : writeAhead(draftWithHistory(given, context), seal)
      return { ...place, id: copy.draft.row.id, copy }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { ...place, id, error }
    }
  }
}

/**
 * Throws `forbidden` when the line has fields that only an admin may import. Other faults are reported later, in the
 * result of the line.
 */
export function rejectReservedFields(line: Line, parse: Parse): void {
  let value: unknown
  try {
    value = readValue(line, parse)
  } catch {
    return
  }
  if (!claimsHistory(value) && !claimsHistory(normaliseNames(ImportedRecord, value))) return
  throw new AppError(
    'forbidden',
    `Line ${line.line} has fields that only the service writes; importing them needs the permission admin.`,
  )
}

function readValue({ bytes }: Line, parse: Parse): unknown {
  if (bytes) return parse(bytes)
  throw new AppError('body_too_large', `A line may have at most ${maxLineBytes} bytes.`)
}

function readRecord(value: unknown): ImportedRecord {
  if (listFaults(ImportedRecord, value).length === 0) return value as ImportedRecord
  const spelled = normaliseNames(ImportedRecord, value)
  const errors = listFaults(ImportedRecord, spelled)
  if (errors.length === 0) return spelled as ImportedRecord
  throw new AppError('validation_failed', 'The line does not match the schema.', { errors })
}

function claimsHistory(value: unknown): boolean {
  if (hasReservedFields(value)) return true
  const payload: unknown = isJsonObject(value) ? value['payload'] : undefined
  return isJsonObject(payload) && claimsRevision(payload['revision'])
}

function hasReservedFields(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  return Object.entries(value).some(([name, inner]) => reservedNames.has(name) && inner !== null)
}

/** Also read from a refused line, so that its result can be matched to the record. */
function readId(value: unknown): string | undefined {
  const id = isJsonObject(value) ? value['id'] : undefined
  return typeof id === 'string' && isUuid(id) ? id.toLowerCase() : undefined
}
