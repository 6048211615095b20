import { sql } from 'kysely'
import * as capture from '../../../src/capture/capture.queries.ts'
import { nameHandle } from '../../../src/domain/identity/handles.ts'
import * as descending from '../../../src/records/descent/descents.queries.ts'
import type { Sample } from './deletion-samples.ts'

const id = '0197b9a0-0000-7000-8000-000000000001'
const among = { trust: { maxSensitivity: 'low', scopes: ['team'] }, scope: 'team' } as const

export const captureSamples: Record<string, Record<string, Sample>> = {
  'src/capture/capture.queries.ts': {
    findReadableIds: (db) => capture.findReadableIds(db, [id], among),
    findReferencedSummaries: (db) => capture.findReferencedSummaries(db, [id], among),
    findHandleOwners: (db) => capture.findHandleOwners(db, [nameHandle('a').digest], among),
    findNamedEntities: (db) => capture.findNamedEntities(db, [nameHandle('a').digest], among, 20),
  },
  'src/records/descent/descents.queries.ts': {
    storeDescents: (db) =>
      descending.storeDescents(db, [{ derived_id: id, source_id: id, kind: 'mention', is_ground: null }]),
    readDescents: (db) => sql`with ${descending.readDescents('[]')} select from descended`.execute(db),
  },
}
