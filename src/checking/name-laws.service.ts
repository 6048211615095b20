import type { Database } from '../db/connection.ts'
import { createTopicHandle, type Handle, listHandles } from '../domain/identity/handles.ts'
import { nilUuid } from '../kernel/ids.ts'
import { type Finding, maxNamed } from './law.ts'
import { type HandledRecord, listHandledRecords } from './name-laws.queries.ts'

const pageSize = 1_000

/** Checks page by page, because handles are computed here: `lower` of PostgreSQL depends on its locale. */
export async function findMissingHandles(db: Database): Promise<Finding> {
  let checked = 0
  let broken = 0
  const named: string[] = []
  for (let after = nilUuid; ; ) {
    const page = await listHandledRecords(db, after, pageSize)
    const nameless = page.filter((each) => !hasAllHandles(each)).map(({ id }) => id)
    checked += page.length
    broken += nameless.length
    named.push(...nameless.slice(0, maxNamed - named.length))
    const last = page.at(-1)
    if (!last) return { checked, broken, named }
    after = last.id
  }
}

function hasAllHandles({ payload, digests }: HandledRecord): boolean {
  const known = new Set(digests)
  const isKnown = ({ digest, detail }: Handle) =>
    known.has(`${digest.toString('hex')}${detail?.toString('hex') ?? ''}`)
  return (
    listHandles(payload).every(isKnown) ||
    (payload.kind === 'semantic' && isKnown(createTopicHandle(payload)))
  )
}
