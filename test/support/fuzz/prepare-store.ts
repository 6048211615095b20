import { splitLines } from '../http/openapi-contract.ts'
import { type Operation, operations } from '../http/openapi-operations.ts'
import { create, payloads } from '../requests/record-requests.ts'
import type { TestApp } from '../test-app.ts'
import { createEmbeddingWorker } from '../workers/embedding-workers.ts'
import type { FuzzTargets } from './compose-request.ts'
import { marker } from './hostile-values.ts'
import type { Random } from './random.ts'

type Listed = { items?: { id?: unknown }[]; next_cursor?: unknown }

const unknownId = '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11'
const creating = operations.filter(
  ({ method, path, body }) => method === 'POST' && body && !path.includes('{'),
)
const collections = [
  ...new Set(operations.flatMap(({ path }) => (path.includes('/{') ? [path.split('/{', 1)[0] ?? ''] : []))),
]

export type FuzzStore = FuzzTargets & { refresh(): Promise<void>; learn(text: string): void }

/** Fills a store with records of every type and one of everything else that the document can create. */
export async function prepareFuzzStore(app: TestApp, random: Random, keysOf = issueKeys): Promise<FuzzStore> {
  const known = new Map<string, string[]>()
  const cursors: string[] = []
  let keys: string[] = []
  let lines: string[] = []

  async function refresh(): Promise<void> {
    keys = await keysOf(app)
    await sow(app, random)
    for (const path of collections) known.set(path, await listIds(app, path))
    // Entities are looked up by name, and listed with the records.
    known.set('/v1/entities', await listIds(app, '/v1/records', '?type=entity&include_forgotten=true'))
    // Without vectors a similarity search finds nothing.
    await createEmbeddingWorker(app).run()
    // The serving model is cached for a moment.
    app.clock.advance(2_000)
    lines = await exportLines(app)
  }

  /** Tries a cursor on its own list and on others. */
  function learn(text: string): void {
    const cursor = /"next_cursor":"([^"]+)"/.exec(text)?.[1]
    if (cursor === undefined) return
    cursors.push(cursor)
    if (cursors.length > 50) cursors.shift()
  }

  const records = () => known.get('/v1/records') ?? []
  const idOf = (collection: string) => {
    const ids = known.get(collection) ?? []
    return random.pick(ids.length > 0 && random.chance(0.85) ? ids : [unknownId, ...records()])
  }
  await refresh()
  return {
    random,
    refresh,
    learn,
    idOf,
    id: () => random.pick([unknownId, ...records()]),
    cursor: () => (cursors.length > 0 && random.chance(0.3) ? random.pick(cursors) : forge(cursors, random)),
    key: () => random.pick(keys),
    line: () => random.pick(lines),
  }
}

async function issueKeys(app: TestApp): Promise<string[]> {
  const everything = ['records:read', 'records:write', 'lifecycle:write', 'maintenance:run'] as const
  const root = 'root-key-of-the-tests'
  return [
    ...Array(8).fill(root),
    await app.issueKey(everything, { scopes: ['mine'], max_sensitivity: 'medium' }),
    await app.issueKey(everything, { scopes: ['mine', 'theirs'] }),
    await app.issueKey(['records:read']),
    'mbk_unknown',
  ]
}

/** Issues keys with every permission, but limited to one scope and a low sensitivity. */
export async function issueScopedKeys(app: TestApp): Promise<string[]> {
  const everything = ['records:read', 'records:write', 'lifecycle:write', 'maintenance:run'] as const
  const trust = { scopes: ['mine'], max_sensitivity: 'low' }
  return [await app.issueKey(everything, trust), await app.issueKey([...everything, 'admin'], trust)]
}

async function sow(app: TestApp, random: Random): Promise<void> {
  // Erased content cannot be stored again while its tombstone exists.
  for (const id of await listIds(app, '/v1/tombstones')) await app.request('DELETE', `/v1/tombstones/${id}`)
  for (const payload of Object.values(payloads)) {
    for (const more of [{}, {}, {}, { scope: 'mine' }, { scope: 'theirs', sensitivity: 'high' }]) {
      const body = { type: payload.kind, payload, tags: [marker], ...more }
      const { id } = await create(app, body)
      if (random.chance(0.3)) await app.request('DELETE', `/v1/records/${id}?actor=a&rationale=r`)
    }
  }
  for (const operation of creating) await app.request('POST', operation.path, askAsDocumented(operation))
}

function askAsDocumented({ body }: Operation) {
  const [example = {}] = body?.examples ?? []
  return { body: example, headers: { 'content-type': body?.mediaType ?? 'application/json' } }
}

/** Exports complete records, which can be imported again. */
async function exportLines(app: TestApp): Promise<string[]> {
  const { text } = await app.request('GET', '/v1/export?include_forgotten=true&embeddings=true')
  return splitLines(text)
}

async function listIds(app: TestApp, path: string, query = ''): Promise<string[]> {
  const listing = operations.find((each) => each.method === 'GET' && each.path === path)
  if (!listing) return []
  const { body } = await app.request('GET', `${path}${query}`)
  const items = (body as Listed | undefined)?.items ?? []
  return items.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
}

const positions = [
  {},
  [],
  null,
  'text',
  ['9999-12-31T23:59:59.999Z', unknownId],
  { id: unknownId },
  [1e308, 'x'],
  { sort: '; --' },
]

/** Picks a cursor of another list, a slightly changed one, or an invented one. */
function forge(cursors: readonly string[], random: Random): string {
  if (cursors.length === 0 || random.chance(0.4)) {
    return Buffer.from(JSON.stringify(random.pick(positions))).toString('base64url')
  }
  const bytes = Buffer.from(random.pick(cursors), 'base64url')
  bytes[random.below(bytes.length)] = random.below(256)
  return bytes.toString('base64url')
}
