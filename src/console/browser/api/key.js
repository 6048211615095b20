import { signal } from '@preact/signals'

const place = 'membrane.key'

/** The key of this tab. It is stored only after it worked, and never becomes part of an address. */
export const key = signal(/** @type {string | undefined} */ (sessionStorage.getItem(place) ?? undefined))

/** Why the person has to sign in again. */
export const keyProblem = signal(/** @type {string | undefined} */ (undefined))

/** @param {string} secret */
export function keepKey(secret) {
  sessionStorage.setItem(place, secret)
  keyProblem.value = undefined
  key.value = secret
}

/** Forgets what the pages keep too, because the next key may be that of another person. */
export function forgetKey() {
  sessionStorage.clear()
  keyProblem.value = undefined
  key.value = undefined
}

/** Called when the service refuses the key, or asks for one: it was revoked, has expired, or there was none. */
export function rejectKey() {
  const had = key.peek() !== undefined
  forgetKey()
  if (had) keyProblem.value = 'The key is no longer valid: it was revoked or has expired.'
  refusals.value += 1
}

/** Counts refusals, so that the session ends with the first one. */
export const refusals = signal(0)
