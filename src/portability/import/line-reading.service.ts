import type { Caller, Sensitivity } from '../../domain/caller.ts'
import type { Policies } from '../../domain/lifecycle.ts'
import { checkFaults } from '../../http/validation/validation.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import { mostLineBytes } from '../line-limits.ts'
import { ImportedRecord, keptNames } from '../portability.schemas.ts'
import { type Copy, copyPlain, copyWhole } from './imported-draft.ts'
import { respell } from './respelling.ts'

/** The bytes of one line of the stream; none when there are too many of them. */
export type Line = { line: number; bytes: Buffer | undefined }

/** How bytes become JSON that can be stored; throws an AppError where they do not. */
export type Parse = (bytes: Buffer) => unknown

/** A line as it was read: what is to be stored, or why nothing is. */
export type Item = { line: number; size: number; id?: string } & ({ copy: Copy } | { error: AppError })

/** The policies say what a line leaves out of its lifecycle. */
type Setting = { caller: Caller; policies: Policies; parse: Parse }

type Resources = { clock: Clock; ids: Ids; defaultSensitivity: Sensitivity }

export function createReading({ clock, ids, defaultSensitivity }: Resources) {
  return function readItem(line: Line, { caller, policies, parse }: Setting): Item {
    const place = { line: line.line, size: line.bytes?.length ?? 0 }
    let id: string | undefined
    try {
      const value = readValue(line, parse)
      id = idOf(value)
      const given = readRecord(value)
      const context = { caller, now: clock.now(), id: ids.next(), defaultSensitivity, policies }
      const copy = saysWhatIsKept(given) ? copyWhole(given, context) : copyPlain(given, context)
      return { ...place, id: copy.draft.row.id, copy }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { ...place, ...(id === undefined ? {} : { id }), error }
    }
  }
}

/** Refused of a line is what has to be mended in it; forbidden is what only an admin may say. */
export function requireNothingKept(line: Line, parse: Parse): void {
  let value: unknown
  try {
    value = readValue(line, parse)
  } catch {
    return
  }
  if (!saysWhatIsKept(value) && !saysWhatIsKept(respell(ImportedRecord, value))) return
  throw new AppError(
    'forbidden',
    `Line ${line.line} says what the service keeps itself, which takes the admin permission.`,
  )
}

function readValue({ bytes }: Line, parse: Parse): unknown {
  if (bytes) return parse(bytes)
  throw new AppError('body_too_large', `A line has at most ${mostLineBytes} bytes.`)
}

function readRecord(value: unknown): ImportedRecord {
  if (checkFaults(ImportedRecord, value).length === 0) return value as ImportedRecord
  const spelled = respell(ImportedRecord, value)
  const errors = checkFaults(ImportedRecord, spelled)
  if (errors.length === 0) return spelled as ImportedRecord
  throw new AppError('validation_failed', 'The line breaks the schema.', { errors })
}

function saysWhatIsKept(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, inner]) => keptNames.has(name) && inner !== null)
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Of a line that is refused too, so that it can be found. */
function idOf(value: unknown): string | undefined {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined
  return typeof id === 'string' && uuid.test(id) ? id.toLowerCase() : undefined
}
