import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { ref } from '../domain/schema-ref.ts'
import { type Once, readCallContext } from '../http/idempotency.ts'
import { sendPage } from '../http/paging.ts'
import { answers } from '../http/problem-responses.ts'
import { allowSlowRequest, jsonLinesType, whileAllowed } from '../http/streaming.ts'
import { ExportedRecord, type ExportService, lines, startStream } from '../portability/index.ts'
import type { TenantDirectory } from './tenant-directory.service.ts'
import {
  CreatedTenant,
  DropQuery,
  NewTenant,
  Tenant,
  TenantDecision,
  TenantPage,
  TenantPath,
  TenantReceipt,
  TenantsQuery,
} from './tenants.schemas.ts'
import type { TenantsService } from './tenants.service.ts'

export type TenantsOptions = {
  /** Undefined while tenants are switched off; every call is then answered 404. */
  tenancy:
    | {
        tenants: TenantsService
        directory: TenantDirectory
        exporterOf(tenant: { reference: string }): ExportService
      }
    | undefined
  once: Once
}

const config = { permission: 'admin', isRootOnly: true, needsTenants: true } as const
const tags = ['tenants']
const only = 'Only with the root key, and 404 unless `MEMBRANE_TENANTS` is `on`.'

export const tenantsRoutes: FastifyPluginAsyncTypebox<TenantsOptions> = async (app, { tenancy, once }) => {
  const open = () => {
    if (!tenancy) throw new TypeError('a route of tenants without tenants')
    return tenancy
  }
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())

  app.route({
    method: 'POST',
    url: '/v1/tenants',
    config,
    schema: {
      operationId: 'createTenant',
      tags,
      summary: 'Create a tenant',
      description: `Creates a schema with tables of its own, and an admin key for it, whose secret only this answer contains. With that key, and with the root key and the header \`Membrane-Tenant\`, every other operation works in the tenant. ${only}`,
      body: ref(NewTenant),
      response: answers(
        {
          201: {
            schema: ref(CreatedTenant),
            description: 'The tenant and its first key.',
            headers: ['Location'],
          },
        },
        ['tenant_exists', 'route_not_found'],
      ),
    },
    handler: (request, reply) =>
      once(request, reply, async (call) => {
        const { tenant, key, secret } = await open().tenants.create(call, request.body)
        return {
          status: 201,
          body: { ...tenant, key },
          headers: { location: `/v1/tenants/${tenant.id}` },
          shownOnce: { key: { ...key, secret } },
        }
      }),
  })

  app.route({
    method: 'GET',
    url: '/v1/tenants',
    config,
    schema: {
      operationId: 'listTenants',
      tags,
      summary: 'List tenants',
      description: `In the order of their ids. ${only}`,
      querystring: TenantsQuery,
      response: answers(
        { 200: { schema: ref(TenantPage), description: 'A page of tenants.', headers: ['Link'] } },
        ['invalid_cursor', 'route_not_found'],
      ),
    },
    handler: async (request, reply) =>
      sendPage(request, reply, await open().tenants.list(request.caller, request.query)),
  })

  app.route({
    method: 'GET',
    url: '/v1/tenants/:id',
    config,
    schema: {
      operationId: 'getTenant',
      tags,
      summary: 'Read a tenant',
      description: only,
      params: TenantPath,
      response: answers({ 200: ref(Tenant) }, ['tenant_not_found']),
    },
    handler: (request) => open().tenants.read(request.params.id),
  })

  for (const action of ['suspend', 'resume'] as const)
    app.route({
      method: 'POST',
      url: `/v1/tenants/:id/${action}`,
      config,
      schema: {
        operationId: `${action}Tenant`,
        tags,
        summary: action === 'suspend' ? 'Suspend a tenant' : 'Resume a tenant',
        description:
          action === 'suspend'
            ? `Its keys get 403 \`tenant_suspended\`: in this process at once, in others within a second. Runs in progress stop after their batch, and no others start. The root key still reads and writes there. ${only}`
            : `Its keys work again, and its jobs continue. ${only}`,
        params: TenantPath,
        body: ref(TenantDecision),
        response: answers({ 200: ref(Tenant) }, ['tenant_not_found']),
      },
      handler: (request, reply) =>
        once(request, reply, async (call) => {
          const { id } = request.params
          return { status: 200, body: await open().tenants.change(call, id, { action, ...request.body }) }
        }),
    })

  app.route({
    method: 'DELETE',
    url: '/v1/tenants/:id',
    config,
    schema: {
      operationId: 'dropTenant',
      tags,
      summary: 'Drop a tenant',
      description: `Removes everything that the tenant has, for ever, and returns how much it was. Its keys get 401 from the beginning of the request. If it is not answered, repeat it. The id can be used again, for another tenant. ${only}`,
      params: TenantPath,
      querystring: DropQuery,
      response: answers({ 200: ref(TenantReceipt) }, ['tenant_not_found']),
    },
    handler: (request, reply) =>
      once(request, reply, {
        prepare: async () => {
          const { id } = request.params
          await open().tenants.beginDrop(id)
          return async (call) => ({ status: 200, body: await open().tenants.drop(call, id, request.query) })
        },
      }),
  })

  app.route({
    method: 'GET',
    url: '/v1/tenants/:id/export',
    exposeHeadRoute: false,
    config,
    schema: {
      operationId: 'exportTenant',
      tags,
      summary: 'Export a tenant',
      description: `Streams every record of the tenant, as \`GET /v1/export\` does, with the forgotten ones. ${only}`,
      params: TenantPath,
      querystring: Type.Object({}, { additionalProperties: false }),
      response: answers(
        {
          200: {
            schema: lines(ExportedRecord),
            description: 'The records, one per line.',
            mediaType: jsonLinesType,
          },
        },
        ['tenant_not_found'],
      ),
    },
    handler: async (request, reply) => {
      const signal = AbortSignal.any([allowSlowRequest(request, reply), closing.signal])
      const exporter = open().exporterOf(await open().directory.get(request.params.id))
      const exported = exporter.run(readCallContext(request), { include_forgotten: true }, signal)
      reply.header('cache-control', 'no-store').type(jsonLinesType)
      return reply.send(
        Readable.from(await startStream(whileAllowed(request, exported)), { highWaterMark: 1 }),
      )
    },
  })
}
