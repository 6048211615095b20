import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { openTo } from '../../db/fragments/visibility.ts'
import type { Payload } from '../../domain/payloads/payloads.ts'
import type { Trust } from '../../domain/trust/caller.ts'
import { hasFullTrust } from '../../domain/trust/trust.ts'
import { listUuids } from '../../kernel/ids.ts'
import type { StoredRecord } from '../stored-record.ts'

/** A record before the hidden ids in its content are known. */
export type UncheckedRecord = Omit<StoredRecord, 'hiddenIds'>

/**
 * Adds to each record the ids in its content that name records hidden from the reader. The ids are extracted here and
 * looked up at once for all records: inside the statement that reads the records, the regular expression and a lookup
 * for each id took 30 of 42 ms for 100 facts with 14 ids each.
 */
export async function addHiddenIds<Row extends UncheckedRecord>(
  db: Database,
  trust: Trust,
  rows: readonly Row[],
): Promise<(Row & Pick<StoredRecord, 'hiddenIds'>)[]> {
  if (hasFullTrust(trust)) return [...rows]
  const named = rows.map(findNamedIds)
  const ids = new Set(named.flat())
  const hidden = new Set(ids.size === 0 ? [] : await findHiddenIds(db, trust, [...ids]))
  return rows.map((row, index) => ({ ...row, hiddenIds: named[index]?.filter((id) => hidden.has(id)) ?? [] }))
}

type Linked = Payload & { evidence?: unknown; revision?: unknown }

/** The ids in the parts of the content that can name other records. A scan of the whole payload would cost more. */
function findNamedIds({ provenance, payload, interpretation }: UncheckedRecord): string[] {
  const { evidence, revision } = { ...payload } as Linked
  const { mentions, relation_candidates: relations, reference_candidates: references } = interpretation ?? {}
  const links = JSON.stringify([provenance, evidence, revision, mentions, relations, references])
  return [...new Set(listUuids(links))]
}

/** The ids of existing and deleted records that the caller does not read in full. Ids of no record are left out. */
export async function findHiddenIds(db: Database, trust: Trust, ids: readonly string[]): Promise<string[]> {
  const among = sql`n.id = any(${ids}::uuid[])`
  const { rows } = await sql<{ id: string }>`
    select n.id from records as n where ${among} and not ${openTo(trust, 'n')}
    union
    select n.id from departures as n where ${among} and not ${openTo(trust, 'n')}
  `.execute(db)
  return rows.map(({ id }) => id)
}
