import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  captureFact,
  createTopic,
  forget,
  listPredicates,
  pickCreated,
  triple,
} from '../support/capture-requests.ts'
import { type Body, payloads, read } from '../support/record-requests.ts'
import { mergeRecords, revise } from '../support/revision-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const topic = (scope: string) => createTopic(app, scope)

describe('a fact that was withdrawn', () => {
  it.each(['retracted', 'superseded'])('and is told again once %s waits as challenged', async (how) => {
    const { tell, live } = topic(`once ${how}`)
    const { fact: old } = await tell('linux', how === 'superseded' ? { revision_policy: 'replace' } : {})
    if (how === 'retracted') await revise(app, 'retract', old.record_id)
    const standing = await tell('windows')
    const again = await tell('Linux')
    expect(again.fact).toEqual({
      ...{ outcome: 'challenged', other_id: standing.fact.record_id },
      record_id: pickCreated(again, 'semantic')[0].id,
    })
    expect(pickCreated(again, 'semantic')[0].status).toBe('challenged')
    expect(listPredicates(again)).toContain('contradicts')
    expect(listPredicates(again)).toContain('contradicted_by')
    expect(await live()).toEqual(['windows'])
    expect(await read(app, standing.fact.record_id)).toMatchObject({ version: 1, status: 'active' })
    expect((await read(app, standing.fact.record_id)).payload.revision?.status ?? 'active').toBe('active')
    // Once more it is the challenge that is repeated.
    expect((await tell('linux')).fact).toEqual({ outcome: 'confirmed', record_id: again.fact.record_id })
    expect((await read(app, again.fact.record_id)).status).toBe('challenged')
    const body = { status: 'active', reason: 'it was right', actor: 'desk' }
    const set = await app.request('POST', `/v1/records/${again.fact.record_id}/status`, { body })
    expect(set.status, set.text).toBe(200)
    expect(await live()).toEqual(['Linux', 'windows'])
    expect((await tell('linux')).fact).toEqual({ outcome: 'confirmed', record_id: again.fact.record_id })
  })

  it('and contradicts nothing when nothing stands', async () => {
    const { tell } = topic('alone')
    await revise(app, 'retract', (await tell('linux')).fact.record_id)
    const again = await tell('linux')
    expect(again.fact).toEqual({ outcome: 'challenged', record_id: again.fact.record_id })
    expect(listPredicates(again)).not.toContain('contradicts')
  })

  it('and is told of another scope is new there', async () => {
    await revise(app, 'retract', (await topic('withdrawn here').tell('linux')).fact.record_id)
    expect((await topic('not there').tell('linux')).fact.outcome).toBe('created')
  })
})

describe('a fact that was merged', () => {
  const evidence = [{ source_type: 'human', source_id: 'me', timestamp: '2026-01-01T00:00:00Z' }]
  const both = (more: object = {}) => ({
    ...{ type: 'semantic', ...more },
    payload: { ...payloads.semantic, ...triple(['linux', 'windows']), evidence },
  })
  async function mergeTwo(scope: string, more: object = {}) {
    const { tell } = topic(scope)
    const { fact: one } = await tell('linux', { revision_policy: 'fork' })
    const { fact: two } = await tell('windows')
    app.clock.advance(1_000)
    const { body, status, text } = await mergeRecords(app, [one.record_id, two.record_id], both(more))
    if (status !== 201) throw new Error(text)
    return { tell, merged: (body as Body).record, one, two }
  }

  it('and is told again confirms what it was merged into', async () => {
    const { tell, merged } = await mergeTwo('merged')
    expect((await tell('linux')).fact).toEqual({ outcome: 'confirmed', record_id: merged.id })
    expect((await tell('windows')).fact).toEqual({ outcome: 'confirmed', record_id: merged.id })
    expect((await read(app, merged.id)).version).toBe(3)
  })

  it('twice confirms what all was merged into', async () => {
    const { tell, merged } = await mergeTwo('merged twice')
    const { fact } = await tell('hurd')
    const { body } = await mergeRecords(app, [merged.id, fact.record_id], both())
    expect((await tell('linux')).fact).toEqual({
      ...{ outcome: 'confirmed', record_id: (body as Body).record.id },
    })
  })

  it('into what is withdrawn meanwhile waits as challenged', async () => {
    const retracted = await mergeTwo('merged, retracted')
    await revise(app, 'retract', retracted.merged.id)
    expect((await retracted.tell('linux')).fact.outcome).toBe('challenged')
    const superseded = await mergeTwo('merged, superseded')
    const record = { type: 'semantic', payload: { ...both().payload, object: 'hurd' } }
    const { body } = await revise(app, 'supersede', superseded.merged.id, { record })
    expect((await superseded.tell('linux')).fact).toMatchObject({
      ...{ outcome: 'challenged', other_id: (body as Body).record.id },
    })
  })

  it('into what is told in greater confidence is new to those below', async () => {
    for (const sensitivity of ['medium', 'hyper']) {
      const { tell, merged } = await mergeTwo(`merged ${sensitivity}`, { sensitivity })
      const key = await app.issueKey(['records:read', 'records:write'], {
        ...{ scopes: [`merged ${sensitivity}`], max_sensitivity: 'low' },
      })
      const told = await captureFact(app, triple('linux'), {}, { key })
      expect(told.fact.outcome).toBe('created')
      expect((await tell('windows')).fact.record_id).not.toBe(merged.id)
      expect((await read(app, merged.id)).version).toBe(1)
    }
  })

  it('into what is forgotten meanwhile is new', async () => {
    const { tell, merged } = await mergeTwo('merged, forgotten')
    await forget(app, merged.id)
    expect((await tell('linux')).fact.outcome).toBe('created')
  })
})
