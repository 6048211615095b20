export { DreamOptions } from './schemas.ts'
export { createDream } from './service.ts'
