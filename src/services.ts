import {
  createCaptureService,
  createContestingNotes,
  createNotesService,
  createRestatingService,
} from './capture/index.ts'
import type { Config } from './config/config.ts'
import { createConsoleFiles } from './console/index.ts'
import {
  createConversationRemovalService,
  createConversationsService,
  createMessageAppending,
} from './conversations/index.ts'
import type { Database } from './db/connection.ts'
import { createSeal } from './domain/identity/tombstone-seal.ts'
import { createDriftService } from './dream/index.ts'
import { createEntitiesService, createEntityMergingService } from './entities/index.ts'
import { createOnce } from './http/idempotency/idempotency.ts'
import { createRunOnce } from './http/idempotency/run-once.ts'
import type { Announcements } from './jobs/queue/announcements.ts'
import type { Clock } from './kernel/clock.ts'
import type { Ids } from './kernel/ids.ts'
import type { Logger } from './kernel/log.ts'
import { createKeysService } from './keys/index.ts'
import {
  createAccessService,
  createExplainService,
  createForgettingService,
  createHistoryService,
  createLayerService,
  createReinforcementService,
  createStatusService,
  rescore,
  rescoreAndPromoteRecord,
} from './lifecycle/index.ts'
import { createMaintenanceService, createRunEvents, createSchedulesService } from './maintenance/index.ts'
import { createToolset } from './mcp/index.ts'
import { createStoreMetrics, createSummaryService, type ScrapeOptions } from './metrics/index.ts'
import { createModels, type Models } from './models.ts'
import { createPlansService } from './plans/index.ts'
import { createPoliciesService } from './policies/index.ts'
import { createExportService, createImportService } from './portability/index.ts'
import { createErasureService, createRecordsService, createTombstonesService } from './records/index.ts'
import { createRelationsService } from './relations/index.ts'
import { createReversalService, createRevisionService, retireQuoting } from './revision/index.ts'
import { createSearchServices } from './search-services.ts'
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
  /** The clients and caches that several tenants share; created here when there is one store. */
  models?: Models
  /** The tenant whose services they are, in its keys; absent for what belongs to no tenant. */
  tenantReference?: string | undefined
}

export type Services = ReturnType<typeof createServices>

/**
 * Creates the services that answer requests, top to bottom. `background.ts` does it for a worker, and
 * `roles/tenants/tenant-services.ts` for several tenants.
 */
export function createServices({
  config,
  db,
  clock,
  ids,
  log,
  announcements,
  instruments = createInstruments(),
  models = createModels({ config, clock, instruments }),
  tenantReference,
}: Resources) {
  const { textLanguage, tombstoneKey } = config.records
  const { intervals, revisedRetentionMs } = config.jobs
  const seal = createSeal(tombstoneKey)
  const policies = createPoliciesService({ db, clock })
  const records = createRecordsService({
    db,
    clock,
    ids,
    seal,
    policies,
    rescore: rescoreAndPromoteRecord,
    ...config.records,
  })
  const erasure = createErasureService({ db, clock, ids, seal, textLanguage })
  const forgetting = createForgettingService({ db, clock, seal, ...config.records })
  const revision = createRevisionService({ db, clock, ids, seal, records, policies, ...config.records })
  const notes = createNotesService({ db, clock, ids, seal, policies, ...config.records })
  const conversations = createConversationsService({ db })
  const maintenance = createMaintenanceService({ db, clock, ids })
  const storeReading = createStoreMetrics({ db, clock, intervals, revisedRetentionMs })
  const runOnce = createRunOnce({ db, clock, retentionMs: config.http.idempotencyRetentionMs, tombstoneKey })
  const scrape: ScrapeOptions = {
    sources: [instruments, storeReading],
    isPublic: config.metrics.isPublic,
  }
  const services = {
    keys: createKeysService({ db, clock, ids, reference: tenantReference }),
    policies,
    records,
    forgetting,
    erasure,
    tombstones: createTombstonesService({ db }),
    relations: createRelationsService({ db, clock, textLanguage }),
    reinforcement: createReinforcementService({ db, clock }),
    revision,
    reversal: createReversalService({ db, clock, ids, seal, rescore }),
    explain: createExplainService({ db, clock, ...config.cognition, ...config.jobs }),
    status: createStatusService({ db, clock, seal, textLanguage, retireQuoting }),
    layers: createLayerService({ db, clock, textLanguage }),
    history: createHistoryService({ db }),
    access: createAccessService({ db, clock }),
    entities: createEntitiesService({ db, clock, records }),
    entityMerging: createEntityMergingService({ db, clock, textLanguage }),
    capture: createCaptureService({
      db,
      clock,
      ids,
      seal,
      revision,
      policies,
      log,
      maxSensitivity: config.models.maxSensitivity,
      ...config.records,
      chat: models.ingest,
    }),
    notes,
    contestingNotes: createContestingNotes({ db, notes, revision }),
    restating: createRestatingService({ db, clock, notes, records, revision }),
    conversations,
    messageAppending: createMessageAppending({
      db,
      clock,
      ids,
      seal,
      policies,
      conversations,
      ...config.records,
    }),
    conversationRemoval: createConversationRemovalService({ db, forgetting, erasure }),
    ...createSearchServices({ config, db, clock, log, models }),
    maintenance,
    runEvents: createRunEvents({ maintenance }),
    schedules: createSchedulesService({ db, clock, intervals }),
    plans: createPlansService({ db, clock, maintenance, ...config.jobs }),
    announcements,
    exporter: createExportService({ db, clock }),
    importer: createImportService({ db, clock, ids, log, seal, policies, ...config.records }),
    instruments,
    storeReading,
    once: createOnce(runOnce),
    runOnce,
    drift: createDriftService({ db, roots: config.driftRoots }),
    summary: createSummaryService({ db, clock }),
    consoleFiles: config.console.isServed ? createConsoleFiles() : undefined,
    scrape,
  }
  const mcp = { toolset: createToolset(services), runOnce, publicUrl: config.http.publicUrl }
  return { ...services, mcp }
}

/** Writes what the services still hold. */
export async function finishServices({ keys, access, regretSampling }: Services): Promise<void> {
  await keys.finishWrites()
  await access.flush()
  await regretSampling.stop()
}
