export { carryLinks, findSuccessor } from './queries.ts'
export { retireRecord } from './retiring/service.ts'
export { revisionRoutes } from './routes.ts'
export { createRevisionService, type RevisionService } from './service.ts'
