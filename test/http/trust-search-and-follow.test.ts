import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isVisibleTo, openTo } from '../../src/db/fragments/visibility.ts'
import { operations } from '../support/http/openapi-operations.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { fillMixedTrustStore, reader, secretWord } from '../support/stores/mixed-trust-store.ts'
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts'
import { uuid } from '../support/texts/uuid.ts'

/**
 * Calls every GET of the published document with a low key of one scope, on a store that clients and jobs filled with
 * records of all sensitivities and scopes. No answer may name a hidden record or contain text of a redacted one.
 */

const paths = operations.flatMap(({ method, path }) => (method === 'GET' ? [path] : []))
const followed = '/v1/maintenance/runs/{id}/events'
const trust = { maxSensitivity: reader.max_sensitivity, scopes: reader.scopes }

let app: TestApp
let key: string
let runs: string[]
let sight: Map<string, 'open' | 'redacted' | 'hidden'>
let samples: { id: string; isEntity: boolean }[]

beforeAll(async () => {
  app = await startTestApp({
    variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the walking tests', MEMBRANE_EMBEDDING_PROVIDER: 'hash' },
  })
  runs = await fillMixedTrustStore(app)
  // An admin reads everything that a reader does, and also keys, tombstones and counts.
  key = await app.issueKey(['admin'], reader)
  sight = await readSight()
  samples = await pickSamples()
}, 300_000)
afterAll(() => app.close())

async function readSight(): Promise<typeof sight> {
  const { rows } = await sql<{ id: string; is_open: boolean; is_visible: boolean }>`
    select r.id, ${openTo(trust)} as is_open, ${isVisibleTo(trust)} as is_visible from (
      select id, sensitivity, scope from records union all select id, sensitivity, scope from departures
    ) as r
  `.execute(app.db)
  const sightOf = (row: (typeof rows)[number]) => {
    if (row.is_open) return 'open'
    return row.is_visible ? 'redacted' : 'hidden'
  }
  return new Map(rows.map((row) => [row.id, sightOf(row)]))
}

/**
 * The first of the visible records that differ in what is told of them: their type, status and changes, and their edges to
 * open, redacted and hidden records. Of departed records too little is left to tell them apart.
 */
async function pickSamples(): Promise<typeof samples> {
  const { rows } = await sql<{ id: string; type: string; traits: unknown[]; edges: [string, string][] }>`
    select r.id, r.type::text as type, jsonb_build_array(r.type, r.status, r.forgotten_at is null,
        (select jsonb_agg(distinct a.action) from audit_entries as a where a.record_id = r.id)) as traits,
      coalesce((select jsonb_agg(jsonb_build_array(e.predicate, e.target_id)) from relations as e
        where e.source_id = r.id), '[]') as edges
    from records as r union all select d.id, 'departed', jsonb_build_array(d.id), '[]' from departures as d
    order by id
  `.execute(app.db)
  const first = new Map<string, (typeof samples)[number]>()
  for (const { id, type, traits, edges } of rows) {
    if (sight.get(id) === 'hidden') continue
    const ends = new Set(edges.map(([predicate, target]) => `${predicate} ${sight.get(target)}`))
    const kind = JSON.stringify([sight.get(id), traits, [...ends].sort()])
    if (!first.has(kind)) first.set(kind, { id, isEntity: type === 'entity' })
  }
  return [...first.values()]
}

const seen = (as: string) => [...sight].flatMap(([id, how]) => (how === as ? [id] : []))

/** Lists what an answer must not contain, with the text around it. */
function leaksIn(text: string): string[] {
  const ids = new Set(text.match(uuid) ?? [])
  const found = [...ids, secretWord].filter(
    (word) => text.includes(word) && (word === secretWord || sight.get(word) === 'hidden'),
  )
  return found.slice(0, 5).map((word) => around(text, word))
}

function around(text: string, word: string): string {
  const at = text.indexOf(word)
  return text.slice(Math.max(0, at - 150), at + 150)
}

function pathsOf(template: string, id: string): string[] {
  const path = template.replace('{id}', id).replace('{type}', 'semantic').replace('{job}', 'decay')
  if (path === '/v1/entities') return ['Orion', 'Vega 1', 'cryptic'].map((term) => `${path}?term=${term}`)
  if (path === '/v1/export') return [path, `${path}?include_forgotten=true&embeddings=true`]
  if (path === '/v1/records')
    return ['', '&q=Orion', '&include_forgotten=true'].map((q) => `${path}?limit=500${q}`)
  if (path.endsWith('/relations')) return [`${path}?limit=500`, `${path}?limit=500&direction=in`]
  if (/changes$|audit$|status-history$/.test(path)) return [`${path}?limit=500`]
  return [path]
}

/** Reads every page of an answer. */
async function readAll(first: string): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let path: string | undefined = first; path; ) {
    const answer = await app.request('GET', path, { key })
    answers.push(answer)
    const cursor: string | undefined = (answer.body as Body)?.next_cursor
    path = cursor && `${first}${first.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`
  }
  return answers
}

function idsOf(template: string): string[] {
  if (!template.includes('{id}')) return ['']
  if (template.includes('/runs/')) return runs
  const ids = samples.map(({ id }) => id)
  if (template.startsWith('/v1/records/')) return ids
  const entities = samples.filter(({ isEntity }) => isEntity).map(({ id }) => id)
  return template.startsWith('/v1/entities/') ? [...entities, ...ids.slice(0, 3)] : ids.slice(0, 3)
}

describe('a key of one scope with a low ceiling', () => {
  it('sees some records completely, some redacted and some not at all', () => {
    for (const how of ['open', 'redacted', 'hidden']) expect(seen(how).length).toBeGreaterThan(20)
    expect(runs.length).toBe(24)
    expect(samples.length).toBeGreaterThan(40)
    expect(samples.filter(({ isEntity }) => isEntity).length).toBeGreaterThan(4)
  })

  it.each(paths.filter((path) => path !== followed))('reads no hidden id from GET %s', async (template) => {
    const leaks: string[] = []
    for (const path of idsOf(template).flatMap((id) => pathsOf(template, id))) {
      for (const { status, text } of await readAll(path)) {
        expect([path, status < 500]).toEqual([path, true])
        leaks.push(...leaksIn(text).map((leak) => `${path}: ${leak}`))
      }
    }
    expect(leaks.slice(0, 5)).toEqual([])
  })

  it.each([
    {},
    { task_descriptor: 'what is known of Orion and its release', max_hops: 3, explain: true },
    { task_descriptor: 'cryptic neighbour', node_limit: 100, root_limit: 100, explain: true },
    { include_status: ['challenged', 'superseded', 'merged', 'invalidated'], max_hops: 3, root_limit: 100 },
  ])('retrieves no hidden record with %j', async (query) => {
    const { status, text } = await app.request('POST', '/v1/retrieve', { key, body: query })
    expect([status, leaksIn(text)]).toEqual([200, []])
  })

  it('finds no hidden record similar to visible ones', async () => {
    const queries = [
      ...seen('open')
        .filter((_, n) => n % 12 === 0)
        .map((id) => ({ record_id: id, limit: 100 })),
      ...['cryptic neighbour', 'the release of Orion'].map((text) => ({ text, limit: 100 })),
    ]
    for (const body of queries) {
      const { text } = await app.request('POST', '/v1/search/similar', { key, body })
      expect(leaksIn(text)).toEqual([])
    }
    const body = { text: 'the release of Orion is built by Jenkins on 12 nodes', scope: 'mine' }
    const { text } = await app.request('POST', '/v1/surprise/preview', { key, body })
    expect(leaksIn(text)).toEqual([])
  })
})
