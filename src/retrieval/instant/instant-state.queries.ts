import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { computeSalienceAt, computeSalienceOf } from '../../db/fragments/lifecycle/salience.ts'
import type { Question } from '../question/question.ts'

/** Expressions over `records as r` for its state at the instant of a question, which may be in the past. */

/**
 * Only facts have a validity window, and few of them do: an index of those is read, instead of the content of every
 * record. Written as a value, because the planner may answer `exists` by listing every fact with a window.
 */
export function isValidAtInstant({ at }: Pick<Question, 'at'>): RawBuilder<SqlBool> {
  return sql<SqlBool>`case when r.type = 'semantic' then coalesce((
    select coalesce(${selectBound('start')} <= ${at}::timestamptz, true)
      and coalesce(${selectBound('end')} > ${at}::timestamptz, true)
    from contents as v where v.record_id = r.id and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end`
}

/** Release 0.1.0 stored offsets that PostgreSQL cannot read, such as +20:00; they are read as UTC. */
function selectBound(bound: 'start' | 'end'): RawBuilder<unknown> {
  const stored = sql`v.payload #>> ${sql.lit(`{validity,${bound}}`)}`
  return sql`regexp_replace(${stored}, '[+-](1[6-9]|2[0-3]):[0-5][0-9]$', 'Z')::timestamptz`
}

/** The status at a past instant is the old status of the first change after it. */
export function selectStatus({ at, isPast }: Pick<Question, 'at' | 'isPast'>): RawBuilder<string> {
  if (!isPast) return sql<string>`r.status`
  return sql<string>`coalesce((
    select s.old from status_changes as s
    where s.record_id = r.id and s.at > ${at}::timestamptz order by s.id limit 1
  ), r.status)`
}

/**
 * The salience at an instant; for a past instant it is an estimate. A record without later changes is read from its
 * curve. A record whose salience changed later without a new anchor is calculated back along its curve. Otherwise the
 * last value written before the instant decays from there. Without such a value the first one replaced after the
 * instant is calculated back from the creation.
 */
export function computeSalienceAtInstant(question: Pick<Question, 'at' | 'isPast'>): RawBuilder<number> {
  const { at, isPast } = question
  if (!isPast) return computeSalienceAt(at)
  const computeFading = (since: RawBuilder<unknown>, until: RawBuilder<unknown>) =>
    sql`fading_factor(r.curve, least(
      greatest(date_part('epoch', ${until} - ${since}), 0) / r.half_life_seconds, 64
    ))`
  const instant = sql`${at}::timestamptz`
  const computeFromAnchor = (anchor: RawBuilder<unknown>) => sql`coalesce(
    least(
      n.before * ${computeFading(anchor, instant)} / nullif(${computeFading(anchor, sql`n.at`)}, 0),
      greatest(n.before, r.max_salience, 1)
    ), n.before)`
  return sql<number>`(
    select case
      when not p.pinned and r.expires_at <= ${instant} then 0
      when r.anchored_at <= ${instant} and n.at is null then ${computeSalienceOf('r', instant)}
      when p.pinned then coalesce(n.before, l.after, r.base_salience)
      when r.anchored_at <= ${instant} then ${computeFromAnchor(sql`r.anchored_at`)}
      when l.at is not null then greatest(
        l.after * ${computeFading(sql`l.at`, instant)}, least(r.min_salience, l.after)
      )
      when n.at is not null then ${computeFromAnchor(sql`r.created_at`)}
      else r.base_salience
    end
    from (select) as nothing
    left join lateral (
      select a.at, (a.changes #>> '{salience,0}')::float8 as before from audit_entries as a
      where a.record_id = r.id and a.at > ${instant} and jsonb_typeof(a.changes #> '{salience,0}') = 'number'
      order by a.id limit 1
    ) as n on true
    left join lateral (
      select a.at, (a.changes #>> '{salience,1}')::float8 as after from audit_entries as a
      where a.record_id = r.id and a.at <= ${instant} and jsonb_typeof(a.changes #> '{salience,1}') = 'number'
      order by a.id desc limit 1
    ) as l on true
    cross join lateral (
      select coalesce((
        select a.action = 'unpin' from audit_entries as a
        where a.record_id = r.id and a.at > ${instant} and a.action in ('pin', 'unpin')
        order by a.id limit 1
      ), r.pinned) as pinned
    ) as p
  )`
}
