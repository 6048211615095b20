import { afterAll, describe, expect, it } from 'vitest'
import { listLineResults } from '../../support/files/foreign-files.ts'
import { importLines } from '../../support/requests/export-and-import.ts'
import { read } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

/** A record as another program writes it: null for empty fields, and finer times. */
const foreignRecord = {
  id: '550e8400-e29b-41d4-a716-446655440000',
  type: 'semantic',
  sensitivity: 'low',
  confidence: 0.95,
  salience: 0.8,
  scope: 'project-alpha',
  tags: ['preference', 'editor'],
  created_at: '2025-01-15T10:00:00Z',
  updated_at: '2025-01-15T12:00:00.123456789Z',
  lifecycle: {
    decay: {
      curve: 'exponential',
      half_life_seconds: 86_400,
      min_salience: 0.01,
      max_age_seconds: 2_592_000_000,
      reinforcement_gain: 0.2,
    },
    last_reinforced_at: '2025-01-15T10:00:00Z',
    pinned: false,
    deletion_policy: 'auto_prune',
  },
  provenance: {
    sources: [{ kind: 'event', ref: 'session-001/msg-1', hash: 'sha256:abc', timestamp: null }],
    created_by: 'ingestion-classifier-v1',
  },
  relations: null,
  interpretation: null,
  payload: {
    kind: 'semantic',
    subject: 'user',
    predicate: 'prefers',
    object: null,
    revision_policy: '',
    validity: { mode: 'global', conditions: null },
    evidence: null,
    revision: null,
  },
  audit_log: [
    { action: 'create', actor: 'agent-1', timestamp: '2025-01-15T10:00:00Z', rationale: 'seen' },
    { action: 'revise', actor: 'agent-1', timestamp: '2025-01-15T12:00:00Z', rationale: 'seen better' },
  ],
}

/** Renames fields as Go does without JSON tags. */
function inGo(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inGo)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [goName(name), inGo(inner)]))
}

function goName(name: string): string {
  const words = name.split('_').map((word) => (word === 'id' ? 'ID' : word[0]?.toUpperCase() + word.slice(1)))
  return words.join('')
}

describe('a record of another program', () => {
  const kept = {
    scope: 'project-alpha',
    salience: expect.closeTo(0.01, 3),
    confidence: 0.95,
    tags: foreignRecord.tags,
    created_at: '2025-01-15T10:00:00.000Z',
    updated_at: '2025-01-15T12:00:00.123Z',
    relations: [],
    lifecycle: {
      decay: { ...foreignRecord.lifecycle.decay, max_salience: 1 },
      last_reinforced_at: '2025-01-15T10:00:00.000Z',
      pinned: false,
      deletion_policy: 'auto_prune',
    },
    payload: { kind: 'semantic', subject: 'user', object: null, validity: { mode: 'global' }, evidence: [] },
    audit_log: foreignRecord.audit_log.map((entry) => ({
      ...entry,
      timestamp: entry.timestamp.replace('Z', '.000Z'),
    })),
  }

  it('is imported with its values', async () => {
    expect(listLineResults(await importLines(app, [foreignRecord]))).toEqual(['1 created'])
    expect(await read(app, foreignRecord.id)).toMatchObject(kept)
    expect(listLineResults(await importLines(app, [foreignRecord]))).toEqual(['1 unchanged'])
  })

  it('is recognised under the field names of Go', async () => {
    expect(inGo(foreignRecord)).toMatchObject({ ID: foreignRecord.id, AuditLog: [{ Action: 'create' }, {}] })
    expect(listLineResults(await importLines(app, [inGo(foreignRecord)]))).toEqual(['1 unchanged'])
    const id = app.ids.next()
    expect(listLineResults(await importLines(app, [inGo({ ...foreignRecord, id })]))).toEqual(['1 created'])
    expect(await read(app, id)).toMatchObject(kept)
  })

  it('keeps such names inside payload values, and is refused for unknown ones', async () => {
    const id = app.ids.next()
    const payload = { ...foreignRecord.payload, object: { CreatedAt: null, ID: '' } }
    expect(listLineResults(await importLines(app, [{ ...foreignRecord, id, payload }]))).toEqual([
      '1 created',
    ])
    expect((await read(app, id)).payload.object).toEqual({ CreatedAt: null, ID: '' })
    const refused = await importLines(app, [{ ...foreignRecord, Colour: 'red' }])
    expect(listLineResults(refused)).toEqual(['1 invalid validation_failed'])
    expect(refused.reports[0].problem.errors).toEqual([{ pointer: '/Colour', message: expect.any(String) }])
  })
})
