export { captureRoutes } from './routes.ts'
export { createCaptureService } from './service.ts'
