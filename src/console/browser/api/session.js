import { computed, signal } from '@preact/signals'
import { call } from './client.js'
import { forgetKey, keepKey, refusals } from './key.js'
import { describeProblem, Problem } from './problem.js'

/** @import { OwnKey, Permission } from './types.d.ts' */

/** @typedef {{ state: 'starting' | 'signed-out' } | { state: 'signed-in', caller: OwnKey } | { state: 'failed', error: unknown }} Session */

export const session = signal(/** @type {Session} */ ({ state: 'starting' }))

/** The rights of the key of this tab; undefined before the sign-in. */
export const caller = computed(() => (session.value.state === 'signed-in' ? session.value.caller : undefined))

refusals.subscribe((count) => {
  if (count > 0) session.value = { state: 'signed-out' }
})

/** Opens the console with the stored key, or without one where the service asks for none. */
export async function openSession() {
  try {
    session.value = { state: 'signed-in', caller: await readOwnKey(undefined) }
  } catch (error) {
    const isRefused = error instanceof Problem && (error.status === 401 || error.status === 403)
    session.value = isRefused ? { state: 'signed-out' } : { state: 'failed', error }
  }
}

/**
 * Tries a key and keeps it if it works.
 * @param {string} secret
 * @returns {Promise<string | undefined>} what is wrong
 */
export async function signIn(secret) {
  // A browser cannot send other characters in a header, and no key has them.
  if (!/^[\x21-\x7e]+$/.test(secret)) return 'The key is unknown, expired or revoked.'
  try {
    const own = await readOwnKey(secret)
    keepKey(secret)
    session.value = { state: 'signed-in', caller: own }
    return undefined
  } catch (error) {
    return describeProblem(error)
  }
}

export function signOut() {
  forgetKey()
  session.value = { state: 'signed-out' }
}

/** @param {string | undefined} secret */
async function readOwnKey(secret) {
  return /** @type {OwnKey} */ (await call('get', '/v1/keys/self', { key: secret }))
}

/**
 * Whether the key may do it. The service decides again with every request; this only spares people a refusal.
 * @param {Permission | readonly Permission[] | undefined} requested one of several is enough
 * @param {readonly Permission[]} [granted] those of another key
 */
export function may(requested, granted = caller.value?.permissions ?? []) {
  if (requested === undefined || granted.includes('admin')) return true
  return [requested].flat().some((permission) => granted.includes(permission))
}
