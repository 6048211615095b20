import type { EpisodicPayload, WorkingPayload } from './payloads.ts'

/**
 * Captured content that has no field of its own in a payload. An episode keeps it in the context of its environment,
 * a working record keeps it in optional constraints.
 */
export const capturedKey = 'captured'

export type CapturedContent = {
  content?: unknown
  context?: Readonly<Record<string, unknown>>
  reason_to_remember?: string
}

/**
 * The context of an environment as parts. Of captured content only the content is a part: the time and the reason of
 * the capture do not change what was said.
 */
export function listContextParts({ environment }: EpisodicPayload): unknown[] {
  const { [capturedKey]: kept, ...context } = environment?.context ?? {}
  const parts = Object.keys(context).length === 0 ? [] : [context]
  if (!isCapturedContent(kept)) return kept === undefined ? parts : [environment?.context]
  // Null is no content. Otherwise every event without content would have equal wording.
  return kept.content === undefined || kept.content === null ? parts : [...parts, kept.content]
}

/** The captured content of an episode, if it was captured. */
export function findCaptured({
  environment,
}: Pick<EpisodicPayload, 'environment'>): CapturedContent | undefined {
  const kept = environment?.context?.[capturedKey]
  return isCapturedContent(kept) ? kept : undefined
}

/** The members that hold what was said. */
const textMembers = ['text', 'message']

/** The captured text, or that of the captured object; empty for other content. */
export function findCapturedText(content: unknown): string {
  if (typeof content === 'string') return content
  if (typeof content !== 'object' || content === null) return ''
  const texts = textMembers.map((name): unknown => Reflect.get(content, name))
  return texts.filter((text) => typeof text === 'string').find((text) => text.trim() !== '') ?? ''
}

/** The captured text where nothing else was captured. */
export function findOnlyText(content: unknown): string | undefined {
  if (typeof content === 'object' && content !== null && Object.keys(content).length !== 1) return undefined
  const text = findCapturedText(content)
  return text.trim() === '' ? undefined : text
}

const members = new Set(['content', 'context', 'reason_to_remember'])

/** A client may have stored a field of this name that was never captured content. */
function isCapturedContent(value: unknown): value is CapturedContent {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.keys(value).every((name) => members.has(name))
}

/** The constraints of a task, without the time and the reason of the capture. */
export function listConstraintParts({ active_constraints: constraints }: WorkingPayload): unknown[] {
  return constraints
    .filter(({ type, key }) => type !== capturedKey || key === 'content' || !members.has(key))
    .map(({ type, key, value }) => [type, key, value])
}
