import Type, { type Static } from 'typebox'
import { maxDecaySeconds } from '../domain/lifecycle/lifecycle.ts'
import { Scope, TypeOf } from '../domain/schemas/request-fields.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, durationPattern } from '../domain/schemas/shapes.ts'
import { RecordType } from '../domain/schemas/vocabulary.ts'
import { PolicyChoice } from '../policies/index.ts'

/** More points cost more time, and a curve of fifty shows where it bends. */
const maxPoints = 50

const several = <T extends Type.TSchema>(item: T, description: string) =>
  Type.Array(item, { minItems: 1, maxItems: maxPoints, description })

const HalfLife = closed(
  {
    type: TypeOf('The type whose half-life is simulated.'),
    seconds: several(
      Type.Integer({ minimum: 1, maximum: maxDecaySeconds }),
      'The half-lives to compare, in this order.',
    ),
  },
  { description: 'Half-lives for the records of one type.' },
)

const Limit = (description: string) =>
  Type.Optional(several(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), description))

const Limits = closed(
  {
    max_records: Limit('Numbers of records that a scope may hold.'),
    max_bytes: Limit('Numbers of bytes that the records of a scope may have: the approximate size as JSON.'),
  },
  {
    minProperties: 1,
    maxProperties: 1,
    description: 'Budgets for each scope. Needs exactly one of `max_records` and `max_bytes`.',
  },
)

const PolicyChoices = closed(
  Object.fromEntries(RecordType.enum.map((type) => [type, Type.Optional(ref(PolicyChoice))])),
  { minProperties: 1, description: 'Lifecycle policies by type, as in `PUT /v1/policies/{type}`.' },
)

export const NewSimulation = closed(
  {
    scope: Type.Optional(
      Scope(
        'Only records of this scope. Default: the only scope of the key, or all scopes for a key with all scopes. A key with several scopes must name one.',
      ),
    ),
    over: Type.String({
      pattern: durationPattern,
      description: 'How far back the recorded uses and changes are repeated, from 1h to 365d.',
      examples: ['30d'],
    }),
    half_life: Type.Optional(HalfLife),
    budget: Type.Optional(Limits),
    policies: Type.Optional(PolicyChoices),
  },
  {
    $id: 'NewSimulation',
    description: 'What to simulate. Needs exactly one of `half_life`, `budget` and `policies`.',
    examples: [{ over: '30d', half_life: { type: 'episodic', seconds: [86_400, 259_200, 604_800] } }],
  },
)
export type NewSimulation = Static<typeof NewSimulation>

export const SimulatedPoint = closed(
  {
    value: Type.Union([Type.Number(), Type.Null()], {
      description: 'The half-life in seconds or the limit of the budget; null for policies.',
    }),
    forgotten: Type.Integer({ minimum: 0, description: 'How many records would have been forgotten.' }),
    bytes_saved: Type.Integer({ minimum: 0, description: 'The approximate size of these records as JSON.' }),
    regretted: Type.Integer({
      minimum: 0,
      description: 'How many of these records were shown, used or missed afterwards.',
    }),
  },
  { $id: 'SimulatedPoint' },
)
export type SimulatedPoint = Static<typeof SimulatedPoint>
