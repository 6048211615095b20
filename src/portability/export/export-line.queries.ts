import { type RawBuilder, sql } from 'kysely'
import { showInterpretation, showPayload, showProvenance } from '../../db/fragments/concealed-contents.ts'
import {
  flag,
  list,
  object,
  optional,
  optionalList,
  optionalWord,
  orNull,
  plain,
  text,
  time,
  word,
} from '../../db/fragments/json/json-text.ts'
import { computeSalienceAt } from '../../db/fragments/lifecycle/salience.ts'
import { openTo } from '../../db/fragments/visibility.ts'
import { buildEdges, type ExportContext } from './export-edges.queries.ts'
import { buildHistories } from './export-histories.queries.ts'

type Fragment = RawBuilder<unknown>

/** The line of an export for row `r` and its contents `c`. */
export function buildExportLine(context: ExportContext): RawBuilder<string> {
  const { edges, isTargetVisible } = buildEdges(context)
  const histories = buildHistories(context.trust)
  return object(
    writeHead(context, isTargetVisible),
    list('relations', edges),
    list('audit_log', histories.auditLog),
    list('status_history', histories.statusHistory),
    optional('scope', sql`to_json(nullif(r.scope, ''))::text`),
    optional('interpretation', sql`(${showInterpretation(context.trust)})::text`),
    optionalWord('last_accessed_at', time(sql`r.last_accessed_at`)),
    optional('served_count', sql`nullif(r.served_count, 0)::text`),
    optionalWord('demoted_at', time(sql`r.demoted_at`)),
    optional('forgotten', forgotten),
    optionalList('importance_history', histories.importanceHistory),
    sql`case when r.access_count > 0 then ${histories.accesses} end`,
    optionalWord('worth', sql`encode(r.worth, 'hex')`),
    optional('surprise', writeSurprise(context)),
    optionalList('descent', writeDescent(context)),
    list('handles', writeHandles(context)),
    sql`case r.type when 'episodic' then ${optional('consolidation', consolidation)}
      when 'entity' then concat(${list('identifiers', identifiers)}) end`,
    context.filters.embeddings ? optionalList('embeddings', embeddings) : sql`null`,
  )
}

const writeHead = (context: ExportContext, isTargetVisible: Fragment) => [
  word('id', sql`r.id`),
  word('type', sql`r.type`),
  word('sensitivity', sql`r.sensitivity`),
  plain('confidence', sql`r.confidence`),
  plain('salience', computeSalienceAt(context.now)),
  text('tags', sql`c.tags`),
  word('created_at', time(sql`r.created_at`)),
  word('updated_at', time(sql`r.updated_at`)),
  plain('version', sql`r.version`),
  word('layer', sql`r.layer`),
  word('memory_kind', sql`r.memory_kind`),
  word('status', sql`r.status`),
  plain('importance', sql`r.importance`),
  plain('base_importance', sql`r.base_importance`),
  plain('access_count', sql`r.access_count`),
  word('source_type', sql`r.source_type`),
  plain('emotional_valence', sql`r.emotional_valence`),
  plain('confirmation_count', sql`r.confirmation_count`),
  plain('anchors', anchors),
  plain('lifecycle', lifecycle),
  plain('provenance', showProvenance(context.trust)),
  plain('payload', selectVisiblePayload(context, isTargetVisible)),
]

const anchors = object([
  plain('base_salience', sql`r.base_salience`),
  word('anchored_at', time(sql`r.anchored_at`)),
])

const decay = object([
  word('curve', sql`r.curve`),
  plain('half_life_seconds', sql`r.half_life_seconds`),
  plain('min_salience', sql`r.min_salience`),
  plain('max_age_seconds', sql`r.max_age_seconds`),
  plain('reinforcement_gain', sql`r.reinforcement_gain`),
  plain('max_salience', sql`coalesce(r.max_salience::text, 'null')`),
])

const lifecycle = object([
  plain('decay', decay),
  word('last_reinforced_at', time(sql`r.last_reinforced_at`)),
  flag('pinned', sql`r.pinned`),
  word('deletion_policy', sql`r.deletion_policy`),
])

/** The successor of a record is named only to a caller who sees the edge to it. */
function selectVisiblePayload({ trust }: ExportContext, isTargetVisible: Fragment): Fragment {
  const payload = sql`(case
    when r.status = 'superseded' and r.type = 'semantic' and not exists (
      select from relations as e
      where e.source_id = r.id and e.predicate = 'superseded_by' and ${isTargetVisible}
        and e.target_id::text = c.payload #>> '{revision,superseded_by}'
    ) then c.payload #- '{revision,superseded_by}'
    else c.payload
  end)`
  return showPayload(trust, payload)
}

const forgotten = sql`
  case when r.forgotten_at is not null then ${object(
    [
      word('at', time(sql`r.forgotten_at`)),
      orNull('reason', sql`r.forgotten_reason`),
      orNull('actor', sql`r.forgotten_by`),
      plain('purge_at', sql`coalesce('"' || ${time(sql`r.purge_at`)} || '"', 'null')`),
    ],
    optionalWord('run_id', sql`r.forgotten_run_id`),
  )} end`

/** The comparison with its neighbours. Hidden neighbours are left out, because a similarity reveals what they say. */
function writeSurprise({ trust }: ExportContext): Fragment {
  const isSeen = (id: Fragment) =>
    sql`exists (select from records as t where t.id = (${id})::uuid and ${openTo(trust, 't')})`
  return sql`
    select ${object(
      [
        word('at', time(sql`s.at`)),
        plain('score', sql`s.score`),
        plain('delta', sql`s.delta`),
        plain('base_before', sql`s.base_before`),
      ],
      list(
        'neighbours',
        sql`select string_agg(near.value::text, ',' order by near.place)
            from jsonb_array_elements(s.neighbours) with ordinality as near (value, place)
            where ${isSeen(sql`near.value ->> 'id'`)}`,
      ),
      optionalWord('duplicate_of', sql`case when ${isSeen(sql`s.duplicate_of`)} then s.duplicate_of end`),
    )}
    from surprises as s where s.record_id = r.id`
}

/** The descent of a record, without hidden sources. A purged source is still a source. */
function writeDescent({ trust }: ExportContext): Fragment {
  return sql`
  select string_agg(${object([
    word('source_id', sql`d.source_id`),
    text('kind', sql`d.kind`),
    flag('is_ground', sql`d.is_ground`),
  ])}, ',' order by d.source_id)
  from descents as d
  where d.derived_id = r.id and (
    exists (select from records as t where t.id = d.source_id and ${openTo(trust, 't')})
    or exists (select from departures as t where t.id = d.source_id and ${openTo(trust, 't')})
  )`
}

/**
 * The handles. A captured record has more of them than its payload shows, and fewer once another record has its
 * names. The place counts records above the ceiling too: a caller who captures a name would learn that a hidden record has it.
 */
function writeHandles({ trust: { maxSensitivity } }: ExportContext): Fragment {
  return sql`
  select string_agg(${object(
    [word('digest', sql`encode(h.digest, 'hex')`)],
    optionalWord('detail', sql`encode(h.detail, 'hex')`),
    ...(maxSensitivity === 'hyper' ? [optional('place', sql`h.place::text`)] : []),
  )}, ',' order by h.digest, h.detail, h.place)
  from handles as h where h.record_id = r.id`
}

const identifiers = sql`
  select string_agg(
    ${object([text('namespace', sql`i.namespace`), text('value', sql`i.value`)])}, ',' order by i.namespace, i.value
  )
  from entity_identifiers as i where i.record_id = r.id`

/**
 * The stages that an episode still waits for, and the tallies that it has counted in; without them it would count
 * twice.
 */
const consolidation = sql`(
  select '{"due":[' || coalesce((
    select string_agg(to_json(u.stage)::text, ',' order by u.stage) from unconsolidated as u where u.record_id = r.id
  ), '') || '],"tallies":[' || coalesce((
    select string_agg(${object([
      word('stage', sql`e.stage`),
      text('outcome', sql`e.outcome`),
      word('digest', sql`encode(e.digest, 'hex')`),
      text('scope', sql`e.scope`),
    ])}, ',' order by e.stage)
    from episode_tallies as e where e.episode_id = r.id
  ), '') || ']}'
)`

const embeddings = sql`
  select string_agg(${object([
    text('provider', sql`m.provider`),
    text('model', sql`m.model`),
    plain('dimensions', sql`m.dimensions`),
    plain('bits', sql`e.bits`),
    word('embedded_at', time(sql`e.embedded_at`)),
    word('code', sql`replace(encode(e.code, 'base64'), chr(10), '')`),
    word('signature', sql`replace(encode(substring(bit_send(s.bits) from 5), 'base64'), chr(10), '')`),
  ])}, ',' order by m.provider, m.model, m.dimensions)
  from embeddings as e
  join embedding_models as m on m.id = e.model_id
  join signatures as s on s.record_id = e.record_id and s.model_id = e.model_id
  where e.record_id = r.id`
