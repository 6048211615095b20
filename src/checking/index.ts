export { createChecking } from './checking.service.ts'
export { describeVerdict, isHeld } from './law.ts'
