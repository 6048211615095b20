import Type, { type Static } from 'typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { closed, durationPattern, listOf, Time } from '../../domain/schemas/shapes.ts'
import { schedulableJobs } from '../../jobs/job-names.ts'

const interval = Type.String({
  pattern: durationPattern,
  description: 'The time between two runs, from 10s to 3650d, such as 90s, 15m, 1h or 30d.',
  examples: ['1h'],
})
const enabled = Type.Boolean({ description: 'Whether the job runs by itself.' })

const mode = Type.Enum(['run', 'plan'], {
  description: 'What the schedule starts. `run`: a run. `plan`: a plan, which waits until it is applied.',
})

export const Schedule = closed(
  {
    job: Type.String(),
    interval: Type.String({ examples: ['1h'] }),
    enabled,
    mode,
    last_success_at: Type.Optional(
      Time({
        description: 'When a run over all records last succeeded, whether it was requested or scheduled.',
      }),
    ),
    next_at: Type.Optional(
      Time({ description: 'When the job runs next. Absent while the schedule is off.' }),
    ),
  },
  {
    $id: 'Schedule',
    examples: [
      { job: 'decay', interval: '1h', enabled: true, mode: 'run', next_at: '2026-03-28T10:30:00.000Z' },
    ],
  },
)
export type Schedule = Static<typeof Schedule>

export const ScheduleChoice = closed(
  { interval: Type.Optional(interval), enabled: Type.Optional(enabled), mode: Type.Optional(mode) },
  { $id: 'ScheduleChoice', minProperties: 1, examples: [{ interval: '15m' }] },
)
export type ScheduleChoice = Static<typeof ScheduleChoice>

export const SchedulePage = listOf(ref(Schedule), 'SchedulePage')

export const SchedulePath = Type.Object({
  job: Type.Enum([...schedulableJobs], { missing: 'job_not_found', description: 'The job.' }),
})
