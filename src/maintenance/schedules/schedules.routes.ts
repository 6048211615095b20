import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { readCallContext } from '../../http/idempotency/idempotency.ts'
import { answers } from '../../http/problems/problem-responses.ts'
import type { Announcements } from '../../jobs/queue/announcements.ts'
import { Schedule, ScheduleChoice, SchedulePage, SchedulePath } from './schedules.schemas.ts'
import type { SchedulesService } from './schedules.service.ts'

export type SchedulesOptions = {
  schedules: SchedulesService
  /** Without them, a worker finds by its poll that a run is due. */
  announcements?: Pick<Announcements, 'announceTick'> | undefined
}

const tags = ['maintenance']

export const schedulesRoutes: FastifyPluginAsyncTypebox<SchedulesOptions> = async (
  app,
  { schedules, announcements },
) => {
  app.route({
    method: 'GET',
    url: '/v1/maintenance/schedules',
    config: { permission: 'records:read' },
    schema: {
      operationId: 'listSchedules',
      tags,
      summary: 'List schedules',
      description: 'Returns for each job its interval, when a run last succeeded, and when it runs next.',
      response: answers({ 200: { schema: ref(SchedulePage), description: 'The schedule of each job.' } }),
    },
    handler: (request) => schedules.list(readCallContext(request)),
  })

  app.route({
    method: 'PUT',
    url: '/v1/maintenance/schedules/:job',
    config: { permission: 'maintenance:run' },
    schema: {
      operationId: 'putSchedule',
      tags,
      summary: 'Set a schedule',
      description:
        'Sets the interval of a job, switches its schedule on or off, or sets `mode`: start a run, or prepare a plan that ' +
        'waits until it is applied. A field that is absent keeps its value. The job runs next one interval from ' +
        'now. Needs a key with all scopes and the highest ceiling.',
      params: SchedulePath,
      body: ref(ScheduleChoice),
      response: answers({ 200: { schema: ref(Schedule), description: 'The new schedule.' } }, [
        'outside_trust',
      ]),
    },
    handler: async (request) => {
      const { job } = request.params
      const schedule = await schedules.set(readCallContext(request), job, request.body)
      if (schedule.next_at) void announcements?.announceTick(job, new Date(schedule.next_at))
      return schedule
    },
  })
}
