import Type, { type Static } from 'typebox'
import { ChangeSelector, runActions } from '../domain/run-actions.ts'
import { Scope, TypeOf } from '../domain/schemas/request-fields.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, listOf, pageParameters, Time, Uuid } from '../domain/schemas/shapes.ts'
import { RecordType } from '../domain/schemas/vocabulary.ts'
import { schedulableJobs } from '../jobs/job-names.ts'
import { JobOptions } from '../maintenance/index.ts'

const missing = 'plan_not_found'
const scope = Scope('Only records of this scope.')

/** A run of `embed` only computes vectors: there is nothing to decide. */
const PlannedJob = (description: string) =>
  Type.Enum(
    schedulableJobs.filter((job) => job !== 'embed'),
    { description },
  )

export const NewPlan = closed(
  {
    job: PlannedJob('The job to plan.'),
    options: Type.Optional(ref(JobOptions)),
    scope: Type.Optional(scope),
  },
  { $id: 'NewPlan', examples: [{ job: 'decay' }] },
)
export type NewPlan = Static<typeof NewPlan>

export const PlanStatus = Type.Enum(['preparing', 'ready', 'stale', 'applied', 'expired', 'failed'], {
  description:
    '`preparing`: the dry run has not ended. `ready`: the plan can be applied. `stale`: a record was changed after the plan was prepared; an application skips this record. `applied`: it was applied, in full or in part. `expired`: it is too old to be applied. `failed`: the dry run failed.',
})
export type PlanStatus = Static<typeof PlanStatus>

export const Plan = closed(
  {
    id: Uuid({ description: 'The id of the plan, and of the dry run that prepares it.' }),
    job: Type.String(),
    options: Type.Record(Type.String(), Type.Unknown()),
    scope: Type.Optional(scope),
    status: PlanStatus,
    digest: Type.Optional(
      Type.String({
        description:
          'Identifies the content of the plan; send it when you apply the plan. Present once the plan is prepared.',
      }),
    ),
    counts: Type.Record(Type.String(), Type.Integer(), {
      description: 'The number of changes by action, counted over the records that the key can see.',
    }),
    error: Type.Optional(Type.String({ description: 'Why the preparation failed.' })),
    created_at: Time(),
    expires_at: Time(),
  },
  {
    $id: 'Plan',
    examples: [
      {
        id: '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11',
        job: 'decay',
        options: {},
        status: 'ready',
        counts: { prune: 20 },
        digest: 'c0ffee37a1e5b0d4b5a0b6d9f3e2d1c0b9a8978685746352413f2e1d0c9b8a79',
        created_at: '2026-03-28T09:30:00.000Z',
        expires_at: '2026-04-04T09:30:00.000Z',
      },
    ],
  },
)
export type Plan = Static<typeof Plan>

export const PlanChange = closed(
  {
    record_id: Uuid(),
    type: RecordType,
    action: Type.String({
      description: 'What would happen to the record; the names are those of the changes of a run.',
      examples: ['prune'],
    }),
    before: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    after: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    why: Type.Optional(Type.String({ description: 'The change and its reason, in words.' })),
    redacted: Type.Optional(
      Type.Literal(true, {
        description:
          'The record is one sensitivity level above the ceiling of the key, so its values are not shown.',
      }),
    ),
  },
  { $id: 'PlanChange' },
)
export type PlanChange = Static<typeof PlanChange>

const PlanGroup = closed(
  {
    action: Type.String(),
    type: RecordType,
    count: Type.Integer({ minimum: 0 }),
    salience: Type.Number({ description: 'The sum of the present salience of the records.' }),
    bytes: Type.Integer({ minimum: 0, description: 'The approximate size of the records as JSON.' }),
    most_valuable: Type.Optional(
      closed(
        {
          record_id: Uuid(),
          keeping: Type.Number({ description: 'A record with a higher value is kept longer.' }),
        },
        { description: 'The record of the group with the highest `keeping`.' },
      ),
    ),
  },
  { $id: 'PlanGroup' },
)
export const PlanSummary = closed(
  { groups: Type.Array(ref(PlanGroup)) },
  {
    $id: 'PlanSummary',
    description:
      'The changes of a plan in groups. Salience, bytes and `keeping` count only records that the key can read in full.',
  },
)
export type PlanSummary = Static<typeof PlanSummary>

const selection = (description: string) =>
  Type.Optional(Type.Array(ChangeSelector, { minItems: 1, maxItems: 10_000, description }))

export const PlanApplication = closed(
  {
    digest: Type.String({
      minLength: 16,
      maxLength: 128,
      description: 'The digest of the plan, from the plan as you read it.',
    }),
    only: selection('Actions and ids of records: only these changes are made. Default: all.'),
    except: selection('Actions and ids of records: these changes are not made.'),
  },
  {
    $id: 'PlanApplication',
    examples: [
      { digest: 'c0ffee37a1e5b0d4b5a0b6d9f3e2d1c0b9a8978685746352413f2e1d0c9b8a79', except: ['archive'] },
    ],
  },
)
export type PlanApplication = Static<typeof PlanApplication>

export const PlanPage = listOf(ref(Plan), 'PlanPage')
export const PlanChangePage = listOf(ref(PlanChange), 'PlanChangePage')
export const PlanPath = Type.Object({ id: Uuid({ missing, description: 'The id of the plan.' }) })
export const PlansQuery = closed({
  job: Type.Optional(PlannedJob('Only plans of this job.')),
  status: Type.Optional(PlanStatus),
  ...pageParameters(50),
})
export type PlansQuery = Static<typeof PlansQuery>
export const PlanChangesQuery = closed({
  action: Type.Optional(
    Type.Enum(runActions, { description: 'Only changes with this action, such as `prune`.' }),
  ),
  type: Type.Optional(TypeOf('Only changes of records of this type.')),
  scope: Type.Optional(scope),
  ...pageParameters(50),
})
export type PlanChangesQuery = Static<typeof PlanChangesQuery>
export const PlanChangeCursor = Type.Object({ record_id: Uuid(), action: Type.String() })
