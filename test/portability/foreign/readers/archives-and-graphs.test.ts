import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { importFile, listLineResults, readFixture } from '../../../support/files/foreign-files.ts'
import { buildZip } from '../../../support/files/zip-file.ts'
import { type Body, read } from '../../../support/requests/record-requests.ts'
import { retrieve } from '../../../support/requests/retrieval-requests.ts'
import { startTestApp } from '../../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const edgesOf = (record: Body): string[] =>
  record.relations.map(({ predicate, target_id: id }: Body) => `${predicate} ${id}`)

describe('an import of Graphiti', () => {
  it('says what an edge says, and takes no two edges of one name for a dispute', async () => {
    const likes = (uuid: string, fact: string) => ({ uuid, source_node_uuid: 'n-l', name: 'LIKES', fact })
    const file = {
      nodes: [{ uuid: 'n-l', name: 'Lina' }],
      edges: [likes('r-1', 'Lina likes chess'), likes('r-2', 'Lina likes the Alps')],
    }
    await importFile(app, JSON.stringify(file), { query: '?scope=likes' })
    const body = { task_descriptor: 'What does Lina like?', scopes: ['likes'], max_tokens: 500 }
    const { text } = (await app.request('POST', '/v1/context', { body })).body as Body
    expect(text).toMatch(/^- \[m:\w+\] [\d-]+ Lina likes chess$/m)
    expect(text).toMatch(/^- \[m:\w+\] [\d-]+ Lina likes the Alps$/m)
    expect(text).not.toContain('disputed')
  })

  it('keeps only the end of an edge that ended before it began', async () => {
    const edge = {
      uuid: 'r-9',
      source_node_uuid: 'n-8',
      target_node_uuid: 'n-9',
      name: 'WORKS_AT',
      fact: 'Nora left',
      valid_at: '2025-06-01T00:00:00Z',
      invalid_at: '2025-01-02T09:00:00Z',
      expired_at: null,
    }
    const { reports } = await importFile(app, JSON.stringify({ edges: [edge] }), {
      query: '?format=graphiti',
    })
    const record = await read(app, reports[0].id)
    expect(record.payload.validity).toEqual({ mode: 'timeboxed', end: '2025-01-02T09:00:00.000Z' })
  })

  it('keeps episodes, nodes and edges with their validity, and what expired is not active', async () => {
    const { reports, ending } = await importFile(app, await readFixture('graphiti.json'))
    expect(ending).toMatchObject({ format: 'graphiti', summary: { created: 5, invalid: 0 } })
    const [episode, nora, office, works, visits] = await Promise.all(reports.map(({ id }) => read(app, id)))
    expect(episode).toMatchObject({
      type: 'episodic',
      payload: { timeline: [{ t: '2025-01-02T09:00:00.000Z' }] },
    })
    expect(nora.payload).toMatchObject({
      canonical_name: 'Nora',
      primary_type: 'Person',
      summary: 'A planner',
    })
    expect(works).toMatchObject({
      status: 'active',
      tags: ['WORKS_AT'],
      payload: {
        subject: 'Nora',
        predicate: 'note',
        object: 'Nora works at the harbour office',
        validity: { mode: 'timeboxed', end: '2025-06-01T00:00:00.000Z' },
        evidence: [{ timestamp: '2025-01-02T09:00:00.000Z' }],
      },
    })
    expect(edgesOf(works)).toEqual(
      expect.arrayContaining([
        `subject_entity ${nora.id}`,
        `object_entity ${office.id}`,
        `references_record ${episode.id}`,
      ]),
    )
    expect(visits.status).toBe('invalidated')
    const { nodes } = await retrieve(app, { task_descriptor: 'works visits harbour office' })
    const found = nodes.map(({ record }: Body) => record.id)
    expect(found).toContain(office.id)
    expect(found.filter((id: string) => id === works.id || id === visits.id)).toEqual([])
    const again = await importFile(app, await readFixture('graphiti.json'))
    expect(again.ending.summary).toEqual({ created: 0, unchanged: 5, conflict: 0, invalid: 0 })
  })
})

const manifest = { name: 'manifest.json', data: JSON.stringify({ schema_version: 1, archive_type: 'bank' }) }
const document = {
  id: 'doc-1',
  original_text: 'The pump failed because the valve froze.',
  facts: [
    {
      text: 'The valve froze',
      fact_type: 'world',
      occurred_start: '2025-02-01T04:00:00Z',
      entities: ['Valve'],
      tags: ['plant'],
    },
    {
      text: 'The pump failed',
      fact_type: 'world',
      entities: ['Pump', 'Valve'],
      causal_relations: [{ relation_type: 'caused_by', target_fact_index: 0 }],
    },
    { fact_type: 'world' },
  ],
}
const observations = [
  { text: 'Frost stops the plant', proof_count: 2, sources: [{ document_id: 'doc-1', fact_index: 0 }] },
]

describe('an import of Hindsight', () => {
  it.each([true, false])(
    'reads facts, causes and observations (sizes after the data: %s)',
    async (descriptor) => {
      const zip = buildZip([
        { ...manifest, descriptor },
        { name: 'documents/000000.json', data: JSON.stringify(document), descriptor },
        { name: 'observations.json', data: JSON.stringify(observations), descriptor },
      ])
      const scope = `descriptor-${descriptor}`
      const { reports, ending } = await importFile(app, zip, { query: `?scope=${scope}` })
      expect(listLineResults({ reports })).toEqual([
        '1 created',
        '2 created',
        '3 invalid validation_failed',
        '4 created',
      ])
      expect(ending.format).toBe('hindsight')
      const [valve, pump, , frost] = await Promise.all(
        reports.map(({ id }) => (id ? read(app, id) : undefined)),
      )
      expect(valve.payload.evidence[0].timestamp).toBe('2025-02-01T04:00:00.000Z')
      expect(edgesOf(pump)).toContain(`caused_by ${valve.id}`)
      expect(edgesOf(frost)).toContain(`references_record ${valve.id}`)
      const entities = await app.request('GET', `/v1/records?type=entity&scope=${scope}`)
      expect((entities.body as Body).items.map(({ payload }: Body) => payload.canonical_name).sort()).toEqual(
        ['Pump', 'Valve'],
      )
    },
  )

  it('stores an observation whose reference is cut within an emoji', async () => {
    const text = `${'o'.repeat(199)}\u{1F600} and more`
    const zip = buildZip([manifest, { name: 'observations.json', data: JSON.stringify([{ text }]) }])
    const { reports } = await importFile(app, zip, { query: '?scope=emoji' })
    expect(listLineResults({ reports })).toEqual(['1 created'])
    const { payload, provenance } = await read(app, reports[0]?.id)
    expect(payload.object).toBe(text)
    expect(provenance.sources[0].ref).toBe(`hindsight:observation:${'o'.repeat(199)}`)
  })

  it('refuses only a file that is too large, or no UTF-8', async () => {
    const zip = buildZip([
      { name: 'documents/bomb.json', data: Buffer.alloc(17 * 1_024 ** 2, ' ') },
      { name: 'documents/bytes.json', data: Buffer.from([0x22, 0xff, 0xfe, 0x22]) },
      {
        name: '../../documents/000001.json',
        data: JSON.stringify({ id: 'outside', facts: [{ text: 'Still a text' }] }),
        stored: true,
      },
    ])
    const { reports } = await importFile(app, zip, { query: '?format=hindsight' })
    expect(listLineResults({ reports })).toEqual([
      '1 invalid body_too_large',
      '2 invalid malformed_json',
      '3 created',
    ])
  })

  it('answers a broken archive by a report', async () => {
    const whole = buildZip([{ name: 'documents/1.json', data: JSON.stringify(document) }])
    const noise = Buffer.concat([whole.subarray(0, 60), randomBytes(400)])
    for (const file of [
      whole.subarray(0, 20),
      whole.subarray(0, 80),
      noise,
      Buffer.from('PK'),
      Buffer.from('{}'),
    ]) {
      const { status, ending, text } = await importFile(app, file, {
        query: '?format=hindsight&dry_run=true',
      })
      expect(status, text).toBe(200)
      expect(ending.summary.invalid, text).toBe(1)
      expect(text).not.toContain('internal_error')
    }
  })
})

describe('an import of Basic Memory', () => {
  it('reads a note and an archive of notes alike', async () => {
    const note = await readFixture('basic-memory.md')
    const { reports, ending } = await importFile(app, note, { type: 'text/markdown' })
    expect(ending).toMatchObject({ format: 'basic-memory', summary: { created: 6, invalid: 0 } })
    const [entity, text, pour, water, linked, grinder] = await Promise.all(
      reports.map(({ id }) => read(app, id)),
    )
    expect(entity).toMatchObject({
      tags: ['coffee', 'kitchen'],
      payload: { canonical_name: 'Coffee Methods', primary_type: 'note' },
    })
    expect(text.payload.object).toBe(
      'Notes from the tasting in spring, see [[Grinder]].\n\n- [ ] buy filters',
    )
    expect(pour).toMatchObject({
      tags: ['method', 'brewing'],
      payload: { object: 'Pour over brings out floral notes' },
    })
    expect(water.payload.object).toBe('Water at 94 degrees works best')
    expect([linked, grinder].map(({ payload }) => [payload.predicate, payload.object])).toEqual([
      ['links_to', 'Grinder'],
      ['requires', 'Burr Grinder'],
    ])
    const zip = buildZip([
      { name: 'vault/coffee.md', data: note },
      { name: 'vault/burr.md', data: '---\ntitle: Burr Grinder\n---\n- [use] Grinds beans' },
    ])
    expect(listLineResults(await importFile(app, zip, { type: 'application/zip' })).slice(5)).toEqual([
      '1 unchanged',
      '2 created',
      '2 created',
    ])
  })
})

describe('an archive of an account', () => {
  it('is known by its files, and never gives users', async () => {
    const zip = buildZip([
      {
        name: 'users.json',
        data: '[{"uuid":"u","full_name":"Nora Lind","email_address":"nora@example.org"}]',
      },
      { name: 'conversations.json', data: await readFixture('claude-conversations.json') },
      { name: 'projects.json', data: await readFixture('claude-projects.json') },
      { name: 'memories.json', data: await readFixture('claude-memories.json') },
    ])
    const claude = await importFile(app, zip, { type: 'application/zip' })
    expect(claude.ending).toMatchObject({ format: 'claude', summary: { created: 6, invalid: 0 } })
    const conversations = buildZip([{ name: 'conversations.json', data: await readFixture('chatgpt.json') }])
    const chatgpt = await importFile(app, conversations, { type: 'application/zip' })
    expect(chatgpt.ending).toMatchObject({ format: 'chatgpt', summary: { created: 2, invalid: 1 } })
  })
})
