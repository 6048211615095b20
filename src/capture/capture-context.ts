import type { Caller, Sensitivity } from '../domain/caller.ts'
import { chooseSourceType, chooseWriteScope, requireCeiling } from '../domain/write-trust.ts'
import type { NewCapture } from './capture.schemas.ts'

/** Who captures, when, and where what is captured belongs: the same for every record that comes of it. */
export type Setting = {
  caller: Caller
  now: Date
  scope: string
  sensitivity: Sensitivity
  /** As it was told, by which a retry is known; the task it is about may have become more confidential. */
  claimed: Sensitivity
  source: string
}

export function settingOf(
  caller: Caller,
  given: NewCapture,
  { now, defaultSensitivity }: { now: Date; defaultSensitivity: Sensitivity },
): Setting {
  const sensitivity = given.sensitivity ?? defaultSensitivity
  requireCeiling(caller, sensitivity)
  chooseSourceType(caller, given.source_type)
  return {
    caller,
    now,
    scope: chooseWriteScope(caller, given.scope),
    sensitivity,
    claimed: sensitivity,
    source: given.source,
  }
}
