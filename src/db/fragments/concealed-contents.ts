import { type RawBuilder, sql } from 'kysely'
import type { Trust } from '../../domain/trust/caller.ts'
import { hasFullTrust } from '../../domain/trust/trust.ts'
import { namesNoHidden } from './concealment.ts'

/**
 * SQL for the contents `c` of a record without what they say about hidden records; the same result as
 * `removeHiddenReferences`.
 */

type Fragment = RawBuilder<unknown>

export function showProvenance(trust: Trust): Fragment {
  if (hasFullTrust(trust)) return sql`c.provenance`
  const sources = keepShown(trust, sql`c.provenance -> 'sources'`)
  return sql`jsonb_set(c.provenance, '{sources}', coalesce(${sources}, '[{"kind": "event", "ref": "hidden"}]'))`
}

export function showPayload(trust: Trust, payload: Fragment): Fragment {
  if (hasFullTrust(trust)) return payload
  const evidence = keepShown(trust, sql`c.payload -> 'evidence'`)
  const named = (field: string) =>
    sql`${namesNoHidden(trust, sql`c.payload #>> ${`{revision,${field}}`}::text[]`)}`
  const removeMember = (field: string) =>
    sql`case when ${named(field)} then '{}' else ${`{revision,${field}}`} end::text[]`
  return sql`(case when c.payload ->> 'kind' = 'semantic'
    then jsonb_set(
      ${payload} #- ${removeMember('supersedes')} #- ${removeMember('superseded_by')}, '{evidence}', coalesce(${evidence}, '[]')
    )
    else ${payload}
  end)`
}

export function showInterpretation(trust: Trust): Fragment {
  if (hasFullTrust(trust)) return sql`c.interpretation`
  const unlinkMember = (name: string) => sql`jsonb_build_object(${name}::text, coalesce((
    select jsonb_agg(case when ${namesNoHidden(trust, sql`each.value::text`)} then each.value
      else each.value - array['canonical_entity_id', 'target_record_id', 'target_entity_id']
        || case when each.value ? 'resolved' then '{"resolved": false}' else '{}' end::jsonb
      end order by each.place)
    from jsonb_array_elements(c.interpretation -> ${name}::text) with ordinality as each (value, place)
  ), '[]'))`
  return sql`c.interpretation || ${unlinkMember('mentions')} || ${unlinkMember('relation_candidates')}
    || ${unlinkMember('reference_candidates')}`
}

/** Null when nothing is left. */
function keepShown(trust: Trust, items: Fragment): Fragment {
  return sql`(
    select jsonb_agg(each.value order by each.place)
    from jsonb_array_elements(${items}) with ordinality as each (value, place)
    where ${namesNoHidden(trust, sql`each.value::text`)}
  )`
}
