import { afterAll, describe, expect, it } from 'vitest'
import { listBrokenLaws } from '../../support/checks/broken-laws.ts'
import { exportLines, importLines } from '../../support/requests/export-and-import.ts'
import { type Body, countRows, read, say } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the import tests' } })
afterAll(() => app.close())

describe('fields of an import that the service owns', () => {
  it('must be consistent with each other', async () => {
    const late = '2999-01-01T00:00:00.000Z'
    const past = '2026-01-02T00:00:00.000Z'
    const move = {
      old: 'active',
      new: 'challenged',
      actor: 'a',
      reason: 'r',
      step: 's',
      changed_at: '2026-01-01T00:00:00Z',
    }
    const retracted = { ...move, new: 'invalidated' }
    const score = (before: number, after: number) => ({ old: before, new: after, changed_at: past })
    const unknownId = '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11'
    const surprise = { at: past, score: 0.5, delta: 0, base_before: 0.5, neighbours: [] }
    const rewritten = {
      action: 'revise',
      actor: 'a',
      rationale: 'r',
      timestamp: past,
      changes: { 'payload.timeline': [1, 2] },
    }
    const broken: [object, string][] = [
      [{ updated_at: late }, '/updated_at'],
      [
        { anchors: { base_salience: 1, anchored_at: past }, lifecycle: { last_reinforced_at: late } },
        '/lifecycle/last_reinforced_at',
      ],
      [
        { forgotten: { at: past, reason: 'r', actor: 'a', purge_at: '2020-01-01T00:00:00Z' } },
        '/forgotten/purge_at',
      ],
      [{ identifiers: [{ namespace: 'git', value: 'of another' }] }, '/identifiers/0'],
      [{ anchors: { base_salience: 1, anchored_at: late } }, '/anchors/anchored_at'],
      [
        { audit_log: [{ action: 'create', actor: 'a', rationale: 'r', timestamp: late }] },
        '/audit_log/0/timestamp',
      ],
      [{ status_history: [move] }, '/status'],
      [{ status: 'challenged', status_history: [move, move] }, '/status_history/1/old'],
      [{ version: 0 }, '/version'],
      [{ access_count: 1e12 }, '/access_count'],
      [{ access_count: 1, last_accessed_at: past, served_count: 2 }, '/served_count'],
      [{ access_log: [{ at: past, kind: 'used', actor: 'a' }] }, '/access_count'],
      [
        {
          access_count: 1,
          last_accessed_at: past,
          access_log: [{ at: past, kind: 'used', actor: 'a', key_id: 'k' }],
        },
        '/access_log',
      ],
      [{ access_count: 1 }, '/last_accessed_at'],
      [{ last_accessed_at: past }, '/last_accessed_at'],
      [{ handles: [{ digest: 'zz' }] }, '/handles/0/digest'],
      [{ redacted: true }, '/redacted'],
      [
        { status: 'active', status_history: [{ ...move, old: 'merged', new: 'active' }] },
        '/status_history/0/old',
      ],
      [
        {
          status: 'challenged',
          status_history: [retracted, { ...move, old: 'invalidated', new: 'challenged' }],
        },
        '/status_history/1/new',
      ],
      [
        { importance: 0.3, importance_history: [score(0.1, 0.2), score(0.25, 0.3)] },
        '/importance_history/1/old',
      ],
      [{ importance_history: [score(0.2, 0.2)], importance: 0.2 }, '/importance_history/0/new'],
      [{ importance: 0.9, importance_history: [score(0.1, 0.2)] }, '/importance'],
      [{ consolidation: { due: ['episodic'], tallies: [] } }, '/consolidation/due'],
      [{ surprise: { ...surprise, delta: 0.5 } }, '/surprise/delta'],
      [{ surprise: { ...surprise, delta: 0.1, duplicate_of: unknownId } }, '/surprise/delta'],
      [{ type: 'episodic', payload: { kind: 'episodic' }, audit_log: [rewritten] }, '/audit_log/0/changes'],
    ]
    const imported = await importLines(
      app,
      broken.map(([more]) => say('x', more)),
    )
    const pointers = imported.reports.map(({ problem }) => problem.errors[0].pointer)
    expect(pointers).toEqual(broken.map(([, pointer]) => pointer))
  })

  it('are stored as given when a line has only some of them', async () => {
    const { reports } = await importLines(app, [
      say('old', { version: 7, status: 'invalidated', created_at: '2020-01-01T00:00:00Z' }),
    ])
    const record = await read(app, reports[0].id)
    expect(record).toMatchObject({
      version: 1,
      status: 'invalidated',
      created_at: '2020-01-01T00:00:00.000Z',
    })
    expect(record.audit_log).toMatchObject([{ action: 'create', rationale: 'imported' }])
    const { items } = (await app.request('GET', `/v1/records/${record.id}/status-history`)).body as Body
    expect(items).toMatchObject([{ old: 'active', new: 'invalidated', reason: 'imported' }])
    expect(await countRows(app, 'records')).toBe(await countRows(app, 'contents'))
  })

  it('get the entry of a deletion when the line has none', async () => {
    const forgotten = {
      at: '2026-01-02T00:00:00Z',
      reason: 'old',
      actor: 'ada',
      purge_at: '2999-01-01T00:00:00Z',
    }
    const created = { action: 'create', actor: 'ada', rationale: 'new', timestamp: '2026-01-01T00:00:00Z' }
    const { reports } = await importLines(app, [say('forgotten', { forgotten, audit_log: [created] })])
    const { records } = await exportLines(app, '?include_forgotten=true')
    expect(records.find(({ id }) => id === reports[0].id)?.audit_log).toMatchObject([
      { action: 'create', rationale: 'new' },
      { action: 'delete', actor: 'ada', rationale: 'old' },
    ])
    expect(await listBrokenLaws(app)).toEqual([])
  })
})
