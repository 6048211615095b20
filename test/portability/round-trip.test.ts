import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exportLines, importLines, removeImporter } from '../support/requests/export-and-import.ts'
import { type Body, create, fact, payloads, read } from '../support/requests/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { createEmbeddingWorker } from '../support/workers/embedding-workers.ts'

let ids: Record<string, string>
const source = await startTestApp()
const target = await startTestApp()
beforeAll(async () => {
  ids = await createEveryHistory(source)
  target.clock.advance(source.clock.now().getTime() - target.clock.now().getTime())
})
afterAll(async () => {
  await source.close()
  await target.close()
})

const hour = 3_600_000

/** Creates a store in which every operation on records has happened. */
async function createEveryHistory(app: TestApp): Promise<Record<string, string>> {
  const post = async (path: string, body: object): Promise<Body> => {
    const answer = await app.request('POST', path, { body })
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
    return answer.body
  }
  const reason = { actor: 'ada', rationale: 'so it is' }
  const base = await create(
    app,
    fact({ tags: ['a', 'b'], scope: 'team', sensitivity: 'high', salience: 1.7 }),
  )
  app.clock.advance(hour)
  await post(`/v1/records/${base.id}/reinforce`, reason)
  await post(`/v1/records/${base.id}/penalize`, { ...reason, amount: 0.1 })
  const other = await create(app, {
    type: 'entity',
    payload: {
      ...payloads.entity,
      identifiers: [{ namespace: 'git', value: 'orion' }],
      aliases: ['O "ri"\non'],
    },
    relations: [{ predicate: 'supports', target_id: base.id, weight: 0.25 }],
  })
  const captured = await post('/v1/capture', {
    source: 'agent',
    source_kind: 'tool_output',
    scope: 'team',
    content: {
      ref: 'turn-1',
      tool_name: 'grep',
      args: { a: null, b: [1.5, 1e21] },
      result: 'naïve ☃ \u2028',
      project: 'Orion',
    },
  })
  await post('/v1/capture', {
    source: 'agent',
    source_kind: 'working_state',
    content: { thread_id: 't-1', state: 'executing', next_actions: ['go on'] },
  })
  await post(`/v1/records/${captured.primary_record.id}/outcome`, { outcome: 'success', actor: 'ada' })
  const superseded = await create(app, fact({ payload: { ...payloads.semantic, predicate: 'uses' } }))
  app.clock.advance(hour)
  const successor = await post(`/v1/records/${superseded.id}/supersede`, {
    ...reason,
    record: fact({
      payload: { ...payloads.semantic, predicate: 'uses', object: { deep: [null, 'x'] } },
      provenance: { sources: [{ kind: 'event', ref: 'e' }] },
    }),
  })
  const challenged = await create(app, fact({ payload: { ...payloads.semantic, predicate: 'doubts' } }))
  await post(`/v1/records/${challenged.id}/status`, { status: 'challenged', reason: 'is it?', actor: 'ada' })
  await post(`/v1/records/${challenged.id}/pin`, reason)
  for (const actor of ['ada', 'bob']) await post(`/v1/records/${other.id}/access`, { actor })
  await post('/v1/retrieve', { task_descriptor: 'what does the user prefer' })
  const demoted = await create(app, { type: 'episodic', payload: payloads.episodic, layer: 'semantic' })
  await post(`/v1/records/${demoted.id}/demote`, reason)
  const forgotten = await create(app, { type: 'plan_graph', payload: payloads.plan_graph })
  await app.request('DELETE', `/v1/records/${forgotten.id}?actor=ada&rationale=done`)
  await create(app, {
    type: 'competence',
    payload: payloads.competence,
    lifecycle: { decay: { curve: 'huber', max_salience: null, max_age_seconds: 1e6 } },
  })
  await app.services.access.flush()
  await createEmbeddingWorker(app).run()
  app.clock.advance(5 * hour)
  return {
    base: base.id,
    entity: other.id,
    forgotten: forgotten.id,
    superseded: superseded.id,
    successor: successor.record.id,
  }
}

const everything = '?include_forgotten=true&embeddings=true'
const sorted = (text: string) => text.split('\n').sort()

describe('an export imported into an empty store', () => {
  it('exports the same bytes again', async () => {
    const { text, records } = await exportLines(source, everything)
    expect(records.length).toBeGreaterThan(10)
    const imported = await importLines(target, text)
    expect(imported.summary).toEqual({ created: records.length, unchanged: 0, conflict: 0, invalid: 0 })
    expect(imported.loose).toBeUndefined()
    const again = (await exportLines(target, everything)).text
    expect(sorted(removeImporter(again))).toEqual(sorted(removeImporter(text)))
  })

  it('leaves the same rows in every table', async () => {
    for (const table of ['records', 'relations'] as const) {
      expect(await contentOf(target, table), table).toEqual(await contentOf(source, table))
    }
    for (const table of ['audit_entries', 'status_changes'] as const) {
      const logOf = async (app: TestApp) =>
        (await contentOf(app, table))
          .map((row) =>
            removeImporter(row.replace('"via":null,', '').replace(/"via":\{"imported_by":\{[^}]*\}\},/, '')),
          )
          .sort()
      expect(await logOf(target), table).toEqual(await logOf(source))
    }
    for (const table of ['importance_history', 'access_log', 'handles', 'entity_identifiers', 'surprises']) {
      expect(await contentOf(target, table), table).toEqual(await contentOf(source, table))
    }
    for (const table of ['unconsolidated', 'unsurprised', 'signatures']) {
      expect(await contentOf(target, table), table).toEqual(await contentOf(source, table))
    }
    // The transaction that stored a row is one of its own server.
    const rowsOf = async (app: TestApp, table: 'embeddings' | 'contents') =>
      (await contentOf(app, table)).map((row) => row.replace(/,"changed":"\d+"/, '')).sort()
    for (const table of ['embeddings', 'contents'] as const)
      expect(await rowsOf(target, table), table).toEqual(await rowsOf(source, table))
    for (const table of ['awaiting_edges', 'import_lines']) expect(await contentOf(target, table)).toEqual([])
  })

  it('embeds only records without a vector', async () => {
    const { rows } = await sql<{ id: string }>`
      select r.id from records as r where not exists (select from embeddings as e where e.record_id = r.id)
    `.execute(target.db)
    const listed = await target.db.selectFrom('unembedded').select('record_id as id').execute()
    expect(listed).toEqual(rows)
    expect(rows).toHaveLength(1)
  })

  it('answers the same for each record', async () => {
    for (const id of Object.values(ids)) {
      const query = '?include_forgotten=true'
      const answers = [source, target].map((app) => app.request('GET', `/v1/records/${id}${query}`))
      const [before, after] = await Promise.all(answers)
      const bodyOf = (answer: typeof after) => JSON.parse(removeImporter(JSON.stringify(answer?.body)))
      expect(bodyOf(after)).toEqual(bodyOf(before))
    }
    expect(await read(target, ids['base'] ?? '')).toMatchObject({ version: 3, sensitivity: 'high' })
  })

  it('changes nothing when it is repeated, in part, or at its source', async () => {
    const { text, records } = await exportLines(source, everything)
    const all = { created: 0, unchanged: records.length, conflict: 0, invalid: 0 }
    for (const app of [target, source]) expect((await importLines(app, text)).summary).toEqual(all)
    const visible = await exportLines(source)
    expect((await importLines(source, visible.text)).summary).toMatchObject({
      unchanged: visible.records.length,
    })
    const again = (await exportLines(target, everything)).text
    expect(sorted(removeImporter(again))).toEqual(sorted(removeImporter(text)))
  })

  it('recognises a repeated capture', async () => {
    const { body } = await target.request('POST', '/v1/capture', {
      body: {
        source: 'agent',
        source_kind: 'tool_output',
        scope: 'team',
        content: { ref: 'turn-1', tool_name: 'grep' },
      },
    })
    expect(body).toMatchObject({ deduplicated: true })
  })
})

/** Rows as text in one order, without the numbers that the database gives, and the salience of when they were written. */
async function contentOf(app: TestApp, table: string): Promise<string[]> {
  const { rows } = await sql<{ row: Record<string, unknown> }>`
    select to_jsonb(t) - array['model_id', 'salience', 'fades_at'] as row from ${sql.table(table)} as t
  `.execute(app.db)
  const logs = ['audit_entries', 'status_changes', 'importance_history']
  return rows.map(({ row }) => JSON.stringify(logs.includes(table) ? { ...row, id: undefined } : row)).sort()
}
