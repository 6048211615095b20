import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { renderEnvExample } from '../../../scripts/write-env-example.ts'
import { ConfigError, readConfig } from '../../../src/config/config.ts'
import { environmentSchema } from '../../../src/config/environment.ts'
import type { Variables } from '../../../src/config/joint-problems.ts'
import { isLoopback } from '../../../src/kernel/loopback.ts'

function problemsOf(variables: Variables): readonly string[] {
  try {
    readConfig(variables)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('the configuration', () => {
  test('has a default for every required value', () => {
    const config = readConfig({})
    expect(config).toMatchObject({
      http: { host: '127.0.0.1', port: 8080, rateLimit: 100, requireIfMatch: false },
      records: { defaultSensitivity: 'low' },
      database: { poolSize: 10 },
    })
    expect(config.database.url).toBeUndefined()
    expect(config.redisUrl).toBeUndefined()
    expect(config.auth.rootKey).toBeUndefined()
  })

  test('treats a blank variable as unset', () => {
    const blank = Object.fromEntries(Object.keys(environmentSchema.properties).map((name) => [name, '  ']))
    expect(readConfig(blank)).toEqual(readConfig({}))
    expect(readConfig({ MEMBRANE_LATER_VERSION: '' })).toEqual(readConfig({}))
  })

  test('ignores whitespace around a value, such as a trailing newline of a file', () => {
    const config = readConfig({ PORT: ' 8181 ', MEMBRANE_API_KEY: 'sixteen-characters-or-more\n' })
    expect(config.http.port).toBe(8181)
    expect(config.auth.rootKey).toBe('sixteen-characters-or-more')
  })

  test('refuses unknown MEMBRANE_ names and ignores other names', () => {
    expect(problemsOf({ MEMBRANE_RATELIMIT: '5', RATELIMIT: '5', toString: 'x' })).toEqual([
      'MEMBRANE_RATELIMIT is not a variable of this version',
    ])
  })

  test('lists every problem in one error', () => {
    const variables = {
      HOST: '0.0.0.0',
      PORT: '65536',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://localhost/membrane',
      REDIS_URL: 'localhost:6379',
      MEMBRANE_ALLOW_ANONYMOUS: 'yes',
      MEMBRANE_DEFAULT_SENSITIVITY: 'secret',
      MEMBRANE_TEXT_LANGUAGE: 'English',
      MEMBRANE_RATE_LIMIT: '1.5',
      MEMBRANE_POOL_SIZE: '0',
      MEMBRANE_LOCK_TIMEOUT: '5 minutes',
      MEMBRANE_UNKNOWN: '1',
    }
    const problems = problemsOf(variables)
    const named = problems.map((problem) => problem.split(/[ =]/)[0])
    expect(named.sort()).toEqual(Object.keys(variables).sort())
    expect(new ConfigError(problems).message).toBe(
      `The configuration has 12 problems:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    )
  })

  test.each([
    ['PORT', 'eighty', 'a whole number from 0 to 65535'],
    ['PORT', '-1', 'a whole number from 0 to 65535'],
    ['MEMBRANE_RATE_LIMIT', '1e2', 'a whole number from 0 to 1000000'],
    ['MEMBRANE_STATEMENT_TIMEOUT', '30', 'a duration such as 90s, 15m, 1h or 30d, of at most 1d'],
    ['MEMBRANE_STATEMENT_TIMEOUT', 'never', 'a duration such as 90s, 15m, 1h or 30d, of at most 1d'],
    [
      'DATABASE_URL',
      'postgres://localhost:99999/x',
      'a URL such as postgres://membrane@localhost:5432/membrane',
    ],
    ['REDIS_URL', 'redis://[', 'a URL such as redis://localhost:6379'],
    [
      'MEMBRANE_API_KEY',
      'a key with blanks in it',
      '16 to 512 printable ASCII characters without spaces, as a header can carry them',
    ],
    ['MEMBRANE_REQUIRE_IF_MATCH', '1', 'true or false'],
    ['MEMBRANE_DEFAULT_SENSITIVITY', 'Low', 'one of public, low, medium, high, hyper'],
    [
      'MEMBRANE_API_KEY',
      'short',
      '16 to 512 printable ASCII characters without spaces, as a header can carry them',
    ],
    ['REDIS_URL', 'http://localhost', 'a URL such as redis://localhost:6379'],
  ])('explains for %s=%s which values are valid', (name, value, expected) => {
    expect(problemsOf({ [name]: value })).toEqual([`${name} must be ${expected}`])
  })

  test.each([
    ['250ms', 250],
    ['90s', 90_000],
    ['15m', 900_000],
    ['1h', 3_600_000],
    ['30d', 2_592_000_000],
    ['0', 0],
    ['never', Number.POSITIVE_INFINITY],
  ])('reads the duration %s', (text, milliseconds) => {
    expect(readConfig({ MEMBRANE_FORGOTTEN_RETENTION: text }).records.forgottenRetentionMs).toBe(milliseconds)
  })

  test('refuses durations that a timer or the calendar cannot hold', () => {
    const durations = Object.entries<object>(environmentSchema.properties).filter(
      ([, schema]) => 'longest' in schema,
    )
    expect(durations).toHaveLength(21)
    for (const [name] of durations) {
      expect(problemsOf({ [name]: '99999999d' })).toEqual([
        expect.stringMatching(`^${name} must be a duration .* of at most`),
      ])
      expect(problemsOf({ [name]: '1d' })).toEqual([])
    }
    const fields = Object.values<object>(environmentSchema.properties)
    expect(fields.filter((schema) => String(Reflect.get(schema, 'pattern')).includes('ms|s|m'))).toHaveLength(
      21,
    )
  })

  test('refuses an interval that is shorter than one of the API may be, except for none', () => {
    for (const given of ['1ms', '9s', '9999ms'])
      expect(problemsOf({ MEMBRANE_DECAY_INTERVAL: given })).toEqual([
        expect.stringContaining('at least 10s'),
      ])
    for (const given of ['0', '0ms', '10s', 'never'])
      expect(problemsOf({ MEMBRANE_DECAY_INTERVAL: given })).toEqual([])
  })

  test('reads never as no schedule and as unlimited retention', () => {
    const { jobs, http, consolidation } = readConfig({
      MEMBRANE_DECAY_INTERVAL: 'never',
      MEMBRANE_REVISED_RETENTION: 'never',
      MEMBRANE_IDEMPOTENCY_RETENTION: 'never',
      MEMBRANE_COMPRESSION_AGE: 'never',
    })
    expect(jobs.intervals.decay).toBe(0)
    const lengths = [jobs.revisedRetentionMs, http.idempotencyRetentionMs, consolidation.compressionAgeMs]
    expect(lengths).toEqual(Array(3).fill(Number.POSITIVE_INFINITY))
  })

  test('refuses more connections than the embedded database has', () => {
    expect(problemsOf({ MEMBRANE_POOL_SIZE: '81' })).toEqual([
      expect.stringContaining('must be at most 80 without DATABASE_URL'),
    ])
    expect(problemsOf({ MEMBRANE_POOL_SIZE: '20', MEMBRANE_API_PROCESSES: '4' })).toEqual([])
    expect(problemsOf({ MEMBRANE_API_PROCESSES: '9' })).toEqual([
      expect.stringContaining('MEMBRANE_POOL_SIZE times MEMBRANE_API_PROCESSES must be at most 80'),
    ])
    expect(problemsOf({ MEMBRANE_POOL_SIZE: '81', DATABASE_URL: 'postgres://h/d' })).toEqual([])
  })

  test('reads one or several replicas, and refuses what is no database', () => {
    const DATABASE_URL = 'postgres://h/d'
    expect(readConfig({ DATABASE_URL }).database.replicaUrls).toEqual([])
    const { database } = readConfig({
      DATABASE_URL,
      DATABASE_REPLICA_URL: 'postgres://a/d, postgresql://b:5/d',
    })
    expect(database.replicaUrls).toEqual(['postgres://a/d', 'postgresql://b:5/d'])
    expect(database.maxReplicaLagMs).toBe(5_000)
    for (const DATABASE_REPLICA_URL of ['postgres://a/d,', 'postgres://a/d,http://b', 'b'])
      expect(problemsOf({ DATABASE_URL, DATABASE_REPLICA_URL })).toEqual([
        expect.stringMatching(/^DATABASE_REPLICA_URL must be one or more URLs/),
      ])
    expect(problemsOf({ DATABASE_REPLICA_URL: 'postgres://a/d' })).toEqual([
      'DATABASE_REPLICA_URL needs DATABASE_URL: the embedded database has no replicas',
    ])
  })

  test('reads the drift roots and refuses invalid directories', () => {
    expect(readConfig({}).driftRoots).toEqual([])
    const { driftRoots } = readConfig({ MEMBRANE_DRIFT_ROOTS: '/srv/app/, docs=/srv/docs' })
    expect(driftRoots).toEqual([{ directory: '/srv/app' }, { directory: '/srv/docs', scope: 'docs' }])
    for (const wrong of ['srv/app', '/', 'docs=', '/srv/../etc', '/srv/app,']) {
      expect(problemsOf({ MEMBRANE_DRIFT_ROOTS: wrong })).toEqual([
        'MEMBRANE_DRIFT_ROOTS must be absolute directories separated by commas, each alone or as scope=/directory; not / itself, and without ..',
      ])
    }
  })

  test('never repeats a value, which may be a secret in the wrong variable', () => {
    const secret = 'tell-no-one-0123456789'
    // HOST is an exception: the operator needs to see which address is exposed.
    const names = Object.keys(environmentSchema.properties).filter((name) => name !== 'HOST')
    const bad = Object.fromEntries(names.map((name) => [name, `${secret} "'`]))
    const text = problemsOf({ ...bad, [`MEMBRANE_EXTRA`]: secret }).join('\n')
    expect(text).toContain('DATABASE_URL')
    expect(text).not.toContain(secret)
  })

  test('is frozen', () => {
    const config = readConfig({})
    expect(() => Object.assign(config.http, { port: 1 })).toThrow(TypeError)
    expect(() => Object.assign(config, { http: {} })).toThrow(TypeError)
  })
})

describe('a HOST that other machines can reach', () => {
  const exposed = ['0.0.0.0', '::', '192.168.1.5', 'membrane.example', '1270.0.0.1', '127.0.0.1.example']

  test.each(exposed)('is refused without a key: %s', (HOST) => {
    expect(problemsOf({ HOST })).toEqual([expect.stringContaining('MEMBRANE_API_KEY')])
  })

  test('is accepted with a key or with MEMBRANE_ALLOW_ANONYMOUS', () => {
    const [HOST] = exposed
    expect(problemsOf({ HOST, MEMBRANE_API_KEY: 'sixteen-characters-or-more' })).toEqual([])
    expect(problemsOf({ HOST, MEMBRANE_ALLOW_ANONYMOUS: 'true' })).toEqual([])
    expect(problemsOf({ HOST, MEMBRANE_ALLOW_ANONYMOUS: 'false' })).toHaveLength(1)
  })

  test.each(['127.0.0.1', '127.8.8.8', 'localhost', '::1'])('does not include %s', (host) => {
    expect(isLoopback(host)).toBe(true)
    expect(problemsOf({ HOST: host })).toEqual([])
  })
})

describe('.env.example', () => {
  test('lists every variable with its description and default', () => {
    const committed = readFileSync(resolve(import.meta.dirname, '../../../.env.example'), 'utf8')
    expect(committed).toBe(renderEnvExample())
  })

  test('sets nothing until a line is uncommented, and then valid values', () => {
    const lines = renderEnvExample().split('\n').filter(Boolean)
    expect(lines.filter((line) => !line.startsWith('#'))).toEqual([])
    const assignments = lines.flatMap((line) => /^# ([A-Z_]+)=(.*)$/.exec(line)?.slice(1) ?? [])
    const variables: Record<string, string> = {}
    for (let at = 0; at < assignments.length; at += 2)
      variables[assignments[at] ?? ''] = assignments[at + 1] ?? ''
    expect(Object.keys(variables)).toEqual(Object.keys(environmentSchema.properties))
    expect(problemsOf(variables)).toEqual([])
  })
})
