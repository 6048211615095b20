export { createChecking } from './checking.service.ts'
export { describeVerdict, isSatisfied as isHeld } from './law.ts'
