import { type RawBuilder, sql } from 'kysely'

const nothing = sql``

/**
 * The parts of a statement that keeps the rows that it inserts, for the run `effectsRunId`, as the triggers do (migration 0057). Without
 * a run they are empty, and the triggers do it. Such a statement is executed within `saveEffectsByStatement`.
 */
export function createEffectSaving(effectsRunId: string | undefined) {
  const isKept = effectsRunId !== undefined
  const returned = (owner: RawBuilder<unknown>, row: RawBuilder<unknown>) =>
    sql`${owner} as owner, ${row} as row`
  return {
    /** Ends a part that inserts into a table: with the record that the row is kept with, and what is kept of the row as JSON. */
    returnRow: (owner: RawBuilder<unknown>, row: RawBuilder<unknown>): RawBuilder<unknown> =>
      isKept ? sql`returning ${returned(owner, row)}` : nothing,
    /** The same for a part that returns something already. */
    addRow: (owner: RawBuilder<unknown>, row: RawBuilder<unknown>): RawBuilder<unknown> =>
      isKept ? sql`, ${returned(owner, row)}` : nothing,
    /**
     * The last part of the statement, which keeps the rows: one effect for each record, with the rows of its other tables in
     * `others`. `parts` are the names of the parts that insert, by their table. The row of the first one comes first.
     */
    saveRows(parts: Readonly<Record<string, string>>): RawBuilder<unknown> {
      if (!isKept) return nothing
      const rows = Object.entries(parts).map(
        ([table, part], place) =>
          sql`select owner, ${sql.lit(place)} as place, ${table}::text as relation, row from ${sql.ref(part)}`,
      )
      return sql`, effect as (
        insert into run_effects (run_id, record_id, relation, after, others)
        select ${effectsRunId}::uuid, owner, max(numbered.relation) filter (where nth = 1),
          (array_agg(numbered.row) filter (where nth = 1))[1], jsonb_agg(other order by nth) filter (where nth > 1)
        from (
          select *, row_number() over (partition by owner order by place) as nth
          from (${sql.join(rows, sql` union all `)}) as written
        ) as numbered
        cross join lateral (select numbered.relation, numbered.row as after) as other
        group by owner
      )`
    },
  }
}
