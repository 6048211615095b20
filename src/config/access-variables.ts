import Type from 'typebox'
import { bearer, count, flag, oneOf } from './variables.ts'

/** Who may call the API, and how often. */
export const accessVariables = {
  MEMBRANE_API_KEY: Type.Optional(
    bearer('The root key, at least 16 characters. Unset: only requests from this machine are served.'),
  ),
  MEMBRANE_ALLOW_ANONYMOUS: flag(
    'Serve requests without a key, even on an address that other machines can reach.',
  ),
  MEMBRANE_RATE_LIMIT: count('Requests per second and key; 0 for no limit.', 100, 0, 1_000_000),
  MEMBRANE_TENANTS: oneOf(
    ['on', 'off'],
    'on: keys belong to tenants, whose data is in schemas of their own; see docs/tenants.md.',
    'off',
  ),
  MEMBRANE_TENANT_KEY: Type.Optional(
    bearer(
      'Secret that encrypts the URLs of tenants on servers of their own, at least 16 characters, the same for every process. Keep it outside the database. Unset: there can be no such tenants.',
    ),
  ),
}
