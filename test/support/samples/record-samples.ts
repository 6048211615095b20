import { sql } from 'kysely'
import { nameHandle } from '../../../src/domain/identity/handles.ts'
import { createSeal } from '../../../src/domain/identity/tombstone-seal.ts'
import { type Caller, fullTrust, type Trust } from '../../../src/domain/trust/caller.ts'
import * as hiddenIds from '../../../src/records/answers/hidden-ids.queries.ts'
import * as auditLog from '../../../src/records/audit-log/audit-log.queries.ts'
import * as changing from '../../../src/records/change/record-change.queries.ts'
import * as replaced from '../../../src/records/change/successors.queries.ts'
import * as creation from '../../../src/records/creation/record-creation.queries.ts'
import { draftRecord } from '../../../src/records/creation/record-draft.ts'
import * as derivedScope from '../../../src/records/descent/derived-scope.queries.ts'
import * as derivedSensitivity from '../../../src/records/descent/derived-sensitivity.queries.ts'
import * as handles from '../../../src/records/handles/handles.queries.ts'
import * as identifiers from '../../../src/records/handles/identifiers.queries.ts'
import * as listing from '../../../src/records/listing/list.queries.ts'
import * as matching from '../../../src/records/listing/list-matching.queries.ts'
import type { PageQuery } from '../../../src/records/listing/list-page.ts'
import * as first from '../../../src/records/reading/first-records.queries.ts'
import * as records from '../../../src/records/records.queries.ts'
import { oneDayPolicies } from '../apps/one-day-policies.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const trust: Trust = { maxSensitivity: 'low', scopes: ['team'] }
const caller: Caller = {
  principal: 'root',
  name: 'root',
  permissions: new Set(['admin']),
  trust: fullTrust,
  sourceType: 'human',
}
const draft = draftRecord(
  { type: 'semantic', payload: { kind: 'semantic', subject: 's', predicate: 'p', object: 1 } },
  { caller, now, id, defaultSensitivity: 'low', policies: oneDayPolicies },
)
const seal = createSeal('a key of the samples')
const page: PageQuery = {
  filters: {},
  trust,
  asOf: now,
  sort: 'salience',
  order: 'desc',
  limit: 51,
}

export const recordSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/records/descent/derived-scope.queries.ts': {
    findInScope: (db) => derivedScope.findInScope(db, [id], 'team'),
    deleteDescentsBetween: (db) => derivedScope.deleteDescentsBetween(db, [id], [id]),
  },
  'src/records/descent/derived-sensitivity.queries.ts': {
    findLessSensitive: (db) => derivedSensitivity.findLessSensitive(db, [id]),
  },
  'src/records/change/record-change.queries.ts': {
    applyChange: {
      'of a record alone': (db) =>
        changing.applyChange(db, id, { record: { version: 2, updated_at: now }, entry: draft.audit }),
      'of what it says too': (db) =>
        changing.applyChange(db, id, {
          record: { version: 2, updated_at: now },
          entry: draft.audit,
          content: { tags: ['a'], payload: draft.row.payload },
          search: { text: 'a', language: 'english', scope: 'team', type: 'semantic' },
        }),
      'of what it says, with the same text': (db) =>
        changing.applyChange(db, id, {
          record: { version: 2 },
          entry: draft.audit,
          content: { tags: ['a'] },
        }),
    },
    appendStatusChange: (db) =>
      changing.appendStatusChange(db, id, {
        at: now,
        old: 'active',
        new: 'challenged',
        actor: 'a',
        reason: 'r',
        step: 'manual',
        run_id: null,
        via: null,
      }),
  },
  'src/records/creation/record-creation.queries.ts': {
    insertRecords: {
      'of no run that keeps rows': (db) =>
        creation.insertRecords(db, [draft], { textLanguage: 'english', seal }),
      'of a run that keeps rows': (db) =>
        creation.insertRecords(db, [draft], { textLanguage: 'english', seal, effectsRunId: id }),
    },
    findUsedIds: (db) => creation.findUsedIds(db, [id]),
    findVisibleTargets: (db) => creation.findVisibleTargets(db, [id], trust),
    findTakenIdentifiers: (db) =>
      creation.findTakenIdentifiers(db, [{ scope: '', sensitivity: 'low', namespace: 'git', value: 'x' }]),
  },
  'src/records/listing/list-matching.queries.ts': {
    readWords: (db) => matching.readWords(db, 'english', 'a text'),
    selectMatching: (db) => matching.selectMatching(db, page).select('r.id').execute(),
    selectSortValue: (db) => sql`select ${matching.selectSortValue(page)} from records as r`.execute(db),
  },
  'src/records/listing/list.queries.ts': {
    listHalfLives: (db) => listing.listHalfLives(db, 101),
    findSalienceFloor: (db) => listing.findSalienceFloor(db, page, [{ half_life_seconds: 3_600 }]),
    listBySalience: (db) =>
      listing.listBySalience(
        db,
        { ...page, after: { value: 0.5, id } },
        [{ scope: 'team', half_life_seconds: 60 }],
        0.4,
      ),
    listRecords: {
      'by salience': (db) => listing.listRecords(db, page),
      'by creation, every filter': (db) =>
        listing.listRecords(db, {
          ...page,
          sort: 'created_at',
          order: 'asc',
          words: "'text'",
          after: { value: now.toISOString(), id },
          filters: {
            type: 'semantic',
            scope: 'team',
            tag: ['a', 'b'],
            sensitivity: 'low',
            layer: 'semantic',
            memory_kind: 'fact',
            status: 'active',
            pinned: false,
            min_salience: 0.1,
            max_salience: 1,
            created_after: now.toISOString(),
            created_before: now.toISOString(),
            updated_after: now.toISOString(),
            q: 'words',
          },
        }),
      'by importance, everything seen': (db) =>
        listing.listRecords(db, { ...page, trust: fullTrust, sort: 'importance' }),
    },
    listRecordIds: (db) =>
      listing.listRecordIds(db, { ...page, isReadableOnly: true, conditions: [sql`r.pinned`] }),
    findMostSalientIds: {
      '': (db) => listing.findMostSalientIds(db, page, null, 500),
      'of some scopes': (db) => listing.findMostSalientIds(db, page, ['team', ''], 500),
    },
    listIdsBySalience: (db) => listing.listIdsBySalience(db, page, [{ half_life_seconds: 60 }], 0.4),
  },
  'src/records/audit-log/audit-log.queries.ts': {
    listAuditEntries: (db) => auditLog.listAuditEntries(db, { id, trust, after: 0, limit: 101 }),
  },
  'src/records/answers/hidden-ids.queries.ts': {
    addHiddenIds: (db) => hiddenIds.addHiddenIds(db, trust, [{ provenance: id } as never]),
    findHiddenIds: (db) => hiddenIds.findHiddenIds(db, trust, [id]),
  },
  'src/records/reading/first-records.queries.ts': {
    readFirst: (db) => first.readFirst(db, trust, [id, id]),
    measureContents: (db) => first.measureContents(db, trust, [id, id]),
    readFirstWhole: (db) => first.readFirstWhole(db, trust, [id, id]),
  },
  'src/records/change/successors.queries.ts': {
    findSuccessor: (db) => replaced.findSuccessor(db, id, trust),
    findLastSuccessors: (db) => replaced.findLastSuccessors(db, [id], trust),
  },
  'src/records/handles/handles.queries.ts': {
    lookUpHandles: (db) =>
      handles.lookUpHandles(db, [{ ...nameHandle('a'), scope: 'team', lock: 'always' }], 'low'),
    deleteHandles: (db) => handles.deleteHandles(db, id, [nameHandle('a')]),
    insertHandles: (db) => handles.insertHandles(db, id, 'team', [nameHandle('a')]),
  },
  'src/records/handles/identifiers.queries.ts': {
    deleteIdentifiers: (db) => identifiers.deleteIdentifiers(db, id),
    insertIdentifiers: (db) =>
      identifiers.insertIdentifiers(db, id, [
        { scope: '', sensitivity: 'low', namespace: 'git', value: 'x' },
      ]),
  },
  'src/records/records.queries.ts': {
    readStored: (db) => records.readStored(db, trust, { from: sql`records as r`, rest: sql`` }),
    findRecords: {
      one: (db) => records.findRecords(db, [id], trust),
      several: (db) => records.findRecords(db, [id, id], trust),
    },
    lockRecords: (db) => records.lockRecords(db, [id]),
    lockVisibleRecords: (db) => records.lockVisibleRecords(db, [id], trust),
  },
}
