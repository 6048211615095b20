import { AsyncLocalStorage } from 'node:async_hooks'
import type { Position } from './positions/position.ts'

/** A request that changes nothing. Its statements outside transactions may run on a replica. */
export type Reading = {
  /** The replica must have replayed this position; undefined when any state will do. */
  after?: Position | undefined
  /** Set when a replica cannot answer, and after the request: then every statement runs on the primary. */
  isPrimaryOnly: boolean
  /** The replica of the request: two statements of one request must not go back in time. */
  replica?: object | undefined
  /** The choice of that replica: statements that begin together get the same. */
  choosing?: Promise<object | undefined>
}

/** A request that may change something. */
export type Writing = {
  hasCommitted: boolean
  /** A position after every commit of the request; undefined when no commit has named it yet. */
  position?: Position | undefined
}

const scopes = new AsyncLocalStorage<{ reading?: Reading; writing?: Writing }>()

export function runReading<T>(reading: Reading, work: () => T): T {
  return scopes.run({ reading }, work)
}

export function runWriting<T>(writing: Writing, work: () => T): T {
  return scopes.run({ writing }, work)
}

/** Runs work that belongs to no request, such as a lookup whose result is cached for others. */
export function runApart<T>(work: () => T): T {
  return scopes.run({}, work)
}

export function getReading(): Reading | undefined {
  return scopes.getStore()?.reading
}

export function getWriting(): Writing | undefined {
  return scopes.getStore()?.writing
}

/** For a request that compares what it reads with the open transactions: only the primary knows these. */
export function readFromPrimary(): void {
  const reading = getReading()
  if (reading) reading.isPrimaryOnly = true
}
