import type { Client } from '../client.ts'
import type { Schemas } from '../core/operations.ts'
import { isProblem, type ProblemCode } from '../core/problem.ts'
import { computeUuid } from './digest.ts'

export type NamedOptions = {
  /** The scope of all records. Others with access to the scope see them. */
  scope: string
  /** Of new records; a revision keeps that of the record it replaces. */
  sensitivity?: Schemas['NewRecord']['sensitivity']
  /** Who changes records, for the audit log. */
  actor?: string
  /**
   * By default a record keeps its salience and is not pruned until it is replaced or removed. What was replaced is
   * forgotten as the service is configured.
   */
  lifecycle?: Schemas['NewLifecycle']
}

/** A record with a name. The first tag is the name; the record is also listed under the others. */
export type Draft = {
  tags: readonly [string, ...string[]]
  subject: string
  predicate: string
  object: unknown
}

/** The newest revision of what a name stands for. */
export type Named = {
  id: string
  version: number
  tags: readonly string[]
  subject: string
  predicate: string
  object: unknown
  created_at: string
  /** When the name got its first record; a revision keeps it. */
  since: string
}

export type NamedRecords = ReturnType<typeof createNamedRecords>

const keeping = { decay: { min_salience: 1, max_age_seconds: 0 } } as const
/** Statuses of records that nothing has replaced or removed. */
const live = ['active', 'challenged'] as const
const newest = { sort: 'created_at' } as const
const maxAttempts = 20

/**
 * Facts that are found by a name, with one live record for each name in the scope.
 *
 * Two writers cannot both give a name its first record, because they compute the same id for it: from the name and the last
 * record that had it. Two writers cannot both replace a record, because each names the version that it has read.
 */
export function createNamedRecords(client: Client, source: string, options: NamedOptions) {
  const { scope, sensitivity, actor = source, lifecycle = keeping } = options

  /** The live records with the tag, the newest first. */
  async function* list(tag: string, limit = 100): AsyncGenerator<Named, void> {
    for (const status of live) {
      const query = { ...newest, type: 'semantic' as const, scope, status, limit, tag: [tag] }
      for await (const record of client.each('listRecords', { query })) {
        const found = toNamed(record, source)
        if (found) yield found
      }
    }
  }

  /** The live record of the name, and the last one that had the name, live or not. */
  async function lookUp(name: string): Promise<{ found?: Named | undefined; last?: Seen | undefined }> {
    const query = { ...newest, scope, tag: [name], limit: 1, include_forgotten: true }
    const [last] = (await client.listRecords({ query })).items
    if (!last) return {}
    const found = isLive(last) ? toNamed(last, source) : undefined
    // Clocks of two servers may differ, and others may use the same tag: the last record need not be the live one.
    return { found: found ?? (await findAny(name)), last }
  }

  /** A live record with the tag. */
  async function findAny(tag: string): Promise<Named | undefined> {
    for await (const found of list(tag, 1)) return found
    return undefined
  }

  async function find(name: string): Promise<Named | undefined> {
    return (await lookUp(name)).found
  }

  /** The live records with the tag that help with the question, the most relevant first. */
  async function retrieve(tag: string, question: string, limit: number) {
    const { nodes } = await client.retrieve({
      body: {
        task_descriptor: question,
        scopes: [scope],
        tags: [tag],
        memory_types: ['semantic'],
        root_limit: limit,
        node_limit: limit,
        edge_limit: 0,
        max_hops: 0,
        include_status: ['challenged'],
      },
    })
    return nodes.flatMap(({ record, score }) => {
      const found = toNamed(record, source)
      return found ? [{ record: found, score }] : []
    })
  }

  /** Runs `store` with the id for the next record of the name. False if the name has a live record. */
  async function occupy(name: string, store: (id: string) => Promise<unknown>): Promise<boolean> {
    const nextId = createIds(scope, name)
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { found, last } = await lookUp(name)
      if (found) return false
      const id = await nextId(last)
      if (await catchProblems(takenCodes, () => store(id))) return true
    }
    throw createContentionError(name)
  }

  const createWith = (draft: Draft) => (id: string) =>
    client.createRecord({ body: { id, ...(sensitivity ? { sensitivity } : {}), ...toRecord(draft) } })

  /** False if the name has a record already. */
  function create(draft: Draft): Promise<boolean> {
    return occupy(draft.tags[0], createWith(draft))
  }

  /** Of two writers the later one wins, and what the other one wrote is superseded. */
  async function put(draft: Draft): Promise<void> {
    const [name] = draft.tags
    const nextId = createIds(scope, name)
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { found, last } = await lookUp(name)
      const create = async () => createWith(draft)(await nextId(last))
      const isDone = found ? await replace(found, draft, 'put') : await catchProblems(takenCodes, create)
      if (isDone) return
    }
    throw createContentionError(name)
  }

  /** Does nothing if the name has no record. */
  async function remove(name: string): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const found = await find(name)
      if (!found || (await retract(found, 'deleted'))) return
    }
    throw createContentionError(name)
  }

  /** False if the record has changed since it was read. */
  function replace(old: Named, draft: Draft, rationale: string): Promise<boolean> {
    return catchProblems(changedCodes, () => supersede(old, toRecord(draft, old.since), rationale))
  }

  /** Gives the record another name. `taken` if that has a record, `changed` if the record has changed since it was read. */
  async function rename(old: Named, draft: Draft, rationale: string): Promise<'done' | 'taken' | 'changed'> {
    let isUnchanged = true
    const isFree = await occupy(draft.tags[0], async (id) => {
      isUnchanged = await catchProblems(changedCodes, () =>
        supersede(old, { id, ...toRecord(draft, old.since) }, rationale),
      )
    })
    if (!isUnchanged) return 'changed'
    return isFree ? 'done' : 'taken'
  }

  /** False if the record has changed since it was read. */
  function retract(old: Named, rationale: string): Promise<boolean> {
    const { id, version: ifMatch } = old
    return catchProblems(changedCodes, () =>
      client.retractRecord({ path: { id }, ifMatch, body: { actor, rationale } }),
    )
  }

  function supersede(old: Named, record: Schemas['NewRecord'], rationale: string) {
    const { id, version: ifMatch } = old
    return client.supersedeRecord({ path: { id }, ifMatch, body: { record, actor, rationale } })
  }

  function toRecord(draft: Draft, since?: string): Schemas['NewRecord'] {
    const { tags, subject, predicate, object } = draft
    return {
      type: 'semantic',
      scope,
      tags: [...tags],
      source_type: 'ai',
      lifecycle,
      payload: { kind: 'semantic', subject, predicate, object },
      provenance: {
        sources: [{ kind: 'tool_call', ref: source, ...(since === undefined ? {} : { timestamp: since }) }],
      },
    }
  }

  return { list, find, findAny, retrieve, create, put, replace, rename, retract, remove }
}

type Seen = Schemas['SeenRecord']

function isLive(record: Seen): boolean {
  return 'status' in record && !record.forgotten && live.some((status) => status === record.status)
}

/** Ids for the next record of a name, in the same order for all writers that have seen the same last record. */
function createIds(scope: string, name: string) {
  let seen: string | undefined
  let given = 0
  return (last: Seen | undefined): Promise<string> => {
    if (last?.id !== seen) given = 0
    seen = last?.id
    return computeUuid(scope, name, seen ?? null, given++)
  }
}

function createContentionError(name: string): Error {
  return new Error(`${name} has too many writers at the same time`)
}

function toNamed(record: Seen, source: string): Named | undefined {
  if ('redacted' in record || record.payload.kind !== 'semantic') return undefined
  const { id, version, tags, created_at, provenance, payload } = record
  const origin = provenance.sources.find(({ ref }) => ref === source)
  if (!origin) return undefined
  const { subject, predicate, object } = payload
  return { id, version, tags, created_at, since: origin.timestamp ?? created_at, subject, predicate, object }
}

const takenCodes: readonly ProblemCode[] = ['record_exists']
const changedCodes: readonly ProblemCode[] = [
  'version_mismatch',
  'already_superseded',
  'already_retracted',
  'record_not_found',
  'record_forgotten',
  'record_purged',
  'record_erased',
]

/** False if the request was refused with one of the codes. */
async function catchProblems(codes: readonly ProblemCode[], request: () => Promise<unknown>) {
  try {
    await request()
    return true
  } catch (error) {
    if (!isProblem(error, ...codes)) throw error
    return false
  }
}
