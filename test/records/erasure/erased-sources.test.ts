import { afterAll, describe, expect, it } from 'vitest'
import { capture, readAllRows } from '../../support/requests/capture-requests.ts'
import { createScope } from '../../support/requests/consolidation-requests.ts'
import { type Body, create, fact, payloads, read } from '../../support/requests/record-requests.ts'
import { auditFields, buildClaim, revise } from '../../support/requests/revision-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests' } })
afterAll(() => app.close())

const readEverything = async () => (await readAllRows(app)).join('\n')

/** Erases a record from which `kept` has copied something. Returns what is left. */
async function eraseSource(id: string, kept: string): Promise<Body> {
  const answer = await app.request('POST', `/v1/records/${id}/erase`, { body: auditFields })
  expect(answer.body).toMatchObject({ kept: [kept] })
  return read(app, kept)
}

const interview = (name: string) => ({
  sources: [{ kind: 'observation', ref: `interview with ${name}`, created_by: name }],
})
const tell = (name: string) => {
  const payload = { ...payloads.semantic, object: `the story of ${name}` }
  return create(app, fact({ payload, provenance: interview(name), tags: [name] }))
}

describe('a record that stays when one of its sources is erased', () => {
  it('loses the sources that a merge copied from it, and keeps those of the others', async () => {
    const [first, second] = [await tell('Merope'), await tell('Electra')]
    const body = { ...auditFields, ids: [first.id, second.id], record: buildClaim('both stories') }
    const { record } = (await app.request('POST', '/v1/records/merge', { body })).body as Body
    expect(record.provenance.sources).toHaveLength(2)
    const left = await eraseSource(first.id, record.id)
    expect(left.provenance.sources).toEqual(interview('Electra').sources)
    expect(await readEverything()).not.toContain('Merope')
  })

  it('loses the sources and types that an entity took over with it', async () => {
    const name = (canonical_name: string, types: string[]) => {
      const payload = { ...payloads.entity, canonical_name, types, aliases: [], identifiers: [] }
      return create(app, { type: 'entity', payload, provenance: interview(canonical_name) })
    }
    const [target, duplicate] = [await name('Maia', ['Star']), await name('Alcyone', ['Patient of Taygeta'])]
    const body = { ...auditFields, source_ids: [duplicate.id] }
    const merged = (await app.request('POST', `/v1/entities/${target.id}/merge`, { body })).body as Body
    expect(merged.payload.types).toContain('Patient of Taygeta')
    const left = await eraseSource(duplicate.id, target.id)
    expect(left.provenance.sources).toEqual(interview('Maia').sources)
    expect(left.payload.types).toEqual(target.payload.types)
    const rows = await readEverything()
    for (const word of ['Alcyone', 'Taygeta']) expect(rows).not.toContain(word)
  })

  it.each(['supersede', 'fork'])('loses the tags that it inherited by a %s', async (operation) => {
    const origin = await tell(`Pleione-${operation}`)
    const { record } = (await revise(app, operation, origin.id, { record: buildClaim(operation) }))
      .body as Body
    expect(record.tags).toEqual(origin.tags)
    expect(await eraseSource(origin.id, record.id)).toMatchObject({ tags: [] })
    expect(await readEverything()).not.toContain(`Pleione-${operation}`)
  })

  it('loses the name of the reporter of the capture that created it', async () => {
    const scope = createScope()
    const report = { source_kind: 'observation', scope, source: 'Sterope' }
    const said = { subject: 'Atlas', predicate: 'carries', object: 'the sky' }
    const first = await capture(app, said, report)
    await capture(app, said, { ...report, source: 'agent' })
    const answer = await app.request('POST', `/v1/records/${first.primary_record.id}/erase`, {
      body: auditFields,
    })
    expect((answer.body as Body).kept).toHaveLength(2)
    expect(await readEverything()).not.toContain('Sterope')
  })
})
