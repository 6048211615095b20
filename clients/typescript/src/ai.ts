export { createMemoryMiddleware, type MemoryMiddlewareOptions } from './ai/middleware.ts'
export { createMemoryTools, type MemoryToolsOptions } from './ai/tools.ts'
