import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { salienceAt } from '../db/salience.ts'
import { openTo, visibleTo } from '../db/visibility.ts'
import type { Question } from './question.ts'

type Condition = RawBuilder<SqlBool>

/** Whose records: all that trust allows, or those that are seen whole. */
export type Visibility = 'whole' | 'any'

/**
 * All that a row `r` of records must be to answer a question. Every way to find records carries this in its own
 * statement, so that what is filtered out takes no part in any order or cut.
 */
export function answerConditions(question: Question, seen: Visibility): Condition[] {
  const living = sql<SqlBool>`(${sql.join(livingConditions(question), sql` and `)})`
  const salience = salienceCondition(question)
  if (seen === 'whole') return [...matchingConditions(question, seen), living, ...salience]
  // What a redacted record hides neither keeps it away nor brings it; that its salience is nothing it shows.
  const max = question.trust.maxSensitivity
  const hidden = sql<SqlBool>`case when r.sensitivity > ${max} then r.base_salience > 0 else ${living} end`
  return [...matchingConditions(question, seen), hidden, ...salience]
}

/** Of a row that is seen whole: that it answers but for its status, its window or its salience. */
export function withheldConditions(question: Question): Condition[] {
  const living = sql.join([...livingConditions(question), ...salienceCondition(question)], sql` and `)
  return [...matchingConditions(question, 'whole'), sql<SqlBool>`not (${living})`]
}

/** Everything that is asked of a record, however it has fared. */
export function matchingConditions(question: Question, seen: Visibility): Condition[] {
  const { trust, types, kinds, layers, scopes, tags, minImportance, isPast, at } = question
  return [
    seen === 'whole' ? openTo(trust) : visibleTo(trust),
    sql<SqlBool>`r.forgotten_at is null`,
    ...(isPast ? [sql<SqlBool>`r.created_at <= ${at}::timestamptz`] : []),
    ...(types ? [sql<SqlBool>`r.type = any(${sql.val(types)}::record_type[])`] : []),
    ...(kinds ? [sql<SqlBool>`r.memory_kind = any(${sql.val(kinds)}::memory_kind[])`] : []),
    ...(layers ? [sql<SqlBool>`r.layer = any(${sql.val(layers)}::memory_layer[])`] : []),
    ...(scopes ? [sql<SqlBool>`r.scope = any(${sql.val(scopes)}::text[])`] : []),
    ...(minImportance === undefined ? [] : [sql<SqlBool>`r.importance >= ${minImportance}`]),
    ...(tags
      ? [
          sql<SqlBool>`r.id in (select t.record_id from contents as t where t.tags @> ${sql.val(tags)}::text[])`,
        ]
      : []),
  ]
}

/** Statuses are written out: of an array it does not see a planner expects ten, and makes its plan anew each time. */
function livingConditions(question: Question): Condition[] {
  const { statuses, includesExpired } = question
  return [
    sql<SqlBool>`${statusAtInstant(question)} in (${sql.join(statuses.map((status) => sql.lit(status)))})`,
    ...(includesExpired ? [] : [isValidAtInstant(question)]),
  ]
}

/** The stored salience is never too low, and an index or a plain comparison is asked first; the exact one decides. */
function salienceCondition(question: Question): Condition[] {
  const { minSalience, isPast } = question
  if (minSalience === undefined) return []
  const exact = sql<SqlBool>`${salienceAtInstant(question)} >= ${minSalience}`
  return isPast ? [exact] : [sql<SqlBool>`r.salience >= ${minSalience}`, exact]
}

/**
 * Only facts have a window, and few of them: an index of those alone is asked, where the content of each would have
 * to be read. Spelled as a value, for `exists` might be answered by listing all that have a window.
 */
export function isValidAtInstant({ at }: Pick<Question, 'at'>): Condition {
  return sql<SqlBool>`case when r.type = 'semantic' then coalesce((
    select coalesce((v.payload #>> '{validity,start}')::timestamptz <= ${at}::timestamptz, true)
      and coalesce((v.payload #>> '{validity,end}')::timestamptz > ${at}::timestamptz, true)
    from contents as v where v.record_id = r.id and v.payload #>> '{validity,mode}' = 'timeboxed'
  ), true) else true end`
}

/** The first move after an instant tells from what. */
export function statusAtInstant({ at, isPast }: Pick<Question, 'at' | 'isPast'>): RawBuilder<string> {
  if (!isPast) return sql<string>`r.status`
  return sql<string>`coalesce((
    select s.old from status_changes as s
    where s.record_id = r.id and s.at > ${at}::timestamptz order by s.id limit 1
  ), r.status)`
}

/**
 * The salience of an instant. Of a past one as near as can be known: a record that has been left alone since has
 * the anchor it had; one whose salience was moved later with its anchor kept is led back along its curve; else the
 * last value that was written before that instant faded on from there; else what was replaced after it is led
 * back to the record's creation.
 */
export function salienceAtInstant(question: Pick<Question, 'at' | 'isPast'>): RawBuilder<number> {
  const { at, isPast } = question
  if (!isPast) return salienceAt(at)
  const fading = (since: RawBuilder<unknown>, until: RawBuilder<unknown>) =>
    sql`fading_factor(r.curve, least(
      greatest(date_part('epoch', ${until} - ${since}), 0) / r.half_life_seconds, 64
    ))`
  const instant = sql`${at}::timestamptz`
  const ledBack = (anchor: RawBuilder<unknown>) => sql`coalesce(
    least(
      n.before * ${fading(anchor, instant)} / nullif(${fading(anchor, sql`n.at`)}, 0),
      greatest(n.before, r.max_salience, 1)
    ), n.before)`
  return sql<number>`(
    select case
      when not p.pinned and r.expires_at <= ${instant} then 0
      when r.anchored_at <= ${instant} and n.at is null then salience_at(r, ${instant})
      when p.pinned then coalesce(n.before, l.after, r.base_salience)
      when r.anchored_at <= ${instant} then ${ledBack(sql`r.anchored_at`)}
      when l.at is not null then greatest(
        l.after * ${fading(sql`l.at`, instant)}, least(r.min_salience, l.after)
      )
      when n.at is not null then ${ledBack(sql`r.created_at`)}
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
