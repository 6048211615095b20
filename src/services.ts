import type { Config } from './config.ts'
import type { Database } from './db/connection.ts'
import { createDecayService, decayRoutes } from './decay/index.ts'
import { type Room, room } from './http/app.ts'
import { createOnce } from './http/idempotency.ts'
import type { Clock } from './kernel/clock.ts'
import type { Ids } from './kernel/ids.ts'
import { createKeysService, keyRoutes } from './keys/index.ts'
import { createPoliciesService, policiesRoutes } from './policies/index.ts'
import {
  createForgettingService,
  createRecordsService,
  createSeal,
  createTombstonesService,
  forgettingRoutes,
  recordsRoutes,
  tombstonesRoutes,
} from './records/index.ts'
import { createRelationsService, relationsRoutes } from './relations/index.ts'

export type Resources = { config: Config; db: Database; clock: Clock; ids: Ids }

export type Services = ReturnType<typeof createServices>

/** Every service, top to bottom; nothing else in the product builds one. */
export function createServices({ config, db, clock, ids }: Resources) {
  const keys = createKeysService({ db, clock, ids })
  const policies = createPoliciesService({ db })
  const seal = createSeal(config.records.tombstoneKey)
  const records = createRecordsService({ db, clock, ids, seal, ...config.records })
  const tombstones = createTombstonesService({ db })
  const forgetting = createForgettingService({ db, clock, ...config.records })
  const relations = createRelationsService({ db, clock, textLanguage: config.records.textLanguage })
  const decay = createDecayService({ db, clock })
  const once = createOnce({ db, clock, retentionMs: config.http.idempotencyRetentionMs })
  return { keys, policies, records, forgetting, tombstones, relations, decay, once }
}

/** The routes of every room with what they need. */
export function listRooms({
  keys,
  policies,
  records,
  forgetting,
  tombstones,
  relations,
  decay,
  once,
}: Services): Room[] {
  return [
    room(keyRoutes, { keys, once }),
    room(policiesRoutes, { policies }),
    room(recordsRoutes, { records, once }),
    room(forgettingRoutes, { forgetting, once }),
    room(tombstonesRoutes, { tombstones, once }),
    room(relationsRoutes, { relations, once }),
    room(decayRoutes, { decay, once }),
  ]
}
