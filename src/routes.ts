import { captureRoutes, notesRoutes } from './capture/index.ts'
import { consoleRoutes } from './console/index.ts'
import { conversationsRoutes } from './conversations/index.ts'
import { driftRoutes } from './dream/index.ts'
import { surpriseRoutes } from './embeddings/index.ts'
import { entitiesRoutes } from './entities/index.ts'
import { bindRoutes, type RegisterRoutes, type UnboundRoutes } from './http/app.ts'
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
import { maintenanceRoutes, schedulesRoutes, simulationsRoutes, undoRoutes } from './maintenance/index.ts'
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

/** Routes whose options are services, by the names that these have in `Services`. */
const serviceRoutes: readonly UnboundRoutes<Services>[] = [
  keyRoutes,
  policiesRoutes,
  recordCreationRoutes,
  recordsRoutes,
  forgettingRoutes,
  erasureRoutes,
  tombstonesRoutes,
  relationsRoutes,
  revisionRoutes,
  reinforcementRoutes,
  explainRoutes,
  statusRoutes,
  layerRoutes,
  historyRoutes,
  accessRoutes,
  worthModelRoutes,
  entitiesRoutes,
  captureRoutes,
  notesRoutes,
  conversationsRoutes,
  retrievalRoutes,
  regretsRoutes,
  similarRoutes,
  surpriseRoutes,
  driftRoutes,
  maintenanceRoutes,
  schedulesRoutes,
  plansRoutes,
  simulationsRoutes,
  undoRoutes,
  portabilityRoutes,
  summaryRoutes,
]

/** The routes of every room, with what they need. */
export function listRoutes(
  services: Services,
  tenancy: TenantsOptions['tenancy'] = undefined,
): RegisterRoutes[] {
  const { mcp, scrape, consoleFiles, once } = services
  return [
    ...serviceRoutes.map((routes) => bindRoutes(routes, services)),
    bindRoutes(mcpRoutes, mcp),
    bindRoutes(scrapeRoutes, scrape),
    ...(consoleFiles ? [bindRoutes(consoleRoutes, { files: consoleFiles })] : []),
    bindRoutes(tenantsRoutes, { tenancy, once }),
  ]
}
