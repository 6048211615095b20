import { fullTrust, type Trust } from '../../../src/domain/trust/caller.ts'
import * as answered from '../../../src/http/idempotency/idempotency.queries.ts'
import * as keys from '../../../src/keys/keys.queries.ts'
import * as decay from '../../../src/lifecycle/reinforcement/reinforcement.queries.ts'
import * as policies from '../../../src/policies/policies.queries.ts'
import * as relations from '../../../src/relations/relations.queries.ts'
import { archivalSamples } from './archival-samples.ts'
import { captureSamples } from './capture-samples.ts'
import { checkingSamples } from './checking-samples.ts'
import { consolidationSamples } from './consolidation-samples.ts'
import { conversationSamples } from './conversation-samples.ts'
import { dbSamples } from './db-samples.ts'
import { deletionSamples, type Sample } from './deletion-samples.ts'
import { dreamModelSamples } from './dream-model-samples.ts'
import { effectSamples } from './effect-samples.ts'
import { embeddingSamples } from './embedding-samples.ts'
import { entitySamples } from './entity-samples.ts'
import { maintenanceSamples } from './maintenance-samples.ts'
import { metricsSamples } from './metrics-samples.ts'
import { portabilitySamples } from './portability-samples.ts'
import { recordSamples } from './record-samples.ts'
import { regretSamples } from './regret-samples.ts'
import { retrievalSamples } from './retrieval-samples.ts'
import { revisionSamples } from './revision-samples.ts'
import { simulationSamples } from './simulation-samples.ts'
import { statusSamples } from './status-samples.ts'
import { surpriseSamples } from './surprise-samples.ts'
import { tenantSamples } from './tenant-samples.ts'
import { textSamples } from './text-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const trust: Trust = { maxSensitivity: 'low', scopes: ['team'] }
const edge = { source_id: id, predicate: 'supports', target_id: id, weight: 1, created_at: now }
const policy = {
  type: 'semantic',
  curve: 'exponential',
  half_life_seconds: 1,
  max_age_seconds: 0,
  min_salience: 0,
  reinforcement_gain: 0,
  max_salience: null,
  deletion_policy: 'auto_prune',
} as const

const owner = { principal: 'root', key: 'retry-1' }
const key: keys.KeyRow = {
  id,
  name: 'a key',
  secret_hash: Buffer.alloc(32),
  permissions: ['admin'],
  scopes: [],
  max_sensitivity: 'low',
  source_type: 'ingest',
  created_at: now,
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
}

const answer = { fingerprint: 'f', status: 201, headers: '{}', body: '{}' }
const storedAnswer = { ...owner, ...answer, created_at: now, expires_at: now }

export type { Sample }

/** One call of every query, or several where its SQL depends on its arguments. */
export const samples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  ...consolidationSamples,
  ...dbSamples,
  ...maintenanceSamples,
  ...metricsSamples,
  ...regretSamples,
  ...simulationSamples,
  ...effectSamples,
  ...dreamModelSamples,
  ...portabilitySamples,
  ...retrievalSamples,
  'src/http/idempotency/idempotency.queries.ts': {
    tryLocks: (db) => db.transaction().execute((tx) => answered.tryLocks(tx, [1n])),
    findAnswers: (db) => db.transaction().execute((tx) => answered.findAnswers(tx, [owner], now)),
    storeAnswers: (db) => db.transaction().execute((tx) => answered.storeAnswers(tx, [storedAnswer])),
    deleteExpiredAnswers: (db) => answered.deleteExpiredAnswers(db, now, 1_000),
  },
  'src/keys/keys.queries.ts': {
    insertKey: (db) => keys.insertKey(db, key),
    findKey: (db) => keys.findKey(db, trust, id),
    findKeyBySecret: (db) => keys.findKeyBySecret(db, key.secret_hash),
    listKeys: {
      'the first page': (db) => keys.listKeys(db, fullTrust, 51, undefined),
      'the second page': (db) => keys.listKeys(db, trust, 51, { created_at: now, id }),
    },
    revokeKey: (db) => keys.revokeKey(db, id, now),
    updateLastUsed: (db) => keys.updateLastUsed(db, id, now, now),
  },
  'src/lifecycle/reinforcement/reinforcement.queries.ts': {
    updateLifecycles: (db) => decay.updateLifecycles(db, [], { actor: 'a', rationale: 'r', at: now }),
  },
  'src/policies/policies.queries.ts': {
    listPolicies: (db) => policies.listPolicies(db),
    findPolicy: (db) => policies.findPolicy(db, 'semantic'),
    upsertPolicy: (db) => policies.upsertPolicy(db, policy),
  },
  ...recordSamples,
  ...deletionSamples,
  ...revisionSamples,
  ...surpriseSamples,
  ...tenantSamples,
  ...captureSamples,
  ...checkingSamples,
  ...statusSamples,
  ...archivalSamples,
  ...embeddingSamples,
  ...entitySamples,
  ...textSamples,
  ...conversationSamples,
  'src/relations/relations.queries.ts': {
    upsertEdges: (db) => relations.upsertEdges(db, [edge]),
    isContestPair: (db) => relations.isContestPair(db, id, id),
    findEdge: (db) => relations.findEdge(db, id, 'supports', id),
    deleteEdges: (db) => relations.deleteEdges(db, [edge]),
    listEdges: {
      outgoing: (db) =>
        relations.listEdges(db, id, trust, {
          direction: 'out',
          predicate: undefined,
          after: undefined,
          limit: 101,
        }),
      'incoming, the second page of one predicate': (db) =>
        relations.listEdges(db, id, trust, {
          direction: 'in',
          predicate: 'supports',
          after: { predicate: 'supports', id },
          limit: 101,
        }),
    },
  },
}
