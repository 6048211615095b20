import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../src/config/config.ts'

type Service = {
  image: string
  command?: string[]
  environment?: Record<string, string>
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test?: string[]; disable?: boolean }
  read_only?: boolean
  tmpfs?: string[]
  cap_drop?: string[]
  security_opt?: string[]
  stop_grace_period?: string
  restart?: string
  ports?: string[]
  volumes?: string[]
}
type Compose = { services: Record<string, Service>; volumes: Record<string, unknown> }

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const given: Record<string, string> = {
  POSTGRES_PASSWORD: 'letters0and9digits',
  MEMBRANE_API_KEY: 'sixteen-letters-and-more',
}

/** Fills in `${NAME}`, `${NAME:-default}` and `${NAME:?message}` as Compose does. */
function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, operator, word) => {
    const value = variables[name]
    if (value !== undefined && value !== '') return value
    if (operator === '?') throw new Error(`${name}: ${word}`)
    return operator === '-' ? String(word) : ''
  })
}

const text = read('docker-compose.yml')
const compose: Compose = parse(interpolate(text, given), { merge: true })
const ours = Object.entries(compose.services).filter(([, { image }]) => image === 'membrane:local')

describe('docker-compose.yml', () => {
  it('requires only the variables that have no default', () => {
    for (const name of Object.keys(given)) {
      expect(() => interpolate(text, { ...given, [name]: '' })).toThrow(name)
    }
    const requiredNames = [...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name)
    expect([...new Set(requiredNames)].sort()).toEqual(Object.keys(given).sort())
  })

  it('runs every container role from one image', () => {
    expect(ours.map(([name, { command }]) => [name, command])).toEqual([
      ['migrate', ['migrate']],
      ['api', ['api']],
      ['worker', ['worker']],
    ])
    const roles = read('src/roles/roles.ts')
    for (const [name] of ours) expect(roles).toMatch(new RegExp(`^  ${name}: `, 'm'))
  })

  it('gives each role a valid configuration', () => {
    for (const [name, { environment = {} }] of ours) {
      const config = readConfig(environment)
      expect([config.database.url, config.redisUrl], name).toEqual([
        'postgres://membrane:letters0and9digits@postgres:5432/membrane',
        'redis://redis:6379',
      ])
      for (const value of Object.values(environment)) expect(value, name).toBeTypeOf('string')
    }
  })

  it('gives each role the tombstone key, which may be blank', () => {
    for (const key of ['a key of sixteen letters', '']) {
      const filled: Compose = parse(interpolate(text, { ...given, MEMBRANE_TOMBSTONE_KEY: key }), {
        merge: true,
      })
      for (const [name] of ours) {
        const config = readConfig(filled.services[name]?.environment ?? {})
        expect(config.records.tombstoneKey, name).toBe(key || undefined)
      }
    }
  })

  it('lets the API and the metrics of a worker be reached from other containers', () => {
    for (const name of ['api', 'worker']) {
      expect(readConfig(compose.services[name]?.environment ?? {}).http.host, name).toBe('0.0.0.0')
    }
  })

  it('waits for healthy servers and finished migrations', () => {
    const needsOf = (name: string) => compose.services[name]?.depends_on ?? {}
    expect(needsOf('migrate')).toEqual({ postgres: { condition: 'service_healthy' } })
    for (const name of ['api', 'worker']) {
      expect(needsOf(name)).toEqual({
        migrate: { condition: 'service_completed_successfully' },
        redis: { condition: 'service_healthy' },
      })
    }
    for (const { depends_on = {} } of Object.values(compose.services)) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        const { healthcheck } = compose.services[name] ?? {}
        expect(healthcheck, name).toBeDefined()
        if (condition === 'service_healthy') expect(healthcheck?.test, name).toBeDefined()
      }
    }
  })

  it('runs every role read-only, without root, and with time to stop', () => {
    for (const [name, service] of ours) {
      expect(service, name).toMatchObject({
        read_only: true,
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
      const grace = Number.parseInt(service.stop_grace_period ?? '', 10) * 1_000
      expect(grace, name).toBeGreaterThan(readConfig({}).shutdownTimeoutMs)
    }
    expect(read('Dockerfile')).toMatch(/^USER (?!root)\w+$/m)
  })

  it('publishes the API to this machine only, and can be scaled', () => {
    expect(compose.services['api']?.ports).toEqual(['127.0.0.1:8080:8080'])
    const { ports, ...worker } = compose.services['worker'] ?? {}
    expect([ports, 'container_name' in worker]).toEqual([undefined, false])
    expect(Object.entries(compose.services).filter(([, service]) => service.ports)).toHaveLength(1)
  })

  it('uses only volumes that exist', () => {
    const used = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes)
    expect(used.map((each) => each.split(':')[0]).sort()).toEqual(Object.keys(compose.volumes).sort())
  })
})

it('every Kubernetes manifest in the docs is valid, non-root and read-only', () => {
  const manifests = [...read('docs/kubernetes.md').matchAll(/```yaml\n([\s\S]*?)```/g)].map(
    ([, each]) => each ?? '',
  )
  expect(manifests).not.toHaveLength(0)
  for (const manifest of manifests) {
    const { spec } = parse(manifest).spec.template
    expect(spec.securityContext.runAsNonRoot).toBe(true)
    for (const container of spec.containers) {
      expect(container.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
      })
    }
  }
})
