import { afterAll, describe, expect, it } from 'vitest'
import { captureEpisode, consolidate } from '../../support/requests/consolidation-requests.ts'
import { exportLines, importLines } from '../../support/requests/export-and-import.ts'
import { create, read } from '../../support/requests/record-requests.ts'
import { buildClaim, revise } from '../../support/requests/revision-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
const other = await startTestApp()
afterAll(() => Promise.all([app.close(), other.close()]))

const reason = { actor: 'agent', rationale: 'it helped' }

describe('an export that is imported again', () => {
  it('leaves records alone that were changed since, and counts them as unchanged', async () => {
    const scope = 'changed'
    const changes: ((id: string) => Promise<{ status: number }>)[] = [
      (id) => app.request('POST', `/v1/records/${id}/reinforce`, { body: reason }),
      (id) => app.request('PATCH', `/v1/records/${id}`, { body: { tags: ['later'], confidence: 0.5 } }),
      (id) => revise(app, 'contest', id, { contesting_ref: 'a photograph' }),
      (id) => revise(app, 'supersede', id, { record: buildClaim('another') }),
      (id) => app.request('DELETE', `/v1/records/${id}?actor=a&rationale=b`),
    ]
    const ids: string[] = []
    for (const [n] of changes.entries()) ids.push((await create(app, buildClaim(`fact ${n}`, { scope }))).id)
    const { text, records } = await exportLines(app, `?scope=${scope}`)
    app.clock.advance(1_000)
    for (const [n, change] of changes.entries()) expect((await change(ids[n] ?? '')).status).toBeLessThan(300)
    const { text: before } = await exportLines(app, `?scope=${scope}&include_forgotten=true`)
    const { summary } = await importLines(app, text)
    expect(summary).toEqual({ created: 0, unchanged: records.length, conflict: 0, invalid: 0 })
    expect((await exportLines(app, `?scope=${scope}&include_forgotten=true`)).text).toBe(before)
  })

  it('counts a skill and its episodes as unchanged after a consolidation has counted more', async () => {
    const scope = 'counted'
    const use = (n: number) =>
      captureEpisode(
        app,
        `count the invoices of day ${n}`,
        { tool_graph: [{ id: '1', tool: 'psql' }] },
        { scope },
      )
    for (const n of [1, 2]) await use(n)
    await consolidate(app)
    const { text, records } = await exportLines(app, `?scope=${scope}`)
    await use(3)
    await consolidate(app)
    expect((await importLines(app, text)).summary).toMatchObject({ unchanged: records.length, conflict: 0 })
  })

  it('reports a conflict where the line is newer, where both were changed, and where the statement differs', async () => {
    const scope = 'apart'
    const { id } = await create(app, buildClaim('shared', { scope }))
    const first = (await exportLines(app, `?scope=${scope}`)).records
    other.clock.advance(60_000)
    expect((await importLines(other, first)).summary.created).toBe(1)
    await app.request('POST', `/v1/records/${id}/reinforce`, { body: reason })
    const newer = (await exportLines(app, `?scope=${scope}`)).records
    expect((await importLines(other, newer)).summary).toMatchObject({ unchanged: 0, conflict: 1 })
    other.clock.advance(1_000)
    for (const more of [{}, { amount: 0.1 }])
      await other.request('POST', `/v1/records/${id}/${'amount' in more ? 'penalize' : 'reinforce'}`, {
        body: { ...reason, ...more },
      })
    expect((await importLines(other, newer)).summary).toMatchObject({ unchanged: 0, conflict: 1 })
    expect((await importLines(other, first)).summary).toMatchObject({ unchanged: 1, conflict: 0 })
    const [line] = first
    const edited = { ...line, payload: { ...line.payload, object: 'edited' } }
    expect((await importLines(other, [edited])).summary).toMatchObject({ unchanged: 0, conflict: 1 })
    expect(await read(other, id)).toMatchObject({ version: 3, payload: { object: 'shared' } })
  })
})
