import { type RawBuilder, sql } from 'kysely'

const nothing = sql``

/**
 * The parts of a statement that keeps the rows that it inserts, for the run `effectsRunId`, as the triggers do (migration 0057). Without
 * a run they are empty, and the triggers do it. Such a statement is executed within `saveEffectsByStatement`.
 */
export function createEffectSaving(effectsRunId: string | undefined) {
  const isKept = effectsRunId !== undefined
  const row = (table: string) => sql`to_jsonb(${sql.ref(table)}) as row`
  return {
    /** Ends a part that inserts into a table. */
    returnRow: (table: string, owner: string): RawBuilder<unknown> =>
      isKept ? sql`returning ${sql.ref(owner)} as owner, ${row(table)}` : nothing,
    /** The same for a part that returns something already. */
    addRow: (table: string, owner: string): RawBuilder<unknown> =>
      isKept ? sql`, ${sql.ref(owner)} as owner, ${row(table)}` : nothing,
    /** The part that keeps the rows, after all others. `parts` are the names of those that insert, by their table. */
    saveRows(parts: Readonly<Record<string, string>>): RawBuilder<unknown> {
      if (!isKept) return nothing
      const rows = Object.entries(parts).map(
        ([table, part]) => sql`select ${effectsRunId}::uuid, owner, ${table}, row from ${sql.ref(part)}`,
      )
      return sql`, effect as (
        insert into run_effects (run_id, record_id, relation, after) ${sql.join(rows, sql` union all `)}
      )`
    },
  }
}
