import { sql } from 'kysely'

/** The columns of a row `r` of `records` that always tell whether the record has changed, for `jsonb_build_object`. */
export const recordState = sql`
  'id', r.id, 'version', r.version, 'status', r.status, 'pinned', r.pinned, 'layer', r.layer, 'scope', r.scope,
  'sensitivity', r.sensitivity, 'base_salience', r.base_salience, 'anchored_at', r.anchored_at`
