import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { CallContext } from '../db/transaction.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { allowSlowRequest, createClosingSignal, jsonLinesType, sendLines } from '../http/bodies/streaming.ts'
import { type Once, readCallContext } from '../http/idempotency/idempotency.ts'
import { sendPage } from '../http/paging/paging.ts'
import { answers } from '../http/problems/problem-responses.ts'
import { hasWriteMethod } from '../http/route-kind.ts'
import { ExportedRecord, type ExportService, lines } from '../portability/index.ts'
import type { CreatedHere } from './changes/tenant-creation.service.ts'
import type { TenantDirectory } from './tenant-directory.service.ts'
import type { TenantRow } from './tenants.queries.ts'
import {
  CreatedTenant,
  DropQuery,
  NewTenant,
  Tenant,
  TenantDecision,
  TenantMove,
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
        exporterOf(tenant: TenantRow): ExportService
      }
    | undefined
  once: Once
}

const config = { permission: 'admin', isRootOnly: true, needsTenants: true } as const
const tags = ['tenants']
const only = 'Needs the root key. Returns 404 if `MEMBRANE_TENANTS` is `off`.'

function answerCreated({ tenant, key, secret }: CreatedHere) {
  return {
    status: 201,
    body: { ...tenant, key },
    headers: { location: `/v1/tenants/${tenant.id}` },
    shownOnce: { key: { ...key, secret } },
  }
}

export const tenantsRoutes: FastifyPluginAsyncTypebox<TenantsOptions> = async (app, { tenancy, once }) => {
  const open = () => {
    if (!tenancy) throw new TypeError('a route of tenants without tenants')
    return tenancy
  }
  /** The digest that is kept to recognise a repeated request must not contain the URL. */
  const conceal = <B extends { database_url?: string | null }>(body: B) => ({
    ...body,
    ...(body.database_url ? { database_url: open().tenants.concealUrl(body.database_url) } : {}),
  })
  const closing = createClosingSignal(app)
  // After the commit and before the client knows of it. Not asynchronous: see `addPosition`.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    if (hasWriteMethod(request)) tenancy?.directory.clear()
    done()
  })

  app.route({
    method: 'POST',
    url: '/v1/tenants',
    config,
    schema: {
      operationId: 'createTenant',
      tags,
      summary: 'Create a tenant',
      description: `Creates a schema with tables of its own, in the main database or at \`database_url\`, and an admin key for the tenant. Only this answer contains the secret of the key. With that key, or with the root key and the header \`Membrane-Tenant\`, every other operation works in the tenant. ${only}`,
      body: ref(NewTenant),
      response: answers(
        {
          201: {
            schema: ref(CreatedTenant),
            description: 'The tenant and its first key.',
            headers: ['Location'],
          },
        },
        ['tenant_exists', 'tenant_key_missing', 'route_not_found'],
      ),
    },
    handler: (request, reply) => {
      const { creation } = open().tenants
      const { id, database_url: url } = request.body
      if (url === undefined)
        return once(request, reply, async (call) => answerCreated(await creation.createHere(call, id)))
      const prepare = async () => {
        await creation.reserve(id, url)
        return async (call: CallContext) => answerCreated(await creation.createThere(call, id))
      }
      return once(request, reply, { prepare }, conceal(request.body))
    },
  })

  app.route({
    method: 'GET',
    url: '/v1/tenants',
    config,
    schema: {
      operationId: 'listTenants',
      tags,
      summary: 'List tenants',
      description: `Lists the tenants in the order of their ids. ${only}`,
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
      description: `Returns the status of the tenant and the place of its data. ${only}`,
      params: TenantPath,
      response: answers({ 200: { schema: ref(Tenant), description: 'The tenant.' } }, ['tenant_not_found']),
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
            ? `Refuses the keys of the tenant with 403 \`tenant_suspended\`: in this process at once, in others within a second. Runs in progress stop after their batch, and no others start. The root key can still read and write in the tenant. ${only}`
            : `Accepts the keys of the tenant again and continues its jobs. ${only}`,
        params: TenantPath,
        body: ref(TenantDecision),
        response: answers({ 200: { schema: ref(Tenant), description: 'The changed tenant.' } }, [
          'tenant_not_found',
        ]),
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
      description: `Deletes the tenant with all its data for ever, and returns how much was removed. From the beginning of the request its keys get 401. If you get no answer, or 503 because the server of the tenant does not respond, send the request again. If that server is lost, use \`abandon\`. Afterwards the id can be used for another tenant. ${only}`,
      params: TenantPath,
      querystring: DropQuery,
      response: answers({ 200: { schema: ref(TenantReceipt), description: 'How much was removed.' } }, [
        'tenant_not_found',
      ]),
    },
    handler: (request, reply) =>
      once(request, reply, {
        prepare: async () => {
          const { dropping } = open().tenants
          const begun = await dropping.begin(request.params.id, request.query)
          return async (call) => ({ status: 200, body: await dropping.finish(call, begun, request.query) })
        },
      }),
  })

  app.route({
    method: 'POST',
    url: '/v1/tenants/:id/move',
    config,
    schema: {
      operationId: 'moveTenant',
      tags,
      summary: 'Move a tenant',
      description: `Sets the database in which the data of the tenant are. It copies nothing: suspend the tenant, copy its \`schema\` with \`pg_dump\`, call this, and resume the tenant (docs/tenants.md). A new password or a new name of the same database needs no suspension. The change has effect in this process at once, in others within a second. ${only}`,
      params: TenantPath,
      body: ref(TenantMove),
      response: answers({ 200: { schema: ref(Tenant), description: 'The changed tenant.' } }, [
        'tenant_not_found',
        'tenant_not_suspended',
        'tenant_copy_differs',
        'tenant_key_missing',
      ]),
    },
    handler: (request, reply) => {
      const { moving } = open().tenants
      const prepare = async () => {
        const prepared = await moving.prepare(request.params.id, request.body)
        return async (call: CallContext) => ({
          status: 200,
          body: await moving.finish(call, prepared, request.body),
        })
      }
      return once(request, reply, { prepare }, conceal(request.body))
    },
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
      description: `Streams every record of the tenant, also forgotten ones, in the form of \`GET /v1/export\`. ${only}`,
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
      const signal = AbortSignal.any([allowSlowRequest(request, reply), closing])
      const exporter = open().exporterOf(await open().directory.get(request.params.id))
      const exported = exporter.run(readCallContext(request), { include_forgotten: true }, signal)
      return sendLines(request, reply, exported)
    },
  })
}
