import type { NewCapture } from '../../src/capture/capture.schemas.ts'
import { classify, type EpisodePlan, type Plan, type TaskPlan } from '../../src/capture/classification.ts'
import { listFaults } from '../../src/http/validation/validation.ts'
import { AppError, type Fault } from '../../src/kernel/errors.ts'

/** Captures as they are classified at one moment. */

const now = new Date('2026-03-28T09:30:00.000Z')
export const at = now.toISOString()

export function capture(content: unknown, more: Partial<NewCapture> = {}): NewCapture {
  return { source: 'auth-agent', content, ...more }
}

export function classified(given: NewCapture): Plan {
  return classify(given, { now, check: listFaults })
}

export function episode(content: unknown, more: Partial<NewCapture> = {}): EpisodePlan {
  const plan = classified(capture(content, more))
  if (plan.kind === 'working_state' || plan.kind === 'outcome') throw new Error(`a ${plan.kind}`)
  return plan
}

export function task(content: unknown, more: Partial<NewCapture> = {}): TaskPlan {
  const plan = classified(capture(content, { source_kind: 'working_state', ...more }))
  if (plan.kind !== 'working_state') throw new Error(`a ${plan.kind}`)
  return plan
}

export function refusal(given: NewCapture): readonly Fault[] {
  try {
    classified(given)
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_failed') return error.errors ?? []
    throw error
  }
  return []
}

export function pointers(content: unknown, more: Partial<NewCapture> = {}): string[] {
  return refusal(capture(content, more)).map((fault) => fault.pointer)
}

const empty: { captured?: { content?: unknown } } = {}

/** The content as a reader of the episode can put it together again; fields it never had are undefined. */
export function contentOf({ payload }: EpisodePlan): unknown {
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
