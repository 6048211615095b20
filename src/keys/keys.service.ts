import { createHash, timingSafeEqual } from 'node:crypto'
import type { Database } from '../db/connection.ts'
import { tenantReference } from '../db/schema-names.ts'
import { type CallContext, transact } from '../db/transaction.ts'
import { sourceTrust } from '../domain/importance/importance.ts'
import type { ListPage } from '../domain/schemas/shapes.ts'
import { type Caller, permissions, type Trust } from '../domain/trust/caller.ts'
import { isTrustWithin } from '../domain/trust/trust.ts'
import { chooseLeastTrusted } from '../domain/trust/write-trust.ts'
import { CreationCursor, readPage } from '../http/paging/paging.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError, createFaultError } from '../kernel/errors.ts'
import type { Ids } from '../kernel/ids.ts'
import { subtractMilliseconds } from '../kernel/units.ts'
import { type CachedKey, createKeyCache } from './key-cache.ts'
import {
  findKey,
  findKeyBySecret,
  insertKey,
  type KeyRow,
  listKeys,
  revokeKey,
  updateLastUsed,
} from './keys.queries.ts'
import type { Key, KeysQuery, NewKey } from './keys.schemas.ts'

type Resources = {
  db: Database
  clock: Clock
  ids: Ids
  /** The part of a secret that names the tenant of the key; absent without tenants. */
  reference?: string | undefined
}

export type KeysService = ReturnType<typeof createKeysService>

const secretPattern = new RegExp(`^mbk_(?:(${tenantReference})_)?[A-Za-z0-9_-]{43}$`)
const secretBytes = 32
/** `last_used_at` is exact to a minute: one write for each request would cost more than the exact time is worth. */
const useWrittenEveryMs = 60_000

/** The reference to the tenant in a secret; undefined without one. */
export function readReference(secret: string): string | undefined {
  return secretPattern.exec(secret)?.[1]
}

export function createKeysService({ db, clock, ids, reference }: Resources) {
  const prefix = reference === undefined ? 'mbk_' : `mbk_${reference}_`
  const cache = createKeyCache()
  const lookups = new Map<string, Promise<CachedKey | undefined>>()
  const pendingWrites = new Set<Promise<void>>()

  async function create(call: CallContext, input: NewKey): Promise<{ key: Key; secret: string }> {
    const now = clock.now()
    const expiresAt = chooseExpiry(call.caller, input)
    if (expiresAt && expiresAt <= now) throw createExpiredError()
    const secret = `${prefix}${ids.secret(secretBytes)}`
    const row: KeyRow = {
      id: ids.next(),
      name: input.name,
      secret_hash: digest(secret),
      permissions: input.permissions,
      scopes: input.scopes ?? [],
      // The default sensitivity of a record. A key that needs more must be created with it.
      max_sensitivity: input.max_sensitivity ?? 'low',
      source_type: input.source_type ?? chooseLeastTrusted('ingest', call.caller.sourceType),
      created_at: now,
      expires_at: expiresAt,
      last_used_at: null,
      revoked_at: null,
    }
    requireWithin(call.caller, row)
    await transact(db, call, (tx) => insertKey(tx, row))
    return { key: present(row), secret }
  }

  async function list(caller: Caller, { limit = 50, cursor }: KeysQuery): Promise<ListPage<Key>> {
    const { items, ...next } = await readPage({
      caller,
      list: { list: 'keys' },
      limit,
      cursor,
      position: CreationCursor,
      read: (after, most) =>
        listKeys(db, caller.trust, most, after && { created_at: new Date(after.created_at), id: after.id }),
    })
    return { items: items.map(present), ...next }
  }

  async function read(caller: Caller, id: string): Promise<Key> {
    const row = await findKey(db, caller.trust, id)
    if (!row) throw createNotFoundError()
    return present(row)
  }

  async function revoke(call: CallContext, id: string): Promise<void> {
    await transact(db, call, async (tx) => {
      if (!(await findKey(tx, call.caller.trust, id))) throw createNotFoundError()
      const now = clock.now()
      cache.revoke(id, now.getTime())
      lookups.clear()
      if (!(await revokeKey(tx, id, now))) throw createNotFoundError()
    })
  }

  /** Returns the caller for a secret, or undefined if the key is unknown, expired or revoked. */
  async function authenticate(secret: string): Promise<Caller | undefined> {
    if (!secretPattern.test(secret)) return undefined
    const hash = digest(secret)
    const name = hash.toString('base64url')
    const key = cache.get(name, clock.now().getTime()) ?? (await lookUpOnce(name, hash))
    const now = clock.now()
    if (!key || key.expiresAt <= now.getTime()) return undefined
    writeLastUse(key, now)
    return key.caller
  }

  /** Many requests at once with a key that is not cached share one lookup. */
  function lookUpOnce(name: string, hash: Buffer): Promise<CachedKey | undefined> {
    if (!cache.hasNoRecentRevocation(clock.now().getTime())) return lookUp(name, hash)
    const running = lookups.get(name)
    if (running) return running
    const lookup = lookUp(name, hash).finally(() => lookups.delete(name))
    lookups.set(name, lookup)
    return lookup
  }

  async function lookUp(name: string, hash: Buffer): Promise<CachedKey | undefined> {
    const row = await findKeyBySecret(db, hash)
    if (!row || !timingSafeEqual(row.secret_hash, hash)) return undefined
    const key = {
      id: row.id,
      caller: describeCaller(row),
      expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
      lastUsedAt: row.last_used_at?.getTime() ?? 0,
    }
    cache.set(name, key, clock.now().getTime())
    return key
  }

  /** Not awaited by the request: a failed write of the last use must not refuse the request. */
  function writeLastUse(key: CachedKey, now: Date): void {
    if (now.getTime() - key.lastUsedAt < useWrittenEveryMs) return
    key.lastUsedAt = now.getTime()
    const stale = subtractMilliseconds(now, useWrittenEveryMs)
    const write = updateLastUsed(db, key.id, now, stale)
      .catch(() => {})
      .finally(() => pendingWrites.delete(write))
    pendingWrites.add(write)
  }

  return {
    create,
    list,
    read,
    revoke,
    authenticate,
    /** Resolves when no write is running, so that the connection can be closed. */
    async finishWrites(): Promise<void> {
      await Promise.all(pendingWrites)
    },
  }
}

function describeCaller(row: KeyRow): Caller {
  const granted = new Set(permissions.filter((permission) => row.permissions.includes(permission)))
  return {
    principal: row.id,
    name: row.name,
    permissions: granted,
    trust: describeTrust(row),
    sourceType: row.source_type,
    ...(row.expires_at ? { expiresAt: row.expires_at } : {}),
  }
}

function describeTrust({ max_sensitivity: maxSensitivity, scopes }: KeyRow): Trust {
  return { maxSensitivity, scopes: scopes.length === 0 ? null : scopes }
}

/**
 * Without this check a key of one scope could create a key for all scopes, and a key that expires one that does not.
 */
function requireWithin({ trust, sourceType, expiresAt }: Caller, row: KeyRow): void {
  if (!isTrustWithin(describeTrust(row), trust)) throw createExceedingError('that sees more than itself')
  if (sourceTrust[row.source_type] > sourceTrust[sourceType])
    throw createExceedingError('with a more trusted source type')
  if (expiresAt && (!row.expires_at || row.expires_at > expiresAt))
    throw createExceedingError('that expires later')
}

function createExceedingError(how: string): AppError {
  return new AppError('outside_trust', `A key cannot create a key ${how}.`)
}

/** By default a new key expires together with the key that creates it. */
function chooseExpiry({ expiresAt }: Caller, { expires_at: requested }: NewKey): Date | null {
  if (requested === undefined) return expiresAt ?? null
  return requested === null ? null : new Date(requested)
}

function present(row: KeyRow): Key {
  return {
    id: row.id,
    name: row.name,
    permissions: permissions.filter((permission) => row.permissions.includes(permission)),
    scopes: row.scopes,
    max_sensitivity: row.max_sensitivity,
    source_type: row.source_type,
    expires_at: row.expires_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

function createNotFoundError(): AppError {
  return new AppError('key_not_found', 'There is no key with this id that the calling key may see.')
}

function createExpiredError(): AppError {
  return createFaultError('The expiry of the key is in the past.', {
    pointer: '/expires_at',
    message: 'must be in the future',
  })
}
