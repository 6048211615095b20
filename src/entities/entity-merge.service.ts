import type { Database } from '../db/connection.ts'
import { type CallContext, type Transaction, transact } from '../db/transaction.ts'
import { addInverses, createEdge } from '../domain/edges/edges.ts'
import { getRank, isAllowed, unscoped } from '../domain/trust/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError, createFaultError } from '../kernel/errors.ts'
import {
  describePayload,
  describeSuccessor,
  findReadableRecord,
  findSuccessors,
  loadForUpdate,
  loadManyForUpdate,
  presentWritten,
  requireMergeableSize,
  type StoredRecord,
  type WrittenRecord,
  writeChange,
} from '../records/index.ts'
import { upsertEdges } from '../relations/index.ts'
import { copyLinks, retireRecord } from '../revision/index.ts'
import {
  deleteHandlesAndIdentifiers,
  findEntity,
  insertMergeDescents,
  lockEntitiesToMerge,
  lockMergesAcrossScopes,
  lockMergesInScope,
} from './entities.queries.ts'
import type { EntityMerge } from './entities.schemas.ts'
import { type MergedEntity, mergeEntities, type StoredEntity } from './merged-entity.ts'

type Resources = { db: Database; clock: Clock; textLanguage: string }

export type EntityMergingService = ReturnType<typeof createEntityMergingService>

type EntitiesToMerge = { target: StoredEntity; sources: StoredEntity[] }

export function createEntityMergingService({ db, clock, textLanguage }: Resources) {
  /** The sources get the status merged. The target gets their names, values and links. */
  async function merge(call: CallContext, id: string, input: EntityMerge): Promise<WrittenRecord> {
    const { source_ids: named, ...reason } = input
    return transact(db, call, async (tx) => {
      const { target, sources } = await loadEntitiesToMerge(tx, call, id, named)
      const now = clock.now()
      const change = { ...reason, now, textLanguage }
      for (const source of sources)
        await retireRecord(tx, source, { ...change, step: 'merge', to: 'merged', supersededBy: target })
      await moveLinks(tx, target.id, sources, now)
      const content = mergeEntities(target, sources)
      const changes = describeMerge(target, sources, content)
      await writeChange(tx, target, { ...change, action: 'revise', content, changes })
      return presentWritten(call.caller, await findReadableRecord(tx, call.caller, target.id), now)
    })
  }

  return { merge }
}

async function moveLinks(
  tx: Transaction,
  targetId: string,
  sources: readonly StoredEntity[],
  now: Date,
): Promise<void> {
  const ids = sources.map(({ id }) => id)
  await deleteHandlesAndIdentifiers(tx, ids)
  await copyLinks(tx, ids, targetId, now)
  // Not derived_from: the target existed before its duplicate and must not be erased with it.
  await upsertEdges(tx, addInverses(ids.map((id) => createEdge(targetId, 'supersedes', id, now))))
  await insertMergeDescents(tx, targetId, ids)
}

/** Locks all entities in one order and checks that each may be merged. If-Match refers to the target. */
async function loadEntitiesToMerge(
  tx: Transaction,
  call: CallContext,
  id: string,
  named: readonly string[],
): Promise<EntitiesToMerge> {
  const ids = [...new Set(named.map((each) => each.toLowerCase()))]
  if (ids.includes(id.toLowerCase())) throw createSelfMergeError()
  const { scope } = (await findEntity(tx, id, call.caller.trust)) ?? { scope: unscoped }
  await lockMergesAcrossScopes(tx, scope)
  await lockMergesInScope(tx, scope)
  await lockEntitiesToMerge(tx, [id, ...ids], call.caller.trust)
  await requireMergeableSize(tx, call.caller, [id, ...ids], 'entity')
  const target = await requireEntity(tx, call, await loadForUpdate(tx, call, id))
  const { expectedVersions: _, ...unversioned } = call
  const sources: StoredEntity[] = []
  for (const [index, loaded] of (await loadManyForUpdate(tx, unversioned, ids)).entries()) {
    const source = await requireEntity(tx, call, loaded).catch(throwAt(`/source_ids/${index}`))
    requireMergeable(call, target, source, `/source_ids/${index}`)
    sources.push(source)
  }
  return { target, sources }
}

async function requireEntity(
  tx: Transaction,
  { caller }: CallContext,
  loaded: StoredRecord | AppError,
): Promise<StoredEntity> {
  if (loaded instanceof AppError) throw loaded
  const { payload, status } = loaded
  if (payload.kind !== 'entity') throw new AppError('type_mismatch', 'The record is not an entity.')
  if (status === 'invalidated') throw new AppError('already_retracted', 'The entity is already retracted.')
  if (status === 'active' || status === 'challenged') return { ...loaded, payload }
  const extra = describeSuccessor(loaded, await findSuccessors(tx, caller, [loaded]))
  throw new AppError('already_superseded', `The entity is already ${status}.`, { extra })
}

function requireMergeable(
  { caller }: CallContext,
  target: StoredEntity,
  source: StoredEntity,
  pointer: string,
): void {
  if (source.scope !== target.scope) {
    throw new AppError('scope_mismatch', 'Only entities of one scope can be merged.', {
      errors: [{ pointer, message: 'has another scope than the target' }],
    })
  }
  if (getRank(source.sensitivity) <= getRank(target.sensitivity) || isAllowed(caller, 'admin')) return
  throw new AppError(
    'sensitivity_lowered',
    'An entity cannot take over data that is more sensitive than itself.',
    {
      errors: [{ pointer, message: `is more sensitive than the target, which is ${target.sensitivity}` }],
    },
  )
}

function throwAt(pointer: string) {
  return (error: unknown): never => {
    throw error instanceof AppError ? error.at(pointer) : error
  }
}

function describeMerge(
  target: StoredEntity,
  sources: readonly StoredEntity[],
  { payload, tags, provenance }: MergedEntity,
): Record<string, unknown> {
  const before = target.provenance.sources.length
  const after = provenance.sources.length
  return {
    merged: [[], sources.map(({ id }) => id)],
    ...describePayload(target.payload, payload),
    ...(tags.length === target.tags.length ? {} : { tags: [target.tags, tags] }),
    ...(before === after ? {} : { 'provenance.sources': [target.provenance.sources, provenance.sources] }),
  }
}

function createSelfMergeError(): AppError {
  return createFaultError('An entity cannot be merged into itself.', {
    pointer: '/source_ids',
    message: 'must not name the entity itself',
  })
}
