import { type Handle, referenceHandle } from '../domain/handles.ts'
import type { HandleMatch } from '../records/index.ts'
import type { CaptureContext } from './capture-context.ts'

/** Returns the handle by which a retry of this capture is recognised. Empty if the source gave no reference. */
export function buildReferenceHandles(
  { source, requestedSensitivity }: CaptureContext,
  ref: string | undefined,
  sought: HandleMatch | undefined,
): Handle[] {
  if (ref === undefined || !sought) return []
  return [{ ...referenceHandle(source, ref, requestedSensitivity), place: sought.nextPlace }]
}
