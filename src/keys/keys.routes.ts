import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import type { Once } from '../http/idempotency/idempotency.ts'
import { sendPage } from '../http/paging/paging.ts'
import { answers } from '../http/problems/problem-responses.ts'
import { presentCaller } from './caller-answer.ts'
import { IssuedKey, Key, KeyPage, KeyPath, KeysQuery, NewKey, OwnKey } from './keys.schemas.ts'
import type { KeysService } from './keys.service.ts'

const config = { permission: 'admin' } as const
const tags = ['keys']

export const keyRoutes: FastifyPluginAsyncTypebox<{ keys: KeysService; once: Once }> = async (
  app,
  { keys, once },
) => {
  app.route({
    method: 'POST',
    url: '/v1/keys',
    config,
    schema: {
      operationId: 'createKey',
      tags,
      summary: 'Create a key',
      description:
        'Returns the new key. Only this answer contains its secret. To replace a key without downtime, create a new one, change the clients, ' +
        'then delete the old one. A key cannot create a key that can read more, has a more trusted source type, or expires later.',
      body: ref(NewKey),
      response: answers(
        { 201: { schema: ref(IssuedKey), description: 'The key and its secret.', headers: ['Location'] } },
        ['outside_trust'],
      ),
    },
    handler: (request, reply) =>
      once(request, reply, async (call) => {
        const { key, secret } = await keys.create(call, request.body)
        return { status: 201, body: key, headers: { location: `/v1/keys/${key.id}` }, shownOnce: { secret } }
      }),
  })

  app.route({
    method: 'GET',
    url: '/v1/keys',
    config,
    schema: {
      operationId: 'listKeys',
      tags,
      summary: 'List keys',
      description:
        'Lists the keys that can read no more than the calling key, the newest first, without their secrets. Expired keys ' +
        'are listed, revoked ones are not.',
      querystring: KeysQuery,
      response: answers(
        { 200: { schema: ref(KeyPage), description: 'A page of keys.', headers: ['Link'] } },
        ['invalid_cursor'],
      ),
    },
    handler: async (request, reply) =>
      sendPage(request, reply, await keys.list(request.caller, request.query)),
  })

  app.route({
    method: 'GET',
    url: '/v1/keys/self',
    config: { anyCaller: true },
    schema: {
      operationId: 'getOwnKey',
      tags,
      summary: 'Read the calling key',
      description:
        'Returns what the key of this request may do and see, so that a client can leave out what would be refused. ' +
        'Works with any key.',
      response: answers({ 200: { schema: ref(OwnKey), description: 'The key, without its secret.' } }),
    },
    handler: (request) => presentCaller(request.caller),
  })

  app.route({
    method: 'GET',
    url: '/v1/keys/:id',
    config,
    schema: {
      operationId: 'getKey',
      tags,
      summary: 'Read a key',
      description: 'Returns what the key may do, without its secret.',
      params: KeyPath,
      response: answers({ 200: { schema: ref(Key), description: 'The key, without its secret.' } }, [
        'key_not_found',
      ]),
    },
    handler: (request) => keys.read(request.caller, request.params.id),
  })

  app.route({
    method: 'DELETE',
    url: '/v1/keys/:id',
    config,
    schema: {
      operationId: 'deleteKey',
      tags,
      summary: 'Revoke a key',
      description:
        'Refuses the key from now on: in this process at once, in other processes within five seconds.',
      params: KeyPath,
      response: answers({ 204: { description: 'The key is revoked.' } }, ['key_not_found']),
    },
    handler: (request, reply) =>
      once(request, reply, async (call) => {
        await keys.revoke(call, request.params.id)
        return { status: 204 }
      }),
  })
}
