import type { Payload, SemanticPayload } from '../payloads/payloads.ts'
import { maskFact, maskSecrets } from './masking.ts'

/** The source of a fact that came with a key of the service. In a text, what follows `key:` is a secret. */
const keySource = /^key:(?:root|anonymous|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The same payload with each secret in it replaced by the name of its type. */
export function maskPayload<Masked extends Payload>(payload: Masked): Masked {
  const given: Payload = payload
  return (given.kind === 'semantic' ? maskSemantic(given) : maskSecrets(given)) as Masked
}

function maskSemantic(payload: SemanticPayload): SemanticPayload {
  const masked = maskSecrets(maskFact(payload)) as SemanticPayload
  const evidence = masked.evidence.map((each, index) => {
    const id = payload.evidence[index]?.source_id ?? ''
    return keySource.test(id) ? { ...each, source_id: id } : each
  })
  return { ...masked, evidence }
}
