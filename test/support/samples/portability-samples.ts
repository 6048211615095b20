import { sql } from 'kysely'
import type { Transaction } from '../../../src/db/transaction.ts'
import type { Caller, Trust } from '../../../src/domain/trust/caller.ts'
import * as exporting from '../../../src/portability/export/export.queries.ts'
import * as exportedEdges from '../../../src/portability/export/export-edges.queries.ts'
import * as histories from '../../../src/portability/export/export-histories.queries.ts'
import * as lines from '../../../src/portability/export/export-line.queries.ts'
import { createAbandonedRemoval } from '../../../src/portability/import/abandoned-rows.queries.ts'
import * as staging from '../../../src/portability/import/staging.queries.ts'
import * as importing from '../../../src/portability/import/storing/import.queries.ts'
import * as linking from '../../../src/portability/import/storing/import-edges.queries.ts'
import * as vectors from '../../../src/portability/import/storing/import-vectors.queries.ts'

type Sample = (db: Transaction) => Promise<unknown>

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const trust: Trust = { maxSensitivity: 'low', scopes: ['team'] }
const page = { after: id, to: id, isLast: true }
const caller: Caller = {
  principal: 'key',
  name: 'key',
  permissions: new Set(),
  trust,
  sourceType: 'human',
}
const current = { importId: id, caller, now }
const edge = { source_id: id, predicate: 'supports', target_id: id, weight: 1, created_at: now }
const vector = {
  id,
  provider: 'hash',
  model: 'm',
  dimensions: 1,
  bits: 32,
  embedded_at: now.toISOString(),
  code: 'AAAAAA==',
  signature: 'AA==',
}

/** Queries of export and import. */
export const portabilitySamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/portability/export/export.queries.ts': {
    findPage: (db) => exporting.findPage(db, id, { trust, now, filters: {} }),
    readExportLines: {
      'all of it': (db) => exporting.readExportLines(db, page, { trust, now, filters: {} }),
      'of one scope and type': (db) =>
        exporting.readExportLines(db, page, {
          trust,
          now,
          filters: {
            scope: 'team',
            type: 'semantic',
            updated_after: now.toISOString(),
            include_forgotten: true,
            embeddings: true,
          },
        }),
    },
  },
  'src/portability/export/export-edges.queries.ts': {
    buildEdges: (db) => {
      const { edges, isTargetVisible } = exportedEdges.buildEdges({ trust, now, filters: {} })
      return sql`
        select (${edges}), (select bool_or(${isTargetVisible}) from relations as e where e.source_id = r.id)
        from records as r
      `.execute(db)
    },
  },
  'src/portability/export/export-histories.queries.ts': {
    buildHistories: (db) => {
      const { auditLog, statusHistory, importanceHistory, accesses } = histories.buildHistories(trust)
      return sql`
        select (${auditLog}), (${statusHistory}), (${importanceHistory}), ${accesses}
        from records as r join contents as c on c.record_id = r.id
      `.execute(db)
    },
  },
  'src/portability/export/export-line.queries.ts': {
    buildExportLine: (db) =>
      sql`select ${lines.buildExportLine({ trust, now, filters: {} })} from records as r join contents as c on c.record_id = r.id`.execute(
        db,
      ),
  },
  'src/portability/import/storing/import.queries.ts': {
    findExisting: (db) => importing.findExisting(db, [{ id, version: 1 }], trust),
    findTakenPlaces: (db) =>
      importing.findTakenPlaces(db, [{ digest: Buffer.alloc(16), scope: '', place: 0 }]),
    insertDescents: (db) =>
      importing.insertDescents(
        db,
        [{ derived_id: id, source_id: id, kind: 'capture', is_ground: true }],
        trust,
      ),
    insertHistories: (db) =>
      importing.insertHistories(db, { key_id: 'root', key_name: 'root' }, [
        {
          id,
          created_at: now,
          forgotten: undefined,
          served_count: 1,
          demoted_at: undefined,
          audit_log: [],
          status_history: [],
          importance_history: [],
          access_log: [],
          access_days: undefined,
          surprise: undefined,
          consolidation: { due: ['episodic'], tallies: [] },
        },
      ]),
  },
  'src/portability/import/abandoned-rows.queries.ts': {
    createAbandonedRemoval: async (db) => {
      await createAbandonedRemoval('import_lines')(db, now, 1_000)
      await createAbandonedRemoval('awaiting_edges')(db, now, 1_000)
    },
  },
  'src/portability/import/storing/import-edges.queries.ts': {
    mayLinkTo: (db) =>
      sql`select t.id from records as t where ${linking.mayLinkTo(trust, sql`'derives'`)}`.execute(db),
    linkEdges: (db) =>
      linking.linkEdges(db, [{ ...edge, inverse: 'supported_by', is_whole: true }], [id], current),
    resolveWaitingEdges: (db) => linking.resolveWaitingEdges(db, current, 1_000),
    findMissingEdges: (db) => linking.findMissingEdges(db, [edge], current),
  },
  'src/portability/import/staging.queries.ts': {
    insertStagedLines: (db) =>
      staging.insertStagedLines(db, id, [{ line: 1, bytes: Buffer.from('{}') }], now),
    readStagedLines: (db) => staging.readStagedLines(db, id, 0, { limit: 500, maxBytes: 1_000 }),
    deleteStagedLines: (db) => staging.deleteStagedLines(db, id),
  },
  'src/portability/import/storing/import-vectors.queries.ts': {
    registerModels: (db) => vectors.registerModels(db, [vector], now),
    insertVectors: (db) => vectors.insertVectors(db, [vector]),
  },
}
