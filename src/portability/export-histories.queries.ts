import { sql } from 'kysely'
import { hiddenActor, isEntryShown, isMoveShown } from '../db/concealment.ts'
import { dayOfLife } from '../db/days.ts'
import { object, optional, optionalList, optionalWord, plain, text, time, word } from '../db/json-text.ts'
import type { Trust } from '../domain/caller.ts'
import { maxAccesses } from './line-limits.ts'

/** What has happened to row `r`, as the items of lists; null for nothing. Of `accesses` the whole members. */
export function buildHistories(trust: Trust) {
  return { auditLog: auditLog(trust), statusHistory: statusHistory(trust), importanceHistory, accesses }
}

const auditLog = (trust: Trust) => sql`
  select string_agg(${object(
    [
      ...[word('action', sql`a.action`), text('actor', sql`a.actor`)],
      ...[word('timestamp', time(sql`a.at`)), text('rationale', sql`a.rationale`)],
    ],
    ...[optionalWord('run_id', sql`a.run_id`), optionalWord('operation_id', sql`a.operation_id`)],
    ...[optional('changes', sql`a.changes::text`), optional('via', sql`a.via::text`)],
  )}, ',' order by a.id)
  from audit_entries as a where a.record_id = r.id and ${isEntryShown(trust, sql`r.id`)}`

const statusHistory = (trust: Trust) => sql`
  select string_agg(${object(
    [
      ...[word('old', sql`s.old`), word('new', sql`s.new`)],
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
        select count(distinct ${dayOfLife(sql`l.at`)}) from access_log as l, (select min(at) as at from newest) as oldest
        where l.record_id = r.id and l.at < oldest.at and ${dayOfLife(sql`l.at`)} < ${dayOfLife(sql`oldest.at`)}
      ) end, 0)::text`,
  )})
)`
