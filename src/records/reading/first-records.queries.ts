import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { hasIdIn } from '../../db/fragments/id-condition.ts'
import { contentBytes, maxAnswerBytes, measureShown, sumBefore } from '../../db/fragments/json/json-size.ts'
import { isVisibleTo } from '../../db/fragments/visibility.ts'
import type { Trust } from '../../domain/trust/caller.ts'
import { embeddedEdges, embeddedEdgesAmongMany } from '../embedded-edges.ts'
import { readStored } from '../records.queries.ts'
import type { StoredRecord } from '../stored-record.ts'

/** The first of some records: those after `maxAnswerBytes` are left out, but never all. Redacted records do not count. */

type Fragment = RawBuilder<unknown>

/** An answer has at most 500 records. As many of this length fit into it, so they are read without measuring all together. */
const maxShortBytes = maxAnswerBytes / 512

/** In the order of the ids, with few edges. `more` is added to the columns. Edges and logs count only if a record is long. */
export async function readFirst<More = unknown>(
  db: Database,
  trust: Trust,
  ids: readonly string[],
  more: Fragment = sql``,
): Promise<(StoredRecord & More)[]> {
  if (ids.length === 0) return []
  const short = await readStored<More>(db, trust, {
    from: sql`records as r`,
    more,
    rest: sql`and ${hasIdIn(ids)} and ${contentBytes} <= ${sql.lit(maxShortBytes)}`,
    maxEdges: embeddedEdgesAmongMany,
  })
  return short.length === ids.length ? short : readMeasured<More>(db, trust, ids, { more })
}

/** In the order of the ids, with all that a single record shows. */
export async function readFirstWhole(
  db: Database,
  trust: Trust,
  ids: readonly string[],
): Promise<StoredRecord[]> {
  return ids.length === 0 ? [] : readMeasured(db, trust, ids, { maxEdges: embeddedEdges })
}

async function readMeasured<More = unknown>(
  db: Database,
  trust: Trust,
  ids: readonly string[],
  { more = sql``, maxEdges = embeddedEdgesAmongMany }: { more?: Fragment; maxEdges?: number },
): Promise<(StoredRecord & More)[]> {
  const place = (id: Fragment) => sql`array_position(${ids}::uuid[], ${id})`
  return readStored<More>(db, trust, {
    from: sql`records as r`,
    more: sql`, ${sumBefore(measureShown(trust), place(sql`r.id`))} as bytes_before${more}`,
    rest: sql`and ${hasIdIn(ids)}`,
    maxEdges,
    limitedIn: place(sql`read.id`),
  })
}

/** About the bytes of the content of each of the records that exist, without what the caller is shown redacted. */
export async function measureContents(
  db: Database,
  trust: Trust,
  ids: readonly string[],
): Promise<{ id: string; bytes: number }[]> {
  const { rows } = await sql<{ id: string; bytes: number }>`
    select r.id, ${measureShown(trust)} as bytes
    from records as r join contents as c on c.record_id = r.id
    where ${hasIdIn(ids)} and ${isVisibleTo(trust)}
  `.execute(db)
  return rows
}
