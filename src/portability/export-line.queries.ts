import { type RawBuilder, sql } from 'kysely'
import { interpretationShown, payloadShown, provenanceShown } from '../db/concealed-contents.ts'
import { hiddenActor, isEntryShown, isMoveShown } from '../db/concealment.ts'
import { dayOfLife } from '../db/days.ts'
import { compact, joined, list, member, optional, optionalList, quoted, time } from '../db/json-text.ts'
import { salienceAt } from '../db/salience.ts'
import { openTo } from '../db/visibility.ts'
import type { Trust } from '../domain/caller.ts'
import { inversePairs } from '../domain/edges.ts'
import { maxAccesses } from './line-limits.ts'

type Fragment = RawBuilder<unknown>
type ExportContext = {
  trust: Trust
  now: Date
  filters: { include_forgotten?: boolean; embeddings?: boolean }
}

/**
 * The predicates of inverse edges. A hub may have a million of them; the export contains a part, because the record
 * at the other end has the edge too.
 */
const backward = sql.join(inversePairs.map(([, predicate]) => sql.lit(predicate)))
const maxBackward = 1_000

/**
 * The line of an export for row `r` and its contents `c`. The text is concatenated from parts that are JSON already:
 * absent members and lists would otherwise be parsed and written again.
 */
export function buildExportLine(context: ExportContext): RawBuilder<string> {
  const head = sql`
    select r.id, r.type, r.sensitivity, r.confidence, ${salienceAt(context.now)} as salience, c.tags,
      ${time(sql`r.created_at`)} as created_at, ${time(sql`r.updated_at`)} as updated_at, r.version,
      r.layer, r.memory_kind, r.status, r.importance, r.base_importance, r.access_count, r.source_type,
      r.emotional_valence, r.confirmation_count,
      ${compact(sql`
        select r.base_salience, ${time(sql`r.anchored_at`)} as anchored_at
      `)} as anchors,
      ${compact(sql`
        select ${decay} as decay, ${time(sql`r.last_reinforced_at`)} as last_reinforced_at, r.pinned, r.deletion_policy
      `)} as lifecycle
  `
  // One `concat`: with `||` every part would copy all parts before it.
  return sql<string>`concat(
    left(${compact(head)}::text, -1),
    ${member('provenance', sql`(${provenanceShown(context.trust)})::text`)}, ${member('payload', visiblePayload(context))},
    ${list('relations', visibleEdges(context))}, ${list('audit_log', auditLog(context))}, ${list('status_history', statusHistory(context))},
    ${optional('scope', sql`to_json(nullif(r.scope, ''))::text`)},
    ${optional('interpretation', sql`(${interpretationShown(context.trust)})::text`)},
    ${optional('last_accessed_at', quoted(time(sql`r.last_accessed_at`)))},
    ${optional('served_count', sql`nullif(r.served_count, 0)::text`)},
    ${optional('demoted_at', quoted(time(sql`r.demoted_at`)))},
    ${optional('forgotten', forgotten)},
    ${optionalList('importance_history', importanceHistory)},
    case when r.access_count > 0 then ${accesses} end,
    ${optional('worth', sql`to_json(encode(r.worth, 'hex'))::text`)},
    ${optional('surprise', surprise(context))},
    ${optionalList('descent', descent(context))},
    ${list('handles', handles)},
    case r.type when 'episodic' then ${joined(member('consolidation', consolidation))}
      when 'entity' then ${joined(list('identifiers', identifiers))} end,
    ${context.filters.embeddings ? optionalList('embeddings', embeddings) : sql`''`},
    '}'
  )`
}

const decay = compact(sql`
  select r.curve, r.half_life_seconds, r.min_salience, r.max_age_seconds, r.reinforcement_gain, r.max_salience
`)

/**
 * Whether the target of edge `e` is visible. A lookup for each edge: with a join the planner would sometimes read all
 * records for each page.
 */
function isTargetVisible({ trust, filters }: ExportContext): Fragment {
  const seen = filters.include_forgotten
    ? openTo(trust, 't')
    : sql`t.forgotten_at is null and ${openTo(trust, 't')}`
  return sql`(select ${seen} from records as t where t.id = e.target_id)`
}

function visibleEdges(context: ExportContext): Fragment {
  const edges = (condition: Fragment) => sql`
    select e.predicate, e.target_id, e.weight, e.created_at from relations as e
    where e.source_id = r.id ${condition} and ${isTargetVisible(context)}`
  const written = (from: Fragment) => sql`
    select string_agg(${compact(sql`
      select e.predicate, e.target_id, e.weight, ${time(sql`e.created_at`)} as created_at
    `)}::text, ',' order by e.created_at, e.target_id, e.predicate)
    from (${from}) as e`
  const first = sql`select from relations as e where e.source_id = r.id limit ${sql.lit(maxBackward + 1)}`
  return sql`
    select case when (select count(*) from (${first}) as few) <= ${sql.lit(maxBackward)} then (${written(edges(sql``))})
    else (${written(sql`
      (${edges(sql`and e.predicate not in (${backward})`)})
      union all
      (${edges(sql`and e.predicate in (${backward})`)}
        order by e.predicate desc, e.target_id desc limit ${sql.lit(maxBackward)})
    `)}) end`
}

/** The successor of a record is named only to a caller who sees the edge to it. */
function visiblePayload(context: ExportContext): Fragment {
  const payload = sql`(case
    when r.status = 'superseded' and r.type = 'semantic' and not exists (
      select from relations as e
      where e.source_id = r.id and e.predicate = 'superseded_by' and ${isTargetVisible(context)}
        and e.target_id::text = c.payload #>> '{revision,superseded_by}'
    ) then c.payload #- '{revision,superseded_by}'
    else c.payload
  end)`
  return sql`${payloadShown(context.trust, payload)}::text`
}

const auditLog = ({ trust }: ExportContext) => sql`
  select string_agg(left(${compact(sql`
      select a.action, a.actor, ${time(sql`a.at`)} as timestamp, a.rationale
    `)}::text, -1) || ${optional('run_id', sql`to_json(a.run_id)::text`)}
    || ${optional('operation_id', sql`to_json(a.operation_id)::text`)}
    || ${optional('changes', sql`a.changes::text`)}
    || ${optional('via', sql`a.via::text`)} || '}', ',' order by a.id)
  from audit_entries as a where a.record_id = r.id and ${isEntryShown(trust, sql`r.id`)}`

const statusHistory = ({ trust }: ExportContext) => sql`
  select string_agg(left(${compact(sql`
      select s.old, s.new, case when s.is_shown then s.actor else ${hiddenActor} end as actor,
        ${time(sql`s.at`)} as changed_at, case when s.is_shown then s.reason else '' end as reason, s.step
    `)}::text, -1) || ${optional('run_id', sql`to_json(s.run_id)::text`)}
    || ${optional('via', sql`case when s.is_shown then s.via::text end`)} || '}', ',' order by s.id)
  from (
    select s.*, ${isMoveShown(trust, sql`r.id`)} as is_shown from status_changes as s where s.record_id = r.id
  ) as s`

const importanceHistory = sql`
  select string_agg(left(${compact(sql`
      select h.old, h.new, ${time(sql`h.at`)} as changed_at
    `)}::text, -1) || ${optional('run_id', sql`to_json(h.run_id)::text`)} || '}', ',' order by h.id)
  from importance_history as h where h.record_id = r.id`

const forgotten = sql`
  case when r.forgotten_at is not null then left(${compact(sql`
      select ${time(sql`r.forgotten_at`)} as at, r.forgotten_reason as reason, r.forgotten_by as actor,
        ${time(sql`r.purge_at`)} as purge_at
    `)}::text, -1) || ${optional('run_id', sql`to_json(r.forgotten_run_id)::text`)} || '}' end`

/** The newest accesses one by one, and the number of other days with older accesses. */
const accesses = sql`(
  with newest as materialized (
    select l.at, l.kind, l.actor, l.key_id from access_log as l where l.record_id = r.id
    order by l.at desc, l.kind desc, l.actor desc, l.key_id desc limit ${sql.lit(maxAccesses)}
  )
  select ${optionalList(
    'access_log',
    sql`select string_agg(left(${compact(sql`
      select ${time(sql`n.at`)} as at, n.kind, n.actor
    `)}::text, -1) || ${optional('key_id', sql`to_json(n.key_id)::text`)} || '}', ',' order by n.at, n.kind, n.actor, n.key_id)
    from newest as n`,
  )} || ${optional(
    'access_days',
    sql`select nullif(
      coalesce((select f.days from access_folds as f where f.record_id = r.id), 0)
      + case when r.access_count <= ${sql.lit(maxAccesses)} then 0 else (
        select count(distinct ${dayOfLife(sql`l.at`)}) from access_log as l, (select min(at) as at from newest) as oldest
        where l.record_id = r.id and l.at < oldest.at and ${dayOfLife(sql`l.at`)} < ${dayOfLife(sql`oldest.at`)}
      ) end, 0)::text`,
  )}
)`

/** The comparison with its neighbours. Hidden neighbours are left out, because a similarity reveals what they say. */
function surprise({ trust }: ExportContext): Fragment {
  const isSeen = (id: Fragment) =>
    sql`exists (select from records as t where t.id = (${id})::uuid and ${openTo(trust, 't')})`
  return sql`
    select left(${compact(sql`
        select ${time(sql`s.at`)} as at, s.score, s.delta, s.base_before
      `)}::text, -1) || ${joined(
      list(
        'neighbours',
        sql`select string_agg(near.value::text, ',' order by near.place)
            from jsonb_array_elements(s.neighbours) with ordinality as near (value, place)
            where ${isSeen(sql`near.value ->> 'id'`)}`,
      ),
    )} || ${optional(
      'duplicate_of',
      sql`case when ${isSeen(sql`s.duplicate_of`)} then to_json(s.duplicate_of)::text end`,
    )} || '}'
    from surprises as s where s.record_id = r.id`
}

/** The descent of a record, without hidden sources. A purged source is still a source. */
function descent({ trust }: ExportContext): Fragment {
  return sql`
  select string_agg(${compact(sql`select d.source_id, d.kind, d.is_ground`)}::text, ',' order by d.source_id)
  from descents as d
  where d.derived_id = r.id and (
    exists (select from records as t where t.id = d.source_id and ${openTo(trust, 't')})
    or exists (select from departures as t where t.id = d.source_id and ${openTo(trust, 't')})
  )`
}

/**
 * The handles. A captured record has more of them than its payload shows, and fewer once another record has its
 * names.
 */
const handles = sql`
  select string_agg(left(${compact(sql`
      select encode(h.digest, 'hex') as digest
    `)}::text, -1) || ${optional('detail', quoted(sql`encode(h.detail, 'hex')`))} || ${optional('place', sql`h.place::text`)}
    || '}', ',' order by h.digest, h.detail, h.place)
  from handles as h where h.record_id = r.id`

const identifiers = sql`
  select string_agg(${compact(sql`select i.namespace, i.value`)}::text, ',' order by i.namespace, i.value)
  from entity_identifiers as i where i.record_id = r.id`

/**
 * The stages that an episode still waits for, and the tallies that it has counted in; without them it would count
 * twice.
 */
const consolidation = sql`(
  select '{"due":[' || coalesce((
    select string_agg(to_json(u.stage)::text, ',' order by u.stage) from unconsolidated as u where u.record_id = r.id
  ), '') || '],"tallies":[' || coalesce((
    select string_agg(${compact(sql`
      select e.stage, e.outcome, encode(e.digest, 'hex') as digest, e.scope
    `)}::text, ',' order by e.stage)
    from episode_tallies as e where e.episode_id = r.id
  ), '') || ']}'
)`

const embeddings = sql`
  select string_agg(${compact(sql`
    select m.provider, m.model, m.dimensions, e.bits, ${time(sql`e.embedded_at`)} as embedded_at,
      replace(encode(e.code, 'base64'), chr(10), '') as code,
      replace(encode(substring(bit_send(s.bits) from 5), 'base64'), chr(10), '') as signature
  `)}::text, ',' order by m.provider, m.model, m.dimensions)
  from embeddings as e
  join embedding_models as m on m.id = e.model_id
  join signatures as s on s.record_id = e.record_id and s.model_id = e.model_id
  where e.record_id = r.id`
