import { sql } from 'kysely'
import { recordState } from '../db/fragments/record-state.ts'

/** What is kept of every record that a run changes: its state, and what the change of its salience moves. */
export const recordSnapshotFields = sql`
  ${recordState}, 'forgotten_at', r.forgotten_at, 'salience', r.salience, 'prune_at', r.prune_at, 'updated_at', r.updated_at`
