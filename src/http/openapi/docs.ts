import helmet from '@fastify/helmet'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'

/**
 * Security headers for an API: no response may be framed, run as a script, sniffed or fetched from another origin.
 */
export async function secureHeaders(app: FastifyInstance): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
    },
    // TLS ends in a proxy in front of this process, and only its operator knows whether all names of the host use it.
    strictTransportSecurity: false,
  })
}

/** The page needs its own scripts, styles and inlined icons, all from this server: no CDN. */
const docsPolicy = [
  "default-src 'none'",
  "base-uri 'none'",
  "connect-src 'self'",
  "font-src 'self' data:",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "img-src 'self' data:",
  "script-src 'self'",
  // Swagger UI sets style attributes from its scripts.
  "style-src 'self' 'unsafe-inline'",
].join('; ')

/** Serves the document and a page to read it. Both are public: they contain nothing secret. */
export async function serveDocs(app: FastifyInstance): Promise<void> {
  await app.register(async (docs) => {
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, isPublic: true }
    })
    let document: Buffer | undefined
    docs.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
      // One buffer for all clients: otherwise a thousand clients that do not read would hold a megabyte each.
      document ??= Buffer.from(JSON.stringify(app.swagger()))
      return reply.type('application/json; charset=utf-8').send(document)
    })
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: docsPolicy,
      theme: { title: 'Membrane' },
      uiConfig: { deepLinking: true, docExpansion: 'list' },
    })
  })
}
