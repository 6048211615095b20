import { type Handle, referenceHandle } from '../domain/handles.ts'
import type { HandleMatch } from '../records/index.ts'
import type { CaptureContext } from './capture-context.ts'

/** By what a retry of this capture will be known, if its source gave it a name. */
export function buildReferenceHandles(
  { source, requestedSensitivity }: CaptureContext,
  ref: string | undefined,
  sought: HandleMatch | undefined,
): Handle[] {
  if (ref === undefined || !sought) return []
  return [{ ...referenceHandle(source, ref, requestedSensitivity), place: sought.nextPlace }]
}
