import { afterAll, describe, expect, it } from 'vitest'
import { transact } from '../../src/db/transaction.ts'
import { nameHandle } from '../../src/domain/identity/handles.ts'
import { lookUpHandles } from '../../src/records/handles/handles.queries.ts'
import { importLines } from '../support/requests/export-and-import.ts'
import {
  type Body,
  create,
  expectProblem,
  payloads,
  pointersOf,
} from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

/** The processor time of this process, in which the API runs: the time on the clock also depends on others. */
async function measureSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  return process.cpuUsage(before).user / 1e6
}

const identifiers = Array.from({ length: 40_000 }, (_, i) => ({ namespace: 'git', value: `many-${i}` }))

describe('a record with many names', () => {
  // It is refused for its last identifier, so that it need not be stored. To compare each with all others takes seconds.
  it('is checked in linear time with 40,000 identifiers', async () => {
    await create(app, { type: 'entity', payload: { ...payloads.entity, identifiers: identifiers.slice(-1) } })
    const payload = { ...payloads.entity, identifiers }
    const seconds = await measureSeconds(async () => {
      const answer = await app.request('POST', '/v1/records', { body: { type: 'entity', payload } })
      expectProblem(answer, 409, 'identifier_taken')
      expect(pointersOf(answer)).toEqual(['/payload/identifiers/39999'])
    })
    expect(seconds).toBeLessThan(3)
  })

  it('is imported in linear time with 40,000 identifiers', async () => {
    const id = app.ids.next()
    const known = identifiers.slice(0, -1)
    const line = { id, type: 'entity', payload: { ...payloads.entity, identifiers: known }, identifiers }
    const seconds = await measureSeconds(async () => {
      const { reports } = await importLines(app, [line])
      expect(reports).toMatchObject([{ status: 'invalid' }])
      expect(JSON.stringify(reports)).toContain('/identifiers/39999')
    })
    expect(seconds).toBeLessThan(3)
  })

  it('is refused in linear time in a batch where each record needs the next', async () => {
    const target = await create(app, { type: 'entity', payload: payloads.entity })
    const ids = Array.from({ length: 1_001 }, () => app.ids.next())
    const records = ids.slice(0, 1_000).map((id, i) => ({
      id,
      type: 'entity',
      payload: { ...payloads.entity, identifiers: [] },
      relations: [
        ...Array.from({ length: 75 }, (_, j) => ({ predicate: `p${j}`, target_id: target.id })),
        { predicate: 'needs', target_id: ids[i + 1] },
      ],
    }))
    let answer: Body = {}
    const seconds = await measureSeconds(async () => {
      answer = (await app.request('POST', '/v1/records/batch', { body: { records } })).body as Body
    })
    const codes = answer.results.map((each: Body) => each.problem?.code)
    expect(new Set(codes)).toEqual(new Set(['record_not_found']))
    expect(seconds).toBeLessThan(3)
  })

  it('is read once by a look-up of several of its names', async () => {
    const aliases = ['Many Names', 'Several Names'].map((value) => ({ value }))
    await create(app, { type: 'entity', payload: { ...payloads.entity, aliases, identifiers: [] } })
    const lookups = aliases.map(({ value }) => ({
      ...nameHandle(value),
      scope: '',
      lock: 'never' as const,
    }))
    const { matches } = await transact(app.db, {}, (tx) => lookUpHandles(tx, lookups, 'hyper'))
    const [one, other] = matches.map(({ known }) => known[0]?.payload)
    expect(one).toMatchObject({ aliases })
    expect(other).toBe(one)
  })
})
