import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  capture,
  captureFact,
  countRecordsOfType,
  forget,
  listPredicates,
  pickCreated,
  postCapture,
  triple,
} from '../support/capture-requests.ts'
import { type Body, create, read } from '../support/record-requests.ts'
import { revise } from '../support/revision-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const entity = (name: string, scope: string | undefined, more: object = {}) =>
  create(app, {
    type: 'entity',
    ...(scope ? { scope } : {}),
    payload: { kind: 'entity', canonical_name: name, primary_type: 'Project', ...more },
  })
/** Returns the ids of the mentioned entities, in the order of the content. */
const listMentionedIds = async (
  content: unknown,
  scope: string | undefined,
  more: object = {},
): Promise<Body[]> => {
  const answer = await capture(app, content, { ...(scope ? { scope } : {}), ...more })
  return answer.primary_record.interpretation.mentions.map(
    ({ canonical_entity_id: id }: Body) => id as string | undefined,
  )
}

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
      expect(await listMentionedIds({ project }, 'spelled')).toEqual([id])
    }
    expect(await countRecordsOfType(app, 'entity', 'spelled')).toBe(1)
  })

  it('prefers an identifier to a name, and a name to an alias', async () => {
    const byAlias = await entity('Alias', 'rank', { aliases: ['target'] })
    expect(await listMentionedIds({ project: 'target' }, 'rank')).toEqual([byAlias.id])
    const byName = await entity('Target', 'rank')
    expect(await listMentionedIds({ project: 'target' }, 'rank')).toEqual([byName.id])
    const identifiers = [{ namespace: 'git', value: 'target' }]
    const byMark = await entity('Mark', 'rank', { identifiers, primary_type: 'Incident' })
    expect(await listMentionedIds({ project: 'target' }, 'rank')).toEqual([byMark.id])
    expect(await listMentionedIds({ project: 'git:target' }, 'rank')).toEqual([byMark.id])
  })

  it('creates a second entity when the kind differs', async () => {
    const { id } = await entity('Mercury', 'kinds')
    const [person] = await listMentionedIds({ user: 'Mercury' }, 'kinds')
    expect(person).not.toBe(id)
    expect(await listMentionedIds({ project: 'mercury' }, 'kinds')).toEqual([id])
    expect(await listMentionedIds({ user: 'mercury' }, 'kinds')).toEqual([person])
    const [any] = await listMentionedIds({ some_entity: 'mercury' }, 'kinds')
    expect([id, person]).toContain(any)
    expect(await countRecordsOfType(app, 'entity', 'kinds')).toBe(2)
  })

  it('prefers the own scope to no scope, and never uses another scope', async () => {
    const elsewhere = await entity('Comet', 'elsewhere')
    const everywhere = await entity('Comet', undefined)
    expect(await listMentionedIds({ project: 'comet' }, 'somewhere')).toEqual([everywhere.id])
    const own = await entity('Comet', 'somewhere')
    expect(await listMentionedIds({ project: 'comet' }, 'somewhere')).toEqual([own.id])
    expect(await listMentionedIds({ project: 'comet' }, 'elsewhere')).toEqual([elsewhere.id])
    expect(await listMentionedIds({ project: 'comet' }, undefined)).toEqual([everywhere.id])
    await entity('Meteor', 'elsewhere')
    const [meteor] = await listMentionedIds({ project: 'meteor' }, 'somewhere')
    expect((await read(app, meteor)).scope).toBe('somewhere')
  })

  it('ignores forgotten and retracted entities', async () => {
    const forgotten = await entity('Ghost', 'gone')
    await forget(app, forgotten.id)
    const [ghost] = await listMentionedIds({ project: 'ghost' }, 'gone')
    expect(ghost).not.toBe(forgotten.id)
    const retracted = await entity('Wraith', 'gone')
    await revise(app, 'retract', retracted.id)
    const [wraith] = await listMentionedIds({ project: 'wraith' }, 'gone')
    expect(wraith).not.toBe(retracted.id)
  })

  it('ignores entities of higher sensitivity', async () => {
    const [secret] = await listMentionedIds({ project: 'Umbra' }, 'shade', { sensitivity: 'high' })
    const [plain] = await listMentionedIds({ project: 'Umbra' }, 'shade')
    expect(plain).not.toBe(secret)
    expect((await read(app, plain)).sensitivity).toBe('low')
    expect([secret, plain]).toContain(
      (await listMentionedIds({ project: 'umbra' }, 'shade', { sensitivity: 'high' }))[0],
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

describe('POST /v1/capture with hostile names', () => {
  it('resolves at most fifty names and stores the evidence completely', async () => {
    const user = Array.from({ length: 10_000 }, (_, n) => `user ${n}`)
    const answer = await capture(app, { user, deep: { file: user } }, { scope: 'crowd' })
    expect(pickCreated(answer, 'entity')).toHaveLength(50)
    const kept = answer.primary_record.payload.environment.context.captured.content
    expect(kept).toEqual({ user, deep: { file: user } })
  })

  it('accepts names of up to 1,024 characters', async () => {
    for (const [length, count] of [
      [1_024, 1],
      [1_025, 0],
      [100_000, 0],
    ] as const) {
      const answer = await capture(app, { user: 'x'.repeat(length) }, { scope: `long ${length}` })
      expect(pickCreated(answer, 'entity')).toHaveLength(count)
    }
    const subject = 'y'.repeat(1_025)
    const { status } = await postCapture(
      app,
      { subject, predicate: 'is', object: 1 },
      { scope: 'long', source_kind: 'observation' },
    )
    expect([201, 422]).toContain(status)
  })

  it('ignores names that are blank or not text', async () => {
    const user = ['', ' ', '\u00a0\u3000', '\u2003', 7, null, {}, ['x'], true]
    const answer = await capture(app, { user, agent: ' \t', project: { user: '' } }, { scope: 'blank' })
    expect(pickCreated(answer, 'entity')).toEqual([])
  })

  it('accepts invisible characters and property names of JavaScript objects as names', async () => {
    const names = [
      '\u200b',
      '\u3164',
      '¨',
      'ﷺ',
      '__proto__',
      'constructor',
      '%',
      "'; drop table records; --",
      '🦋',
    ]
    const answer = await capture(app, { user: names }, { scope: 'odd' })
    expect(pickCreated(answer, 'entity').map(({ payload }) => payload.canonical_name)).toEqual(names)
    const again = await capture(app, { user: names }, { scope: 'odd' })
    expect(pickCreated(again, 'entity')).toEqual([])
  })

  it('finds a name again that grows when it is normalised', async () => {
    const long = 'ﷺ'.repeat(1_024)
    const [one] = await listMentionedIds({ user: long }, 'grown')
    expect(await listMentionedIds({ user: long }, 'grown')).toEqual([one])
  })
})
