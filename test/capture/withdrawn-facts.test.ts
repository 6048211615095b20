import { afterAll, describe, expect, it } from 'vitest'
import {
  captureFact,
  createTopic,
  forget,
  listPredicates,
  pickCreated,
  triple,
} from '../support/requests/capture-requests.ts'
import { type Body, payloads, read } from '../support/requests/record-requests.ts'
import { mergeRecords, revise } from '../support/requests/revision-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const topic = (scope: string) => createTopic(app, scope)

describe('POST /v1/capture with a withdrawn fact', () => {
  it.each(['retracted', 'superseded'])('stores a challenged fact after the old one was %s', async (how) => {
    const { add, readActive } = topic(`once ${how}`)
    const { fact: old } = await add('linux', how === 'superseded' ? { revision_policy: 'replace' } : {})
    if (how === 'retracted') await revise(app, 'retract', old.record_id)
    const active = await add('windows')
    const again = await add('Linux')
    expect(again.fact).toEqual({
      outcome: 'challenged',
      other_id: active.fact.record_id,
      record_id: pickCreated(again, 'semantic')[0].id,
    })
    expect(pickCreated(again, 'semantic')[0].status).toBe('challenged')
    expect(listPredicates(again)).toContain('contradicts')
    expect(listPredicates(again)).toContain('contradicted_by')
    expect(await readActive()).toEqual(['windows'])
    expect(await read(app, active.fact.record_id)).toMatchObject({ version: 1, status: 'active' })
    expect((await read(app, active.fact.record_id)).payload.revision?.status ?? 'active').toBe('active')
    // A further repetition confirms the challenged fact.
    expect((await add('linux')).fact).toEqual({ outcome: 'confirmed', record_id: again.fact.record_id })
    expect((await read(app, again.fact.record_id)).status).toBe('challenged')
    const body = { status: 'active', reason: 'it was right', actor: 'desk' }
    const set = await app.request('POST', `/v1/records/${again.fact.record_id}/status`, { body })
    expect(set.status, set.text).toBe(200)
    expect(await readActive()).toEqual(['Linux', 'windows'])
    expect((await add('linux')).fact).toEqual({ outcome: 'confirmed', record_id: again.fact.record_id })
  })

  it('adds no contradiction when no active fact exists', async () => {
    const { add } = topic('alone')
    await revise(app, 'retract', (await add('linux')).fact.record_id)
    const again = await add('linux')
    expect(again.fact).toEqual({ outcome: 'challenged', record_id: again.fact.record_id })
    expect(listPredicates(again)).not.toContain('contradicts')
  })

  it('creates the fact in another scope', async () => {
    await revise(app, 'retract', (await topic('withdrawn here').add('linux')).fact.record_id)
    expect((await topic('not there').add('linux')).fact.outcome).toBe('created')
  })
})

describe('POST /v1/capture with a merged fact', () => {
  const evidence = [{ source_type: 'human', source_id: 'me', timestamp: '2026-01-01T00:00:00Z' }]
  const both = (more: object = {}) => ({
    type: 'semantic',
    ...more,
    payload: { ...payloads.semantic, ...triple(['linux', 'windows']), evidence },
  })
  async function mergeTwo(scope: string, more: object = {}) {
    const { add } = topic(scope)
    const { fact: one } = await add('linux', { revision_policy: 'fork' })
    const { fact: two } = await add('windows')
    app.clock.advance(1_000)
    const { body, status, text } = await mergeRecords(app, [one.record_id, two.record_id], both(more))
    if (status !== 201) throw new Error(text)
    return { add, merged: (body as Body).record, one, two }
  }

  it('confirms the record it was merged into', async () => {
    const { add, merged } = await mergeTwo('merged')
    expect((await add('linux')).fact).toEqual({ outcome: 'confirmed', record_id: merged.id })
    expect((await add('windows')).fact).toEqual({ outcome: 'confirmed', record_id: merged.id })
    expect((await read(app, merged.id)).version).toBe(3)
  })

  it('confirms the final record after two merges', async () => {
    const { add, merged } = await mergeTwo('merged twice')
    const { fact } = await add('hurd')
    const { body } = await mergeRecords(app, [merged.id, fact.record_id], both())
    expect((await add('linux')).fact).toEqual({ outcome: 'confirmed', record_id: (body as Body).record.id })
  })

  it('stores a challenged fact when the merged record was withdrawn', async () => {
    const retracted = await mergeTwo('merged, retracted')
    await revise(app, 'retract', retracted.merged.id)
    expect((await retracted.add('linux')).fact.outcome).toBe('challenged')
    const superseded = await mergeTwo('merged, superseded')
    const record = { type: 'semantic', payload: { ...both().payload, object: 'hurd' } }
    const { body } = await revise(app, 'supersede', superseded.merged.id, { record })
    expect((await superseded.add('linux')).fact).toMatchObject({
      outcome: 'challenged',
      other_id: (body as Body).record.id,
    })
  })

  it('creates a new fact when the merged record has a higher sensitivity', async () => {
    for (const sensitivity of ['medium', 'hyper']) {
      const { add, merged } = await mergeTwo(`merged ${sensitivity}`, { sensitivity })
      const key = await app.issueKey(['records:read', 'records:write'], {
        scopes: [`merged ${sensitivity}`],
        max_sensitivity: 'low',
      })
      const captured = await captureFact(app, triple('linux'), {}, { key })
      expect(captured.fact.outcome).toBe('created')
      expect((await add('windows')).fact.record_id).not.toBe(merged.id)
      expect((await read(app, merged.id)).version).toBe(1)
    }
  })

  it('creates a new fact when the merged record was forgotten', async () => {
    const { add, merged } = await mergeTwo('merged, forgotten')
    await forget(app, merged.id)
    expect((await add('linux')).fact.outcome).toBe('created')
  })
})
