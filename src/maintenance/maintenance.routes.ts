import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { ref } from '../domain/schema-ref.ts'
import { type Once, readCallContext } from '../http/idempotency.ts'
import { sendPage } from '../http/paging.ts'
import { answers } from '../http/problem-responses.ts'
import { getTraceContext } from '../http/request-tracing.ts'
import type { Announcements } from '../jobs/announcements.ts'
import {
  Cancellation,
  ChangePage,
  ChangesQuery,
  MaintenanceRun,
  NewMaintenanceRun,
  RunPage,
  RunPath,
  RunsQuery,
  Schedule,
  ScheduleChoice,
  SchedulePage,
  SchedulePath,
} from './maintenance.schemas.ts'
import type { MaintenanceService } from './maintenance.service.ts'
import { createRunEvents } from './run-events.service.ts'

export type MaintenanceOptions = {
  maintenance: MaintenanceService
  once: Once
  /** Without them, a worker finds a new run by its poll. */
  announcements?: Pick<Announcements, 'announceRun' | 'announceTick'> | undefined
}

const tags = ['maintenance']
const reads = { permission: 'records:read' } as const
const runs = { permission: 'maintenance:run' } as const

export const maintenanceRoutes: FastifyPluginAsyncTypebox<MaintenanceOptions> = async (
  app,
  { maintenance, once, announcements },
) => {
  const follow = createRunEvents({ maintenance })
  const closing = new AbortController()
  // A stream would keep the server from closing for as long as its run lasts.
  app.addHook('preClose', async () => closing.abort())

  app.route({
    method: 'POST',
    url: '/v1/maintenance/runs',
    config: runs,
    schema: {
      operationId: 'requestRun',
      tags,
      summary: 'Run a job',
      description:
        'Runs of one job never overlap: one that is requested while another is active waits for it. A dry run ' +
        'computes the same and changes nothing. A key of one scope runs a job on the records of that scope; one of ' +
        'several names the scope. `purge` and `compress` work on all scopes and need a key with all of them.',
      body: ref(NewMaintenanceRun),
      response: answers(
        {
          202: { schema: ref(MaintenanceRun), description: 'It is waiting.', headers: ['Location'] },
        },
        ['outside_trust', 'scope_required'],
      ),
    },
    handler: async (request, reply) => {
      let requested: MaintenanceRun | undefined
      await once(request, reply, async (call) => {
        const run = await maintenance.request(call, request.body, getTraceContext(request))
        requested = run
        return { status: 202, body: run, headers: { location: `/v1/maintenance/runs/${run.id}` } }
      })
      // After the commit, because a worker that hears of the run earlier does not find it. Not awaited, because a
      // queue that is down must not delay the answer.
      if (requested) void announcements?.announceRun(request.body.job, requested.id)
    },
  })

  app.route({
    method: 'GET',
    url: '/v1/maintenance/runs',
    config: reads,
    schema: {
      operationId: 'listRuns',
      tags,
      summary: 'List runs',
      description: 'Newest first. A key bound to scopes sees the runs of those scopes.',
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
      description: 'Where it stands and what it has done.',
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
        'By record, and only of records that the key may see. A record one level above the key is listed without ' +
        'values. With `admin`, `hidden` counts the others. A record that a dry run would create is shown to a key ' +
        'with the highest ceiling. An update of a stored salience is not listed: every read computes the salience.',
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
        await maintenance.pageChanges(readCallContext(request), request.params.id, request.query),
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
        'One that waits ends at once, one that runs after the batch at hand. What it did stays done.',
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
    // A HEAD would follow the run to its end only to throw it away.
    exposeHeadRoute: false,
    config: reads,
    schema: {
      operationId: 'followRun',
      tags,
      summary: 'Follow a run',
      description:
        'Server-sent events: `progress` whenever the run has changed, `finished` as the last, each with the run ' +
        'as its data.',
      params: RunPath,
      response: answers({
        200: {
          schema: Type.Unsafe<string | Readable>(Type.String()),
          description: 'The events, until the run has ended.',
          mediaType: 'text/event-stream',
        },
      }),
    },
    handler: async (request, reply) => {
      const call = readCallContext(request)
      // A run that is not there is a problem, not a stream.
      await maintenance.read(call, request.params.id)
      const gone = new AbortController()
      request.raw.once('close', () => gone.abort())
      reply.raw.once('close', () => gone.abort())
      const events = follow(call, request.params.id, AbortSignal.any([gone.signal, closing.signal]))
      reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no').type('text/event-stream')
      return reply.send(Readable.from(events))
    },
  })

  app.route({
    method: 'GET',
    url: '/v1/maintenance/schedules',
    config: reads,
    schema: {
      operationId: 'listSchedules',
      tags,
      summary: 'List schedules',
      description: 'How often each job runs on its own, when it last succeeded and when it is due.',
      response: answers({ 200: { schema: ref(SchedulePage), description: 'All of them.' } }),
    },
    handler: (request) => maintenance.readSchedules(readCallContext(request)),
  })

  app.route({
    method: 'PUT',
    url: '/v1/maintenance/schedules/:job',
    config: runs,
    schema: {
      operationId: 'putSchedule',
      tags,
      summary: 'Set a schedule',
      description:
        'Replaces the configured interval; members that are absent keep their value. Needs a key with all scopes and ' +
        'the highest ceiling.',
      params: SchedulePath,
      body: ref(ScheduleChoice),
      response: answers({ 200: { schema: ref(Schedule), description: 'The schedule as it now stands.' } }, [
        'outside_trust',
      ]),
    },
    handler: async (request) => {
      const { job } = request.params
      const schedule = await maintenance.chooseSchedule(readCallContext(request), job, request.body)
      if (schedule.next_at) void announcements?.announceTick(job, new Date(schedule.next_at))
      return schedule
    },
  })
}
