import { EventEmitter } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Readable } from 'node:stream'
import Fastify, { type FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import type { Caller } from '../../src/domain/trust/caller.ts'
import { collect, createBodyReader } from '../../src/http/bodies/body-reading.ts'
import { handleErrors } from '../../src/http/problems/problems.ts'

describe('collect', () => {
  it('keeps no chunk, so that a body in many small ones takes no more than its size', async () => {
    const source = new EventEmitter() as Readable
    const body = collect(source, () => {})
    const chunk = Buffer.alloc(1)
    for (const letter of 'abcdefghij') {
      chunk.write(letter)
      source.emit('data', chunk)
    }
    source.emit('end')
    expect(String(await body)).toBe('abcdefghij')
  })

  it('says that a body ended early', async () => {
    const source = new EventEmitter() as Readable
    const body = collect(source, () => {})
    source.emit('data', Buffer.from('{'))
    source.emit('error', new Error('aborted'))
    await expect(body).rejects.toMatchObject({ code: 'malformed_request' })
  })
})

/** An app that knows each key by its name, and answers a request when its body may go. */
async function createReadingApp() {
  const app = Fastify()
  const waiting: (() => void)[] = []
  handleErrors(app)
  app.decorateRequest('caller')
  app.addHook('onRequest', async (request) => {
    request.caller = { principal: String(request.headers.authorization) } as Caller
  })
  const read = createBodyReader(app, { maxBytes: 1_000, maxHeldBytes: 2_500 })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('text/plain', async (request: FastifyRequest, body: IncomingMessage) =>
    read(request, body),
  )
  app.post('/wait', async () => {
    await new Promise<void>((resolve) => void waiting.push(resolve))
    return {}
  })
  app.post('/', async () => ({}))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = app.listeningOrigin
  const post = async (path: string, key: string, size = 1_000) => {
    const headers = { authorization: key, 'content-type': 'text/plain' }
    return (await fetch(`${url}${path}`, { method: 'POST', headers, body: 'x'.repeat(size) })).status
  }
  return { app, waiting, post }
}

describe('the bodies of one key', () => {
  it('are refused while its requests in progress have too many bytes, and those of others are not', async () => {
    const { app, waiting, post } = await createReadingApp()
    const held = [post('/wait', 'one'), post('/wait', 'one')]
    await expect.poll(() => waiting.length).toBe(2)
    expect(await post('/', 'one')).toBe(503)
    expect(await post('/', 'one', 500)).toBe(200)
    expect(await post('/', 'two')).toBe(200)
    for (const answer of waiting) answer()
    expect(await Promise.all(held)).toEqual([200, 200])
    await expect.poll(() => post('/', 'one')).toBe(200)
    await app.close()
  })

  it('count no more when their client is gone', async () => {
    const { app, post } = await createReadingApp()
    const headers = { authorization: 'one', 'content-type': 'text/plain', 'content-length': 1_000 }
    const sendings = Array.from({ length: 2 }, () =>
      request(app.listeningOrigin, { method: 'POST', headers }),
    )
    for (const sending of sendings) {
      sending.on('error', () => {})
      sending.write('x'.repeat(900))
    }
    await expect.poll(() => post('/', 'one')).toBe(503)
    for (const sending of sendings) sending.destroy()
    await expect.poll(() => post('/', 'one')).toBe(200)
    await app.close()
  })

  it('may be as long as the limit of one body', async () => {
    const { app, post } = await createReadingApp()
    expect([await post('/', 'one', 1_000), await post('/', 'one', 1_001)]).toEqual([200, 413])
    await app.close()
  })
})
