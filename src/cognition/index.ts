export { transitionRoutes } from './transition/routes.ts'
export { createTransitionService } from './transition/service.ts'
