import helmet from '@fastify/helmet'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'

/** Headers for an API: nothing of it is to be framed, run, sniffed or fetched from another origin. */
export async function secureHeaders(app: FastifyInstance): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
    },
    // TLS ends in front of this process, and only who ends it knows whether every name of the host has it.
    strictTransportSecurity: false,
  })
}

/** The page needs its own scripts, styles and inlined icons, from this server alone: no CDN. */
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

/** The document itself, and a page to read it with; open, as they tell nothing but what anyone may know. */
export async function serveDocs(app: FastifyInstance): Promise<void> {
  await app.register(async (docs) => {
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, isPublic: true }
    })
    let document: Buffer | undefined
    docs.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
      // One for all: a thousand clients that read nothing would otherwise each keep a megabyte of their own.
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
