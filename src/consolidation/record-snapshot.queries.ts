import { sql } from 'kysely'

/** The columns that identify a record and tell whether it has changed, kept of every record that a run changes. */
export const recordSnapshotFields = sql`
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'anchored_at', r.anchored_at, 'forgotten_at', r.forgotten_at,
  'base_salience', r.base_salience, 'salience', r.salience, 'prune_at', r.prune_at, 'updated_at', r.updated_at`
