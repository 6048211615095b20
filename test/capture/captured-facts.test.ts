import { afterAll, describe, expect, it } from 'vitest'
import {
  capture,
  captureFact,
  countRecordsOfType,
  createTopic,
  listPredicates,
  pickCreated,
  triple,
} from '../support/requests/capture-requests.ts'
import { type Body, create, read } from '../support/requests/record-requests.ts'
import { readAuditLog } from '../support/requests/revision-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const topic = (scope: string) => createTopic(app, scope)

describe('POST /v1/capture with a new fact', () => {
  it('creates a semantic record derived from the episode', async () => {
    const answer = await topic('created').add('linux')
    const [fact] = pickCreated(answer, 'semantic')
    expect(answer.fact).toEqual({ outcome: 'created', record_id: fact.id })
    expect(answer.primary_record.type).toBe('episodic')
    expect(fact.relations).toContainEqual(
      expect.objectContaining({ predicate: 'derived_from', target_id: answer.primary_record.id }),
    )
    expect(listPredicates(answer).sort()).toEqual([
      'derived_from',
      'derives',
      'fact_subject_of',
      'mentioned_in',
      'mentions_entity',
      'subject_entity',
    ])
    expect(await readAuditLog(app, fact.id)).toEqual([['create', 'root', 'captured']])
  })

  it('creates a fact from any kind of evidence with a subject, a predicate and an object', async () => {
    for (const source_kind of ['event', 'agent_turn', 'tool_output', 'thought', 'observation']) {
      const more = source_kind === 'tool_output' ? { tool_name: 'uname' } : {}
      const answer = await capture(app, triple('linux', more), { source_kind, scope: `by ${source_kind}` })
      expect(answer.fact.outcome).toBe('created')
      expect(pickCreated(answer, 'episodic')).toHaveLength(1)
    }
  })

  it('creates no fact from a working state or an outcome', async () => {
    const task = await capture(app, triple('linux', { thread_id: 'no-fact' }), {
      source_kind: 'working_state',
    })
    expect(task.fact).toBeUndefined()
    expect(pickCreated(task, 'semantic')).toEqual([])
  })

  it('stores any JSON as the object and recognises it when it is repeated', async () => {
    const objects = [null, false, 0, '', [], {}, [1, [2]], { a: { b: null } }, 1e-300, 'ünïcødé 🦋']
    for (const [index, object] of objects.entries()) {
      const { add } = topic(`any ${index}`)
      const { fact } = await add(object)
      expect((await read(app, fact.record_id)).payload.object).toEqual(object)
      expect((await add(object)).fact).toEqual({ outcome: 'confirmed', record_id: fact.record_id })
    }
  })
})

describe('POST /v1/capture with a known fact', () => {
  it('confirms the fact: adds evidence and restores its salience', async () => {
    const { add, scope } = topic('confirmed')
    const first = await add('linux')
    app.clock.advance(10 * 86_400_000)
    const faded = (await read(app, first.fact.record_id)).salience
    const again = await add('linux', {}, { source: 'agent-2', timestamp: '2026-04-01T00:00:00Z' })
    expect(again.fact).toEqual({ outcome: 'confirmed', record_id: first.fact.record_id })
    expect(pickCreated(again, 'semantic')).toEqual([])
    const fact = await read(app, first.fact.record_id)
    expect(faded).toBeLessThan(0.8)
    expect(fact.salience).toBeCloseTo(faded + 0.1, 6)
    expect(fact).toMatchObject({ version: 2, confirmation_count: 1 })
    expect(fact.lifecycle.last_reinforced_at).toBe(app.clock.now().toISOString())
    expect(fact.payload.evidence).toEqual([
      expect.objectContaining({ source_id: first.primary_record.id }),
      {
        source_type: 'observation',
        source_id: again.primary_record.id,
        timestamp: '2026-04-01T00:00:00.000Z',
      },
    ])
    expect(fact.provenance.sources.map(({ ref }: Body) => ref)).toEqual([
      first.primary_record.id,
      again.primary_record.id,
    ])
    expect(fact.audit_log.at(-1)).toMatchObject({
      action: 'reinforce',
      actor: 'root',
      rationale: 'captured',
      changes: { salience: [faded, fact.salience] },
    })
    expect(again.primary_record.relations).toContainEqual(
      expect.objectContaining({ predicate: 'derives', target_id: fact.id }),
    )
    expect(await countRecordsOfType(app, 'semantic', scope)).toBe(1)
  })

  it('counts one confirmation for each other source, however often that source repeats the fact', async () => {
    const { add } = topic('counted')
    const { fact } = await add('linux', {}, { source: 'a' })
    const counts: number[] = []
    for (const source of ['a', 'b', 'b', 'c', 'a', 'd']) {
      await add('linux', {}, { source })
      counts.push((await read(app, fact.record_id)).confirmation_count)
    }
    expect(counts).toEqual([0, 1, 1, 2, 2, 3])
  })

  it('recognises the fact in any case, spacing, width and order of fields', async () => {
    const { add, scope } = topic('normalised')
    const { fact } = await add({ os: 'Ubuntu Linux', bits: [64] })
    const subjects = ['The Build', ' the  build\n', 'ＴＨＥ ｂｕｉｌｄ', 'the\u00a0build']
    for (const subject of subjects) {
      for (const predicate of ['RUNS ON', 'runs\ton', 'ｒuns on ']) {
        const again = await add({ bits: [64], OS: 'ubuntu  LINUX' }, { subject, predicate })
        expect(again.fact).toEqual({ outcome: 'confirmed', record_id: fact.record_id })
      }
    }
    expect(await countRecordsOfType(app, 'semantic', scope)).toBe(1)
    expect((await add({ os: 'Ubuntu Linux', bits: [65] })).fact.outcome).toBe('contested')
    expect((await add({ os: 'Ubuntu Linux', bits: ['64'] })).fact.outcome).toBe('contested')
  })

  it('confirms a fact that a client created through POST /v1/records', async () => {
    const evidence = [{ source_type: 'human', source_id: 'me', timestamp: '2026-01-01T00:00:00Z' }]
    const stored = await create(app, {
      type: 'semantic',
      scope: 'by hand',
      payload: { kind: 'semantic', ...triple('Linux'), evidence },
    })
    const { fact } = await topic('by hand').add('linux')
    expect(fact).toEqual({ outcome: 'confirmed', record_id: stored.id })
    expect((await read(app, stored.id)).payload.evidence).toHaveLength(2)
  })

  it('keeps the weight that a client gave to an edge of the fact', async () => {
    const { add } = topic('weighed')
    const { fact } = await add('linux')
    const [edge] = (await read(app, fact.record_id)).relations.filter(
      ({ predicate }: Body) => predicate === 'subject_entity',
    )
    const body = { predicate: 'subject_entity', target_id: edge.target_id, weight: 0.25 }
    await app.request('POST', `/v1/records/${fact.record_id}/relations`, { body })
    await add('linux')
    expect((await read(app, fact.record_id)).relations).toContainEqual({ ...edge, weight: 0.25 })
  })

  it('does not confirm a fact of another scope or of no scope', async () => {
    const unscoped = await captureFact(app, triple('the scopeless'))
    const one = await topic('one').add('the scopeless')
    const other = await topic('other').add('the scopeless')
    expect([unscoped, one, other].map(({ fact }) => fact.outcome)).toEqual(['created', 'created', 'created'])
    expect((await topic('one').add('different')).fact.other_id).toBe(one.fact.record_id)
  })

  it('neither confirms nor contests a fact of higher sensitivity', async () => {
    const { add } = topic('confidence')
    const high = await add('linux', {}, { sensitivity: 'high' })
    const low = await add('linux')
    expect(low.fact.outcome).toBe('created')
    expect((await add('windows')).fact).toMatchObject({ outcome: 'contested', other_id: low.fact.record_id })
    expect(await read(app, high.fact.record_id)).toMatchObject({
      version: 1,
      relations: high.created_records[1].relations,
    })
    // In the opposite order nothing is written to the less sensitive fact.
    const { fact } = await add('linux', { subject: 'the mast' })
    await add('linux', { subject: 'the mast' }, { sensitivity: 'high', source: 'a secret agent' })
    const heard = await read(app, fact.record_id)
    expect(heard).toMatchObject({ version: 1, sensitivity: 'low', confirmation_count: 0 })
    expect(JSON.stringify(heard)).not.toContain('secret')
  })
})
