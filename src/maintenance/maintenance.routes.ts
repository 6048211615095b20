import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import { createClosingSignal, yieldWhileAllowed } from '../http/bodies/streaming.ts'
import { type Once, readCallContext } from '../http/idempotency/idempotency.ts'
import { sendPage } from '../http/paging/paging.ts'
import { answers } from '../http/problems/problem-responses.ts'
import { getTraceContext } from '../http/request-tracing.ts'
import type { Announcements } from '../jobs/queue/announcements.ts'
import {
  Cancellation,
  ChangePage,
  ChangesQuery,
  MaintenanceRun,
  NewMaintenanceRun,
  RunPage,
  RunPath,
  RunsQuery,
} from './maintenance.schemas.ts'
import type { MaintenanceService } from './maintenance.service.ts'
import { answerQueued } from './queued-run.routes.ts'
import type { RunEvents } from './run-events.service.ts'

export type MaintenanceOptions = {
  maintenance: MaintenanceService
  runEvents: RunEvents
  once: Once
  /** Without them, a worker finds a new run by its poll. */
  announcements?: Pick<Announcements, 'announceRun'> | undefined
}

const tags = ['maintenance']
const reads = { permission: 'records:read' } as const
const runs = { permission: 'maintenance:run' } as const

export const maintenanceRoutes: FastifyPluginAsyncTypebox<MaintenanceOptions> = async (
  app,
  { maintenance, runEvents, once, announcements },
) => {
  const closing = createClosingSignal(app)

  app.route({
    method: 'POST',
    url: '/v1/maintenance/runs',
    config: runs,
    schema: {
      operationId: 'requestRun',
      tags,
      summary: 'Run a job',
      description:
        'Queues a run, which starts as soon as a worker is free. Runs of one job never overlap: the new run waits until ' +
        'an active one has ended. A dry run computes the same and changes no record. A key with one scope runs the ' +
        'job on the records of that scope; a key with several scopes must name one. `purge` and `compress` work on ' +
        'all scopes and need a key with all scopes.',
      body: ref(NewMaintenanceRun),
      response: answers(
        {
          202: { schema: ref(MaintenanceRun), description: 'The queued run.', headers: ['Location'] },
        },
        ['outside_trust', 'scope_required'],
      ),
    },
    handler: (request, reply) =>
      answerQueued({ once, announcements }, request, reply, {
        path: '/v1/maintenance/runs',
        queue: (call) => maintenance.request(call, request.body, getTraceContext(request)),
      }),
  })

  app.route({
    method: 'GET',
    url: '/v1/maintenance/runs',
    config: reads,
    schema: {
      operationId: 'listRuns',
      tags,
      summary: 'List runs',
      description:
        'Lists runs, the newest first. A key that is bound to scopes sees only the runs of its scopes.',
      querystring: RunsQuery,
      response: answers(
        { 200: { schema: ref(RunPage), description: 'A page of runs.', headers: ['Link'] } },
        ['invalid_cursor'],
      ),
    },
    handler: async (request, reply) =>
      sendPage(request, reply, await maintenance.list(readCallContext(request), request.query)),
  })

  app.route({
    method: 'GET',
    url: '/v1/maintenance/runs/:id',
    config: reads,
    schema: {
      operationId: 'getRun',
      tags,
      summary: 'Read a run',
      description: 'Returns the status, progress and counts of a run.',
      params: RunPath,
      response: answers({ 200: { schema: ref(MaintenanceRun), description: 'The run.' } }),
    },
    handler: (request) => maintenance.read(readCallContext(request), request.params.id),
  })

  app.route({
    method: 'GET',
    url: '/v1/maintenance/runs/:id/changes',
    config: reads,
    schema: {
      operationId: 'listRunChanges',
      tags,
      summary: 'List what a run changed',
      description:
        'Lists the changes of records that the key may see, ordered by record. A record one sensitivity level above the ' +
        'ceiling of the key is listed without values. For a key with `admin`, `hidden` counts the other changes. A ' +
        'record that a dry run would create is shown only to a key with the highest ceiling. Updates of the stored ' +
        'salience are not listed, because every read computes the salience.',
      params: RunPath,
      querystring: ChangesQuery,
      response: answers(
        { 200: { schema: ref(ChangePage), description: 'A page of changes.', headers: ['Link'] } },
        ['invalid_cursor'],
      ),
    },
    handler: async (request, reply) =>
      sendPage(
        request,
        reply,
        await maintenance.listRunChanges(readCallContext(request), request.params.id, request.query),
      ),
  })

  app.route({
    method: 'POST',
    url: '/v1/maintenance/runs/:id/cancel',
    config: { ...runs, bodyOptional: true },
    schema: {
      operationId: 'cancelRun',
      tags,
      summary: 'Cancel a run',
      description:
        'Ends a queued run at once, and a running one after its current batch. The changes of finished batches stay.',
      params: RunPath,
      body: ref(Cancellation),
      response: answers({ 200: { schema: ref(MaintenanceRun), description: 'The run.' } }, ['run_finished']),
    },
    handler: (request, reply) =>
      once(request, reply, async (call) => ({
        status: 200,
        body: await maintenance.cancel(call, request.params.id),
      })),
  })

  app.route({
    method: 'GET',
    url: '/v1/maintenance/runs/:id/events',
    // A HEAD request would follow the run to its end and discard everything.
    exposeHeadRoute: false,
    config: reads,
    schema: {
      operationId: 'followRun',
      tags,
      summary: 'Follow a run',
      description:
        'Streams server-sent events: `progress` when the run has changed, and at the end `finished`. The data of ' +
        'each event is the run.',
      params: RunPath,
      response: answers({
        200: {
          schema: Type.Unsafe<string | Readable>(Type.String()),
          description: 'The events, until the run ends.',
          mediaType: 'text/event-stream',
        },
      }),
    },
    handler: async (request, reply) => {
      const call = readCallContext(request)
      // A missing run must be a problem answer, not a stream.
      await maintenance.read(call, request.params.id)
      const disconnected = new AbortController()
      request.raw.once('close', () => disconnected.abort())
      reply.raw.once('close', () => disconnected.abort())
      const events = runEvents.follow(
        call,
        request.params.id,
        AbortSignal.any([disconnected.signal, closing]),
      )
      reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no').type('text/event-stream')
      return reply.send(Readable.from(yieldWhileAllowed(request, events)))
    },
  })
}
