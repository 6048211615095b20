import { hostname } from 'node:os'
import { captureRoutes, createCaptureService } from './capture/index.ts'
import {
  accessRoutes,
  createAccessService,
  createHistoryService,
  createLayersService,
  createPromotion,
  createRefresh,
  createTransitionService,
  historyRoutes,
  layersRoutes,
  transitionRoutes,
} from './cognition/index.ts'
import type { Config } from './config.ts'
import { createConsolidation } from './consolidation/index.ts'
import type { Database } from './db/connection.ts'
import {
  createDecayService,
  createInsightService,
  createSweep,
  decayRoutes,
  insightRoutes,
} from './decay/index.ts'
import { createDream, createDriftService, deleteOldVerdicts, driftRoutes } from './dream/index.ts'
import {
  createCompressing,
  createEmbedder,
  createEmbeddings,
  createPreviewing,
  createQuerying,
  createVectorSearch,
  surpriseRoutes,
} from './embeddings/index.ts'
import { createEntitiesService, createEntityMergingService, entitiesRoutes } from './entities/index.ts'
import { type Room, room } from './http/app.ts'
import { createOnce } from './http/idempotency.ts'
import { deleteExpiredAnswers } from './http/queries.ts'
import type { Clock } from './kernel/clock.ts'
import type { Ids } from './kernel/ids.ts'
import type { Logger } from './kernel/log.ts'
import { createKeysService, keyRoutes } from './keys/index.ts'
import {
  createHandlers,
  createMaintenanceService,
  createPurge,
  createRunner,
  deleteOldRuns,
  listIntervals,
  maintenanceRoutes,
  watchJobs,
} from './maintenance/index.ts'
import { createChat } from './models/chat.ts'
import { createPoliciesService, policiesRoutes } from './policies/index.ts'
import {
  createErasureService,
  createForgettingService,
  createRecordsService,
  createSeal,
  createTombstonesService,
  erasureRoutes,
  forgettingRoutes,
  purgeForgotten,
  recordsRoutes,
  tombstonesRoutes,
} from './records/index.ts'
import { createRelationsService, relationsRoutes } from './relations/index.ts'
import {
  createRetrievalService,
  createSimilarService,
  createTextChannel,
  retrievalRoutes,
  similarRoutes,
} from './retrieval/index.ts'
import { createRevisionService, revisionRoutes } from './revision/index.ts'

export type Resources = { config: Config; db: Database; clock: Clock; ids: Ids; log: Logger }

export type Services = ReturnType<typeof createServices>

/** Every service, top to bottom; nothing else in the product builds one. */
export function createServices({ config, db, clock, ids, log }: Resources) {
  const keys = createKeysService({ db, clock, ids })
  const policies = createPoliciesService({ db, clock })
  const seal = createSeal(config.records.tombstoneKey)
  const records = createRecordsService({ db, clock, ids, seal, ...config.records })
  const tombstones = createTombstonesService({ db })
  const { textLanguage } = config.records
  const erasure = createErasureService({ db, clock, ids, seal, textLanguage })
  const forgetting = createForgettingService({ db, clock, ...config.records })
  const relations = createRelationsService({ db, clock, textLanguage })
  const revision = createRevisionService({ db, clock, ids, records, policies, ...config.records })
  const decay = createDecayService({ db, clock })
  const insight = createInsightService({ db, clock, ...config.cognition, ...config.jobs })
  const transition = createTransitionService({ db, clock, textLanguage })
  const layers = createLayersService({ db, clock, textLanguage })
  const history = createHistoryService({ db })
  const access = createAccessService({ db, clock })
  const entities = createEntitiesService({ db, clock, records })
  const entityMerging = createEntityMergingService({ db, clock, textLanguage })
  const { ingest, maxSensitivity } = config.models
  const capture = createCaptureService({
    ...{ db, clock, ids, seal, revision, policies, log, maxSensitivity, ...config.records },
    chat: ingest && createChat({ ...ingest, clock }),
  })
  const querying = createQuerying({ db, clock, log, embedder: createEmbedder(config.embedding, clock) })
  const vectors = createVectorSearch({ db, clock })
  const retrieval = createRetrievalService({
    ...{ db, clock, querying, vectors, ...config.retrieval },
    text: createTextChannel({ clock, textLanguage }),
  })
  const similar = createSimilarService({ db, clock, querying, vectors })
  const previewing = createPreviewing({ querying, vectors })
  const drift = createDriftService({ db, roots: config.driftRoots })
  const maintenance = createMaintenanceService({ db, clock, ids, intervals: config.jobs.intervals })
  const once = createOnce({ db, clock, retentionMs: config.http.idempotencyRetentionMs })
  return {
    keys,
    policies,
    records,
    forgetting,
    erasure,
    tombstones,
    relations,
    revision,
    decay,
    insight,
    transition,
    layers,
    history,
    access,
    entities,
    entityMerging,
    capture,
    retrieval,
    similar,
    previewing,
    drift,
    maintenance,
    once,
  }
}

/** The routes of every room with what they need. */
export function listRooms({
  keys,
  policies,
  records,
  forgetting,
  erasure,
  tombstones,
  relations,
  revision,
  decay,
  insight,
  transition,
  layers,
  history,
  access,
  entities,
  entityMerging,
  capture,
  retrieval,
  similar,
  previewing,
  drift,
  maintenance,
  once,
}: Services): Room[] {
  return [
    room(keyRoutes, { keys, once }),
    room(policiesRoutes, { policies }),
    room(recordsRoutes, { records, once }),
    room(forgettingRoutes, { forgetting, once }),
    room(erasureRoutes, { erasure, once }),
    room(tombstonesRoutes, { tombstones, once }),
    room(relationsRoutes, { relations, once }),
    room(revisionRoutes, { revision, once }),
    room(decayRoutes, { decay, once }),
    room(insightRoutes, { insight }),
    room(transitionRoutes, { transition, once }),
    room(layersRoutes, { layers, once }),
    room(historyRoutes, { history }),
    room(accessRoutes, { access, once }),
    room(entitiesRoutes, { entities, entityMerging, once }),
    room(captureRoutes, { capture, once }),
    room(retrievalRoutes, { retrieval, access }),
    room(similarRoutes, { similar }),
    room(surpriseRoutes, { previewing }),
    room(driftRoutes, { drift }),
    room(maintenanceRoutes, { maintenance, once }),
  ]
}

/** For whoever asks it in the background: extraction, and the dream. */
function createAsked({ models: { chat, maxSensitivity } }: Config, clock: Clock) {
  return chat && { ...chat, maxSensitivity, chat: createChat({ ...chat, clock }) }
}

/** What runs in the background, and how a worker comes to know of it. */
export function createJobs({ config, db, clock, ids, log }: Resources) {
  const { intervals, revisedRetentionMs } = config.jobs
  const { forgottenRetentionMs } = config.records
  const expired = {
    idempotency_keys: deleteExpiredAnswers,
    records: purgeForgotten,
    maintenance_runs: deleteOldRuns,
    dream_verdicts: deleteOldVerdicts,
  }
  const embeddings = createEmbeddings({
    ...{ db, clock, log, maxSensitivity: config.models.maxSensitivity },
    embedder: createEmbedder(config.embedding, clock),
  })
  const refresh = createRefresh({ db })
  const asked = createAsked(config, clock)
  const works = {
    decay: createPromotion({ db }).behind(createSweep({ db, forgottenRetentionMs, revisedRetentionMs })),
    consolidate: createConsolidation({
      ...{ db, clock, ids, textLanguage: config.records.textLanguage },
      seal: createSeal(config.records.tombstoneKey),
      policies: createPoliciesService({ db, clock }),
      ...config.consolidation,
      extraction: asked,
    }),
    dream: createDream({
      ...{ db, forgottenRetentionMs, refresh, ...config.cognition },
      model: asked,
      drift: { roots: config.driftRoots, textLanguage: config.records.textLanguage },
    }),
    compress: createCompressing({ db, ...config.cognition }),
    refresh_importance: refresh,
    embed: embeddings.work,
    purge: createPurge({ expired }),
  }
  const worker = `${hostname()}:${process.pid}`
  const runner = createRunner({ db, clock, ids, log, worker, works, intervals })
  return {
    handlers: createHandlers(runner),
    intervals: () => listIntervals(db, intervals),
    watch: () => {
      const watches = [watchJobs({ db, clock, log, worker, runner, intervals }), embeddings.watch()]
      return { stop: () => Promise.all(watches.map((watch) => watch.stop())) }
    },
  }
}
