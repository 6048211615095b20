import { createFactHandle, nameHandle } from '../../../src/domain/identity/handles.ts'
import type { Trust } from '../../../src/domain/trust/caller.ts'
import * as entities from '../../../src/entities/entities.queries.ts'
import type { Sample } from './deletion-samples.ts'

const id = '0197b9a0-0000-7000-8000-000000000001'
const trust: Trust = { maxSensitivity: 'low', scopes: ['team'] }
const { digest } = nameHandle('a')
const named = { digest, term: 'a', trust }
const card = createFactHandle({ subject: id, predicate: 'profile' })

/** Queries of entities: lookup, records about one, and merges. */
export const entitySamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/entities/entities.queries.ts': {
    findEntitiesByName: {
      anywhere: (db) => entities.findEntitiesByName(db, { ...named, scope: undefined }, 1_000),
      'in one scope': (db) => entities.findEntitiesByName(db, { ...named, scope: 'team' }, 1_000),
    },
    findEntity: (db) => entities.findEntity(db, id, trust),
    findProfile: (db) => entities.findProfile(db, { digest: card.digest, scope: 'team', trust }),
    listMentions: {
      'the first page': (db) =>
        entities.listMentions(db, id, trust, {
          references: ['mentions_entity', 'subject_entity'],
          after: undefined,
          limit: 51,
        }),
      'the second page': (db) =>
        entities.listMentions(db, id, trust, {
          references: ['mentions_entity'],
          limit: 51,
          after: { created_at: '2026-01-01T00:00:00.000Z', id },
        }),
    },
    lockMergesAcrossScopes: (db) => entities.lockMergesAcrossScopes(db, 'team'),
    lockMergesInScope: (db) => entities.lockMergesInScope(db, 'team'),
    lockEntitiesToMerge: (db) => entities.lockEntitiesToMerge(db, [id], trust),
    deleteHandlesAndIdentifiers: (db) => entities.deleteHandlesAndIdentifiers(db, [id]),
    insertMergeDescents: (db) => entities.insertMergeDescents(db, id, [id]),
    lockActiveEntities: (db) => entities.lockActiveEntities(db, [id]),
  },
}
