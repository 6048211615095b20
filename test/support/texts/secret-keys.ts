import fc from 'fast-check'

/** A key under which a value is a secret. */
export const secretKey = fc.constantFrom(
  'password',
  'PASSWORD',
  'db_password',
  'dbPassword',
  'api_key',
  'apiKey',
  'X-Api-Key',
  'access_token',
  'token',
  'client_secret',
  'secret',
  'Authorization',
  'passphrase',
  'pwd',
  'credentials',
  'cookie',
)
