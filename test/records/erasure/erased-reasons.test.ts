import { afterAll, describe, expect, it } from 'vitest'
import { purgeForgotten } from '../../../src/records/index.ts'
import { listBrokenLaws } from '../../support/checks/broken-laws.ts'
import { createScope } from '../../support/requests/consolidation-requests.ts'
import { entity } from '../../support/requests/entity-requests.ts'
import { exportLines } from '../../support/requests/export-and-import.ts'
import { type Body, create, read } from '../../support/requests/record-requests.ts'
import { buildClaim } from '../../support/requests/revision-requests.ts'
import { startTestApp } from '../../support/test-app.ts'
import { listTablesWith } from '../../support/texts/find-word.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests' } })
afterAll(async () => {
  const broken = await listBrokenLaws(app)
  await app.close()
  expect(broken).toEqual([])
})

type Place = { scope: string; rationale: string }

async function post(path: string, { rationale }: Pick<Place, 'rationale'>, body: object): Promise<Body> {
  app.clock.advance(1_000)
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const answer = await app.request('POST', `/v1/${path}`, {
    body: { actor: 'ada', rationale, ...body },
    headers,
  })
  if (answer.status >= 300) throw new Error(answer.text)
  return answer.body
}
const claim = ({ scope }: Place, object: string) => buildClaim(object, { scope })
const createClaim = async (place: Place, object: string): Promise<string> =>
  (await create(app, claim(place, object))).id
const createEntity = async ({ scope }: Place, name: string): Promise<string> =>
  (await create(app, entity(name, {}, { scope }))).id

async function replace(call: 'supersede' | 'fork', place: Place): Promise<string[]> {
  const old = await createClaim(place, 'Go')
  const { record } = await post(`records/${old}/${call}`, place, { record: claim(place, 'Rust') })
  return [old, record.id]
}

/** Each makes records with the rationale in their logs, and returns their ids. */
const operations: Record<string, (place: Place) => Promise<string[]>> = {
  supersede: (place) => replace('supersede', place),
  fork: (place) => replace('fork', place),
  merge: async (place) => {
    const ids = [await createClaim(place, 'Go'), await createClaim(place, 'Ada')]
    const { record } = await post('records/merge', place, { ids, record: claim(place, 'Rust') })
    return [...ids, record.id]
  },
  revert: async (place) => {
    const plain = { ...place, rationale: 'moved on' }
    const [old = '', next = ''] = await replace('supersede', plain)
    await post(`records/${old}/revert`, place, { to_version: 1 })
    return [old, next]
  },
  contest: async (place) => {
    const [fact, other] = [await createClaim(place, 'Go'), await createClaim(place, 'Rust')]
    await post(`records/${fact}/contest`, place, { contesting_ref: other })
    return [fact, other]
  },
  'contest that was ended': async (place) => {
    const [fact, other] = [await createClaim(place, 'Go'), await createClaim(place, 'Rust')]
    await post(`records/${fact}/contest`, { rationale: 'unsure' }, { contesting_ref: other })
    await post(`records/${fact}/uncontest`, place, {})
    return [fact, other]
  },
  relation: async (place) => {
    const [fact, other] = [await createClaim(place, 'Go'), await createClaim(place, 'Rust')]
    await post(`records/${fact}/relations`, place, { predicate: 'supports', target_id: other })
    return [fact, other]
  },
  'relation, which its predicate repeats': async (place) => {
    const [fact, other] = [await createClaim(place, 'Go'), await createClaim(place, 'Rust')]
    await post(`records/${fact}/relations`, place, { predicate: place.rationale, target_id: other })
    return [fact, other]
  },
  'merge of entities': async (place) => {
    const names = ['Orion', 'Rigel', 'Vega']
    const [target = '', ...source_ids] = await Promise.all(names.map((name) => createEntity(place, name)))
    await post(`entities/${target}/merge`, place, { source_ids })
    return [target, ...source_ids]
  },
}

const cases = Object.keys(operations).flatMap((name) =>
  [0, 1, ...(name.startsWith('merge') ? [2] : [])].map((index) => ({ name, index })),
)
let count = 0

/** Makes the records, erases one of them, and reads the others before and after. */
async function eraseOne({ name, index }: { name: string; index: number }) {
  const word = `xylobrand${++count}x`
  const place = { scope: createScope(), rationale: `she is called ${word} now` }
  const ids = (await operations[name]?.(place)) ?? []
  const readAll = (chosen: readonly string[]) => Promise.all(chosen.map((id) => read(app, id)))
  const others = ids.filter((_, at) => at !== index)
  const before = await readAll(others)
  expect(await listTablesWith(app.db, word)).toContain('audit_entries')
  await post(`records/${ids[index]}/erase`, { rationale: 'asked for' }, {})
  return { word, place, before, after: await readAll(others) }
}

describe('after the erase of one record, the reason of a', () => {
  it.each(cases)('$name is nowhere ($index)', async (one) => {
    const { word, place, before, after } = await eraseOne(one)
    expect(await listTablesWith(app.db, word)).toEqual([])
    const { text } = await exportLines(app, `?scope=${encodeURIComponent(place.scope)}`)
    expect(text).not.toContain(word)
    const keep = ({ action, actor, timestamp, changes, operation_id }: Body) => ({
      action,
      actor,
      timestamp,
      operation_id,
      changes:
        changes && 'merged' in changes
          ? undefined
          : JSON.stringify(changes)?.replace(/"relations\.[^"]*\.([^"]*)"/, '"relations.erased.$1"'),
    })
    for (const [at, { audit_log: log }] of before.entries())
      expect(after[at].audit_log.slice(0, log.length).map(keep)).toEqual(log.map(keep))
  })

  it('revision is also gone from the log of a purged record', async () => {
    const place = { scope: createScope(), rationale: 'she is called xylopurged now' }
    const [old, next] = await replace('supersede', place)
    await app.request('DELETE', `/v1/records/${next}?actor=ada&rationale=b`)
    app.clock.advance(31 * 86_400_000)
    await purgeForgotten(app.db, app.clock.now(), 1_000)
    await post(`records/${old}/erase`, { rationale: 'asked for' }, {})
    expect(await listTablesWith(app.db, 'xylopurged')).toEqual([])
  })

  it('merge is gone once two erases at a time have ended', async () => {
    const place = { scope: createScope(), rationale: 'she is called xylotwice now' }
    const ids = (await operations['merge']?.(place)) ?? []
    await Promise.all(
      ids.slice(0, 2).map((id) => post(`records/${id}/erase`, { rationale: 'asked for' }, {})),
    )
    expect(await listTablesWith(app.db, 'xylotwice')).toEqual([])
  })
})
