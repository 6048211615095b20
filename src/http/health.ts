import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type, { type Static } from 'typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed } from '../domain/schemas/shapes.ts'
import { AppError } from '../kernel/errors.ts'
import { shareRunning } from '../kernel/shared-runs.ts'
import { answers } from './problems/problem-responses.ts'

/** A check resolves when its part is ready. An AppError says why it is not; its message is shown to clients. */
export type Checks = Readonly<Record<string, () => Promise<void>>>

export type HealthOptions = {
  /** Without these parts no request can be answered. */
  checks: Checks
  /** Requests can be answered without these parts, so a failure is reported but the process stays in service. */
  advisories: Checks
  isStopping: () => boolean
}

const checkTimeoutMs = 2_000

const Liveness = closed(
  { status: Type.Literal('alive') },
  { $id: 'Liveness', examples: [{ status: 'alive' }] },
)

const Readiness = closed(
  {
    status: Type.Literal('ready'),
    parts: Type.Record(
      Type.String(),
      closed({ ready: Type.Boolean(), reason: Type.Optional(Type.String()) }),
    ),
  },
  {
    $id: 'Readiness',
    examples: [{ status: 'ready', parts: { database: { ready: true }, migrations: { ready: true } } }],
  },
)
type Parts = Static<typeof Readiness>['parts']

export const healthRoutes: FastifyPluginAsyncTypebox<HealthOptions> = async (app, options) => {
  const config = { isPublic: true, isUnlimited: true }
  // Anyone may call this at any rate, so all calls that arrive during a check share its result.
  const checkOnce = shareRunning(() => checkParts({ ...options.checks, ...options.advisories }))

  app.route({
    method: 'GET',
    url: '/livez',
    config,
    schema: {
      operationId: 'getLiveness',
      tags: ['health'],
      summary: 'Check that the process runs',
      description:
        'Needs no key, and does not use the database or any other part. Restart the process if this call fails.',
      response: answers({ 200: { schema: ref(Liveness), description: 'The process runs.' } }),
    },
    handler: async () => ({ status: 'alive' }) as const,
  })

  app.route({
    method: 'GET',
    url: '/readyz',
    config,
    schema: {
      operationId: 'getReadiness',
      tags: ['health'],
      summary: 'Check that the process can serve requests',
      description:
        'Needs no key. `parts` says which part is not ready. Returns 503 without the database, with missing migrations, with a configuration or a tombstone key that does not fit the database, and while the process stops. It still returns 200 without the queue, because requests are served and jobs wait, and with a clock that is far from that of the database.',
      response: answers({ 200: { schema: ref(Readiness), description: 'The process can serve requests.' } }, [
        'not_ready',
        'shutting_down',
      ]),
    },
    handler: async () => {
      if (options.isStopping()) throw new AppError('shutting_down', 'This process is stopping.')
      const parts = await checkOnce()
      const needed = Object.keys(options.checks)
      if (needed.every((name) => parts[name]?.ready)) return { status: 'ready', parts } as const
      throw new AppError('not_ready', 'A part is not ready.', { extra: { parts }, retryAfterSeconds: 2 })
    },
  })
}

async function checkParts(checks: Checks): Promise<Parts> {
  const results = Object.entries(checks).map(async ([name, check]) => [name, await checkPart(check)] as const)
  return Object.fromEntries(await Promise.all(results))
}

async function checkPart(check: () => Promise<void>): Promise<Parts[string]> {
  const timeout = new AbortController()
  try {
    const reason = await Promise.race([
      check().then(() => undefined),
      sleep(checkTimeoutMs, 'did not answer in time', { ref: false, signal: timeout.signal }),
    ])
    return reason === undefined ? { ready: true } : { ready: false, reason }
  } catch (error) {
    return { ready: false, reason: error instanceof AppError ? error.message : 'failed' }
  } finally {
    timeout.abort()
  }
}
