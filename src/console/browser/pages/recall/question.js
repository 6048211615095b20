import { query } from '../../router.js'

/** @import { RetrieveQuery } from '../../api/types.d.ts' */

/** @typedef {RetrieveQuery & { task_descriptor: string }} Question */

const replaced = ['challenged', 'invalidated', 'merged', 'superseded']

/** Tokens of the context, unless the address names another number. */
export const usualTokens = 1_500

/**
 * The question that the address asks, as `/v1/retrieve` and `/v1/context` take it; undefined when it asks none. Looking
 * must not change what is looked at: it is not counted as an access.
 * @returns {Question | undefined}
 */
export function readQuestion() {
  const text = query.value.get('q') ?? ''
  if (text === '') return undefined
  const [scope, type, asOf] = ['scope', 'type', 'as_of'].map((name) => query.value.get(name))
  return /** @type {Question} */ ({
    task_descriptor: text,
    ...(scope ? { scopes: [scope] } : {}),
    ...(type ? { memory_types: type.split(',') } : {}),
    ...(query.value.get('status') === 'all' ? { include_status: replaced } : {}),
    ...(asOf ? { as_of: asOf } : {}),
    record_access: false,
  })
}

/** The most tokens of the context that the address asks for. */
export function readTokens() {
  const given = Number(query.value.get('tokens') ?? usualTokens)
  return Number.isInteger(given) ? given : usualTokens
}
