export { captureRoutes } from './capture.routes.ts'
export { createCaptureService } from './capture.service.ts'
