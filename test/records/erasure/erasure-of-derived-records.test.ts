import { afterAll, describe, expect, it } from 'vitest'
import { listBrokenLaws } from '../../support/checks/broken-laws.ts'
import { listLineResults } from '../../support/files/foreign-files.ts'
import { capture, readAllRows } from '../../support/requests/capture-requests.ts'
import { exportLines, importLines } from '../../support/requests/export-and-import.ts'
import {
  type Body,
  create,
  expectProblem,
  fact,
  payloads,
  read,
  say,
} from '../../support/requests/record-requests.ts'
import { auditFields, buildClaim, revise } from '../../support/requests/revision-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const variables = { MEMBRANE_TOMBSTONE_KEY: 'a key of the descent tests' }
const app = await startTestApp({ variables })
afterAll(() => app.close())

const erase = async (id: string, on = app): Promise<Body> => {
  const answer = await on.request('POST', `/v1/records/${id}/erase`, { body: auditFields })
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return answer.body as Body
}
const human = { provenance: { sources: [{ kind: 'observation', ref: 'interview 7' }] } }
const relate = (id: string, predicate: string, target: string) =>
  app.request('POST', `/v1/records/${id}/relations`, { body: { predicate, target_id: target } })
const observe = async (
  subject: string,
  object: string,
  more: object = {},
  rest: object = {},
): Promise<Body> => {
  const content = { subject, predicate: 'likes', object, ...rest }
  const body = { source: 'agent', source_kind: 'observation', content, ...more }
  const answer = await app.request('POST', '/v1/capture', { body })
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return answer.body as Body
}
const factOf = (capture: Body): string =>
  capture.created_records.find((each: Body) => each.type === 'semantic')?.id

describe('erasing a record', () => {
  it('keeps a fork that has its own evidence, without a trace of its origin', async () => {
    const origin = await create(app, say('origin of a fork'))
    const record = { ...buildClaim('a fork of its own'), ...human }
    const fork = ((await revise(app, 'fork', origin.id, { record })).body as Body).record
    expect(await erase(origin.id)).toMatchObject({ derived_ids: [], kept: [fork.id] })
    const left = await read(app, fork.id)
    expect(left.provenance.sources).toEqual(human.provenance.sources)
    expect(JSON.stringify(left.payload)).not.toContain(origin.id)
  })

  it('erases a fork whose only source is its origin', async () => {
    const origin = await create(app, say('only origin'))
    const sources = [{ kind: 'event', ref: `record:${origin.id}` }]
    const body = buildClaim('rests on its origin alone')
    const record = { ...body, payload: { ...body.payload, evidence: [] }, provenance: { sources } }
    const fork = ((await revise(app, 'fork', origin.id, { record })).body as Body).record
    expect(await erase(origin.id)).toMatchObject({ derived_ids: [fork.id], kept: [] })
  })

  it('erases an entity that only the erased capture names, and keeps one that a later report of a task names', async () => {
    const named = await observe('lone entity', 'tea', {}, { service: 'named by a task' })
    for (const more of [{}, { service: 'named by a task' }]) {
      const content = { thread_id: 'a task that names', ...more }
      await capture(app, content, { source_kind: 'working_state' })
    }
    const entityOf = (name: string) =>
      named.created_records.find(({ payload }: Body) => payload.canonical_name === name)?.id
    const { derived_ids: derived } = await erase(named.primary_record.id)
    expect(derived).toContain(entityOf('lone entity'))
    expect(derived).not.toContain(entityOf('named by a task'))
    expect((await read(app, entityOf('named by a task'))).payload.canonical_name).toBe('named by a task')
  })

  it('erases a fact that only the erased capture supports, and keeps one that another capture confirmed', async () => {
    const first = await observe('Ada', 'tea', { tags: ['tea-time'] })
    const second = await observe('Ada', 'tea')
    const kept = factOf(first)
    expect((await erase(first.primary_record.id)).kept).toContain(kept)
    const left = await read(app, kept)
    expect(left.tags).toEqual([])
    expect(left.payload.evidence.map((each: Body) => each.source_id)).toEqual([second.primary_record.id])
    expect((await erase(second.primary_record.id)).derived_ids).toContain(kept)
  })

  it('erases the fact that replaced another, and keeps the other', async () => {
    const old = await observe('Bob', 'milk', {}, { revision_policy: 'replace' })
    const next = await observe('Bob', 'beer')
    expect((await erase(next.primary_record.id)).derived_ids).toContain(factOf(next))
    expect((await read(app, factOf(old))).id).toBe(factOf(old))
  })

  it('keeps a record that a client created, even when the erased capture confirmed it', async () => {
    const payload = { ...payloads.semantic, subject: 'Cleo', predicate: 'likes', object: 'dates' }
    const own = await create(app, fact({ payload }))
    const capture = await observe('Cleo', 'dates')
    expect((await erase(capture.primary_record.id)).kept).toContain(own.id)
    expect((await read(app, own.id)).provenance.sources).toEqual(own.provenance.sources)
  })

  it.each(['supersede', 'fork'])(
    'removes the reason of a %s from the log of the record that stays',
    async (call) => {
      const origin = await create(app, say(`wrong, so ${call}`))
      const rationale = 'it said the xanthic thing'
      const record = { ...buildClaim('right'), ...human }
      const { body } = await revise(app, call, origin.id, { record, rationale })
      const { id } = (body as Body).record
      await erase(origin.id)
      const [entry] = (await read(app, id)).audit_log
      expect(entry).toMatchObject({ action: 'create', rationale: '' })
      expect((await readAllRows(app)).join('\n')).not.toContain('xanthic')
    },
  )

  it('keeps a record to which a client added an edge', async () => {
    const bait = await create(app, say('bait'))
    const victim = await create(app, say('victim'))
    expectProblem(await relate(victim.id, 'derived_from', bait.id), 409, 'reserved_predicate')
    expectProblem(await relate(bait.id, 'derives', victim.id), 409, 'reserved_predicate')
    expect(await erase(bait.id)).toMatchObject({ derived_ids: [], kept: [] })
    expect((await read(app, victim.id)).id).toBe(victim.id)
  })

  it('removes the names that an entity got from the erased one it was merged with', async () => {
    const named = (name: string, alias: string) => ({
      type: 'entity',
      payload: { ...payloads.entity, canonical_name: name, aliases: [{ value: alias }], identifiers: [] },
    })
    const target = await create(app, named('Vega', 'Alpha Lyrae'))
    const merged = await create(app, named('Wega', 'Fidis'))
    const body = { ...auditFields, source_ids: [merged.id] }
    expect((await app.request('POST', `/v1/entities/${target.id}/merge`, { body })).status).toBe(200)
    expect((await erase(merged.id)).kept).toEqual([target.id])
    const left = await read(app, target.id)
    expect(left.payload.aliases).toEqual([{ value: 'Alpha Lyrae' }])
    expect(JSON.stringify(left)).not.toContain('Fidis')
  })
})

describe('the name of an entity', () => {
  const mention = async (user: string, scope: string) => {
    const { primary_record: episode } = await capture(app, { user, text: app.ids.next() }, { scope })
    return { id: episode.id, entity: episode.interpretation.mentions[0].canonical_entity_id }
  }
  const addAlias = (id: string, value: string) =>
    app.request('PATCH', `/v1/records/${id}`, { body: { payload: { aliases: [{ value }] } } })

  it('goes with the only capture that said it, and the next name takes its place', async () => {
    const first = await mention('Susannah Quillfeather', 'renamed')
    await addAlias(first.entity, 'Susie')
    const second = await mention('Susie', 'renamed')
    expect(second.entity).toBe(first.entity)
    expect((await erase(first.id)).kept).toEqual([first.entity])
    const left = await read(app, first.entity)
    expect(left.payload).toMatchObject({ canonical_name: 'Susie', aliases: [] })
    expect((await readAllRows(app)).join('\n').toLowerCase()).not.toContain('quillfeather')
    expect((await mention('susie', 'renamed')).entity).toBe(first.entity)
    expect(await listBrokenLaws(app)).toEqual([])
  })

  it('stays while another capture says it, and when a client chose it', async () => {
    const first = await mention('Ingrid Vale', 'named')
    await addAlias(first.entity, 'Inga')
    for (const name of ['Inga', 'Ingrid Vale']) await mention(name, 'named')
    await erase(first.id)
    expect((await read(app, first.entity)).payload.canonical_name).toBe('Ingrid Vale')
    const own = { ...payloads.entity, canonical_name: 'Mira', aliases: [{ value: 'M' }], identifiers: [] }
    const target = await create(app, { type: 'entity', scope: 'chosen', payload: own })
    const other = await mention('Mirabel', 'chosen')
    const body = { ...auditFields, source_ids: [other.entity] }
    await app.request('POST', `/v1/entities/${target.id}/merge`, { body })
    const again = await mention('Mira', 'chosen')
    expect(again.entity).toBe(target.id)
    await erase(again.id)
    expect((await read(app, target.id)).payload.canonical_name).toBe('Mira')
  })
})

describe('an edge of descent', () => {
  it('cannot be written or deleted by a client in any operation', async () => {
    const origin = await create(app, say('an origin'))
    const fork = ((await revise(app, 'fork', origin.id, { record: buildClaim('of it') })).body as Body).record
    const path = `/v1/records/${fork.id}/relations/derived_from/${origin.id}`
    expectProblem(await app.request('DELETE', path), 409, 'reserved_predicate')
    const relations = [{ predicate: 'supersedes', target_id: origin.id }]
    const body = say('a', { relations })
    expectProblem(await app.request('POST', '/v1/records', { body }), 409, 'reserved_predicate')
    const records = [say('b', { relations })]
    const batch = (await app.request('POST', '/v1/records/batch', { body: { records } })).body as Body
    expect(batch.results[0]).toMatchObject({ problem: { code: 'reserved_predicate' } })
    const forged = { ...buildClaim('c'), relations: [{ predicate: 'derives', target_id: origin.id }] }
    expectProblem(await revise(app, 'fork', origin.id, { record: forged }), 409, 'reserved_predicate')
    const key = await app.issueKey(['records:write'])
    const imported = await importLines(app, [say('d', { relations })], { key })
    expect(listLineResults(imported)).toEqual(['1 conflict reserved_predicate'])
  })

  it('exists for every derived record in the store', async () => {
    expect(await listBrokenLaws(app)).toEqual([])
  })
})

it('an exported store erases derived records like the original', async () => {
  const capture = await observe('Dora', 'figs')
  const { text } = await exportLines(app)
  const other = await startTestApp({ variables })
  try {
    await importLines(other, text)
    expect((await erase(capture.primary_record.id, other)).derived_ids).toContain(factOf(capture))
  } finally {
    await other.close()
  }
})

describe('erasing the successor of a record', () => {
  const supersede = async (object: string) => {
    const old = await create(app, buildClaim(`${object} in May`))
    const { body } = await revise(app, 'supersede', old.id, { record: buildClaim(`${object} in June`) })
    return { old: old.id as string, successor: (body as Body).record.id as string }
  }

  it('leaves the record superseded, because it was wrong or out of date', async () => {
    const { old, successor } = await supersede('a tent')
    await erase(successor)
    expect(await read(app, old)).toMatchObject({ status: 'superseded', salience: 0 })
    expect(JSON.stringify(await read(app, old))).not.toContain(successor)
    expectProblem(await revise(app, 'revert', old, { to_version: 1 }), 409, 'not_undoable')
  })

  it('leaves it active when the revision was reverted before', async () => {
    const { old, successor } = await supersede('a kayak')
    expect((await revise(app, 'revert', old, { to_version: 1 })).status).toBe(200)
    await erase(successor)
    expect(await read(app, old)).toMatchObject({ status: 'active', salience: 1 })
    expect(JSON.stringify(await read(app, old))).not.toContain('kayak in June')
  })
})
