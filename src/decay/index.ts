export { decayRoutes } from './routes.ts'
export { createDecayService } from './service.ts'
export { createSweep } from './sweep/service.ts'
