import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import Type from 'typebox'
import { type Caller, isAllowed, nameActor } from '../domain/trust/caller.ts'
import { readOrigin, requireOwnHost } from '../http/auth/own-site.ts'
import { readIdempotencyKey } from '../http/idempotency/idempotency.ts'
import type { RunOnce } from '../http/idempotency/run-once.ts'
import { answerRefused, toPublicError } from '../http/problems/problems.ts'
import { getTraceContext } from '../http/request-tracing.ts'
import { AppError, createFaultError, type Fault } from '../kernel/errors.ts'
import { readClientName } from './client-name.ts'
import { listArgumentFaults, readArguments, refuseMessage, removeArguments } from './message-check.service.ts'
import type { Protocol, Session, ToolResult } from './protocol.service.ts'
import { asTexts, boundToolAnswer, presentAnswer, type StoredToolAnswer } from './tool-answers.service.ts'
import { explainError } from './tool-errors.ts'
import { createInvalidArgumentsError, requireValid } from './tools/arguments.service.ts'
import { isOffered, type Profile, profiles, type Tool } from './tools/tool.ts'
import { McpQuery } from './tools/tools.schemas.ts'
import type { Toolset } from './tools/tools.service.ts'

export type McpOptions = { toolset: Toolset; runOnce: RunOnce; publicUrl: string | undefined }

/** `faults`: of the arguments, where some of them cannot be stored. */
type Asked = { chosen: ReadonlySet<Profile>; faults: readonly Fault[] | undefined }

const path = '/mcp'
const metadataPath = `/.well-known/oauth-protected-resource${path}`

export const mcpRoutes: FastifyPluginAsyncTypebox<McpOptions> = async (
  app,
  { toolset, runOnce, publicUrl },
) => {
  const describeResource = (request: FastifyRequest) => `${readOrigin(request, publicUrl)}${metadataPath}`
  const config = { anyCaller: true, ownSiteOnly: true, mayOnlyRead: true, describeResource } as const
  let protocol: Promise<Protocol> | undefined
  // Loaded with the first message: otherwise this package would take most of the time that the API needs to start.
  const loadProtocol = () => {
    protocol ??= import('./protocol.service.ts').then(({ createProtocol }) =>
      createProtocol((error) => app.log.debug({ err: error }, 'an MCP message was refused')),
    )
    return protocol
  }

  app.get(metadataPath, { config: { isPublic: true }, schema: { hide: true } }, async (request) => {
    requireOwnHost(request, publicUrl)
    return {
      resource: `${readOrigin(request, publicUrl)}${path}`,
      resource_name: 'Membrane',
      bearer_methods_supported: ['header'],
    }
  })

  app.post(
    path,
    {
      config: { ...config, keepsBodyFault: true },
      schema: { hide: true, querystring: McpQuery, body: Type.Unknown() },
    },
    async (request, reply) => {
      const chosen = readProfiles(request.query.profile)
      const { body, bodyFault: unstorable } = request
      const refused = refuseMessage(body, unstorable)
      if (refused) return reply.code(refused.status).send(refused.body)
      const faults = unstorable && listArgumentFaults(unstorable)
      const session = openSession(request, reply, { chosen, faults })
      const { answer } = await loadProtocol()
      const message = {
        url: `${readOrigin(request, publicUrl)}${path}`,
        headers: pickHeaders(request),
        body: removeArguments(body),
      }
      const response = await answer(message, session)
      for (const name of ['content-type', 'cache-control']) {
        const value = response.headers.get(name)
        if (value !== null) reply.header(name, value)
      }
      return reply.code(response.status).send((await response.text()) || undefined)
    },
  )

  // Declared, so that they too ask for a key.
  const others = (app.supportedMethods as HTTPMethods[]).filter((method) => method !== 'POST')
  app.route({
    method: others,
    url: path,
    config,
    schema: { hide: true },
    preValidation: async (_request, reply) => {
      reply.header('allow', 'POST')
      throw new AppError('method_not_allowed', 'This path supports POST.')
    },
    handler: async () => undefined,
  })

  function openSession(request: FastifyRequest, reply: FastifyReply, { chosen, faults }: Asked): Session {
    const caller = nameClient(request.caller, request.body)
    const key = readIdempotencyKey(request)
    const fail = async (error: unknown): Promise<ToolResult> => {
      const shown = await toPublicError(error, request)
      return { ...asTexts([JSON.stringify(explainError(shown, request.id))]), isError: true }
    }

    async function callTool(tool: Tool, args: unknown): Promise<ToolResult> {
      const after: (() => void)[] = []
      const context = {
        actor: nameActor(caller),
        origin: readOrigin(request, publicUrl),
        trace: getTraceContext(request),
        describe: (error: AppError) => {
          const { status, problem } = answerRefused(error, request.id)
          const { what_to_do } = explainError(error, request.id)
          return { status, problem: { ...problem, what_to_do } }
        },
        report: (message: string, error?: unknown) => request.log.warn({ err: error }, message),
        afterwards: (work: () => void) => void after.push(work),
      }
      requireValid(tool.input, args)
      const { readOnlyHint: isReading } = tool.hints
      // A tool that changes nothing may simply run again.
      const isKept = key !== undefined && !isReading
      const identity = isKept ? { key, operation: `mcp ${tool.name}`, input: args } : undefined
      const run = () =>
        runOnce({ caller }, identity, async (call) => ({
          status: 200,
          body: boundToolAnswer(await tool.run({ ...context, call }, args)),
        }))
      const outcome = await (isReading ? request.readAfterPosition(run) : run())
      for (const work of after) work()
      if ('answer' in outcome) return presentAnswer(outcome.answer.body as StoredToolAnswer)
      reply.header('idempotency-replayed', 'true')
      return presentAnswer(JSON.parse(outcome.replayed.body ?? '{}'))
    }

    return {
      tools: toolset.tools.filter((tool) => isOffered(tool, caller, chosen)),
      readsRecords: isAllowed(caller, 'records:read'),
      callTool: async (tool) =>
        faults
          ? fail(createInvalidArgumentsError(faults))
          : callTool(tool, readArguments(request.body)).catch(fail),
      readRecord: (id) =>
        request
          .readAfterPosition(() => toolset.readRecord(caller, id))
          .catch(async (error) => {
            throw await toPublicError(error, request)
          }),
    }
  }
}

function nameClient(caller: Caller, message: unknown): Caller {
  const client = readClientName(message)
  return client === undefined ? caller : { ...caller, client }
}

function readProfiles(given = 'core'): ReadonlySet<Profile> {
  const names = given.split(',')
  const known = profiles.filter((profile) => names.includes(profile))
  if (names.every((name) => known.some((profile) => profile === name))) return new Set(['core', ...known])
  throw createFaultError('The query string does not match the schema.', {
    pointer: '?profile',
    message: `must list some of ${profiles.join(', ')}`,
  })
}

const bothTypes = 'application/json, text/event-stream'

function pickHeaders({ headers }: FastifyRequest): Record<string, string> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && /^(accept|content-type|mcp-.*)$/.test(name) ? [[name, value]] : [],
  )
  return { ...Object.fromEntries(kept), ...(acceptsAll(headers.accept) ? { accept: bothTypes } : {}) }
}

/** A missing header means the same (RFC 9110 §12.5.1). The package asks for both types by name. */
function acceptsAll(accept = '*/*'): boolean {
  return accept.split(',').some((each) => each.split(';')[0]?.trim() === '*/*')
}
