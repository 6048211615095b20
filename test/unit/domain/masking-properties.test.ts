import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maskSecrets, maskText } from '../../../src/domain/secrets/masking.ts'
import { countRuns } from '../../support/long-run.ts'
import { secretKey } from '../../support/texts/secret-keys.ts'

/** A password as people choose it: letters, digits and signs, with at least one digit. */
const password = fc
  .stringMatching(/^[A-Za-z0-9][A-Za-z0-9!#%*+._~^-]{4,20}[A-Za-z0-9]$/)
  .map((text) => `${text.replace(/^-+/, 'x')}7q`)
const plainKey = fc.constantFrom('args', 'request', 'note', 'body', 'config', 'data', 'headers', 'a-b', 'x.y')

/** The value under keys that do not mark it as secret. */
const nested = (value: unknown) =>
  fc.array(plainKey, { maxLength: 4 }).map((keys) => keys.reduce((inner, key) => ({ [key]: inner }), value))

describe('a secret', () => {
  it('is found in every spelling of a key and a value', () => {
    const spell = fc.constantFrom<(key: string, value: string) => string>(
      (key, value) => `${key}=${value}`,
      (key, value) => `${key}: ${value}`,
      (key, value) => `note: ${key}=${value}`,
      (key, value) => `args: {${key}: ${value}}`,
      (key, value) => `request: {id: 7, ${key}: ${value}, page: 2}`,
      (key, value) => `outer: {inner: [{${key}: ${value}}]}`,
      (key, value) => `{'${key}': '${value}'}`,
      (key, value) => `said {"${key}":"${value}","a":1} and went on`,
      (key, value) => `said {\\"${key}\\":\\"${value}\\"} and went on`,
      (key, value) => `said {\\\\\\"${key}\\\\\\": \\\\\\"${value}\\\\\\"}`,
      (key, value) => `export ${key}="${value} and more"`,
      (key, value) => `${key} => '${value}',`,
      (key, value) => `config['${key}'] = '${value}'`,
      (key, value) => `run --${key.toLowerCase().replace(/_/g, '-')} ${value} now`,
      (key, value) => `run --${key.toLowerCase()}=${value}`,
      (key, value) => `https://host.example/?page=1&${key}=${value}&x=1`,
      (key, value) => `Server=db;User Id=me;${key}=${value};Timeout=5`,
      (key, value) => `<${key}>${value}</${key}>`,
      (key, value) => `line one\n${key}: ${value}\nline three`,
    )
    fc.assert(
      fc.property(secretKey, password, spell, (key, value, write) => {
        expect(maskText(write(key, value))).not.toContain(value)
      }),
      { numRuns: countRuns(2_000) },
    )
  })

  it('is found under nested keys and in nested JSON strings', () => {
    const input = fc
      .tuple(secretKey, password)
      .chain(([key, value]) => fc.tuple(fc.constant(value), nested({ [key]: value })))
    fc.assert(
      fc.property(input, fc.integer({ min: 0, max: 3 }), plainKey, ([value, object], depth, key) => {
        let text: unknown = object
        for (let level = 0; level < depth; level++) text = { [key]: JSON.stringify(text) }
        expect(JSON.stringify(maskSecrets(text))).not.toContain(value)
        const prose = `the call was ${JSON.stringify(JSON.stringify(text))}`
        expect(maskText(prose)).not.toContain(value)
        expect(maskText(`output: ${JSON.stringify(text)}`)).not.toContain(value)
      }),
      { numRuns: countRuns(1_000) },
    )
  })

  it.each([
    ['sk-', 'sk-proj-4f9aZk2mQ8xLw0Rt5YbN'],
    ['sk-ant', 'sk-ant-api03-4f9aZk2mQ8xLw0Rt5YbN'],
    ['ghp_', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'],
    ['ghp_ without a digit', 'ghp_abcdefghijklmnopqrstuvwx'],
    ['github_pat_', 'github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuv'],
    ['glpat-', 'glpat-x9Yz1234567890abcdef'],
    ['xoxb-', 'xoxb-123456789012-abcdefGHIJ'],
    ['AKIA', 'AKIAIOSFODNN7EXAMPLE'],
    ['ASIA', 'ASIAIOSFODNN7EXAMPLE'],
    ['AIza', 'AIzaSyA1234567890abcdefghijklmnopqrstuv'],
    ['ya29.', 'ya29.a0AfH6SMBx1234567890'],
    ['a JWT', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4fwpM'],
    ['npm_', 'npm_abcdefghij1234567890abcdefghij123456'],
    ['pypi-', 'pypi-AgEIcHlwaS5vcmcCJDU4abcdef'],
    ['hf_', 'hf_abcdefghij1234567890abcdefghij'],
    ['SG.', 'SG.abcdefghijklmnop.qrstuvwxyz0123456789'],
    ['sk_live_', 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'],
    ['rk_live_', 'rk_live_4eC39HqLyjWDarjtT1zdp7dc'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----'],
    ['a private key that was cut off', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA'],
  ])('is recognised by its prefix %s', (_, secret) => {
    const body = secret.split('\n')[1] ?? secret
    for (const text of [
      secret,
      `it said ${secret} and then`,
      `"${secret}"`,
      `(${secret})`,
      `x=${secret}`,
      `my-${secret}`,
    ]) {
      expect(maskText(text)).not.toContain(body)
    }
    expect(JSON.stringify(maskSecrets({ deep: [{ text: JSON.stringify({ out: secret }) }] }))).not.toContain(
      body,
    )
  })

  it.each([
    ['a URL with user and password', 'postgres://app:hunter22@db.example:5432/app'],
    ['a password with signs', 'postgres://app:p@hunter22/x@db.example/app'],
    ['a redis URL', 'redis://:hunter22@cache:6379/0'],
    ['a token as user', 'git clone https://hunter22abc@host.example/r.git'],
    ['a query', 'GET https://host.example/x?token=hunter22'],
    ['a signed URL', 'https://b.example/f?X-Amz-Signature=hunter22&X-Amz-Date=1'],
    ['a header', 'Authorization: Basic aHVudGVyMjI6hunter22='],
    ['a header of curl', `curl -H 'Authorization: Bearer hunter22abcdef' https://host.example`],
    ['a cookie', 'Cookie: session=hunter22; theme=dark'],
    ['a set cookie', 'Set-Cookie: sid=abc; hunter22=1; Path=/'],
    ['a user of curl', 'curl -u admin:hunter22 https://host.example'],
    ['a JDBC string', 'jdbc:sqlserver://db;user=sa;password=hunter22;encrypt=true'],
    ['an Azure string', 'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=hunter22abc==;Suffix=x'],
    ['a sentence', 'The password is hunter22.'],
    ['a sentence with a colon', 'the api_key is: hunter22, keep it'],
    ['a sentence about a change', 'The password was changed to hunter22'],
    ['a sentence about the present', 'Our passphrase is now "hunter22"'],
    ['a sentence that says whose it is', 'the password of ada is hunter22'],
    ['a sentence that says what it is for', 'the token for the build has been reset to: hunter22'],
    ['a list', 'tokens: [hunter22, other]'],
    ['an object', 'credentials: {user: me, value: hunter22}'],
    ['a YAML block', 'db:\n  user: me\n  password: hunter22\n'],
    ['a dotenv file', 'A=1\nDB_PASSWORD=hunter22\nB=2'],
    ['a type script', "const apiKey = 'hunter22'"],
  ])('is found in %s', (_, text) => expect(maskText(text)).not.toContain('hunter22'))

  it.each<[string, unknown]>([
    ['raw headers', ['Host', 'a', 'Authorization', 'hunter22']],
    ['pairs of headers', [['X-Api-Key', 'hunter22']]],
    ['a named default', { param: 'password', default: 'hunter22' }],
    ['a number', { pin: 1, password: 'hunter22' }],
  ])('is found in %s', (_, input) => expect(JSON.stringify(maskSecrets(input))).not.toContain('hunter22'))
})

describe('text without secrets', () => {
  it.each([
    'The key to good tests is patience.',
    'Press any key to continue',
    'token count: 5',
    'max_tokens: 4096',
    '{"max_tokens": 4096, "prompt_tokens": 12, "token_type": "bearer"}',
    'the monkey=banana',
    'basic authentication failed',
    'Basic Authentication is on',
    'the token refreshing job ran',
    'getAccessToken in src/auth/token.ts',
    'const token = getToken()',
    'const { apiKey } = settings',
    'TOKEN=$TOKEN npm publish',
    'password is required',
    'commit 9fceb02d0ae598e95dc970b74767f19372d61af8',
    'id 018f2f5e-7a3c-7c3e-9c1a-2b3c4d5e6f70',
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'git@github.com:acme/repo.git',
    'ssh://git@github.com/acme/repo.git',
    'http://localhost:4873/@scope/package',
    'mail me@host.example at 12:30',
    'the tokenizer: fast',
    'sk-learn and scikit-learn-contrib',
    'the secretary: Ada',
    'author: Ada Lovelace',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  ])('is unchanged: %s', (text) => expect(maskText(text)).toBe(text))

  it('is unchanged when it contains no name of a secret', () => {
    const words = fc.array(
      fc.constantFrom('deploy', 'of', 'the', 'api', 'failed,', 'twice.', 'monkey', 'a:b', '(see', 'x=1)'),
    )
    fc.assert(
      fc.property(words, (each) => {
        expect(maskText(each.join(' '))).toBe(each.join(' '))
      }),
    )
  })
})
