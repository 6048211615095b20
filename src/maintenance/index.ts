export { createPurge } from './jobs.ts'
