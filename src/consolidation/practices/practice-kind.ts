import type { RecordType } from '../../db/schema.ts'
import type { Handle } from '../../domain/handles.ts'
import type { Payload } from '../../domain/payloads.ts'
import type { Episode, StageName } from '../stages.ts'

/** What is learnt from doing the same thing again: a skill by its tools, a plan by its structure. */

/** How often it went well and how often not, and when it was last done. */
export type OutcomeCounts = { successes: number; failures: number; lastAt: string | null }

/** What an episode did, as far as others can have done the same. */
export type Pattern = {
  handle: Handle
  /** What is known of it once it is known, but for how well it works; `episode` is the one that made it known. */
  compose(episode: Episode): Payload
}

export type PracticeKind = {
  stage: Extract<StageName, 'competence' | 'plan_graph'>
  type: Extract<RecordType, 'competence' | 'plan_graph'>
  /** Of its records and their log. */
  actor: string
  figure: 'competence_extracted' | 'plan_graphs_extracted'
  /** Successes until it is known. */
  minSuccesses: number
  /** Of the payload, where the tally is kept. */
  countsField: 'performance' | 'metrics'
  /** None where there is nothing to learn. */
  read(episode: Episode): Pattern | undefined
  readCounts(kept: unknown): OutcomeCounts
  writeCounts(tally: OutcomeCounts): object
}
