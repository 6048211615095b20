import type pg from 'pg'

/** Records above the ceiling or outside the scope of the scoped keys. */
const isOutside = `(r.scope <> 'mine' or r.sensitivity > 'low')`

/** The version of each record, and a digest of everything that a client can change. */
const states = `
  select r.id, r.version || ' ' || md5(concat_ws(' ', to_jsonb(r) - array['access_count', 'served_count',
    'last_accessed_at', 'importance', 'salience'], to_jsonb(c))) as state
  from records as r join contents as c on c.record_id = r.id`

/** Remembers the records that the scoped keys may not change, and reports those that changed. */
export function watchHiddenRecords(pool: pg.Pool, isScoped: boolean) {
  let known = new Map<string, string>()

  async function read(where: string, values: unknown[]): Promise<Map<string, string>> {
    const { rows } = await pool.query(`${states} where ${where}`, values)
    return new Map(rows.map(({ id, state }): [string, string] => [String(id), String(state)]))
  }

  return {
    async remember(): Promise<void> {
      if (!isScoped) return
      known = await read(isOutside, [])
      if (known.size < 10) throw new Error('there are too few records outside of the trust of the keys')
    },
    async findChanged(): Promise<string[]> {
      if (known.size === 0) return []
      const now = await read('r.id = any($1::uuid[])', [[...known.keys()]])
      const changed = [...known].filter(([id, state]) => now.get(id) !== state).map(([id]) => id)
      known = now
      return changed.length === 0 ? [] : [`changed outside of the trust of the key: ${changed.join(', ')}`]
    },
  }
}
