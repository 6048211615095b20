import { captureRoutes, notesRoutes } from './capture/index.ts'
import { consoleRoutes } from './console/index.ts'
import { conversationsRoutes } from './conversations/index.ts'
import { driftRoutes } from './dream/index.ts'
import { surpriseRoutes } from './embeddings/index.ts'
import { entitiesRoutes } from './entities/index.ts'
import { type Room, room } from './http/app.ts'
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
import { maintenanceRoutes, runRoutes } from './maintenance/index.ts'
import { mcpRoutes } from './mcp/index.ts'
import { scrapeRoutes, summaryRoutes } from './metrics/index.ts'
import { plansRoutes } from './plans/index.ts'
import { policiesRoutes } from './policies/index.ts'
import { portabilityRoutes } from './portability/index.ts'
import { erasureRoutes, recordsRoutes, tombstonesRoutes } from './records/index.ts'
import { regretsRoutes } from './regrets/index.ts'
import { relationsRoutes } from './relations/index.ts'
import { retrievalRoutes, similarRoutes } from './retrieval/index.ts'
import { revisionRoutes } from './revision/index.ts'
import type { Services } from './services.ts'
import { type TenantsOptions, tenantsRoutes } from './tenants/index.ts'

/** The routes of every room, with the services that they need. */
export function listRooms(services: Services, tenancy: TenantsOptions['tenancy'] = undefined): Room[] {
  const { once } = services
  const runs = { maintenance: services.maintenance, once, announcements: services.announcements }
  return [
    room(keyRoutes, { keys: services.keys, once }),
    room(policiesRoutes, { policies: services.policies, once }),
    room(recordsRoutes, { records: services.records, once }),
    room(forgettingRoutes, { forgetting: services.forgetting, once }),
    room(erasureRoutes, { erasure: services.erasure, once }),
    room(tombstonesRoutes, { tombstones: services.tombstones, once }),
    room(relationsRoutes, { relations: services.relations, once }),
    room(revisionRoutes, { revision: services.revision, reversal: services.reversal, once }),
    room(reinforcementRoutes, { reinforcement: services.reinforcement, once }),
    room(explainRoutes, { explain: services.explain }),
    room(statusRoutes, { status: services.status, once }),
    room(layerRoutes, { layers: services.layers, once }),
    room(historyRoutes, { history: services.history }),
    room(accessRoutes, { access: services.access, once }),
    room(worthModelRoutes, { once }),
    room(entitiesRoutes, { entities: services.entities, entityMerging: services.entityMerging, once }),
    room(captureRoutes, { capture: services.capture, once }),
    room(notesRoutes, { notes: services.notes, once }),
    room(conversationsRoutes, {
      conversations: services.conversations,
      messageAppending: services.messageAppending,
      conversationRemoval: services.conversationRemoval,
      once,
    }),
    room(retrievalRoutes, {
      retrieval: services.retrieval,
      promptContext: services.promptContext,
      access: services.access,
      regrets: services.regretSampling,
    }),
    room(regretsRoutes, { regrets: services.regrets }),
    room(similarRoutes, { similar: services.similar }),
    room(surpriseRoutes, { surprisePreview: services.surprisePreview }),
    room(driftRoutes, { drift: services.drift }),
    room(maintenanceRoutes, runs),
    room(plansRoutes, { plans: services.plans, once, announcements: services.announcements }),
    ...runRoutes.map((routes) => room(routes, runs)),
    room(portabilityRoutes, { exporter: services.exporter, importer: services.importer }),
    room(mcpRoutes, services.mcp),
    room(scrapeRoutes, services.scrape),
    room(summaryRoutes, { summary: services.summary }),
    ...(services.consoleFiles ? [room(consoleRoutes, { files: services.consoleFiles })] : []),
    room(tenantsRoutes, { tenancy, once }),
  ]
}
