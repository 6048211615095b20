import Type, { type Static } from 'typebox'
import { ConsolidationOptions } from '../consolidation/index.ts'
import { Scope } from '../domain/schemas/request-fields.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, listOf, pageParameters, Time, Uuid } from '../domain/schemas/shapes.ts'
import { DreamOptions } from '../dream/index.ts'
import { type JobName, jobMeanings, jobNames, schedulableJobs } from '../jobs/job-names.ts'
import { SimulatedPoint } from '../simulation/index.ts'

const Job = Type.Enum([...schedulableJobs], { description: `The job to run. ${jobMeanings}` })
const RunStatus = (description: string) =>
  Type.Enum(['queued', 'running', 'succeeded', 'failed', 'cancelled'], { description })
const scope = Scope('The run works only on records of this scope.')
const missing = 'run_not_found'

const progress = closed({
  done: Type.Integer({ minimum: 0, description: 'The number of records that the run has processed.' }),
  total: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The number of records that the run will process, once it is known.',
    }),
  ),
})

/** Counts by name. The type says only that: the curve is read by clients alone. */
const Stats = Type.Unsafe<Record<string, number>>(
  Type.Object(
    {
      curve: Type.Optional(
        Type.Array(ref(SimulatedPoint), {
          description: 'Only for a simulation: a point for each value, in the order of the request.',
        }),
      ),
    },
    { additionalProperties: Type.Number(), description: 'Counts of what the run did.' },
  ),
)

export const MaintenanceRun = closed(
  {
    id: Uuid(),
    job: Type.String(),
    trigger: Type.Enum(['schedule', 'manual']),
    dry_run: Type.Boolean({
      description:
        'A dry run computes everything and changes no record; only its list of changes and its stats remain.',
    }),
    scope: Type.Optional(scope),
    options: Type.Record(Type.String(), Type.Unknown()),
    status: RunStatus('Where the run stands.'),
    progress,
    stats: Stats,
    error: Type.Optional(
      Type.String({
        description:
          'Why the run failed. For a run that succeeded, the last record or batch that failed and was skipped.',
      }),
    ),
    attempts: Type.Integer({
      minimum: 0,
      description:
        'How often a worker started the run. A worker that is stopped and returns the run to the queue does not count.',
    }),
    worker: Type.Optional(
      Type.String({ description: 'The worker that executes the run, or executed it last.' }),
    ),
    created_at: Time(),
    started_at: Type.Optional(Time()),
    finished_at: Type.Optional(Time()),
  },
  {
    $id: 'MaintenanceRun',
    examples: [
      {
        id: '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11',
        job: 'decay',
        trigger: 'manual',
        dry_run: false,
        options: {},
        status: 'succeeded',
        progress: { done: 120, total: 120 },
        stats: { materialised: 100, pruned: 20 },
        attempts: 1,
        worker: 'worker-1',
        created_at: '2026-03-28T09:30:00.000Z',
        started_at: '2026-03-28T09:30:00.100Z',
        finished_at: '2026-03-28T09:30:00.400Z',
      },
    ],
  },
)
export type MaintenanceRun = Static<typeof MaintenanceRun>

const RefreshOptions = closed({
  rejudge: Type.Optional(
    Type.Boolean({
      description:
        'For `refresh_importance`: also estimates the base importance of the records that version 0.1.0 stored without an importance from the client. Pinned and forgotten records stay as they are. Each changed record gets one audit entry. Default false.',
    }),
  ),
})

/** The options that each job takes. */
export const optionNames: Readonly<Partial<Record<JobName, readonly string[]>>> = {
  consolidate: Object.keys(ConsolidationOptions.properties),
  dream: Object.keys(DreamOptions.properties),
  refresh_importance: Object.keys(RefreshOptions.properties),
}

export const JobOptions = closed(
  { ...ConsolidationOptions.properties, ...DreamOptions.properties, ...RefreshOptions.properties },
  {
    $id: 'JobOptions',
    description: 'Options of `consolidate`, `dream` and `refresh_importance`. The other jobs take none.',
  },
)

export const NewMaintenanceRun = closed(
  {
    job: Job,
    dry_run: Type.Optional(
      Type.Boolean({ description: 'true: list what the run would do, and change no record. Default false.' }),
    ),
    scope: Type.Optional(scope),
    options: Type.Optional(ref(JobOptions)),
  },
  { $id: 'NewMaintenanceRun', examples: [{ job: 'decay', dry_run: true }] },
)
export type NewMaintenanceRun = Static<typeof NewMaintenanceRun>

export const RunChange = closed(
  {
    record_id: Uuid(),
    action: Type.String({
      description:
        'What happened to the record. decay: `prune`, `forget` (for a budget), `promote`. consolidate: `create`, `reinforce`, `compress`. dream: `archive`, `create`, `supersede`, `merge`, `unmerge`, `candidate`, `relate`, `probe_challenge`, `drift_challenge`, `drift_invalidate`, `drift_restore`. purge: `purge`. compress: `reduce`. undo: `undo`, `kept`. Application of a plan: `skipped`. Plans only: `rescore`. Any job: `failed`, for a record that failed and was skipped.',
    }),
    before: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'The values before the change.' }),
    ),
    after: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'The values after the change.' }),
    ),
    note: Type.Optional(Type.String({ description: 'The reason, in words.' })),
    redacted: Type.Optional(
      Type.Literal(true, {
        description:
          'The record is one sensitivity level above the ceiling of the key, so its values are not shown.',
      }),
    ),
  },
  { $id: 'RunChange' },
)
export type RunChange = Static<typeof RunChange>

export const Cancellation = closed({}, { $id: 'Cancellation', examples: [{}] })
export const RunPage = listOf(ref(MaintenanceRun), 'MaintenanceRunPage')
export const ChangePage = closed(
  {
    ...listOf(ref(RunChange), 'RunChangePage').properties,
    hidden: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'The number of changes of records that the key may not see. Only for a key with `admin`.',
      }),
    ),
  },
  { $id: 'RunChangePage' },
)
export const RunPath = Type.Object({ id: Uuid({ missing, description: 'The id of the run.' }) })
export const RunsQuery = closed({
  job: Type.Optional(Type.Enum([...jobNames], { description: 'Only runs of this job.' })),
  status: Type.Optional(RunStatus('Only runs with this status.')),
  ...pageParameters(50),
})
export type RunsQuery = Static<typeof RunsQuery>
export const ChangesQuery = closed(pageParameters(50))
export type ChangesQuery = Static<typeof ChangesQuery>
