import { captureRoutes, createCaptureService } from './capture/index.ts'
import type { Config } from './config/config.ts'
import {
  conversationsRoutes,
  createConversationRemovalService,
  createConversationsService,
} from './conversations/index.ts'
import type { Database } from './db/connection.ts'
import { createSeal } from './domain/tombstone-seal.ts'
import { createDriftService, driftRoutes } from './dream/index.ts'
import {
  createEmbedder,
  createQueryEmbedder,
  createSurprisePreviewService,
  createVectorSearch,
  surpriseRoutes,
} from './embeddings/index.ts'
import { createEntitiesService, createEntityMergingService, entitiesRoutes } from './entities/index.ts'
import { type Room, room } from './http/app.ts'
import { createOnce } from './http/idempotency.ts'
import type { Announcements } from './jobs/announcements.ts'
import type { Clock } from './kernel/clock.ts'
import type { Ids } from './kernel/ids.ts'
import type { Logger } from './kernel/log.ts'
import type { Tracer } from './kernel/span.ts'
import { createKeysService, keyRoutes } from './keys/index.ts'
import {
  accessRoutes,
  createAccessService,
  createExplainService,
  createForgettingService,
  createHistoryService,
  createLayerService,
  createReinforcementService,
  createStatusService,
  explainRoutes,
  forgettingRoutes,
  historyRoutes,
  layerRoutes,
  reinforcementRoutes,
  rescoreAndPromoteRecord,
  statusRoutes,
} from './lifecycle/index.ts'
import { createChat } from './llm/chat.ts'
import { createMaintenanceService, maintenanceRoutes } from './maintenance/index.ts'
import { createStoreMetrics, createSummaryService, scrapeRoutes, summaryRoutes } from './metrics/index.ts'
import { createPoliciesService, policiesRoutes } from './policies/index.ts'
import { createExportService, createImportService, portabilityRoutes } from './portability/index.ts'
import {
  createErasureService,
  createRecordsService,
  createTombstonesService,
  erasureRoutes,
  recordsRoutes,
  tombstonesRoutes,
} from './records/index.ts'
import { createRelationsService, relationsRoutes } from './relations/index.ts'
import {
  createPromptContextService,
  createRetrievalService,
  createSimilarService,
  createTextSearch,
  retrievalRoutes,
  similarRoutes,
} from './retrieval/index.ts'
import { createRevisionService, revisionRoutes } from './revision/index.ts'
import { createInstruments, type Instruments } from './telemetry/instruments.ts'

export type Resources = {
  config: Config
  db: Database
  clock: Clock
  ids: Ids
  log: Logger
  /** The metrics of the process; created here when the caller has none. */
  instruments?: Instruments
  /** Without them, a worker finds a new run by its poll. */
  announcements?: Announcements | undefined
  tracer?: Tracer | undefined
}

export type Services = ReturnType<typeof createServices>

/** Creates every service, top to bottom. No other code in src/ does. */
export function createServices({
  config,
  db,
  clock,
  ids,
  log,
  announcements,
  instruments = createInstruments(),
}: Resources) {
  const keys = createKeysService({ db, clock, ids })
  const policies = createPoliciesService({ db, clock })
  const seal = createSeal(config.records.tombstoneKey)
  const records = createRecordsService({
    db,
    clock,
    ids,
    seal,
    policies,
    rescore: rescoreAndPromoteRecord,
    ...config.records,
  })
  const tombstones = createTombstonesService({ db })
  const { textLanguage } = config.records
  const erasure = createErasureService({ db, clock, ids, seal, textLanguage })
  const forgetting = createForgettingService({ db, clock, ...config.records })
  const relations = createRelationsService({ db, clock, textLanguage })
  const revision = createRevisionService({ db, clock, ids, records, policies, ...config.records })
  const reinforcement = createReinforcementService({ db, clock })
  const explain = createExplainService({ db, clock, ...config.cognition, ...config.jobs })
  const status = createStatusService({ db, clock, textLanguage })
  const layers = createLayerService({ db, clock, textLanguage })
  const history = createHistoryService({ db })
  const access = createAccessService({ db, clock })
  const entities = createEntitiesService({ db, clock, records })
  const entityMerging = createEntityMergingService({ db, clock, textLanguage })
  const conversations = createConversationsService({ db, clock, ids, seal, policies, ...config.records })
  const conversationRemoval = createConversationRemovalService({ db, forgetting, erasure })
  const { ingest, maxSensitivity } = config.models
  const capture = createCaptureService({
    ...{ db, clock, ids, seal, revision, policies, log, maxSensitivity, ...config.records },
    chat: ingest && createChat({ ...ingest, clock, observe: instruments.observeModel('ingest') }),
  })
  const embedder = createEmbedder(config.embedding, clock, instruments.observeModel('query'))
  const queryEmbedder = createQueryEmbedder({ db, clock, log, embedder })
  const vectors = createVectorSearch({ db, clock })
  const retrieval = createRetrievalService({
    ...{ db, clock, queryEmbedder, vectors, ...config.retrieval },
    text: createTextSearch({ clock, textLanguage }),
  })
  const promptContext = createPromptContextService({ db, clock, retrieval, ...config.retrieval })
  const similar = createSimilarService({ db, clock, queryEmbedder, vectors })
  const surprisePreview = createSurprisePreviewService({ queryEmbedder, vectors })
  const drift = createDriftService({ db, roots: config.driftRoots })
  const maintenance = createMaintenanceService({ db, clock, ids, intervals: config.jobs.intervals })
  const { intervals, revisedRetentionMs } = config.jobs
  const storeReading = createStoreMetrics({ db, clock, intervals, revisedRetentionMs })
  const summary = createSummaryService({ db, clock })
  const scrape = { sources: [instruments, storeReading], isPublic: config.metrics.isPublic }
  const exporter = createExportService({ db, clock })
  const importer = createImportService({ db, clock, ids, log, seal, policies, ...config.records })
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
    reinforcement,
    explain,
    status,
    layers,
    history,
    access,
    entities,
    entityMerging,
    capture,
    conversations,
    conversationRemoval,
    retrieval,
    promptContext,
    similar,
    surprisePreview,
    drift,
    maintenance,
    announcements,
    exporter,
    importer,
    instruments,
    storeReading,
    summary,
    scrape,
    once,
  }
}

/** The routes of every room, with the services that they need. */
export function listRooms({ once, ...services }: Services): Room[] {
  return [
    room(keyRoutes, { keys: services.keys, once }),
    room(policiesRoutes, { policies: services.policies }),
    room(recordsRoutes, { records: services.records, once }),
    room(forgettingRoutes, { forgetting: services.forgetting, once }),
    room(erasureRoutes, { erasure: services.erasure, once }),
    room(tombstonesRoutes, { tombstones: services.tombstones, once }),
    room(relationsRoutes, { relations: services.relations, once }),
    room(revisionRoutes, { revision: services.revision, once }),
    room(reinforcementRoutes, { reinforcement: services.reinforcement, once }),
    room(explainRoutes, { explain: services.explain }),
    room(statusRoutes, { status: services.status, once }),
    room(layerRoutes, { layers: services.layers, once }),
    room(historyRoutes, { history: services.history }),
    room(accessRoutes, { access: services.access, once }),
    room(entitiesRoutes, { entities: services.entities, entityMerging: services.entityMerging, once }),
    room(captureRoutes, { capture: services.capture, once }),
    room(conversationsRoutes, {
      conversations: services.conversations,
      conversationRemoval: services.conversationRemoval,
      once,
    }),
    room(retrievalRoutes, {
      retrieval: services.retrieval,
      promptContext: services.promptContext,
      access: services.access,
    }),
    room(similarRoutes, { similar: services.similar }),
    room(surpriseRoutes, { surprisePreview: services.surprisePreview }),
    room(driftRoutes, { drift: services.drift }),
    room(maintenanceRoutes, {
      ...{ maintenance: services.maintenance, once, announcements: services.announcements },
    }),
    room(portabilityRoutes, { exporter: services.exporter, importer: services.importer }),
    room(scrapeRoutes, services.scrape),
    room(summaryRoutes, { summary: services.summary }),
  ]
}
