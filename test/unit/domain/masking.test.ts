import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maskMembers, maskSecrets, maskText } from '../../../src/domain/secrets/masking.ts'
import { looksSecret } from '../../../src/domain/secrets/secret-keys.ts'

describe('the name of a member', () => {
  it.each([
    'token',
    'TOKEN',
    'accessToken',
    'access_token',
    'x-api-key',
    'apiKey',
    'APIKey',
    'APIKEY',
    'key',
    'Password',
    'db.password',
    'clientSecret',
    'Authorization',
    'PROXY_AUTHORIZATION',
    'privatekey',
    'ｔｏｋｅｎ',
    'PASSWORD2',
    'cache_key_secret',
  ])('%s says that its value is a secret', (key) => expect(looksSecret(key)).toBe(true))
  it.each([
    'keyboard',
    'monkey',
    'Turkey',
    'tokenizer',
    'secretary',
    'author',
    'path',
    'hockey',
    'keynote',
    'primary_key',
    'sortKeys',
    'cache-key',
    '',
  ])('%s does not say that its value is a secret', (key) => expect(looksSecret(key)).toBe(false))
})

describe('masking', () => {
  it('states the type of the masked value', () => {
    const input = {
      token: 't',
      keys: [1],
      secret: { a: 1 },
      password: 5,
      authorization: true,
      apiKey: null,
      path: 'p',
    }
    expect(maskSecrets(input)).toEqual({
      token: '<secret string>',
      keys: '<secret array>',
      secret: '<secret object>',
      password: '<secret number>',
      authorization: '<secret boolean>',
      apiKey: null,
      path: 'p',
    })
  })

  it.each<[string, unknown]>([
    ['within arrays and objects', [{ deep: [{ clientSecret: 'hunter22' }] }]],
    ['in JSON within a text', '{"a": {"password": "hunter22"}}'],
    ['in a list of headers', [{ name: 'Authorization', value: 'hunter22' }]],
    ['behind an argument', ['curl', '--password', 'hunter22']],
    ['in an argument', ['--token=hunter22']],
    ['in a command', 'mysql --password hunter22 -h db'],
    ['in a URL', 'git clone https://me:hunter22@host.example/r.git'],
    ['in a query', 'GET https://host.example/?page=1&api_key=hunter22&x=1'],
    ['in a header', 'Authorization: Bearer hunter22.abc'],
    ['in an assignment', 'export DB_PASSWORD="hunter22 and more"'],
    ['in a sentence', 'The password of the new staging database is now hunter22.'],
    ['in broken JSON', '{"password": "hunter22", '],
  ])('finds a secret %s', (_, input) => {
    expect(JSON.stringify(maskSecrets(input))).not.toContain('hunter22')
  })

  it.each([
    'the key: test first',
    'Key: the blue one',
    'Token: I left it at the arcade',
    'https://host.example/a?b=1',
    'a monkey=5',
    '12:30:45',
    '{"a": 1}',
    'see RFC 6750: bearer',
    'grep → auth.spec.ts:14',
    'at login (/app/src/token.ts:120:15)',
    'auth_test.go:88: expected 200, got 401',
    'tests/test_token.py::test_refresh PASSED',
    'auth.ts: waits for the redirect',
    'credentials.json: not found',
    'auth-service:8443 refused the connection',
    'Pulled auth-api:1.4.2',
    'auth: refresh the session on 401',
    'primary key: id',
    'primary_key=id',
    'The API key for the weather service is valid until 2027.',
    'The password of the admin area was changed by Ada in 2026.',
  ])('leaves %j unchanged', (text) => expect(maskText(text)).toBe(text))

  it.each([
    'auth.ts: hunter22 is it',
    'secrets.yaml:hunter22',
    'secrets.yaml: hunter22',
    'token: 123456',
    'auth-token:12345',
    'token-service:s3cr3t99',
    'auth: hunter22 is it',
    'the api key: hunter22',
    'primary key: hunter22',
  ])('still masks the value in %j', (text) => expect(maskText(text)).toContain('<secret string>'))

  it('masks nothing twice and leaves no value under a secret key', () => {
    const value = fc.jsonValue({ maxDepth: 4 })
    fc.assert(
      fc.property(value, (input) => {
        const masked = maskSecrets({ given: input, apiToken: input })
        expect(maskSecrets(masked)).toEqual(masked)
      }),
    )
  })

  it('masks secrets in the names of members, and keeps each member', () => {
    const [one, other] = ['a', 'b'].map((sign) => `ghp_${sign.repeat(20)}0123456789`)
    const owners = { [one ?? '']: 'Ada', [other ?? '']: 'Ben', token_count: 2 }
    const masked = { '<secret string>': 'Ada', '<secret string> 2': 'Ben', token_count: 2 }
    expect(maskSecrets({ owners })).toEqual({ owners: masked })
    expect(maskSecrets(masked)).toEqual(masked)
    expect(Object.fromEntries(maskMembers(owners))).toEqual(masked)
  })

  it('reads a long text in linear time', () => {
    for (const part of ['a', 'a-', 'token ', 'http://', 'key=', '--a ', '"', 'a:']) {
      const began = performance.now()
      maskText(part.repeat(200_000 / part.length))
      expect(performance.now() - began).toBeLessThan(5_000)
    }
  })
})
