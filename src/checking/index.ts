export { describeVerdict, isHeld } from './law.ts'
export { createChecking } from './service.ts'
