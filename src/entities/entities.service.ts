import Type from 'typebox'
import type { Database } from '../db/connection.ts'
import { createFactHandle, nameHandle } from '../domain/identity/handles.ts'
import type { ListPage } from '../domain/schemas/shapes.ts'
import { type Caller, isOpenTo, type Trust, unscoped } from '../domain/trust/caller.ts'
import { CreationCursor, readPage } from '../http/paging/paging.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import {
  findReadableRecord,
  isWhole,
  joinFirst,
  type MemoryRecord,
  presentRecord,
  presentSeen,
  type RecordsService,
  type RedactedRecord,
  readFirstWhole,
} from '../records/index.ts'
import {
  findEntitiesByName,
  findEntity,
  findProfile,
  type KnownEntity,
  listMentions,
} from './entities.queries.ts'
import { type EntityRecord, type LookupQuery, type MentionsQuery, Reference } from './entities.schemas.ts'
import { isAfter, rankMatches } from './lookup-order.ts'

type Resources = { db: Database; clock: Clock; records: RecordsService }

export type EntitiesService = ReturnType<typeof createEntitiesService>

/** The most entities of one name that a lookup reads. A client finds the others by passing a scope. */
const maxNamesakes = 1_000

const LookupCursor = Type.Object({
  rank: Type.Integer(),
  created_at: Type.String({ format: 'date-time' }),
  id: Type.String({ format: 'uuid' }),
})

export function createEntitiesService({ db, clock, records }: Resources) {
  async function lookUp(caller: Caller, query: LookupQuery): Promise<ListPage<MemoryRecord>> {
    const { term, scope, limit = 20, cursor } = query
    const { trust } = caller
    const { items, ...next } = await readPage({
      caller,
      list: { entities: term, scope },
      limit,
      cursor,
      position: LookupCursor,
      read: async (after, most) => {
        const name = { ...nameHandle(term), term, scope, trust }
        const candidates = await findEntitiesByName(db, name, maxNamesakes)
        const matches = rankMatches(term, candidates)
        return readRecords(trust, matches.filter((each) => !after || isAfter(each, after)).slice(0, most))
      },
    })
    const now = clock.now()
    return {
      items: items.flatMap(({ stored }) => {
        // It may have been forgotten, or raised above the ceiling, since the lookup.
        const isOpen = stored && !stored.forgotten_at && isOpenTo(trust, stored.sensitivity)
        return isOpen ? [presentRecord(stored, now)] : []
      }),
      ...next,
    }
  }

  async function readRecords<Row extends { id: string }>(trust: Trust, rows: readonly Row[]) {
    const ids = rows.map(({ id }) => id)
    return joinFirst(rows, await readFirstWhole(db, trust, ids))
  }

  async function read(caller: Caller, id: string): Promise<EntityRecord | RedactedRecord> {
    const { trust } = caller
    await requireEntity(db, caller, id)
    const record = await records.read(caller, id)
    if (!isWhole(record)) return record
    const { digest } = createFactHandle({ subject: record.id, predicate: 'profile' })
    const profileId = await findProfile(db, { digest, scope: record.scope ?? unscoped, trust })
    return profileId === undefined ? record : { ...record, peer_card_id: profileId }
  }

  async function listRecords(
    caller: Caller,
    id: string,
    { predicate, limit = 50, cursor }: MentionsQuery,
  ): Promise<ListPage<MemoryRecord | RedactedRecord>> {
    const { trust } = caller
    const { sensitivity, is_live: isLive } = await requireEntity(db, caller, id)
    // Reads the whole record only to find the right error.
    if (!isLive || !isOpenTo(trust, sensitivity)) await findReadableRecord(db, caller, id, clock.now())
    const references = predicate === undefined ? Reference.enum : [predicate]
    const { items, ...next } = await readPage({
      caller,
      list: { mentions: id.toLowerCase(), predicate },
      limit,
      cursor,
      position: CreationCursor,
      read: async (after, most) =>
        readRecords(trust, await listMentions(db, id, trust, { references, after, limit: most })),
    })
    const now = clock.now()
    return {
      items: items.flatMap(({ stored }) => {
        return stored && !stored.forgotten_at ? [presentSeen(trust, stored, now)] : []
      }),
      ...next,
    }
  }

  return { lookUp, read, listRecords }
}

async function requireEntity(db: Database, caller: Caller, id: string): Promise<KnownEntity> {
  const entity = await findEntity(db, id, caller.trust)
  if (!entity) throw new AppError('record_not_found', 'There is no entity with this id that the key may see.')
  return entity
}
