import type { FastifyInstance, HTTPMethods } from 'fastify'
import { AppError } from '../kernel/errors.ts'

/** Must be set up before the first route. */
export function collectPaths(app: FastifyInstance): ReadonlySet<string> {
  const paths = new Set<string>()
  app.addHook('onRoute', ({ url }) => void paths.add(url))
  return paths
}

/**
 * A path that exists under another method answers 405 and says which. The missing methods become routes, so
 * that the router itself decides what a path is. Call it when every route is registered.
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
    // Before the body is read: whatever it holds, it is for nobody.
    onRequest: async (_request, reply) => {
      reply.header('allow', allow)
      throw new AppError('method_not_allowed', `This path knows ${allow}.`)
    },
    handler: async () => undefined,
  })
}
