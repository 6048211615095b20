export { decayRoutes } from './routes.ts'
export { createDecayService } from './service.ts'
