export { carryLinks, findSuccessor } from './queries.ts'
export { type Retirement, retireRecord } from './retiring/service.ts'
export { revisionRoutes } from './routes.ts'
export { createRevisionService, type RevisionService } from './service.ts'
