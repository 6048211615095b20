import type { Caller, Sensitivity } from '../domain/caller.ts'
import { chooseSourceType, chooseWriteScope, requireCeiling } from '../domain/write-trust.ts'
import type { NewCapture } from './capture.schemas.ts'

/** Who captures, when, and where what is captured belongs: the same for every record that comes of it. */
export type CaptureContext = {
  caller: Caller
  now: Date
  scope: string
  sensitivity: Sensitivity
  /** As it was told, by which a retry is known; the task it is about may have become more confidential. */
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
    caller,
    now,
    scope: chooseWriteScope(caller, input.scope),
    sensitivity,
    requestedSensitivity: sensitivity,
    source: input.source,
  }
}
