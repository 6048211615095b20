import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { createRouteNotFoundError } from '../http/problems/problems.ts'
import type { ConsoleFile, ConsoleFiles, Encoding } from './console-files.service.ts'

/**
 * Anyone may load the page: it holds nothing but code. What it shows comes from the API and needs a key. The files are in
 * memory and as cheap as a probe; a rate limit would break a page of fifty modules for its second reader.
 */
const config = { isPublic: true, isUnlimited: true } as const
const schema = { hide: true }
const oneYear = 31_536_000

/** Serves the page under /console and every page below it, and its files under an address of their version. */
export const consoleRoutes: FastifyPluginAsync<{ files: ConsoleFiles }> = async (app, { files }) => {
  app.get('/console', { config, schema }, async (_request, reply) => sendPage(reply, files))

  app.get<{ Params: { '*': string } }>('/console/*', { config, schema }, async (request, reply) => {
    const { pages } = await files.read()
    const [name = ''] = request.params['*'].split('/', 1)
    // The page says itself that it has no such part.
    if (name !== '' && !pages.has(name)) reply.code(404)
    return sendPage(reply, files)
  })

  app.get<{ Params: { version: string; '*': string } }>(
    '/console/files/:version/*',
    { config, schema },
    async (request, reply) => {
      const content = await files.read()
      const file = content.files.get(request.params['*'])
      // After an update, a page of the previous release must not get modules of this one.
      if (!file || request.params.version !== content.version) throw createRouteNotFoundError()
      return sendFile(reply, file, chooseEncoding(request.headers['accept-encoding']))
    },
  )
}

async function sendPage(reply: FastifyReply, files: ConsoleFiles) {
  const { page, policy } = await files.read()
  return reply
    .headers({ 'content-security-policy': policy, 'cache-control': 'no-cache' })
    .type('text/html; charset=utf-8')
    .send(page)
}

async function sendFile(reply: FastifyReply, file: ConsoleFile, encoding: Encoding) {
  reply.headers({ 'cache-control': `public, max-age=${oneYear}, immutable`, vary: 'accept-encoding' })
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type(file.type).send(await file.encode(encoding))
}

/** Every browser that runs the modules of the page accepts one of the two. */
function chooseEncoding(accepted: string | undefined): Encoding {
  const offered = (accepted ?? '').split(',').map((entry) => entry.trim())
  return (['br', 'gzip'] as const).find((encoding) => offered.includes(encoding)) ?? 'identity'
}
