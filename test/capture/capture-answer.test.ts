import { afterAll, describe, expect, it } from 'vitest'
import {
  capture,
  captureFact,
  countTableRows,
  listPredicates,
  pickCreated,
  triple,
} from '../support/requests/capture-requests.ts'
import { type Body, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const earlier = '2026-01-02T03:04:05.000Z'

/** Expects that the answer equals what is stored, and lists everything that was stored. */
async function expectAnswerEqualsStore(work: () => Promise<Body>): Promise<Body> {
  const before = await countTableRows(app)
  const answer = await work()
  const after = await countTableRows(app)
  for (const record of [answer.primary_record, ...answer.created_records]) {
    expect(await read(app, record.id)).toEqual(record)
  }
  const { rows } = await app.database.pool.query(
    'select source_id, predicate, target_id, weight, created_at from relations',
  )
  const stored = rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }))
  for (const edge of answer.edges) expect(stored).toContainEqual(edge)
  expect({
    records: (after['records'] ?? 0) - (before['records'] ?? 0),
    contents: (after['contents'] ?? 0) - (before['contents'] ?? 0),
    relations: (after['relations'] ?? 0) - (before['relations'] ?? 0),
  }).toEqual({
    records: answer.created_records.length,
    contents: answer.created_records.length,
    relations: answer.edges.length,
  })
  return answer
}

describe('the answer of POST /v1/capture equals the stored records', () => {
  it('for an event that names new entities and an older record', async () => {
    const older = await capture(app, { text: 'older' })
    const answer = await expectAnswerEqualsStore(() =>
      capture(app, { project: 'Vega', user: ['Ada', 'Bob'], record_id: older.primary_record.id }),
    )
    expect(answer.created_records[0]).toEqual(answer.primary_record)
    expect(pickCreated(answer, 'entity')).toHaveLength(3)
    expect(listPredicates(answer).sort()).toEqual([
      'mentioned_in',
      'mentioned_in',
      'mentioned_in',
      'mentions_entity',
      'mentions_entity',
      'mentions_entity',
      'referenced_by',
      'references_record',
    ])
  })

  it('for an event that names a known entity', async () => {
    const answer = await expectAnswerEqualsStore(() => capture(app, { project: 'vega' }))
    expect(answer.created_records).toHaveLength(1)
  })

  it('for a fact that is created, confirmed, replaced, forked, contested and challenged', async () => {
    const fact = (object: string, more: object = {}) => ({
      subject: 'Vega',
      predicate: 'is built by',
      object,
      user: ['Ada', 'Bob', 'Cleo'],
      ...more,
    })
    const outcomes: string[] = []
    const add = async (content: object) => {
      const { fact } = await expectAnswerEqualsStore(() => captureFact(app, content))
      outcomes.push(fact.outcome)
      app.clock.advance(1_000)
      return fact
    }
    await add(fact('Ada', { revision_policy: 'replace' }))
    await add(fact('ada'))
    await add(fact('Bob', { revision_policy: 'fork' }))
    await add(fact('Cleo', { revision_policy: 'contest' }))
    await add(fact('Dora'))
    await add(fact('Ada'))
    expect(outcomes).toEqual(['created', 'confirmed', 'replaced', 'forked', 'contested', 'challenged'])
  })

  it('for a new task and for a report on it', async () => {
    const begun = await expectAnswerEqualsStore(() =>
      capture(app, { thread_id: 'answers', project: 'Vega', user: 'Emil' }, { source_kind: 'working_state' }),
    )
    expect(begun.created_records[0]).toEqual(begun.primary_record)
    app.clock.advance(1_000)
    const fact = { thread_id: 'answers', project: 'Vega', user: 'Fred', state: 'blocked' }
    const resumed = await expectAnswerEqualsStore(() => capture(app, fact, { source_kind: 'working_state' }))
    expect(resumed.primary_record).toMatchObject({ id: begun.primary_record.id, version: 2 })
    expect(pickCreated(resumed, 'entity')).toHaveLength(1)
  })

  it('for an outcome and for a repeated capture', async () => {
    const { primary_record: episode } = await expectAnswerEqualsStore(() =>
      capture(app, { ref: 'a', text: 'said' }),
    )
    const verdict = { target_id: episode.id, outcome: 'success' }
    const { primary_record: judged } = await expectAnswerEqualsStore(() =>
      capture(app, verdict, { source_kind: 'outcome' }),
    )
    const again = await expectAnswerEqualsStore(() => capture(app, { ref: 'a', text: 'said' }))
    expect(again).toEqual({ primary_record: judged, created_records: [], edges: [], deduplicated: true })
  })
})

describe('the fields of a capture', () => {
  it('are stored in the records that it creates', async () => {
    const answer = await captureFact(app, triple('linux', { ref: 'run-7', project: 'Deneb' }), {
      summary: 'It runs on linux.',
      tags: ['ci', 'os', 'ci'],
      importance: 0.9,
      memory_kind: 'narrative',
      proposed_type: 'competence',
      source_type: 'dream',
      timestamp: earlier,
      sensitivity: 'medium',
      scope: 'told',
      context: { turn: 3 },
      reason_to_remember: 'because',
    })
    const common = { sensitivity: 'medium', scope: 'told', source_type: 'dream', version: 1, confidence: 1 }
    expect(answer.primary_record).toMatchObject({
      ...common,
      type: 'episodic',
      tags: ['ci', 'os'],
      base_importance: 0.9,
      memory_kind: 'narrative',
      provenance: {
        created_by: 'agent-1',
        sources: [{ kind: 'observation', ref: 'run-7', created_by: 'agent-1', timestamp: earlier }],
      },
      payload: {
        timeline: [{ t: earlier, ref: 'run-7', event_kind: 'observation', summary: 'It runs on linux.' }],
      },
      interpretation: {
        summary: 'It runs on linux.',
        proposed_type: 'competence',
        topical_labels: ['ci', 'os'],
        status: 'resolved',
        extraction_confidence: 0.8,
      },
    })
    expect(JSON.stringify(answer.primary_record.payload)).toContain('"turn":3')
    expect(JSON.stringify(answer.primary_record.payload)).toContain('because')
    const [fact] = pickCreated(answer, 'semantic')
    expect(fact).toMatchObject({
      ...common,
      tags: ['ci', 'os'],
      base_importance: 0.9,
      memory_kind: 'fact',
      payload: {
        ...triple('linux'),
        validity: { mode: 'global' },
        evidence: [{ source_type: 'observation', source_id: answer.primary_record.id, timestamp: earlier }],
      },
      provenance: {
        created_by: 'agent-1',
        sources: [{ kind: 'observation', ref: answer.primary_record.id }],
      },
    })
    expect(pickCreated(answer, 'entity').map(({ payload }) => payload.canonical_name)).toEqual([
      'the build',
      'Deneb',
    ])
    for (const entity of pickCreated(answer, 'entity')) {
      expect(entity).toMatchObject({ ...common, tags: [] })
      expect(entity.base_importance).toBeLessThan(0.7)
    }
  })

  it('have the current time as creation time, whenever the event happened', async () => {
    const { created_records: records } = await captureFact(app, triple('a past one'), {
      timestamp: earlier,
      scope: 'past',
    })
    const now = app.clock.now().toISOString()
    for (const record of records) {
      expect(record).toMatchObject({ created_at: now, salience: 1, lifecycle: { last_reinforced_at: now } })
    }
  })

  it('get the current policy of their type', async () => {
    const lifeOf = async (type: string) => {
      const answer = await captureFact(app, triple('policy', { project: `P ${type}` }), { scope: type })
      const task = await capture(app, { thread_id: type }, { source_kind: 'working_state', scope: type })
      const lives = [...answer.created_records, task.primary_record].map((record: Body) => [
        record.type,
        record.lifecycle,
      ])
      return Object.fromEntries(lives)
    }
    const shipped = await lifeOf('shipped')
    expect(shipped['working']).toMatchObject({ decay: { curve: 'linear', half_life_seconds: 14_400 } })
    expect(shipped['episodic']).toMatchObject({
      decay: { curve: 'exponential', half_life_seconds: 259_200, reinforcement_gain: 0.1 },
    })
    for (const type of ['semantic', 'entity']) {
      expect(shipped[type]).toMatchObject({ decay: { half_life_seconds: 2_592_000 } })
    }
    for (const [index, type] of ['working', 'episodic', 'semantic', 'entity'].entries()) {
      const { body: policy } = await app.request('GET', `/v1/policies/${type}`)
      const { decay } = policy as Body
      const body = { decay: { ...decay, half_life_seconds: 100 + index }, deletion_policy: 'manual_only' }
      const put = await app.request('PUT', `/v1/policies/${type}`, { body })
      expect(put.status, put.text).toBe(200)
    }
    const chosen = await lifeOf('chosen')
    expect(Object.keys(chosen).map((type) => [type, chosen[type].decay.half_life_seconds])).toEqual([
      ['episodic', 101],
      ['semantic', 102],
      ['entity', 103],
      ['working', 100],
    ])
    for (const type of Object.keys(chosen)) expect(chosen[type].deletion_policy).toBe('manual_only')
  })
})
