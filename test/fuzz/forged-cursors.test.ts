import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { encodeCursor } from '../../src/http/paging/cursor.ts'
import { hostileId, hostileNumber, hostileText, hostileTime } from '../support/fuzz/hostile-values.ts'
import { createRandom } from '../support/fuzz/random.ts'
import { operations } from '../support/http/openapi-operations.ts'
import { isLongRun } from '../support/long-run.ts'
import { type Body, create, payloads } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

type Made = { encode: typeof encodeCursor; fingerprint: string; position: object }

/** The last cursor of the server and its content: an attacker who knows the source can forge one. */
let cursors: Made | undefined
vi.mock('../../src/http/paging/cursor.ts', async (original) => {
  const paging = await original<{ encodeCursor: typeof encodeCursor }>()
  const encode: typeof encodeCursor = (fingerprint, position) => {
    cursors = { encode: paging.encodeCursor, fingerprint, position }
    return paging.encodeCursor(fingerprint, position)
  }
  return { ...paging, encodeCursor: encode }
})

const lists = operations.filter(({ method, parameters }) => {
  return method === 'GET' && parameters.some(({ name }) => name === 'cursor')
})

const random = createRandom(11)

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the hostile tests' } })
const hub = (await create(app, { type: 'entity', payload: payloads.entity })).id
beforeAll(async () => {
  for (const predicate of ['supports', 'contradicts', 'mentions_entity', 'subject_entity'])
    await link(predicate)
  for (const status of ['challenged', 'active', 'challenged']) {
    await app.request('POST', `/v1/records/${hub}/status`, { body: { status, reason: 'r', actor: 'a' } })
  }
  for (const job of ['decay', 'purge', 'dream'])
    await app.request('POST', '/v1/maintenance/runs', { body: { job } })
  for (const conversation of ['talk', 'chat']) {
    const messages = ['hello', 'goodbye'].map((content) => ({ role: 'user', content }))
    await app.request('POST', `/v1/conversations/${conversation}/messages`, { body: { messages } })
  }
  for (const name of ['one', 'two']) await app.issueKey(['records:read'], { name })
})
afterAll(() => app.close())

async function link(predicate: string): Promise<void> {
  const { id } = await create(app, { type: 'entity', payload: payloads.entity })
  await app.request('POST', `/v1/records/${id}/relations`, { body: { predicate, target_id: hub } })
  await app.request('POST', `/v1/records/${hub}/relations`, { body: { predicate, target_id: id } })
  const erasure = { actor: 'a', rationale: 'r' }
  const { id: gone } = await create(app, {
    type: 'semantic',
    payload: { ...payloads.semantic, object: predicate },
  })
  await app.request('POST', `/v1/records/${gone}/erase`, { body: erasure })
}

/** The path with the one record that has several pages of everything. */
function pathsOf({ path, parameters }: (typeof operations)[number]): string[] {
  const filled = path.replace('{id}', hub).replace('{conversation_id}', 'talk')
  const required = parameters.filter((each) => each.in === 'query' && each.required)
  const query = ['limit=1', ...required.map(({ name }) => `${name}=Orion`)].join('&')
  const orders = parameters.find(({ name }) => name === 'sort')?.schema.enum ?? [undefined]
  return orders.map((sort) => `${filled}?${query}${sort ? `&sort=${sort}` : ''}`)
}

const tries = isLongRun ? 40 : 8

/** Usually keeps the type, so that the schema accepts it. */
function bend(value: unknown): unknown {
  if (random.chance(0.4)) return value
  if (random.chance(0.1)) return hostileText(random)
  if (typeof value === 'number') return Number(hostileNumber(random)) || 0
  if (Number.isNaN(Date.parse(String(value)))) return random.pick([hostileId, hostileText])(random)
  return hostileTime(random)
}

function forge({ encode, fingerprint, position }: Made): { cursor: string; bent: string } {
  const bent = Object.fromEntries(Object.entries(position).map(([name, value]) => [name, bend(value)]))
  return { cursor: encode(fingerprint, bent).slice(0, 2_048), bent: JSON.stringify(bent) }
}

/** Returns what happened if it was neither a page nor the documented refusal. */
async function tryForged(path: string, from: Made): Promise<string[]> {
  const { cursor, bent } = forge(from)
  const { status, body, text } = await app.request('GET', `${path}&cursor=${cursor}`)
  if (status === 200) return []
  return (body as Body).code === 'invalid_cursor' ? [] : [`${path} ${bent}: ${text}`]
}

async function tryMany(path: string): Promise<string[]> {
  const faults: string[] = []
  for (let left = cursors ? tries : 0; cursors && left > 0; left--)
    faults.push(...(await tryForged(path, cursors)))
  return faults
}

describe('a forged cursor with a valid signature and a changed position', () => {
  it.each(lists)('is refused by $name or leads to a page', async (operation) => {
    const faults: string[] = []
    for (const path of pathsOf(operation)) {
      cursors = undefined
      const { text } = await app.request('GET', path)
      // A list with a next page whose cursor was not seen here would be tried with none.
      expect(cursors !== undefined).toBe(text.includes('next_cursor'))
      faults.push(...(await tryMany(path)))
    }
    expect(faults.slice(0, 10)).toEqual([])
  })

  it('was tried on many lists', async () => {
    const isPaged = async (list: (typeof lists)[number]) => {
      return (await app.request('GET', pathsOf(list)[0] ?? '')).text.includes('next_cursor')
    }
    const paged = await Promise.all(lists.map(isPaged))
    // Lists of rows that only a worker or a setting makes, and of which this store has too few.
    const unpaged = lists.filter((_, index) => !paged[index]).map(({ name }) => name)
    expect(unpaged.sort()).toEqual([
      'listBudgets',
      'listImportanceMoves',
      'listPlanChanges',
      'listPlans',
      'listRegrets',
      'listRunChanges',
      'listTenants',
      'listWorthModels',
    ])
  })
})
