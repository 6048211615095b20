import type { FastifyInstance, HTTPMethods } from 'fastify'
import { AppError } from '../../kernel/errors.ts'

/** Collects the paths of all routes. Call it before the first route is registered. */
export function collectPaths(app: FastifyInstance): ReadonlySet<string> {
  const paths = new Set<string>()
  app.addHook('onRoute', ({ url }) => void paths.add(url))
  return paths
}

/**
 * Answers 405 with Allow for a path that exists under other methods. The missing methods become routes, so that the
 * router itself matches the path. Call it after every route is registered.
 */
export function rejectUnknownMethods(app: FastifyInstance, paths: ReadonlySet<string>): void {
  const methods = app.supportedMethods as HTTPMethods[]
  for (const url of [...paths]) {
    const known = methods.filter((method) => app.hasRoute({ url, method })).sort()
    const missing = methods.filter((method) => !known.includes(method))
    if (missing.length > 0) refuseMethods(app, url, missing, known.join(', '))
  }
}

function refuseMethods(app: FastifyInstance, url: string, method: HTTPMethods[], allow: string): void {
  app.route({
    method,
    url,
    config: { isPublic: true },
    schema: { hide: true },
    // Refused before the body is read, because no route will use it.
    onRequest: async (_request, reply) => {
      reply.header('allow', allow)
      throw new AppError('method_not_allowed', `This path supports ${allow}.`)
    },
    handler: async () => undefined,
  })
}
