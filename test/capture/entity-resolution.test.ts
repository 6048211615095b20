import { afterAll, describe, expect, it } from 'vitest'
import {
  capture,
  captureFact,
  countRecordsOfType,
  forget,
  listMentionedIds,
  listPredicates,
  pickCreated,
  triple,
} from '../support/requests/capture-requests.ts'
import { type Body, create, read } from '../support/requests/record-requests.ts'
import { revise } from '../support/requests/revision-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const entity = (name: string, scope: string | undefined, more: object = {}) =>
  create(app, {
    type: 'entity',
    ...(scope ? { scope } : {}),
    payload: { kind: 'entity', canonical_name: name, primary_type: 'Project', ...more },
  })

describe('POST /v1/capture with names in the content', () => {
  it('creates one entity of the matching kind for each naming key', async () => {
    const content = {
      subject: 'S',
      tool_name: 'T',
      project: 'P',
      file: 'F',
      path: 'a/b',
      service: 'V',
      repository: 'R',
      user: 'U',
      agent: 'A',
      main_entity: 'E',
      entity_kind: 'Incident',
    }
    const answer = await capture(app, content, { scope: 'keys' })
    const named = pickCreated(answer, 'entity').map(({ payload }) => [
      payload.canonical_name,
      payload.primary_type,
    ])
    expect(Object.fromEntries(named)).toEqual({
      S: 'Other',
      T: 'Tool',
      P: 'Project',
      F: 'File',
      'a/b': 'File',
      V: 'Service',
      R: 'Repository',
      U: 'Person',
      A: 'Agent',
      E: 'Incident',
    })
    expect(answer.primary_record.interpretation).toMatchObject({ status: 'resolved' })
    const { body } = await app.request('GET', `/v1/entities/${pickCreated(answer, 'entity')[0].id}/records`)
    expect((body as Body).items.map(({ id }: Body) => id)).toEqual([answer.primary_record.id])
  })

  it('finds an existing entity in any case, spacing and width', async () => {
    const { id } = await entity('Orion Nebula', 'spelled')
    for (const project of ['orion nebula', ' ORION  NEBULA ', 'Ｏｒｉｏｎ Nebula', 'Orion\u00a0Nebula']) {
      expect(await listMentionedIds(app, { project }, 'spelled')).toEqual([id])
    }
    expect(await countRecordsOfType(app, 'entity', 'spelled')).toBe(1)
  })

  it('prefers an identifier to a name, and a name to an alias', async () => {
    const byAlias = await entity('Alias', 'rank', { aliases: ['target'] })
    expect(await listMentionedIds(app, { project: 'target' }, 'rank')).toEqual([byAlias.id])
    const byName = await entity('Target', 'rank')
    expect(await listMentionedIds(app, { project: 'target' }, 'rank')).toEqual([byName.id])
    const identifiers = [{ namespace: 'git', value: 'target' }]
    const byMark = await entity('Mark', 'rank', { identifiers, primary_type: 'Incident' })
    expect(await listMentionedIds(app, { project: 'target' }, 'rank')).toEqual([byMark.id])
    expect(await listMentionedIds(app, { project: 'git:target' }, 'rank')).toEqual([byMark.id])
  })

  it('creates a second entity when the kind differs', async () => {
    const { id } = await entity('Mercury', 'kinds')
    const [person] = await listMentionedIds(app, { user: 'Mercury' }, 'kinds')
    expect(person).not.toBe(id)
    expect(await listMentionedIds(app, { project: 'mercury' }, 'kinds')).toEqual([id])
    expect(await listMentionedIds(app, { user: 'mercury' }, 'kinds')).toEqual([person])
    const [any] = await listMentionedIds(app, { some_entity: 'mercury' }, 'kinds')
    expect([id, person]).toContain(any)
    expect(await countRecordsOfType(app, 'entity', 'kinds')).toBe(2)
  })

  it('prefers the own scope to no scope, and never uses another scope', async () => {
    const elsewhere = await entity('Comet', 'elsewhere')
    const everywhere = await entity('Comet', undefined)
    expect(await listMentionedIds(app, { project: 'comet' }, 'somewhere')).toEqual([everywhere.id])
    const own = await entity('Comet', 'somewhere')
    expect(await listMentionedIds(app, { project: 'comet' }, 'somewhere')).toEqual([own.id])
    expect(await listMentionedIds(app, { project: 'comet' }, 'elsewhere')).toEqual([elsewhere.id])
    expect(await listMentionedIds(app, { project: 'comet' }, undefined)).toEqual([everywhere.id])
    await entity('Meteor', 'elsewhere')
    const [meteor] = await listMentionedIds(app, { project: 'meteor' }, 'somewhere')
    expect((await read(app, meteor)).scope).toBe('somewhere')
  })

  it('ignores forgotten and retracted entities', async () => {
    const forgotten = await entity('Ghost', 'gone')
    await forget(app, forgotten.id)
    const [ghost] = await listMentionedIds(app, { project: 'ghost' }, 'gone')
    expect(ghost).not.toBe(forgotten.id)
    const retracted = await entity('Wraith', 'gone')
    await revise(app, 'retract', retracted.id)
    const [wraith] = await listMentionedIds(app, { project: 'wraith' }, 'gone')
    expect(wraith).not.toBe(retracted.id)
  })

  it('ignores entities of higher sensitivity', async () => {
    const [secret] = await listMentionedIds(app, { project: 'Umbra' }, 'shade', { sensitivity: 'high' })
    const [plain] = await listMentionedIds(app, { project: 'Umbra' }, 'shade')
    expect(plain).not.toBe(secret)
    expect((await read(app, plain)).sensitivity).toBe('low')
    expect([secret, plain]).toContain(
      (await listMentionedIds(app, { project: 'umbra' }, 'shade', { sensitivity: 'high' }))[0],
    )
  })

  it('resolves an id only to a record of the same scope or of no scope', async () => {
    const own = await entity('Own', 'ids')
    const free = await entity('Free', undefined)
    const foreign = await entity('Foreign', 'other ids')
    const gone = await entity('Gone', 'ids')
    await forget(app, gone.id)
    const secret = await create(app, {
      type: 'entity',
      scope: 'ids',
      sensitivity: 'medium',
      payload: { kind: 'entity', canonical_name: 'Secret', primary_type: 'Project' },
    })
    const content = {
      record_id: own.id.toUpperCase(),
      record_ids: [free.id, foreign.id, gone.id, secret.id, app.ids.next()],
      subject: foreign.id,
      more: { xref: 'not an id' },
    }
    const answer = await capture(app, content, { scope: 'ids' })
    const targets = answer.edges.filter(({ predicate }: Body) => predicate === 'references_record')
    expect(targets.map(({ target_id }: Body) => target_id).sort()).toEqual([own.id, free.id].sort())
    expect(await countRecordsOfType(app, 'entity', 'ids')).toBe(3)
    const { interpretation } = answer.primary_record
    expect(interpretation.status).toBe('tentative')
    expect(interpretation.reference_candidates.filter(({ resolved }: Body) => resolved)).toHaveLength(2)
    expect((await read(app, foreign.id)).relations).toEqual([])
    expect((await read(app, secret.id)).relations).toEqual([])
  })
})

describe('POST /v1/capture with a fact', () => {
  it('links the subject, and the object when it is a known entity', async () => {
    const object = await entity('Linux', 'about')
    const answer = await captureFact(app, triple('linux'), { scope: 'about' })
    const { relations } = await read(app, answer.fact.record_id)
    const targets = relations.map(({ predicate, target_id: target }: Body) => [predicate, target])
    expect(Object.fromEntries(targets)).toEqual({
      derived_from: answer.primary_record.id,
      subject_entity: pickCreated(answer, 'entity')[0].id,
      object_entity: object.id,
    })
    expect(listPredicates(answer)).toContain('fact_object_of')
    const unknown = await captureFact(app, triple('minix', { predicate: 'ran on' }), { scope: 'about' })
    expect(listPredicates(unknown)).not.toContain('object_entity')
  })

  it('links the subject once when the evidence spells it in another way', async () => {
    const content = { project: 'orion', subject: 'ORION', predicate: 'is', object: 'up' }
    const answer = await captureFact(app, content, { scope: 'spelling' })
    expect(pickCreated(answer, 'entity')).toHaveLength(1)
    const { relations } = await read(app, answer.fact.record_id)
    expect(relations.map(({ predicate }: Body) => predicate).sort()).toEqual([
      'derived_from',
      'subject_entity',
    ])
  })
})

describe('POST /v1/capture with a fact about a new entity', () => {
  it('links the object as well', async () => {
    const content = { user: 'Ada', subject: 'the engine', predicate: 'is built by', object: 'ADA' }
    const answer = await captureFact(app, content, { scope: 'first time' })
    const [ada] = pickCreated(answer, 'entity')
    expect((await read(app, answer.fact.record_id)).relations).toContainEqual(
      expect.objectContaining({ predicate: 'object_entity', target_id: ada.id }),
    )
  })
})
