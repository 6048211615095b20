export { accessRoutes } from './access/routes.ts'
export { createAccessService } from './access/service.ts'
export { transitionRoutes } from './transition/routes.ts'
export { createTransitionService } from './transition/service.ts'
