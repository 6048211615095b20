import Type from 'typebox'
import type { Database } from '../db/connection.ts'
import { type CallContext, type Transaction, transact } from '../db/transaction.ts'
import { addInverses, type Edge, isInverse } from '../domain/edges/edges.ts'
import { createReservedPredicateError, isContradiction, isReserved } from '../domain/edges/reserved-edges.ts'
import type { ListPage } from '../domain/schemas/shapes.ts'
import { type Caller, getRank, unscoped } from '../domain/trust/caller.ts'
import { readPage } from '../http/paging/paging.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import {
  findReadableRecord,
  loadForUpdate,
  presentWritten,
  requireChangeable,
  type StoredRecord,
  type WrittenRecord,
  writeChange,
} from '../records/index.ts'
import { presentEdge } from './presented-edge.ts'
import { deleteEdges, findEdge, isContestPair, listEdges, upsertEdges } from './relations.queries.ts'
import type { NewEdge, RelationEdge, RelationsQuery } from './relations.schemas.ts'

type Resources = { db: Database; clock: Clock; textLanguage: string }

export type RelationsService = ReturnType<typeof createRelationsService>

const EdgeCursor = Type.Object({ predicate: Type.String(), id: Type.String({ format: 'uuid' }) })

export function createRelationsService({ db, clock, textLanguage }: Resources) {
  /**
   * Adds an edge, or gives an existing one a new weight. Only the source gets a new version: if the target of the inverse
   * edge got one too, all records that mention one entity would wait for its row.
   */
  async function relate(
    call: CallContext,
    id: string,
    given: NewEdge,
  ): Promise<{ created: boolean; record: WrittenRecord }> {
    return transact(db, call, async (tx) => {
      const now = clock.now()
      const source = await loadForUpdate(tx, call, id)
      const target = await findTarget(tx, call.caller, given.target_id, now)
      await requireNotReserved(tx, source.id, given.predicate, target.id)
      const before = await findEdge(tx, source.id, given.predicate, target.id)
      if (before) requireForwardEndChangeable(call.caller, given.predicate, target)
      const weight = given.weight ?? 1
      if (before?.weight === weight)
        return { created: false, record: presentWritten(call.caller, source, now) }
      const edge = { source_id: source.id, predicate: given.predicate, target_id: target.id }
      await upsertEdges(tx, addInverses([{ ...edge, weight, created_at: now }]))
      const owner = await loadChangedRecord(tx, call, source, target)
      await writeChange(tx, owner, {
        action: 'revise',
        actor: given.actor ?? call.caller.name,
        rationale: given.rationale ?? 'related',
        changes: { [changePath(owner, edge)]: [before?.weight ?? null, weight] },
        now,
        textLanguage,
      })
      const changed = await findReadableRecord(tx, call.caller, id)
      return { created: !before, record: presentWritten(call.caller, changed, now) }
    })
  }

  async function unrelate(call: CallContext, id: string, predicate: string, targetId: string): Promise<void> {
    await transact(db, call, async (tx) => {
      const now = clock.now()
      const source = await loadForUpdate(tx, call, id)
      const target = await findReadableRecord(tx, call.caller, targetId, now)
      await requireNotReserved(tx, source.id, predicate, target.id)
      const edge = await findEdge(tx, source.id, predicate, target.id)
      if (!edge)
        throw new AppError('relation_not_found', 'The record has no relation with this predicate and target.')
      requireForwardEndChangeable(call.caller, predicate, target)
      await deleteEdges(tx, addInverses([edge]))
      const owner = await loadChangedRecord(tx, call, source, target)
      await writeChange(tx, owner, {
        action: 'revise',
        actor: call.caller.name,
        rationale: 'unrelated',
        changes: { [changePath(owner, edge)]: [edge.weight, null] },
        now,
        textLanguage,
      })
    })
  }

  async function list(caller: Caller, id: string, query: RelationsQuery): Promise<ListPage<RelationEdge>> {
    const { direction = 'out', limit = 100, cursor, predicate } = query
    const record = await findReadableRecord(db, caller, id, clock.now())
    const { items, ...next } = await readPage({
      caller,
      list: { relations: record.id, direction, predicate },
      limit,
      cursor,
      position: EdgeCursor,
      read: async (after, most) => {
        const edges = await listEdges(db, record.id, caller.trust, {
          direction,
          predicate,
          after,
          limit: most,
        })
        return edges.map((edge) => ({ ...edge, id: direction === 'out' ? edge.target_id : edge.source_id }))
      },
    })
    return { items: items.map(({ id: _, ...edge }) => presentEdge(edge)), ...next }
  }

  return { relate, unrelate, list }
}

async function findTarget(tx: Transaction, caller: Caller, id: string, now: Date): Promise<StoredRecord> {
  try {
    return await findReadableRecord(tx, caller, id, now)
  } catch (error) {
    throw error instanceof AppError ? error.at('/target_id') : error
  }
}

/**
 * Returns the record that gets the new version and the audit entry. It is the source if every reader of the source also
 * sees the target. Otherwise it is the target, because the source would reveal that something happened to a hidden
 * record. If the caller may not write to the scope of the target, it is always the source.
 */
async function loadChangedRecord(
  tx: Transaction,
  call: CallContext,
  source: StoredRecord,
  target: StoredRecord,
): Promise<StoredRecord> {
  const rankDifference = getRank(target.sensitivity) - getRank(source.sensitivity)
  const isForeign = target.scope !== source.scope && target.scope !== unscoped
  const { scopes } = call.caller.trust
  if (
    !(rankDifference > 0 || (rankDifference === 0 && isForeign)) ||
    (scopes && !scopes.includes(target.scope))
  )
    return source
  const { expectedVersions: _, ...unversioned } = call
  return loadForUpdate(tx, unversioned, target.id)
}

/** Clients may not add or remove edges that belong to a revision, a derivation or a contest. */
async function requireNotReserved(
  tx: Transaction,
  source: string,
  predicate: string,
  target: string,
): Promise<void> {
  if (isReserved(predicate)) throw createReservedPredicateError()
  if (isContradiction(predicate) && (await isContestPair(tx, source, target)))
    throw createReservedPredicateError()
}

/**
 * An inverse edge belongs to its target, where the forward edge starts. Without this check a key of one scope could
 * change or remove edges of an unscoped record through their inverses.
 */
function requireForwardEndChangeable(caller: Caller, predicate: string, target: StoredRecord): void {
  if (isInverse(predicate)) requireChangeable(caller, target)
}

/** Contains the id of the other record, so that the entry is hidden from readers who do not see that record. */
function changePath({ id }: StoredRecord, edge: Pick<Edge, 'source_id' | 'predicate' | 'target_id'>): string {
  const { source_id: source, predicate, target_id: target } = edge
  return id === source ? `relations.${predicate}.${target}` : `incoming_relations.${predicate}.${source}`
}
