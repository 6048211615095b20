import type { Caller, Sensitivity, Trust } from '../domain/trust/caller.ts'
import { chooseSourceType, chooseWriteScope, requireCeiling } from '../domain/trust/write-trust.ts'
import type { NewCapture } from './capture.schemas.ts'

/** Who captures, when, and the scope and sensitivity of the new records. The same for every record of one capture. */
export type CaptureContext = {
  input: NewCapture
  caller: Caller
  now: Date
  /** When it happened. */
  occurredAt: Date
  scope: string
  sensitivity: Sensitivity
  /**
   * The sensitivity the request asked for. A retry is recognised by it; `sensitivity` may be higher, because a report
   * takes over the sensitivity of its task.
   */
  requestedSensitivity: Sensitivity
  source: string
}

export function createCaptureContext(
  caller: Caller,
  input: NewCapture,
  { now, defaultSensitivity }: { now: Date; defaultSensitivity: Sensitivity },
): CaptureContext {
  const sensitivity = input.sensitivity ?? defaultSensitivity
  requireCeiling(caller, sensitivity)
  chooseSourceType(caller, input.source_type)
  return {
    input,
    caller,
    now,
    occurredAt: input.timestamp === undefined ? now : new Date(input.timestamp),
    scope: chooseWriteScope(caller, input.scope),
    sensitivity,
    requestedSensitivity: sensitivity,
    source: input.source,
  }
}

export type ReaderFilter = { trust: Trust; scope: string }

/** Evidence may refer only to records that all of its readers may see. */
export function createReaderFilter({ caller, scope, sensitivity }: CaptureContext): ReaderFilter {
  return { trust: { ...caller.trust, maxSensitivity: sensitivity }, scope }
}
