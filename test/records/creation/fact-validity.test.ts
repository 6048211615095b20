import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { listLineResults } from '../../support/files/foreign-files.ts'
import { postCapture, triple } from '../../support/requests/capture-requests.ts'
import { exportLines, importLines } from '../../support/requests/export-and-import.ts'
import { create, expectProblem, fact, pointersOf, read } from '../../support/requests/record-requests.ts'
import { buildClaim, revise } from '../../support/requests/revision-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const validity = { mode: 'timeboxed', start: '2026-02-01T00:00:00.000Z', end: '2026-01-01T00:00:00.000Z' }

describe('a fact that ends before it starts', () => {
  it('is refused by a capture of any kind', async () => {
    for (const source_kind of ['event', 'observation']) {
      const answer = await postCapture(app, triple('linux', { validity }), { source_kind })
      expectProblem(answer, 422, 'validation_failed')
      expect(pointersOf(answer)).toEqual(['/content/validity/end'])
    }
  })

  it('is refused as the new record of a revision', async () => {
    const stored = await create(app, buildClaim('D'))
    const input = buildClaim('Nim')
    const record = { ...input, payload: { ...input.payload, validity } }
    for (const call of ['supersede', 'fork']) {
      const answer = await revise(app, call, stored.id, { record })
      expectProblem(answer, 422, 'validation_failed')
      expect(pointersOf(answer)).toEqual(['/record/payload/validity/end'])
    }
  })

  it('survives an export and an import, when it was stored before it was refused', async () => {
    const source = await startTestApp()
    const target = await startTestApp()
    const { id } = await create(source, fact())
    const { db } = source
    await sql`update contents set payload = payload || ${{ validity }}::jsonb where record_id = ${id}`.execute(
      db,
    )
    const { text } = await exportLines(source)
    expect(listLineResults(await importLines(target, text))).toEqual(['1 created'])
    expect((await read(target, id)).payload.validity).toEqual(validity)
    await source.close()
    await target.close()
  })
})
