import { maskFact, maskSecrets, maskText } from '../domain/masking.ts'
import type { EpisodicPayload, SemanticPayload, WorkingPayload } from '../domain/payloads.ts'
import { AppError, type Fault } from '../kernel/errors.ts'
import type { NewCapture } from './capture.schemas.ts'
import { findCall, findEpisodeFaults, findToolFaults, tellEpisode } from './episode-payload.ts'
import { findVerdictFaults, tellVerdict, type Verdict } from './episode-verdict.ts'
import { type Summary, summarise } from './event-summary.ts'
import { type Check, type Evidence, readEvidence } from './evidence.ts'
import { findFactFaults, holdsFact, tellFact } from './fact-payload.ts'
import { findTaskFaults, tellTask } from './task-payload.ts'

/** From what was captured to what is to be stored of it. */

/** Of the provenance. */
type Source = {
  kind: 'event' | 'tool_call' | 'observation' | 'outcome'
  ref: string
  created_by: string
  timestamp: string
}

type Told = {
  /** `content.ref`: the name by which a retry is known. */
  ref: string | undefined
  /** One sentence, without secrets. */
  summary: string
  source: Source
  /** What kind of source the evidence is for a fact derived from it. */
  evidenceType: 'event' | 'tool' | 'observation'
}
export type EpisodePlan = Told & {
  kind: 'event' | 'tool_output' | 'observation'
  payload: EpisodicPayload
  fact: SemanticPayload | undefined
}
export type TaskPlan = Told & { kind: 'working_state'; payload: WorkingPayload }
export type VerdictPlan = Told & { kind: 'outcome'; verdict: Verdict }
export type Plan = EpisodePlan | TaskPlan | VerdictPlan

type Kind = Plan['kind']

const natures: Readonly<Record<Kind, { source: Source['kind']; evidence: Told['evidenceType'] }>> = {
  event: { source: 'event', evidence: 'event' },
  tool_output: { source: 'tool_call', evidence: 'tool' },
  observation: { source: 'observation', evidence: 'observation' },
  working_state: { source: 'event', evidence: 'event' },
  outcome: { source: 'outcome', evidence: 'event' },
}

/** What does not fit its place is refused by name; what has no place is kept as it came. */
export function classify(given: NewCapture, { now, check }: { now: Date; check: Check }): Plan {
  const kind = kindOf(given.source_kind)
  const evidence = readEvidence(given, now)
  const faults = [...findTimeFaults(given, now), ...findFaults(kind, evidence, check)]
  if (faults.length > 0) {
    throw new AppError('validation_failed', 'What was captured does not fit its kind.', { errors: faults })
  }
  return plan(kind, evidence, check)
}

function kindOf(named: string | undefined): Kind {
  return named !== undefined && Object.hasOwn(natures, named) ? (named as Kind) : 'event'
}

function findTimeFaults({ timestamp }: NewCapture, now: Date): Fault[] {
  if (timestamp === undefined || new Date(timestamp) <= now) return []
  return [{ pointer: '/timestamp', message: 'must not be in the future' }]
}

/** How a task stands and how one ended are no facts, even if they are told as subject, predicate and object. */
function findFaults(kind: Kind, evidence: Evidence, check: Check): Fault[] {
  switch (kind) {
    case 'working_state':
      return findTaskFaults(evidence, check)
    case 'outcome':
      return findVerdictFaults(evidence, check)
    case 'tool_output':
      return [...findToolFaults(evidence, check), ...findFactFaults(evidence, false, check)]
    default:
      return [
        ...findEpisodeFaults(evidence, check),
        ...findFactFaults(evidence, kind === 'observation', check),
      ]
  }
}

/** An episode keeps what was captured as it came; whatever else is made of the evidence holds no secret. */
function plan(kind: Kind, evidence: Evidence, check: Check): Plan {
  const summary = summarise(evidence)
  const told = tell(kind, evidence, summary)
  if (kind === 'outcome') return { kind, ...told, verdict: maskVerdict(tellVerdict(evidence)) }
  if (kind === 'working_state') return { kind, ...told, payload: maskTask(tellTask(evidence)) }
  const call = kind === 'tool_output' ? findCall(evidence, check) : undefined
  const eventKind = evidence.given.source_kind || 'event'
  return {
    kind,
    ...told,
    payload: tellEpisode(evidence, { summary: summary.said, kind: eventKind, call }),
    fact: holdsFact(evidence) ? maskFact(tellFact(evidence)) : undefined,
  }
}

/** Its thread is a name, which a later report has to repeat. */
function maskTask(payload: WorkingPayload): WorkingPayload {
  return { ...(maskSecrets(payload) as WorkingPayload), thread_id: payload.thread_id }
}

function maskVerdict({ rationale, kept, ...verdict }: Verdict): Verdict {
  return {
    ...verdict,
    ...(rationale === undefined ? {} : { rationale: maskText(rationale) }),
    kept: maskSecrets(kept) as Verdict['kept'],
  }
}

function tell(kind: Kind, evidence: Evidence, { sentence }: Summary): Told {
  const { given, fields, at } = evidence
  const { ref } = fields as { ref?: string }
  const nature = natures[kind]
  return {
    ref,
    summary: maskText(sentence),
    source: { kind: nature.source, ref: ref ?? given.source, created_by: given.source, timestamp: at },
    evidenceType: nature.evidence,
  }
}
