import { type RawBuilder, sql } from 'kysely'
import { hiddenActor, isEntryShown, isMoveShown } from '../../db/fragments/concealment.ts'
import {
  object,
  optional,
  optionalList,
  optionalWord,
  plain,
  text,
  time,
  word,
} from '../../db/fragments/json/json-text.ts'
import { computeDayOfLife } from '../../db/fragments/lifecycle/record-days.ts'
import type { Trust } from '../../domain/trust/caller.ts'
import { maxAccesses, maxLineBytes, maxLineValues } from '../line-limits.ts'

type Fragment = RawBuilder<unknown>

/** The histories of row `r`, as the items of lists; null where there is none. `accesses` has its members whole. */
export function buildHistories(trust: Trust) {
  return {
    auditLog: writeAuditLog(trust),
    statusHistory: writeStatusHistory(trust),
    importanceHistory,
    accesses,
  }
}

const writeEntry = (changes: Fragment) =>
  object(
    [
      word('action', sql`a.action`),
      text('actor', sql`a.actor`),
      word('timestamp', time(sql`a.at`)),
      text('rationale', sql`a.rationale`),
    ],
    optionalWord('run_id', sql`a.run_id`),
    optionalWord('operation_id', sql`a.operation_id`),
    optional('changes', changes),
    optional('via', sql`a.via::text`),
  )

/** Log entries with less than this in their changes fit into a line with every record. */
const alwaysFits = 1_024 ** 2
/** For the other parts of a line. */
const reserve = 1_024 ** 2

/** The share of a JSON text in a line, which is limited in bytes and in values. Most values follow a comma. */
const computeShare = (json: Fragment) =>
  sql`greatest(
    octet_length(${json}), ${sql.lit(Math.ceil(maxLineBytes / maxLineValues))} * (length(${json}) - length(replace(${json}, ',', '')))
  )::int8`

/**
 * A line that an import refuses as too long would be lost. So the changes of the oldest entries are left out where the line would
 * not hold them: a task whose state has megabytes has a log of several times as much.
 */
const writeAuditLog = (trust: Trust) => {
  const isOfRecord = sql`a.record_id = r.id and ${isEntryShown(trust, sql`r.id`)}`
  return sql`
  select case when coalesce(sum(octet_length(a.changes::text)), 0) <= ${sql.lit(alwaysFits)}
    then string_agg(${writeEntry(sql`a.changes::text`)}, ',' order by a.id)
    else (
      select string_agg(${writeEntry(sql`case when a.share <= a.room then a.written end`)}, ',' order by a.id)
      from (
        select a.*, sum(${computeShare(sql`a.written`)}) over (order by a.id desc) as share
        from (
          select a.*, a.changes::text as written, ${sql.lit(maxLineBytes - reserve)}
            - ${computeShare(sql`c.payload::text`)} - ${computeShare(sql`c.provenance::text`)} as room
          from audit_entries as a where ${isOfRecord} offset 0
        ) as a
      ) as a
    ) end
  from audit_entries as a where ${isOfRecord}`
}

const writeStatusHistory = (trust: Trust) => sql`
  select string_agg(${object(
    [
      word('old', sql`s.old`),
      word('new', sql`s.new`),
      text('actor', sql`case when s.is_shown then s.actor else ${hiddenActor} end`),
      word('changed_at', time(sql`s.at`)),
      text('reason', sql`case when s.is_shown then s.reason else '' end`),
      text('step', sql`s.step`),
    ],
    optionalWord('run_id', sql`s.run_id`),
    optional('via', sql`case when s.is_shown then s.via::text end`),
  )}, ',' order by s.id)
  from (
    select s.*, ${isMoveShown(trust, sql`r.id`)} as is_shown from status_changes as s where s.record_id = r.id
  ) as s`

const importanceHistory = sql`
  select string_agg(${object(
    [plain('old', sql`h.old`), plain('new', sql`h.new`), word('changed_at', time(sql`h.at`))],
    optionalWord('run_id', sql`h.run_id`),
  )}, ',' order by h.id)
  from importance_history as h where h.record_id = r.id`

/** The newest accesses one by one, and the number of other days with older accesses. */
const accesses = sql`(
  with newest as materialized (
    select l.at, l.kind, l.actor, l.key_id from access_log as l where l.record_id = r.id
    order by l.at desc, l.kind desc, l.actor desc, l.key_id desc limit ${sql.lit(maxAccesses)}
  )
  select concat(${optionalList(
    'access_log',
    sql`select string_agg(${object(
      [word('at', time(sql`n.at`)), word('kind', sql`n.kind`), text('actor', sql`n.actor`)],
      optional('key_id', sql`to_json(n.key_id)::text`),
    )}, ',' order by n.at, n.kind, n.actor, n.key_id)
    from newest as n`,
  )}, ${optional(
    'access_days',
    sql`select nullif(
      coalesce((select f.days from access_folds as f where f.record_id = r.id), 0)
      + case when r.access_count <= ${sql.lit(maxAccesses)} then 0 else (
        select count(distinct ${computeDayOfLife(sql`l.at`)}) from access_log as l, (select min(at) as at from newest) as oldest
        where l.record_id = r.id and l.at < oldest.at and ${computeDayOfLife(sql`l.at`)} < ${computeDayOfLife(sql`oldest.at`)}
      ) end, 0)::text`,
  )})
)`
