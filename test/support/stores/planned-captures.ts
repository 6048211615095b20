import type { NewCapture } from '../../../src/capture/capture.schemas.ts'
import {
  type CapturePlan,
  type EpisodePlan,
  planCapture,
  type TaskPlan,
} from '../../../src/capture/planning/capture-plan.ts'
import { listFaults } from '../../../src/http/validation/validation.ts'
import { AppError, type Fault } from '../../../src/kernel/errors.ts'

/** Captures as they are planned at one moment. */

const now = new Date('2026-03-28T09:30:00.000Z')
/** The instant at which every capture here is planned. */
export const capturedAt = now.toISOString()

/** Builds the body of a capture. */
export function buildCapture(content: unknown, more: Partial<NewCapture> = {}): NewCapture {
  return { source: 'auth-agent', content, ...more }
}

/** Plans a capture at the fixed instant. */
export function planCaptureInput(input: NewCapture): CapturePlan {
  return planCapture(input, { now, check: listFaults })
}

/** Plans content as an episode; throws when it is a task or an outcome. */
export function planEpisode(content: unknown, more: Partial<NewCapture> = {}): EpisodePlan {
  const plan = planCaptureInput(buildCapture(content, more))
  if (plan.kind === 'working_state' || plan.kind === 'outcome') throw new Error(`a ${plan.kind}`)
  return plan
}

/** Plans content as a working state; throws when it is anything else. */
export function planTask(content: unknown, more: Partial<NewCapture> = {}): TaskPlan {
  const plan = planCaptureInput(buildCapture(content, { source_kind: 'working_state', ...more }))
  if (plan.kind !== 'working_state') throw new Error(`a ${plan.kind}`)
  return plan
}

/** Returns the faults for which a capture is refused; an empty list when it is accepted. */
export function findFaults(input: NewCapture): readonly Fault[] {
  try {
    planCaptureInput(input)
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_failed') return error.errors ?? []
    throw error
  }
  return []
}

/** Returns the JSON pointers of the faults of some content. */
export function listFaultPointers(content: unknown, more: Partial<NewCapture> = {}): string[] {
  return findFaults(buildCapture(content, more)).map((fault) => fault.pointer)
}

const empty: { captured?: { content?: unknown } } = {}

/** Puts the content together again from the episode that was made of it; fields it never had are undefined. */
export function rebuildContent({ payload }: EpisodePlan): unknown {
  const { captured, ...context } = { ...empty, ...payload.environment?.context }
  const rest = captured?.content ?? {}
  const isWhole = captured !== undefined && Object.hasOwn(captured, 'content') && !isPlain(captured.content)
  if (isWhole) return captured.content
  const [event, ...timeline] = payload.timeline
  const placed = { ref: event?.ref, event_kind: event?.event_kind, timeline }
  const { kind: _, timeline: _1, environment, tool_graph, ...own } = payload
  const call = tool_graph.at(-1)
  return { ...placed, tool_graph, ...call, ...own, environment: { ...environment, context }, ...rest }
}

export function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
