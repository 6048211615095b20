/**
 * API keys: create, list, revoke, and authenticate a request by its secret.
 * Only a hash of the secret is stored.
 * Not here: the permission of a route and the trust of a caller (http/, domain/, db/fragments/visibility.ts).
 */

export { keyRoutes } from './keys.routes.ts'
export { IssuedKey } from './keys.schemas.ts'
export { createKeysService, readReference } from './keys.service.ts'
