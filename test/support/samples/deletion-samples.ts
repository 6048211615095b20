import type { Database } from '../../../src/db/connection.ts'
import type { Trust } from '../../../src/domain/caller.ts'
import * as departures from '../../../src/records/deleted-records.queries.ts'
import * as erasure from '../../../src/records/erasure/erasure.queries.ts'
import * as answers from '../../../src/records/erasure/stored-answers.queries.ts'
import * as tombstones from '../../../src/records/erasure/tombstones.queries.ts'

export type Sample = (db: Database) => Promise<unknown>

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const trust: Trust = { maxSensitivity: 'low', scopes: ['team'] }
const keyId = Buffer.alloc(8)
const sealed = { scope: '', digest: Buffer.alloc(32) }

/** What is asked when records are purged and erased. */
export const departingSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/records/deleted-records.queries.ts': {
    findDepartures: (db) => departures.findDepartures(db, [id], trust),
    purgeForgotten: (db) => departures.purgeForgotten(db, now, 1_000),
    departErased: (db) => departures.departErased(db, [id], { actor: 'ada', at: now }),
  },
  'src/records/erasure/stored-answers.queries.ts': {
    deleteAnswersAbout: (db) => answers.deleteAnswersAbout(db, [id]),
    thinAnswersAbout: (db) => answers.thinAnswersAbout(db, [id]),
    thinAnswersOfKept: (db) => answers.thinAnswersOfKept(db, [id]),
    thinCapturesAbout: (db) => answers.thinCapturesAbout(db, [id]),
  },
  'src/records/erasure/erasure.queries.ts': {
    findDerivations: (db) => erasure.findDerivations(db, id),
    lockForErasure: (db) => erasure.lockForErasure(db, [id]),
    findOpenIds: (db) => erasure.findOpenIds(db, [id], trust),
    deleteEdgesOf: (db) => erasure.deleteEdgesOf(db, [id]),
    deleteEmbeddings: (db) => erasure.deleteEmbeddings(db, [id]),
    deleteAccesses: (db) => erasure.deleteAccesses(db, [id]),
    blankAudit: (db) => erasure.blankAudit(db, [id]),
    blankStatusReasons: (db) => erasure.blankStatusReasons(db, [id]),
    appendErasures: (db) =>
      erasure.appendErasures(db, [id], { actor: 'ada', rationale: 'asked', at: now, via: null }),
    deleteDescentsFrom: (db) => erasure.deleteDescentsFrom(db, [id]),
    findContents: (db) => erasure.findContents(db, [id]),
    rewriteKept: (db) => erasure.rewriteKept(db, [], { actor: 'ada', at: now, via: null }, 'english'),
    blankTakenOver: (db) => erasure.blankTakenOver(db, [id]),
    markErased: (db) => erasure.markErased(db, id, 'ada', now),
  },
  'src/records/erasure/tombstones.queries.ts': {
    findErased: (db) => tombstones.findErased(db, keyId, [sealed]),
    lockTombstones: (db) => tombstones.lockTombstones(db),
    shareTombstones: (db) => tombstones.shareTombstones(db),
    insertTombstones: (db) =>
      tombstones.insertTombstones(db, [{ ...sealed, id, key_id: keyId, created_at: now, actor: 'ada' }]),
    listTombstones: {
      'the first page': (db) => tombstones.listTombstones(db, trust, 51, undefined),
      'the second page': (db) => tombstones.listTombstones(db, trust, 51, { created_at: now, id }),
    },
    deleteTombstone: (db) => tombstones.deleteTombstone(db, trust, id),
  },
}
