import { isLoopback } from '../kernel/loopback.ts'
import { parseDuration } from '../kernel/units.ts'

/** Problems of several variables together; each is one sentence. */

export type Variables = Readonly<Record<string, string | undefined>>

export function findJointProblems(given: Variables, role: string | undefined): string[] {
  return [
    ...findExposureProblems(given),
    ...findModelProblems(given),
    ...findPoolProblems(given),
    ...findTenantProblems(given, role),
  ]
}

function findExposureProblems(given: Variables): string[] {
  const host = given['HOST']
  if (!host || isLoopback(host)) return []
  if (given['MEMBRANE_API_KEY'] || given['MEMBRANE_ALLOW_ANONYMOUS'] === 'true') return []
  return [
    `HOST=${host} can be reached by other machines, but MEMBRANE_API_KEY is not set; set it, or set MEMBRANE_ALLOW_ANONYMOUS=true`,
  ]
}

/** The embedded server accepts 100 connections; the worker, the queue and the supervisor need some of them. */
const maxEmbeddedConnections = 80

function findPoolProblems(given: Variables): string[] {
  if (given['DATABASE_URL'] !== undefined) return []
  const size = Number(given['MEMBRANE_POOL_SIZE'] ?? 10)
  const processes = Number(given['MEMBRANE_API_PROCESSES'] ?? 1)
  const tooMany = size * processes > maxEmbeddedConnections && size <= 500 && processes <= 64
  return [
    ...(tooMany
      ? [
          `MEMBRANE_POOL_SIZE times MEMBRANE_API_PROCESSES must be at most ${maxEmbeddedConnections} without DATABASE_URL: the embedded database has 100 connections`,
        ]
      : []),
    ...(given['DATABASE_REPLICA_URL'] === undefined
      ? []
      : ['DATABASE_REPLICA_URL needs DATABASE_URL: the embedded database has no replicas']),
  ]
}

/** A model that is switched on but not configured would fail at every call without anyone noticing. */
function findModelProblems(given: Variables): string[] {
  return [
    ...findServerProblems(given, 'MEMBRANE_INGEST_LLM', 'MEMBRANE_INGEST_LLM_ENABLED', 'true'),
    ...findServerProblems(given, 'MEMBRANE_EMBEDDING', 'MEMBRANE_EMBEDDING_PROVIDER', 'openai'),
    ...findUnusedEmbeddingVariables(given),
    ...findChatProblems(given),
    ...findEmptyTimeouts(given, ['MEMBRANE_LLM_TIMEOUT', 'MEMBRANE_QUERY_EMBEDDING_TIMEOUT']),
  ]
}

/** A person who sets one of these wants another source of vectors than the default. A named source may leave them unused. */
function findUnusedEmbeddingVariables(given: Variables): string[] {
  if (given['MEMBRANE_EMBEDDING_PROVIDER'] !== undefined) return []
  const dimensions = Number(given['MEMBRANE_EMBEDDING_DIMENSIONS'])
  const serverOnly = ['MEMBRANE_EMBEDDING_ENDPOINT', 'MEMBRANE_EMBEDDING_MODEL']
  return [
    ...serverOnly
      .filter((name) => given[name] !== undefined)
      .map((name) => `${name} needs MEMBRANE_EMBEDDING_PROVIDER=openai`),
    ...(Number.isInteger(dimensions) && dimensions <= 4_096
      ? ['MEMBRANE_EMBEDDING_DIMENSIONS needs MEMBRANE_EMBEDDING_PROVIDER=hash or openai']
      : []),
  ]
}

function findChatProblems(given: Variables): string[] {
  const pair = ['MEMBRANE_LLM_ENDPOINT', 'MEMBRANE_LLM_MODEL'] as const
  const missing = pair.filter((name) => given[name] === undefined)
  const halves =
    missing.length === 1 ? [`${missing[0]} must be set too: ${pair.join(' and ')} only work together`] : []
  const isUnpriced = ['PROMPT', 'COMPLETION'].every(
    (what) => !Number(given[`MEMBRANE_LLM_${what}_PRICE`] ?? 0),
  )
  const isCapped = Number(given['MEMBRANE_LLM_MAX_COST_PER_RUN'] ?? 0) > 0
  return [
    ...halves,
    ...(isCapped && isUnpriced
      ? ['MEMBRANE_LLM_MAX_COST_PER_RUN needs MEMBRANE_LLM_PROMPT_PRICE or MEMBRANE_LLM_COMPLETION_PRICE']
      : []),
  ]
}

function findEmptyTimeouts(given: Variables, names: readonly string[]): string[] {
  return names
    .filter((name) => parseDuration(given[name] ?? '') === 0)
    .map((name) => `${name} must be longer than 0`)
}

function findServerProblems(given: Variables, prefix: string, name: string, value: string): string[] {
  if (given[name] !== value) return []
  const problems = [`${prefix}_ENDPOINT`, `${prefix}_MODEL`]
    .filter((needed) => given[needed] === undefined)
    .map((needed) => `${needed} must be set when ${name} is ${value}`)
  const isNothing = parseDuration(given[`${prefix}_TIMEOUT`] ?? '') === 0
  return isNothing ? [...problems, `${prefix}_TIMEOUT must be longer than 0`] : problems
}

/** Only the root key can create tenants and work in all of them. A worker does without. */
function findTenantProblems(given: Variables, role: string | undefined): string[] {
  const isServing = role === 'api' || role === 'all'
  if (!isServing || given['MEMBRANE_TENANTS'] !== 'on' || given['MEMBRANE_API_KEY'] !== undefined) return []
  return ['MEMBRANE_TENANTS=on needs MEMBRANE_API_KEY']
}
