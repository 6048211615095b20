import type { Payload } from '../payloads/payloads.ts'
import { maskFact, maskSecrets } from './masking.ts'

/** The same payload with each secret in it replaced by the name of its type. */
export function maskPayload<Masked extends Payload>(payload: Masked): Masked {
  return maskSecrets(payload.kind === 'semantic' ? maskFact(payload) : payload) as Masked
}
