import type { RecordType } from '../../db/schema.ts'
import type { Handle } from '../../domain/identity/handles.ts'
import type { Payload } from '../../domain/payloads/payloads.ts'
import type { Episode } from '../episode.ts'
import type { StageName } from '../stages.ts'

/** The two kinds of practice: a skill is a sequence of tools, a plan is a graph of operations. */

/** The number of successes and failures, and the time of the last use. */
export type OutcomeCounts = { successes: number; failures: number; lastAt: string | null }

/** The actions of an episode, in a form that is equal for episodes with the same actions. */
export type Pattern = {
  handle: Handle
  /** Returns the payload of the practice without its counts. `episode` is the one that creates it. */
  compose(episode: Episode): Payload
}

export type PracticeKind = {
  stage: Extract<StageName, 'competence' | 'plan_graph'>
  type: Extract<RecordType, 'competence' | 'plan_graph'>
  /** The author in the provenance and in the audit log. */
  actor: string
  figure: 'competence_extracted' | 'plan_graphs_extracted'
  /** Successes needed before the practice is created. */
  minSuccesses: number
  /** The field of the payload that holds the counts. */
  countsField: 'performance' | 'metrics'
  /** Returns undefined if the episode contains no such practice. */
  read(episode: Episode): Pattern | undefined
  readCounts(stored: unknown): OutcomeCounts
  writeCounts(counts: OutcomeCounts): object
}
