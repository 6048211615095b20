import { captureRoutes, notesRoutes } from './capture/index.ts'
import { consoleRoutes } from './console/index.ts'
import { conversationsRoutes } from './conversations/index.ts'
import { driftRoutes } from './dream/index.ts'
import { surpriseRoutes } from './embeddings/index.ts'
import { entitiesRoutes } from './entities/index.ts'
import { bindRoutes, type RegisterRoutes } from './http/app.ts'
import { keyRoutes } from './keys/index.ts'
import {
  accessRoutes,
  explainRoutes,
  forgettingRoutes,
  historyRoutes,
  layerRoutes,
  reinforcementRoutes,
  statusRoutes,
  worthModelRoutes,
} from './lifecycle/index.ts'
import { maintenanceRoutes, simulationsRoutes, undoRoutes } from './maintenance/index.ts'
import { mcpRoutes } from './mcp/index.ts'
import { scrapeRoutes, summaryRoutes } from './metrics/index.ts'
import { plansRoutes } from './plans/index.ts'
import { policiesRoutes } from './policies/index.ts'
import { portabilityRoutes } from './portability/index.ts'
import { erasureRoutes, recordCreationRoutes, recordsRoutes, tombstonesRoutes } from './records/index.ts'
import { regretsRoutes } from './regrets/index.ts'
import { relationsRoutes } from './relations/index.ts'
import { retrievalRoutes, similarRoutes } from './retrieval/index.ts'
import { revisionRoutes } from './revision/index.ts'
import type { Services } from './services.ts'
import { type TenantsOptions, tenantsRoutes } from './tenants/index.ts'

/** The routes of every room, with the services that they need. */
export function listRoutes(
  services: Services,
  tenancy: TenantsOptions['tenancy'] = undefined,
): RegisterRoutes[] {
  const { once } = services
  const runs = { maintenance: services.maintenance, once, announcements: services.announcements }
  return [
    bindRoutes(keyRoutes, { keys: services.keys, once }),
    bindRoutes(policiesRoutes, { policies: services.policies, once }),
    bindRoutes(recordCreationRoutes, { records: services.records, once }),
    bindRoutes(recordsRoutes, { records: services.records, once }),
    bindRoutes(forgettingRoutes, { forgetting: services.forgetting, once }),
    bindRoutes(erasureRoutes, { erasure: services.erasure, once }),
    bindRoutes(tombstonesRoutes, { tombstones: services.tombstones, once }),
    bindRoutes(relationsRoutes, { relations: services.relations, once }),
    bindRoutes(revisionRoutes, { revision: services.revision, reversal: services.reversal, once }),
    bindRoutes(reinforcementRoutes, { reinforcement: services.reinforcement, once }),
    bindRoutes(explainRoutes, { explain: services.explain }),
    bindRoutes(statusRoutes, { status: services.status, once }),
    bindRoutes(layerRoutes, { layers: services.layers, once }),
    bindRoutes(historyRoutes, { history: services.history }),
    bindRoutes(accessRoutes, { access: services.access, once }),
    bindRoutes(worthModelRoutes, { once }),
    bindRoutes(entitiesRoutes, { entities: services.entities, entityMerging: services.entityMerging, once }),
    bindRoutes(captureRoutes, { capture: services.capture, once }),
    bindRoutes(notesRoutes, { notes: services.notes, once }),
    bindRoutes(conversationsRoutes, {
      conversations: services.conversations,
      messageAppending: services.messageAppending,
      conversationRemoval: services.conversationRemoval,
      once,
    }),
    bindRoutes(retrievalRoutes, {
      retrieval: services.retrieval,
      promptContext: services.promptContext,
      access: services.access,
      regrets: services.regretSampling,
    }),
    bindRoutes(regretsRoutes, { regrets: services.regrets }),
    bindRoutes(similarRoutes, { similar: services.similar }),
    bindRoutes(surpriseRoutes, { surprisePreview: services.surprisePreview }),
    bindRoutes(driftRoutes, { drift: services.drift }),
    bindRoutes(maintenanceRoutes, { ...runs, runEvents: services.runEvents }),
    bindRoutes(plansRoutes, { plans: services.plans, once, announcements: services.announcements }),
    bindRoutes(simulationsRoutes, runs),
    bindRoutes(undoRoutes, runs),
    bindRoutes(portabilityRoutes, { exporter: services.exporter, importer: services.importer }),
    bindRoutes(mcpRoutes, services.mcp),
    bindRoutes(scrapeRoutes, services.scrape),
    bindRoutes(summaryRoutes, { summary: services.summary }),
    ...(services.consoleFiles ? [bindRoutes(consoleRoutes, { files: services.consoleFiles })] : []),
    bindRoutes(tenantsRoutes, { tenancy, once }),
  ]
}
