import type { EpisodicPayload, SemanticPayload, WorkingPayload } from '../../domain/payloads/payloads.ts'
import { maskFact, maskSecrets, maskText } from '../../domain/secrets/masking.ts'
import { AppError, type Fault } from '../../kernel/errors.ts'
import type { NewCapture } from '../capture.schemas.ts'
import { buildEpisodePayload, findEpisodeFaults, findToolCall, findToolFaults } from './episode-payload.ts'
import { type Summary, summarise } from './event-summary.ts'
import { type CheckSchema, type Evidence, readEvidence } from './evidence.ts'
import { buildFactPayload, findFactFaults, findTripleFaults, hasFact } from './fact-payload.ts'
import { findReportFaults, type OutcomeReport, readOutcomeReport } from './outcome-report.ts'
import { buildTaskPayload, findTaskFaults } from './task-payload.ts'

/** Plans the records to store for the captured input. */

/** The source entry in the provenance. */
type Source = {
  kind: 'event' | 'tool_call' | 'observation' | 'outcome'
  ref: string
  created_by: string
  timestamp: string
}

type PlanBase = {
  /** `content.ref`, by which a retry is recognised. */
  ref: string | undefined
  /** One sentence without secrets. */
  summary: string
  source: Source
  /** The kind of evidence that a fact derived from it names. */
  evidenceType: 'event' | 'tool' | 'observation'
}
export type EpisodePlan = PlanBase & {
  kind: 'event' | 'tool_output' | 'observation'
  payload: EpisodicPayload
  fact: SemanticPayload | undefined
}
export type TaskPlan = PlanBase & { kind: 'working_state'; payload: WorkingPayload }
export type OutcomePlan = PlanBase & { kind: 'outcome'; report: OutcomeReport }
export type CapturePlan = EpisodePlan | TaskPlan | OutcomePlan

type Kind = CapturePlan['kind']

const kindSources: Readonly<Record<Kind, { source: Source['kind']; evidence: PlanBase['evidenceType'] }>> = {
  event: { source: 'event', evidence: 'event' },
  tool_output: { source: 'tool_call', evidence: 'tool' },
  observation: { source: 'observation', evidence: 'observation' },
  working_state: { source: 'event', evidence: 'event' },
  outcome: { source: 'outcome', evidence: 'event' },
}

/**
 * Returns what to store. Fields with a meaning must match their schema (422 otherwise); all other fields are kept
 * unchanged.
 */
export function planCapture(
  input: NewCapture,
  { now, check }: { now: Date; check: CheckSchema },
): CapturePlan {
  const kind = getKind(input.source_kind)
  const evidence = readEvidence(input, now)
  const faults = [...findTimeFaults(input, now), ...findFaults(kind, evidence, check)]
  if (faults.length > 0) {
    throw new AppError('validation_failed', 'The content does not match its source_kind.', { errors: faults })
  }
  return buildPlan(kind, evidence, check)
}

function getKind(sourceKind: string | undefined): Kind {
  return sourceKind !== undefined && Object.hasOwn(kindSources, sourceKind) ? (sourceKind as Kind) : 'event'
}

function findTimeFaults({ timestamp }: NewCapture, now: Date): Fault[] {
  if (timestamp === undefined || new Date(timestamp) <= now) return []
  return [{ pointer: '/timestamp', message: 'must not be in the future' }]
}

/** The state of a task and the outcome of an episode are not facts, even if they have subject, predicate and object. */
function findFaults(kind: Kind, evidence: Evidence, check: CheckSchema): Fault[] {
  switch (kind) {
    case 'working_state':
      return findTaskFaults(evidence, check)
    case 'outcome':
      return findReportFaults(evidence, check)
    case 'tool_output':
      return [...findToolFaults(evidence, check), ...findFactFaults(evidence, check)]
    case 'observation':
      return [
        ...findEpisodeFaults(evidence, check),
        ...findFactFaults(evidence, check),
        ...findTripleFaults(evidence),
      ]
    case 'event':
      return [...findEpisodeFaults(evidence, check), ...findFactFaults(evidence, check)]
  }
}

/** An episode keeps the captured content unchanged. Everything else that is derived from the evidence is masked. */
function buildPlan(kind: Kind, evidence: Evidence, check: CheckSchema): CapturePlan {
  const summary = summarise(evidence)
  const base = buildPlanBase(kind, evidence, summary)
  if (kind === 'outcome') return { kind, ...base, report: maskReport(readOutcomeReport(evidence)) }
  if (kind === 'working_state') return { kind, ...base, payload: maskTask(buildTaskPayload(evidence)) }
  const call = kind === 'tool_output' ? findToolCall(evidence, check) : undefined
  const eventKind = evidence.input.source_kind || 'event'
  return {
    kind,
    ...base,
    payload: buildEpisodePayload(evidence, { summary: summary.summary, kind: eventKind, call }),
    fact: hasFact(evidence) ? maskFact(buildFactPayload(evidence)) : undefined,
  }
}

/** The thread id is not masked, because a later report must repeat it. */
function maskTask(payload: WorkingPayload): WorkingPayload {
  return { ...(maskSecrets(payload) as WorkingPayload), thread_id: payload.thread_id }
}

function maskReport({ rationale, kept, ...report }: OutcomeReport): OutcomeReport {
  return {
    ...report,
    ...(rationale === undefined ? {} : { rationale: maskText(rationale) }),
    kept: maskSecrets(kept) as OutcomeReport['kept'],
  }
}

function buildPlanBase(kind: Kind, evidence: Evidence, { sentence }: Summary): PlanBase {
  const { input, fields, occurredAt: at } = evidence
  const { ref } = fields as { ref?: string }
  const kindSource = kindSources[kind]
  return {
    ref,
    summary: maskText(sentence),
    source: { kind: kindSource.source, ref: ref ?? input.source, created_by: input.source, timestamp: at },
    evidenceType: kindSource.evidence,
  }
}
