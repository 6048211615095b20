import { type Kysely, sql } from 'kysely'

/**
 * What a run that consolidates writes of one record by one statement is kept in one row instead of six: half of all rows that it
 * inserted were kept ones. Earlier rows stay as they are.
 *
 * Locks: adding a column without a default needs no rewrite.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table run_effects add column others jsonb`.execute(db)
  await sql`
    comment on column run_effects.others is
      'the other rows that the same statement wrote of the record, each with relation, before and after'
  `.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into run_effects (run_id, batch, record_id, relation, before, after)
    select e.run_id, e.batch, e.record_id, other.relation, nullif(other.before, 'null'), nullif(other.after, 'null')
    from run_effects as e
    cross join lateral jsonb_to_recordset(e.others) as other (relation text, before jsonb, after jsonb)
    where e.others is not null
    order by e.id
  `.execute(db)
  await sql`alter table run_effects drop column others`.execute(db)
}
