import { type Caller, fullTrust } from '../../../src/domain/trust/caller.ts'

/** A caller who may see and do everything, for calls past HTTP. */
export const rootCaller: Caller = {
  principal: 'root',
  name: 'root',
  sourceType: 'human',
  trust: fullTrust,
  permissions: new Set(['admin']),
}
