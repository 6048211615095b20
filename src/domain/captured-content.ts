import type { EpisodicPayload, WorkingPayload } from './payloads.ts'

/**
 * What was captured and has no place of its own in a payload: an episode keeps it in the context of its
 * environment, a working record in constraints that demand nothing.
 */
export const capturedKey = 'captured'

export type CapturedContent = {
  content?: unknown
  context?: Readonly<Record<string, unknown>>
  reason_to_remember?: string
}

/** What an environment says, in parts: of what is kept there its content, not when and why it was captured. */
export function listContextParts({ environment }: EpisodicPayload): unknown[] {
  const { [capturedKey]: kept, ...context } = environment?.context ?? {}
  const said = Object.keys(context).length === 0 ? [] : [context]
  if (!isCapturedContent(kept)) return kept === undefined ? said : [environment?.context]
  // Nothing is no content, or whatever is told with nothing would be the same thing.
  return kept.content === undefined || kept.content === null ? said : [...said, kept.content]
}

const members = new Set(['content', 'context', 'reason_to_remember'])

/** A context may have had a field of that name before anything was captured. */
function isCapturedContent(value: unknown): value is CapturedContent {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.keys(value).every((name) => members.has(name))
}

/** The constraints of a task, without when and why it was captured. */
export function listConstraintParts({ active_constraints: constraints }: WorkingPayload): unknown[] {
  return constraints
    .filter(({ type, key }) => type !== capturedKey || key === 'content' || !members.has(key))
    .map(({ type, key, value }) => [type, key, value])
}
